"""The glossary: the words of the stage table, each with its meaning and all its places.

Made from the tables of the models that are served. Stages that several blocks or models share are
one entry, under a pattern of their keys in which `*` is the number of a block.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from app.server.practice import anchor, section_anchor
from model.config import ModelConfig
from model.table.architectures import stages
from model.table.axes import Axis
from model.table.notation import NOTATION, Notation
from model.table.sections import in_order
from model.table.stage import Kind, Stage
from model.table.symbols import of_any_block

BLOCK = re.compile(r"(?<=blocks\.)\d+(?=\.)")
BLOCK_TITLE = re.compile(r"\b([Bb]lock) \d+")

T = TypeVar("T")
Tables = tuple[tuple[str, ModelConfig], ...]


@dataclass(frozen=True)
class Place:
    """Where the tracer shows it: the first stage of a pattern in one model."""

    model: str
    stage: str


@dataclass(frozen=True)
class Citation:
    """Another entry of the glossary, and the group that it is listed under, which its title does
    not repeat."""

    anchor: str
    title: str
    group: str


@dataclass(frozen=True)
class Form:
    """One way in which models make a stage. The equation is that of the first block; the symbol is
    each block's where they differ."""

    symbols: tuple[str, ...]
    operation: str
    equation: str
    axes: tuple[str, ...]
    symbolic_shape: tuple[str, ...]
    kind: Kind
    places: tuple[Place, ...]


@dataclass(frozen=True)
class GlossaryStage:
    """A stage of one or more models, and each way in which they make it."""

    anchor: str
    pattern: str
    title: str
    group: str
    sections: tuple[Citation, ...]
    forms: tuple[Form, ...]


Grouped = TypeVar("Grouped", Citation, GlossaryStage)


@dataclass(frozen=True)
class Size:
    """How long an axis is in some of the models; of all of them if `models` is empty."""

    value: int
    models: tuple[str, ...]


@dataclass(frozen=True)
class Count:
    """One of the things that an axis of this name counts."""

    symbol: str
    meaning: str
    sizes: tuple[Size, ...]


@dataclass(frozen=True)
class AxisEntry:
    """An axis, what it counts, and the stages that have it."""

    anchor: str
    name: str
    counts: tuple[Count, ...]
    stages: tuple[Citation, ...]


@dataclass(frozen=True)
class WeightName:
    """A weight by the pattern of its key, and its shape."""

    pattern: str
    symbolic_shape: tuple[str, ...]


@dataclass(frozen=True)
class SymbolEntry:
    """What a symbol stands for: stages, or weights that the `stages` are made with. `n` stands for
    the number of a block."""

    anchor: str
    symbol: str
    weights: tuple[WeightName, ...]
    stages: tuple[Citation, ...]


@dataclass(frozen=True)
class WordEntry:
    """An operation, a kind or a section, with the stages that it is said of."""

    anchor: str
    name: str
    meaning: str | None
    url: str | None
    stages: tuple[Citation, ...]


@dataclass(frozen=True)
class Glossary:
    """Every word, in the order in which the tables use them, and the course's notation."""

    models: tuple[str, ...]
    axes: tuple[AxisEntry, ...]
    kinds: tuple[WordEntry, ...]
    sections: tuple[WordEntry, ...]
    symbols: tuple[SymbolEntry, ...]
    operations: tuple[WordEntry, ...]
    stages: tuple[GlossaryStage, ...]
    notation: tuple[Notation, ...] = NOTATION


def pattern(key: str) -> str:
    """The key of a stage or a weight with `*` for the number of its block."""
    return BLOCK.sub("*", key)


def grouped(entries: Iterable[Grouped]) -> dict[str, list[Grouped]]:
    """Entries by the group that they are listed under, in order."""
    groups: dict[str, list[Grouped]] = {}
    for entry in entries:
        groups.setdefault(entry.group, []).append(entry)
    return groups


@lru_cache(maxsize=8)
def glossary(tables: Tables) -> Glossary:
    """The glossary of these models, each a name and its configuration."""
    named = _by_pattern(tables)
    entries = {name: _stage(name, found) for name, found in named.items()}
    references = {
        name: Citation(e.anchor, e.title.removeprefix(f"{e.group} · "), e.group)
        for name, e in entries.items()
    }

    def gathered(words: Callable[[Stage], Iterable[str]]) -> dict[str, tuple[Citation, ...]]:
        """For each word that stages are said to have, the entries of those stages."""
        result: dict[str, dict[str, Citation]] = {}
        for name, found in named.items():
            for word in (word for _, stage in found for word in words(stage)):
                result.setdefault(word, {})[name] = references[name]
        return {word: tuple(of.values()) for word, of in result.items()}

    def words(kind: str, of: Mapping[str, tuple[Citation, ...]]) -> tuple[WordEntry, ...]:
        return tuple(
            WordEntry(anchor(kind, name), name, None, None, its) for name, its in of.items()
        )

    of_kind = gathered(lambda stage: [stage.kind])
    return Glossary(
        models=tuple(name for name, _ in tables),
        axes=_axes(tables, gathered(lambda stage: [axis.name for axis in stage.axes])),
        kinds=tuple(
            WordEntry(anchor("kind", kind), kind, kind.meaning, None, of_kind.get(kind, ()))
            for kind in Kind
        ),
        sections=_sections(tables, gathered(lambda stage: [s.label for s in stage.sections])),
        symbols=_symbols(tables, gathered(_symbols_of)),
        operations=words("operation", gathered(lambda stage: [stage.operation])),
        stages=tuple(entries.values()),
    )


def _by_pattern(tables: Tables) -> dict[str, list[tuple[str, Stage]]]:
    """The stages of each pattern with their models, by the groups of the outline."""
    order: list[str] = []
    found: dict[str, list[tuple[str, Stage]]] = {}
    for model, config in tables:
        names = _once(pattern(stage.key) for stage in stages(config))
        for at, name in enumerate(names):
            if name not in order:
                order.insert(_place(name, names[:at], names[at + 1 :], order), name)
        for stage in stages(config):
            found.setdefault(pattern(stage.key), []).append((model, stage))
    groups = _once(found[name][0][1].group for name in order)
    return {n: found[n] for n in sorted(order, key=lambda n: groups.index(found[n][0][1].group))}


def _place(name: str, before: Sequence[str], after: Sequence[str], order: Sequence[str]) -> int:
    """Where a pattern that earlier models lack goes: beside its neighbour in its own table, the one
    of the same module if there is one; at the end if no neighbour is known."""
    last = next((order.index(known) for known in reversed(before) if known in order), None)
    following = next((order.index(known) for known in after if known in order), None)
    at_home = last is not None and _akin(order[last], name)
    if following is not None and not at_home and _akin(order[following], name):
        return following
    return len(order) if last is None else last + 1


def _akin(one: str, other: str) -> bool:
    """Whether two stages are of the same module."""
    return one.rpartition(".")[0] == other.rpartition(".")[0]


def _stage(name: str, found: list[tuple[str, Stage]]) -> GlossaryStage:
    first: dict[str, Stage] = {}
    blocks: dict[str, list[Stage]] = {}
    for model, stage in found:
        first.setdefault(model, stage)
        blocks.setdefault(model, []).append(stage)
    alike: dict[tuple[str, str, tuple[Axis, ...]], list[str]] = {}
    for model, stage in first.items():
        alike.setdefault((stage.operation, stage.equation, stage.axes), []).append(model)
    titles = _once(BLOCK_TITLE.sub(r"\1 n", stage.title) for _, stage in found)
    return GlossaryStage(
        anchor=anchor("stage", name),
        pattern=name,
        title=" or ".join(titles),
        group=BLOCK_TITLE.sub(r"\1 n", found[0][1].group),
        sections=tuple(
            Citation(section_anchor(section), section.label, section.course)
            for section in _once(section for _, stage in found for section in stage.sections)
        ),
        forms=tuple(_form(models, first, blocks) for models in alike.values()),
    )


def _form(models: list[str], first: Mapping[str, Stage], blocks: Mapping[str, list[Stage]]) -> Form:
    stage = first[models[0]]
    return Form(
        symbols=_once(each.symbol for model in models for each in blocks[model]),
        operation=stage.operation,
        equation=stage.equation,
        axes=tuple(axis.name for axis in stage.axes),
        symbolic_shape=stage.symbolic_shape,
        kind=stage.kind,
        places=tuple(Place(model, first[model].key) for model in models),
    )


def _axes(tables: Tables, of: Mapping[str, tuple[Citation, ...]]) -> tuple[AxisEntry, ...]:
    axes: dict[str, dict[Axis, dict[int, list[str]]]] = {}
    for model, config in tables:
        used = [axis for stage in stages(config) for axis in stage.axes]
        used += [a for stage in stages(config) for weight in stage.weights for a in weight.axes]
        for axis in _once(used):
            sizes = axes.setdefault(axis.name, {}).setdefault(axis, {})
            if axis.field is not None:
                sizes.setdefault(int(getattr(config, axis.field)), []).append(model)
    return tuple(
        AxisEntry(
            anchor("axis", name),
            name,
            tuple(
                Count(axis.symbol, axis.meaning, _sizes(sizes, len(tables)))
                for axis, sizes in counted.items()
            ),
            of.get(name, ()),
        )
        for name, counted in axes.items()
    )


def _sizes(sizes: Mapping[int, list[str]], models: int) -> tuple[Size, ...]:
    return tuple(
        Size(value, () if len(having) == models else tuple(having))
        for value, having in sizes.items()
    )


def _sections(tables: Tables, of: Mapping[str, tuple[Citation, ...]]) -> tuple[WordEntry, ...]:
    known = {s.label: s for _, config in tables for stage in stages(config) for s in stage.sections}
    return tuple(
        WordEntry(section_anchor(s), s.label, None, s.url, of[s.label])
        for s in in_order(known.values())
    )


def _symbols_of(stage: Stage) -> list[str]:
    """The symbols that a stage brings: its own and its weights', of any block."""
    symbols = stage.symbol, *(weight.symbol for weight in stage.weights)
    return [of_any_block(symbol) for symbol in symbols]


def _symbols(tables: Tables, of: Mapping[str, tuple[Citation, ...]]) -> tuple[SymbolEntry, ...]:
    weights: dict[str, dict[WeightName, None]] = {}
    for _, config in tables:
        for stage in stages(config):
            for weight in stage.weights:
                shape = tuple(axis.symbol for axis in weight.axes)
                name = WeightName(pattern(weight.key), shape)
                weights.setdefault(of_any_block(weight.symbol), {})[name] = None
    return tuple(
        SymbolEntry(anchor("symbol", symbol), symbol, tuple(weights.get(symbol, ())), its)
        for symbol, its in of.items()
    )


def _once(these: Iterable[T]) -> tuple[T, ...]:
    """Each of them once, in order."""
    return tuple(dict.fromkeys(these))
