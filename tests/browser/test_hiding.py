"""An encoder's hidden characters: by typing, by the button, by the key, by the address."""

from collections.abc import Mapping

import pytest
from playwright.sync_api import Page

from model import LoadedModel, trace
from tests.browser.conftest import drawn, open_tracer
from tests.browser.test_typing import type_text

ENCODER = "shakespeare-encoder"


@pytest.fixture
def encoder(family: Mapping[str, LoadedModel]) -> LoadedModel:
    return family[ENCODER]


def choose(page: Page, position: int) -> None:
    page.locator(f'[data-position="{position}"]').click()


def glyphs(page: Page) -> str:
    return "".join(page.locator(".chip-glyph").all_inner_texts())


def seen(page: Page, glyphs: str) -> None:
    """Wait until the model has read that."""
    page.wait_for_function(
        """glyphs => [...document.querySelectorAll('.chip-glyph')].map(e => e.textContent).join('') === glyphs""",
        arg=glyphs,
    )


def guesses(page: Page) -> list[str]:
    return page.locator(".bar-glyph").all_inner_texts()


def expected(model: LoadedModel, text: str, hidden: list[int], position: int) -> list[str]:
    likeliest = trace(model, text, hidden=hidden).next(position)
    return [{" ": "␣", "\n": "↵"}.get(p.text, p.text) for p in likeliest]


def test_nothing_hidden_says_how_to_hide(family_page: Page) -> None:
    open_tracer(family_page, model=ENCODER, text="To be")
    assert "Nothing is hidden" in family_page.locator("[data-after]").inner_text()
    assert guesses(family_page) == []
    assert family_page.locator("[data-hide]").is_disabled()


def test_typed_mask_is_guessed(family_page: Page, encoder: LoadedModel) -> None:
    open_tracer(family_page, model=ENCODER, text="To be")
    type_text(family_page, "To b_")
    drawn(family_page, "To b_")
    assert family_page.locator("[data-after]").inner_text() == "At position 4, typed as _"
    assert guesses(family_page) == expected(encoder, "To b_", [], 4)
    assert family_page.locator(".bar.is-following").count() == 0
    choose(family_page, 4)
    assert family_page.locator("[data-hide]").is_disabled()
    assert "type another character" in family_page.locator("[data-how]").inner_text()


def test_button_hides_and_shows_again(family_page: Page, encoder: LoadedModel) -> None:
    open_tracer(family_page, model=ENCODER, text="To be")
    choose(family_page, 1)
    button = family_page.locator("[data-hide]")
    assert button.inner_text() == "hide this character"
    button.click()
    seen(family_page, "T_␣be")
    assert button.inner_text() == "show it again"
    assert "hidden=1" in family_page.url
    chip = family_page.locator('[data-position="1"]')
    assert "is-hidden" in (chip.get_attribute("class") or "")
    assert chip.locator(".chip-truth").inner_text() == "o"
    assert chip.get_attribute("aria-label") == "position 1, hidden, really o, id 65"
    assert family_page.locator("[data-after]").inner_text() == "At position 1, hidden “o”"
    assert guesses(family_page) == expected(encoder, "To be", [1], 1)
    button.click()
    seen(family_page, "To␣be")
    assert "hidden=" not in family_page.url


def test_key_hides_the_focused_choice(family_page: Page) -> None:
    open_tracer(family_page, model=ENCODER, text="To be")
    family_page.locator('[data-position="0"]').focus()
    family_page.keyboard.press("ArrowRight")
    family_page.keyboard.press("Enter")
    family_page.keyboard.press("h")
    seen(family_page, "T_␣be")
    assert family_page.evaluate("document.activeElement.dataset.position") == "1"
    family_page.keyboard.press("h")
    seen(family_page, "To␣be")


def test_true_character_is_marked_among_the_guesses(
    family_page: Page, encoder: LoadedModel
) -> None:
    first = expected(encoder, "To be", [0], 0)  # whatever is hidden there, the guesses are these
    likeliest = next(glyph for glyph in first if glyph.isalpha())
    open_tracer(family_page, model=ENCODER, text=f"{likeliest}o be", hidden="0")
    marked = family_page.locator(".bar.is-following .bar-glyph").all_inner_texts()
    assert marked == [likeliest]


def test_chosen_hidden_position_is_the_one_asked(family_page: Page, encoder: LoadedModel) -> None:
    open_tracer(family_page, model=ENCODER, text="To be", hidden="1.4")
    assert "At position 1," in family_page.locator("[data-after]").inner_text()
    choose(family_page, 4)
    assert "At position 4," in family_page.locator("[data-after]").inner_text()
    assert guesses(family_page) == expected(encoder, "To be", [1, 4], 4)


def test_loss_is_labelled_with_the_hidden_characters(family_page: Page) -> None:
    open_tracer(family_page, model=ENCODER, text="To b_", hidden="1.3.4", stage="loss", token="3")
    axis = family_page.evaluate("document.querySelector('[data-canvas]').layout.xaxis")
    assert axis["ticktext"] == ["o", "b"]
    shapes = family_page.evaluate(
        "document.querySelector('[data-canvas]').layout.shapes.map(s => [s.x0, s.x1])"
    )
    assert shapes == [[0.5, 1.5]]


def test_link_restores_what_is_hidden(family_page: Page) -> None:
    open_tracer(family_page, model=ENCODER, text="To be")
    choose(family_page, 3)
    family_page.keyboard.press("h")
    seen(family_page, "To␣_e")
    other = family_page.context.new_page()
    other.goto(family_page.url)
    drawn(other, "To be")
    assert glyphs(other) == "To␣_e"
    assert other.url == family_page.url
    family_page.go_back()
    seen(family_page, "To␣be")


@pytest.mark.parametrize(
    ("typed", "left"),
    [("To", "T_"), ("So, To be", "So,␣T_␣be"), ("Ta be", "Ta␣be"), ("To be!", "T_␣be!")],
)
def test_hidden_characters_follow_an_edit(family_page: Page, typed: str, left: str) -> None:
    hidden = "1.4" if typed == "To" else "1"
    open_tracer(family_page, model=ENCODER, text="To be", hidden=hidden)
    type_text(family_page, typed)
    seen(family_page, left)
    assert family_page.locator("[data-message].is-refusal").count() == 0


def test_position_beyond_the_text_is_said(family_page: Page) -> None:
    open_tracer(family_page, model=ENCODER, text="To be", hidden="1.9")
    assert glyphs(family_page) == "T_␣be"
    said = family_page.locator("[data-message]").inner_text()
    assert said == "The text has no position 9 to hide."


def test_other_architecture_says_that_it_hides_nothing(family_page: Page) -> None:
    open_tracer(family_page, model="shakespeare", text="To be", hidden="1", target="x")
    said = family_page.locator("[data-message]").inner_text()
    assert "guesses no hidden characters" in said
    assert "has no target" in said
    assert glyphs(family_page) == "To␣be"


def test_example_shows_everything_again(family_page: Page) -> None:
    open_tracer(family_page, model=ENCODER, text="To be", hidden="1")
    family_page.locator(".example", has_text="a hidden letter").click()
    seen(family_page, "To␣be,␣or␣n_t␣to␣be")


def test_python_lines_hide_the_same(family_page: Page, encoder: LoadedModel) -> None:
    open_tracer(family_page, model=ENCODER, text="To be", hidden="1.3", stage="logits")
    line = family_page.locator("[data-python]").text_content() or ""
    call = line.splitlines()[-1]
    tensor = eval(call, {"trace": trace, "model": encoder})
    assert tensor.equal(trace(encoder, "To be", hidden=[1, 3]).tensor("logits"))
    curl = family_page.locator("[data-curl]").text_content() or ""
    assert "hidden=1&hidden=3" in curl
