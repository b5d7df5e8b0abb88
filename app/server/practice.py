"""Where a reader can try what a stage or a section is about: labs, lesson steps, exercises.

Each room says what it has; which stages and sections that serves follows from the stage table.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from model.checkpoint import LoadedModel
from model.config import PRESETS, ModelConfig
from model.table.architectures import stages
from model.table.sections import Section, in_order
from model.table.stage import Stage
from model.table.symbols import of_any_block
from model.tracing import matching

IN_A_BLOCK = re.compile(r"\.\d+\.")
STACK = re.compile(r"^(Encoder|Decoder) ")
NORM = re.compile(r"norm \d+")
NOT_IN_AN_ANCHOR = re.compile(r"[^\w.]+", re.ASCII)


Places = tuple[tuple[str, str], ...]


class UseKind(StrEnum):
    """What sort of thing to do it is."""

    LAB = "lab"
    LESSON = "lesson"
    EXERCISE = "exercise"
    CHECK = "check"


@dataclass(frozen=True)
class Use:
    """One thing to do. It practises the `named` sections and the stages at its `places`, each the
    name of a preset and a key or a pattern of keys, with what teaches them; the stages that it
    looks at besides are `passing`."""

    kind: UseKind
    title: str
    address: str
    named: tuple[Section, ...] = ()
    places: Places = ()
    passing: Places = ()

    @property
    def stages(self) -> tuple[tuple[str, Stage], ...]:
        """The stages at its places, each with its preset."""
        return _at(self.places)

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections that it practises."""
        return in_order((*self.named, *(s for _, stage in self.stages for s in stage.sections)))


class Practice:
    """Everything there is to do, by stage and by section."""

    def __init__(self, uses: Iterable[Use]) -> None:
        self.uses = tuple(uses)
        self._by_stage: dict[ModelConfig, Mapping[str, tuple[Use, ...]]] = {}

    def of_stages(self, config: ModelConfig) -> Mapping[str, tuple[Use, ...]]:
        """What practises each stage of a model. A lesson's stage stands for those of other blocks
        and models that have its place in an architecture and are made alike; what names sections
        alone practises the stages that cite them."""
        if config not in self._by_stage:
            self._by_stage[config] = {
                stage.key: tuple(use for use in self.uses if _practises(use, config, stage))
                for stage in stages(config)
            }
        return self._by_stage[config]

    def of_section(self, section: Section) -> tuple[Use, ...]:
        """What practises a section."""
        return tuple(use for use in self.uses if section in use.sections)


def section_anchor(section: Section) -> str:
    """The address of a section in the page of the texts, and in that of the glossary."""
    return anchor("section", section.label)


def anchor(kind: str, name: str) -> str:
    """The address of a word in a page, the same for a symbol in every block;
    static/js/page/terms.js makes the same one."""
    return f"{kind}-{NOT_IN_AN_ANCHOR.sub('-', of_any_block(name)).strip('-')}"


@lru_cache(maxsize=512)
def _at(places: Places) -> tuple[tuple[str, Stage], ...]:
    return tuple(
        (preset, stage)
        for preset, key in places
        for stage in matching(stages(PRESETS[preset]), [key])
    )


def _practises(use: Use, config: ModelConfig, stage: Stage) -> bool:
    if not use.places and not use.passing:
        return not set(use.named).isdisjoint(stage.sections)
    return any(
        PRESETS[preset].architecture is config.architecture
        and _place(named.key) == _place(stage.key)
        and named.operation == stage.operation
        for preset, named in _at(use.places + use.passing)
    )


def _place(key: str) -> str:
    return IN_A_BLOCK.sub(".*.", key)


@dataclass(frozen=True)
class StageLink:
    """A stage as a link names it: without its block, and in one model."""

    title: str
    model: str
    stage: str


def shown(
    sections: Iterable[Section], models: Iterable[LoadedModel], first: Sequence[str] = ()
) -> tuple[StageLink, ...]:
    """The stages that cite any of the sections, each once, in the order of the tables. Of several
    models the `first` that has a stage shows it."""
    wanted = set(sections)
    found: dict[str, StageLink] = {}
    for model in sorted(models, key=lambda one: _rank(one.id, first)):
        for stage in model.stages:
            if not wanted.isdisjoint(stage.sections):
                title = NORM.sub("norm", stage.title.rpartition(" · ")[2])
                found.setdefault(
                    STACK.sub("", title).lower(), StageLink(title, model.id, stage.key)
                )
    return tuple(found.values())


def _rank(model: str, first: Sequence[str]) -> int:
    return first.index(model) if model in first else len(first)
