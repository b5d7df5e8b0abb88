"""What the page is on paper and in the reader's own colours: F17 and F18; tables have a bound: F15."""

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import open_tracer

STYLE = "([selector, name]) => getComputedStyle(document.querySelector(selector))[name]"


def test_forced_colours_tell_pressed_from_unpressed(page: Page) -> None:  # F17
    page.emulate_media(forced_colors="active")
    open_tracer(page, text="To be", stage="blocks.0.attn.weights", head="1")
    grounds = [
        page.evaluate(STYLE, [f'.switch[aria-pressed="{pressed}"]', "backgroundColor"])
        for pressed in ("true", "false")
    ]
    assert grounds[0] != grounds[1]
    fill, track = (page.evaluate(STYLE, [one, "backgroundColor"]) for one in (".bar-fill", "body"))
    assert fill != track


def test_forced_colours_keep_the_chosen_stage_legible(page: Page) -> None:  # F17
    page.emulate_media(forced_colors="active")
    open_tracer(page, text="To be", stage="blocks.0.attn.weights")
    ground = page.evaluate(STYLE, [".outline-row[aria-current]", "backgroundColor"])
    assert ground == page.evaluate(STYLE, ['.switch[aria-pressed="true"]', "backgroundColor"])
    page.keyboard.press("s")
    chosen, others = (
        page.evaluate(STYLE, [f'.found[aria-selected="{selected}"]', "outlineStyle"])
        for selected in ("true", "false")
    )
    assert chosen != others


def test_paper_has_text_stage_figure_and_prediction(page: Page) -> None:  # F18
    open_tracer(page, text="To be", stage="blocks.0.attn.weights")
    page.emulate_media(media="print")
    for shown in ("[data-text]", "[data-title]", ".figure-plot", ".bars"):
        assert page.locator(shown).first.is_visible(), shown
    for left_out in (".outline", ".tools", ".masthead-links", ".away"):
        assert not page.locator(left_out).first.is_visible(), left_out
    assert page.evaluate(STYLE, [".bar-fill", "printColorAdjust"]) == "exact"


@pytest.mark.parametrize("address", ["/?text=To+be&cell=1.3", "/lessons/follow-one-input"])
def test_paper_keeps_no_column_for_what_it_leaves_out(page: Page, address: str) -> None:  # F18
    page.set_viewport_size({"width": 1024, "height": 900})
    page.goto(address)
    shown = page.locator(".middle, .lesson-step").first
    shown.wait_for()
    page.emulate_media(media="print")
    box = shown.bounding_box()
    assert box is not None
    assert box["x"] < 40
    assert box["width"] > 900


@pytest.mark.parametrize("width", [760, 960])
def test_links_leave_the_text_room(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    open_tracer(page, text="To be, or not to be")
    box = page.locator("[data-text]").bounding_box()
    assert box is not None
    assert box["width"] > 250


def test_table_of_a_large_tensor_is_a_window_around_the_chosen_cell(page: Page) -> None:  # F15
    open_tracer(page, text="To be", stage="blocks.0.ffn.hidden", cell="3.200")
    page.click(".tabled > summary")
    page.wait_for_selector(".tabled td[aria-current]")
    assert page.locator(".tabled *").count() < 6000
    assert "columns 190 to 255 of 256" in page.locator(".tabled caption").inner_text()
    assert "CSV" in page.locator(".tabled caption").inner_text()
    page.locator(".tabled td").first.click()
    page.wait_for_function("() => new URLSearchParams(location.search).get('cell') === '0.190'")
