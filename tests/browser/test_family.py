"""Every architecture on the same page: its stages, its wiring, its labels."""

from collections.abc import Mapping
from itertools import pairwise

import pytest
from playwright.sync_api import Page

from model import LoadedModel, trace
from model.config import PRESETS
from tests.browser.conftest import drawn, open_tracer

every_preset = pytest.mark.parametrize("preset", PRESETS)
SEQ2SEQ = "shakespeare-seq2seq"
TEXT = "Nw s th wntr"
STREAM, BRANCH = "8", "24"


def rows(page: Page) -> list[tuple[str, str]]:
    """Key and shape of each row of the outline."""
    found: list[list[str]] = page.locator("[data-stage]").evaluate_all(
        "all => all.map(a => [a.dataset.stage, a.querySelector('.outline-shape').textContent])"
    )
    return [(key, shape) for key, shape in found]


@every_preset
def test_trace_of_every_preset_opens(
    family_page: Page, family: Mapping[str, LoadedModel], preset: str
) -> None:
    open_tracer(family_page, model=preset, text=TEXT)
    traced = trace(family[preset], TEXT)
    expected = [
        (stage.key, " × ".join(stage.symbolic_shape), traced.array(stage.key).shape)
        for stage in family[preset].stages
    ]
    assert rows(family_page) == [
        (key, f"{symbols} = {' × '.join(map(str, shape))}") for key, symbols, shape in expected
    ]
    family_page.wait_for_function(
        "() => document.querySelector('[data-check]').textContent.includes('NumPy agrees')"
    )
    for stage in (family[preset].stages[0], family[preset].stages[-3]):
        family_page.locator(f'[data-stage="{stage.key}"]').click()
        drawn(family_page, TEXT)
        assert family_page.locator("[data-title]").inner_text() == stage.title


@every_preset
def test_opening_trace_of_every_preset_is_carried_by_its_page(
    family_page: Page, preset: str
) -> None:
    asked: list[str] = []
    family_page.on("request", lambda request: asked.append(request.url))
    open_tracer(family_page, model=preset)
    assert not [url for url in asked if "/api/v1/traces" in url]


@every_preset
def test_rail_has_each_stage_where_the_table_says(
    family_page: Page, family: Mapping[str, LoadedModel], preset: str
) -> None:
    """A norm stands on the line for post-LN and on the branch for pre-LN."""
    open_tracer(family_page, model=preset)
    places = family_page.locator(".rail circle").evaluate_all(
        "all => all.map(c => c.getAttribute('cx'))"
    )
    stages = family[preset].stages
    beside = [not s.inputs and b.group == s.group for b, s in pairwise(stages)]
    assert places == [
        BRANCH if stage.branch or given else STREAM
        for stage, given in zip(stages, [False, *beside], strict=True)
    ]
    sums = family_page.locator("a:has(.rail-join)").evaluate_all(
        "all => all.map(a => a.dataset.stage)"
    )
    assert sums == [
        stage.key for before, stage in pairwise(stages) if stage.branch is None and before.branch
    ]


def test_rail_leads_what_the_encoder_read_to_each_cross_attention(
    family_page: Page, family: Mapping[str, LoadedModel]
) -> None:
    open_tracer(family_page, model=SEQ2SEQ)
    passed = family_page.locator("a:has(.rail-memory)").evaluate_all(
        "all => all.map(a => a.dataset.stage)"
    )
    keys = [stage.key for stage in family[SEQ2SEQ].stages]
    second = keys.index("decoder.ids")
    read = keys[second - 1]
    readers = [stage.key for stage in family[SEQ2SEQ].stages[second:] if read in stage.inputs]
    assert len(readers) == 4
    assert passed == keys[second - 1 : keys.index(readers[-1]) + 1]
    tapped = family_page.locator("a:has(.rail-memory[d*='C31'])").evaluate_all(
        "all => all.map(a => a.dataset.stage)"
    )
    assert tapped == readers


def test_second_stack_begins_a_stream_of_its_own(family_page: Page) -> None:
    open_tracer(family_page, model=SEQ2SEQ)
    lines = family_page.locator(".rail-stream").evaluate_all(
        "all => all.map(path => [path.closest('a').dataset.stage, path.getAttribute('d')])"
    )
    assert [key for key, line in lines if line.startswith("M8 20")] == [
        "encoder.ids",
        "decoder.ids",
    ]
    ends = [key for key, line in lines if line.endswith("V20")]
    assert ends == ["encoder.blocks.1.ffn_norm.output", "loss"]


@pytest.mark.parametrize("preset", ["shakespeare-encoder", "shakespeare-modern", SEQ2SEQ])
def test_no_width_cuts_names_or_scrolls_sideways(family_page: Page, preset: str) -> None:
    open_tracer(family_page, model=preset)
    for width in (1440, 1024, 380, 320):
        family_page.set_viewport_size({"width": width, "height": 800})
        cut = family_page.locator(".outline-row").evaluate_all(
            """all => all.flatMap(row => {
                row.setAttribute('aria-current', 'true'); // the chosen one is written bold
                return [...row.querySelectorAll('.outline-name, .outline-shape')];
            }).filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)"""
        )
        assert cut == [], width
        assert not family_page.evaluate("document.documentElement.scrollWidth > innerWidth"), width
        name, links = (
            family_page.locator(part).bounding_box()
            for part in (".wordmark", ".masthead-links > :first-child")
        )
        assert name is not None
        assert links is not None
        assert name["x"] + name["width"] <= links["x"], width


@pytest.mark.parametrize(("width", "scrolling"), [(1440, []), (380, ["blocks.0.attn.q_rotated"])])
@pytest.mark.parametrize("preset", ["shakespeare-2017", "shakespeare-modern"])
def test_equations_fit_or_scroll_by_keyboard(
    family_page: Page,
    family: Mapping[str, LoadedModel],
    preset: str,
    width: int,
    scrolling: list[str],
) -> None:
    family_page.set_viewport_size({"width": width, "height": 800})
    open_tracer(family_page, model=preset)
    examples: dict[str, str] = {}  # one stage of each operation
    for stage in family[preset].stages:
        examples.setdefault(stage.operation, stage.key)
    cut = []
    for key in examples.values():
        family_page.locator(f'[data-stage="{key}"]').click()
        equation = "document.querySelector('[data-equation]')"
        if family_page.evaluate(f"{equation}.scrollWidth > {equation}.clientWidth"):
            cut.append(key)
            assert family_page.evaluate(f"{equation}.tabIndex") == 0
    assert cut == [key for key in scrolling if key in examples.values()]
