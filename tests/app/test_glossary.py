"""The glossary has every word of every table, once and with all its places, and the notation."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from starlette.testclient import TestClient

from app.glossary.entries import Glossary, glossary, pattern
from app.glossary.schemas import GlossaryAnswer
from app.server.practice import anchor
from model.config import PRESETS
from model.table.architectures import stages
from model.table.notation import NOTATION, Notation, letters
from model.table.stage import Kind, Stage
from model.table.symbols import of_any_block
from tests.app.answers import problem, strict
from tests.app.conftest import Serve

EVERY = [(name, stage) for name, config in PRESETS.items() for stage in stages(config)]


@pytest.fixture(scope="module")
def words() -> Glossary:
    return glossary(tuple(PRESETS.items()))


@pytest.fixture(scope="module")
def page(client: TestClient) -> str:
    return client.get("/glossary").text


class Anchors(HTMLParser):
    """The ids of a page, and the links that lead to a place in it."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: set[str] = set()
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        if tag == "a" and str(given.get("href")).startswith("#"):
            self.links.add(str(given["href"])[1:])


def said_of(stage: Stage) -> Iterator[str]:
    """The anchors of every word that the table says of a stage."""
    yield anchor("stage", pattern(stage.key))
    yield anchor("kind", stage.kind)
    yield anchor("operation", stage.operation)
    yield from (anchor("symbol", one.symbol) for one in (stage, *stage.weights))
    yield from (anchor("section", section.label) for section in stage.sections)
    yield from (anchor("axis", axis.name) for axis in stage.axes)
    yield from (anchor("axis", axis.name) for weight in stage.weights for axis in weight.axes)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_word_of_the_table_has_an_entry(page: str, preset: str) -> None:
    ids = set(Anchors(page).ids)
    for stage in stages(PRESETS[preset]):
        assert set(said_of(stage)) <= ids, stage.key


def test_no_two_entries_have_one_anchor(page: str) -> None:
    ids = Anchors(page).ids
    assert len(ids) == len(set(ids))


def test_links_within_the_page_lead_to_entries(page: str) -> None:
    found = Anchors(page)
    assert found.links
    assert found.links <= set(found.ids)


def test_each_stage_of_each_model_has_one_place(words: Glossary) -> None:
    places = [(place.model, entry.pattern) for entry in words.stages
              for form in entry.forms for place in form.places]  # fmt: skip
    assert len(places) == len(set(places))
    assert set(places) == {(name, pattern(stage.key)) for name, stage in EVERY}


def test_place_opens_the_first_stage_of_its_pattern(words: Glossary) -> None:
    for entry in words.stages:
        for place in (place for form in entry.forms for place in form.places):
            keys = [s.key for s in stages(PRESETS[place.model]) if pattern(s.key) == entry.pattern]
            assert place.stage == keys[0]


def test_form_says_what_the_table_says(words: Glossary) -> None:
    by_key = {(name, stage.key): stage for name, stage in EVERY}
    for form in (form for entry in words.stages for form in entry.forms):
        for place in form.places:
            stage = by_key[place.model, place.stage]
            assert (form.operation, form.equation, form.symbolic_shape, form.kind) == (
                stage.operation, stage.equation, stage.symbolic_shape, stage.kind,
            )  # fmt: skip


def test_word_lists_all_its_stages(words: Glossary) -> None:
    """Section, operation, kind, symbol and axis: each leads to exactly the stages that have it."""
    entries = (*words.sections, *words.operations, *words.kinds, *words.symbols, *words.axes)
    listed = {entry.anchor: {reference.anchor for reference in entry.stages} for entry in entries}
    expected: dict[str, set[str]] = {one: set() for one in listed}
    for _, stage in EVERY:
        own, *others = said_of(stage)
        axes = {anchor("axis", axis.name) for axis in stage.axes}
        for other in others:
            if not other.startswith("axis-") or other in axes:
                expected[other].add(own)
    assert listed == expected


def test_stages_of_a_module_stand_together(words: Glossary) -> None:
    modules = [entry.pattern.rpartition(".")[0] for entry in words.stages]
    innermost = {m for m in modules if not any(n.startswith(f"{m}.") for n in modules)} - {""}
    assert innermost
    for module in innermost:
        first, last = modules.index(module), len(modules) - modules[::-1].index(module)
        assert set(modules[first:last]) == {module}, module


def test_sizes_are_the_configurations(words: Glossary) -> None:
    widths = next(axis for axis in words.axes if axis.name == "d_ff").counts[0].sizes
    found = {model: size.value for size in widths for model in size.models}
    assert found == {name: config.d_ff for name, config in PRESETS.items()}


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_has_a_meaning(kind: Kind) -> None:
    assert kind.meaning


def test_answer_fits_its_description_and_is_the_glossary(client: TestClient) -> None:
    content = client.get("/api/v1/glossary").content
    answer = GlossaryAnswer.model_validate(strict(content), strict=True)
    assert {entry.pattern for entry in answer.stages} == {pattern(s.key) for _, s in EVERY}
    assert answer.models[0] == "shakespeare"


def test_page_without_models_has_the_notation(
    serve: Serve, tmp_path_factory: pytest.TempPathFactory
) -> None:
    client = serve(checkpoints=tmp_path_factory.mktemp("none"))
    response = client.get("/glossary")
    assert response.status_code == 200
    assert NOTATION[0].meaning in response.text


@pytest.mark.parametrize("row", NOTATION, ids=lambda row: row.meaning)
def test_notation_is_what_the_tables_and_the_code_have(row: Notation) -> None:
    fields = {
        field for config in PRESETS.values() for field in (*type(config).model_fields, "d_head")
    }
    axes = {axis for _, stage in EVERY for axis in stage.axes}
    axes |= {axis for _, stage in EVERY for weight in stage.weights for axis in weight.axes}
    keys = {stage.key for _, stage in EVERY} | {w.key for _, stage in EVERY for w in stage.weights}
    names = fields | {axis.name for axis in axes}
    symbols = {of_any_block(one.symbol) for _, stage in EVERY for one in (stage, *stage.weights)}
    symbols |= {axis.symbol for axis in axes}
    equations = " ".join(stage.equation for _, stage in EVERY)
    for code in row.code:
        assert code in names or any(f".{code}." in f".{key}." for key in keys), code
    for formula in row.here:
        plain = re.sub(r"\{\\text\{(\w+)\}\}", r"\1", formula)
        assert {formula, plain} & symbols or formula in equations, formula


def test_letters_with_several_meanings_are_told() -> None:
    said = {letter: [one.meaning for one, _ in meanings] for letter, meanings in letters().items()}
    assert len(said["L"]) == 2
    assert all(len(meanings) > 1 for meanings in said.values())
    assert "M" not in said


def test_unknown_field_is_refused(client: TestClient) -> None:
    assert problem(client.get("/api/v1/glossary?q=1"), 422).field == "q"
