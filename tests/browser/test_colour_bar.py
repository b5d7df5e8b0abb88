"""The colour bar stands where a fresh drawing would put it, whatever was drawn before."""

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import open_tracer
from tests.browser.test_gradients import both_drawn

WEIGHTS = "blocks.0.attn.weights"
WIDE, NARROW = {"width": 1400, "height": 900}, {"width": 900, "height": 900}
PLACE = """name => {
    const plot = document.querySelector(`[data-view="${name}"] [data-canvas]`);
    const box = (mark) => plot.querySelector(mark).getBoundingClientRect();
    const cells = [...plot.querySelectorAll('.heatmaplayer image')].map(one => one.getBoundingClientRect());
    const bar = box('.cbfill');
    return { below: bar.top - Math.max(...cells.map(one => one.bottom)), inside: box('.cbfill').bottom <= box('.main-svg').bottom };
}"""


def bar_lies_below(page: Page, name: str) -> bool:
    """Whether the picture's bar lies below all of its cells, and within the picture."""
    place = page.evaluate(PLACE, name)
    return bool(place["below"] > 0 and place["inside"])


def test_bar_is_laid_down_when_the_gradient_comes(page: Page) -> None:
    page.set_viewport_size(WIDE)
    open_tracer(page, text="To be", stage=WEIGHTS)
    assert not bar_lies_below(page, "figure")  # alone, it stands beside them
    page.keyboard.press("g")
    both_drawn(page, WEIGHTS)
    assert bar_lies_below(page, "figure")
    assert bar_lies_below(page, "gradient")


@pytest.mark.parametrize("stage", [WEIGHTS, "blocks.0.ffn.hidden"])
def test_bar_lies_below_in_a_link_with_gradients(page: Page, stage: str) -> None:
    page.set_viewport_size(WIDE)
    open_tracer(page, text="To be", stage=stage, gradient="1")
    both_drawn(page, stage)
    assert bar_lies_below(page, "figure")
    assert bar_lies_below(page, "gradient")


def test_bar_follows_the_window(page: Page) -> None:
    page.set_viewport_size(WIDE)
    open_tracer(page, text="To be", stage=WEIGHTS, gradient="1")
    both_drawn(page, WEIGHTS)
    for size in (NARROW, WIDE):
        page.set_viewport_size(size)
        page.wait_for_timeout(200)
        both_drawn(page, WEIGHTS)
    assert bar_lies_below(page, "figure")
    assert bar_lies_below(page, "gradient")
