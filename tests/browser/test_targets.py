"""An encoder-decoder's two texts: the target that the model writes, or the reader."""

import shlex
from collections.abc import Mapping

import httpx2
import pytest
from playwright.sync_api import Page

from model import LoadedModel, trace
from tests.browser.conftest import drawn, open_tracer
from tests.browser.test_typing import forgive, type_text

SEQ2SEQ = "shakespeare-seq2seq"
SOURCE = "T b"
CROSS = "decoder.blocks.0.cross_attn.weights"


@pytest.fixture
def seq2seq(family: Mapping[str, LoadedModel]) -> LoadedModel:
    return family[SEQ2SEQ]


def type_target(page: Page, target: str) -> None:
    page.locator("[data-target]").fill(target)


def target_chips(page: Page) -> str:
    return "".join(page.locator('[data-along="target"] .chip-glyph').all_inner_texts())


def read(page: Page, target: str) -> None:
    """Wait until the model has read that target."""
    glyphs = "↵" + target.replace(" ", "␣").replace("\n", "↵")
    page.wait_for_function(
        """glyphs => [...document.querySelectorAll('[data-along="target"] .chip-glyph')]
            .map(e => e.textContent).join('') === glyphs""",
        arg=glyphs,
    )


def test_target_is_what_the_model_writes(family_page: Page, seq2seq: LoadedModel) -> None:
    open_tracer(family_page, model=SEQ2SEQ, text=SOURCE)
    written = trace(seq2seq, SOURCE).target
    assert written is not None
    assert family_page.locator("[data-target]").input_value() == written
    assert family_page.locator("[data-written]").is_visible()
    assert "target=" not in family_page.url
    read(family_page, written)
    count = family_page.locator('[data-view="target"] [data-count]').inner_text()
    assert count == f"{len(written)} / 63"
    type_text(family_page, "Nw")
    drawn(family_page, "Nw")
    assert family_page.locator("[data-target]").input_value() == trace(seq2seq, "Nw").target


def test_typed_target_is_fixed_until_the_model_may_write(
    family_page: Page, seq2seq: LoadedModel
) -> None:
    open_tracer(family_page, model=SEQ2SEQ, text=SOURCE)
    type_target(family_page, "To be")
    read(family_page, "To be")
    assert "target=To+be" in family_page.url
    assert not family_page.locator("[data-written]").is_visible()
    type_text(family_page, "Nw")
    drawn(family_page, "Nw")
    assert family_page.locator("[data-target]").input_value() == "To be"
    family_page.locator("[data-free]").click()
    written = trace(seq2seq, "Nw").target
    assert written is not None
    read(family_page, written)
    assert family_page.locator("[data-target]").input_value() == written
    assert "target=" not in family_page.url
    assert family_page.evaluate("document.activeElement.matches('[data-target]')")


def test_empty_target_is_only_its_beginning(family_page: Page) -> None:
    open_tracer(family_page, model=SEQ2SEQ, text=SOURCE, target="")
    assert target_chips(family_page) == "↵"
    assert "After “↵” at target position 0" in family_page.locator("[data-after]").inner_text()
    assert family_page.locator("[data-free]").is_visible()


def test_refused_target_is_said_at_its_field(family_page: Page) -> None:
    open_tracer(family_page, model=SEQ2SEQ, text=SOURCE, target="To be")
    type_target(family_page, "To 9")
    message = family_page.locator('[data-view="target"] [data-message]')
    family_page.wait_for_function(
        """() => document.querySelector('[data-view="target"] [data-message]').textContent !== ''"""
    )
    assert "'9' (U+0039) at position 3" in message.inner_text()
    assert family_page.locator("[data-target]").get_attribute("aria-invalid") == "true"
    assert family_page.locator("[data-text]").get_attribute("aria-invalid") == "false"
    assert family_page.locator('[data-view="text"] [data-message]').inner_text() == ""
    assert "“T b” → “To be”" in family_page.locator("[data-stale]").inner_text()
    type_target(family_page, "To b")
    read(family_page, "To b")
    assert message.inner_text() == ""
    forgive(family_page, 422)


def test_enter_leaves_the_target_one_line(family_page: Page) -> None:
    open_tracer(family_page, model=SEQ2SEQ, text=SOURCE, target="To")
    family_page.locator("[data-target]").press("Enter")
    assert family_page.locator("[data-target]").input_value() == "To"


def test_bars_follow_the_chosen_target_position(family_page: Page, seq2seq: LoadedModel) -> None:
    open_tracer(family_page, model=SEQ2SEQ, text=SOURCE, target="To be")
    assert "After “e” at target position 5" in family_page.locator("[data-after]").inner_text()
    family_page.locator('[data-along="target"] [data-position="2"]').click()
    assert "After “o” at target position 2" in family_page.locator("[data-after]").inner_text()
    expected = trace(seq2seq, SOURCE, target="To be").next(2)
    glyphs = [{" ": "␣", "\n": "↵"}.get(p.text, p.text) for p in expected]
    assert family_page.locator(".bar-glyph").all_inner_texts() == glyphs
    family_page.locator('[data-along="text"] [data-position="1"]').click()
    assert "After “e” at target position 5" in family_page.locator("[data-after]").inner_text()


def test_cross_attention_has_the_target_as_rows_and_the_source_as_columns(
    family_page: Page,
) -> None:
    open_tracer(family_page, model=SEQ2SEQ, text=SOURCE, target="To be", stage=CROSS)
    layout = family_page.evaluate("document.querySelector('[data-canvas]').layout")
    assert layout["yaxis"]["ticktext"] == list("↵To␣be")
    assert layout["xaxis"]["ticktext"] == list("T␣b")
    titles = {note["text"] for note in layout["annotations"]}
    assert {"target", "source"} <= titles
    assert family_page.locator("[data-axes]").inner_text().startswith("head, target, source")
    family_page.locator("[data-plot]").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        family_page.keyboard.press(key)
    assert "head 1 · target 1 T · source 1 ␣" in family_page.locator("[data-cell]").inner_text()


@pytest.mark.parametrize(
    ("token", "shape"), [("target.2", [-0.5, 2.5, 1.5, 2.5]), ("1", [0.5, 1.5, -0.5, 5.5])]
)
def test_token_is_marked_along_its_own_text_alone(
    family_page: Page, token: str, shape: list[float]
) -> None:
    open_tracer(family_page, model=SEQ2SEQ, text=SOURCE, target="To be", stage=CROSS, token=token)
    shapes = family_page.evaluate(
        "document.querySelector('[data-canvas]').layout.shapes.map(s => [s.x0, s.x1, s.y0, s.y1])"
    )
    assert shapes == [shape] * 4
    assert family_page.locator('.chip[aria-pressed="true"]').count() == 1


def test_link_restores_both_texts(family_page: Page) -> None:
    open_tracer(family_page, model=SEQ2SEQ, text=SOURCE)
    type_target(family_page, "To be")
    read(family_page, "To be")
    family_page.locator('[data-along="target"] [data-position="3"]').click()
    other = family_page.context.new_page()
    other.goto(family_page.url)
    drawn(other, SOURCE)
    assert other.locator("[data-target]").input_value() == "To be"
    chosen = other.locator('[data-along="target"] [data-position="3"]')
    assert chosen.get_attribute("aria-pressed") == "true"
    assert other.url == family_page.url


def test_curl_and_python_lines_carry_the_target(family_page: Page, seq2seq: LoadedModel) -> None:
    open_tracer(family_page, model=SEQ2SEQ, text=SOURCE, target="To be", stage="logits")
    _, address = shlex.split(family_page.locator("[data-curl]").text_content() or "")
    answer = httpx2.get(address).json()
    assert (answer["text"], answer["target"]) == (SOURCE, "To be")
    call = (family_page.locator("[data-python]").text_content() or "").splitlines()[-1]
    tensor = eval(call, {"trace": trace, "model": seq2seq})
    assert tensor.equal(trace(seq2seq, SOURCE, target="To be").tensor("logits"))
