"""The first visit: what this is is said once, beside a real tensor, and the first lesson offered."""

import pytest
from playwright.sync_api import Page
from starlette.testclient import TestClient

from tests.browser.conftest import open_tracer
from tests.browser.test_everyone import serious, sideways

WATCH = """
window.heights = new Set();
const look = () => {
    const welcome = document.querySelector(".welcome");
    if (welcome && document.querySelector(".columns")) heights.add(welcome.offsetHeight);
    requestAnimationFrame(look);
};
look();
"""
"""Notes how high the welcome is in every frame that is drawn."""
NOTHING_STORED = """
Object.defineProperty(window, "localStorage", { get() { throw new DOMException("no", "SecurityError"); } });
"""


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768), (380, 800)])
def test_first_visit_says_what_this_is_beside_a_tensor(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    open_tracer(page)
    welcome = page.locator(".welcome")
    assert "every tensor" in welcome.inner_text()
    ways = welcome.locator("a").evaluate_all("all => all.map(a => a.pathname + a.hash)")
    assert ways == [
        "/lessons/follow-one-input", "/texts#module-7", "/texts#lesson-56", "/texts#chapter",
    ]  # fmt: skip
    said, tensor = welcome.bounding_box(), page.locator("[data-plot]").first.bounding_box()
    thumbnail = page.locator("[aria-current] canvas").bounding_box()
    assert said is not None
    assert tensor is not None
    assert thumbnail is not None
    assert said["y"] + said["height"] <= tensor["y"]
    assert thumbnail["y"] + thumbnail["height"] <= height  # one is seen without scrolling
    assert not sideways(page)


def test_welcome_once_closed_stays_away(page: Page) -> None:
    page.add_init_script(WATCH)
    open_tracer(page)
    assert page.evaluate("heights.size") == 1
    page.get_by_label("Close the welcome").focus()
    page.keyboard.press("Enter")
    assert not page.locator(".welcome").is_visible()
    assert page.evaluate("document.activeElement.id") == "text"
    open_tracer(page, text="To be")
    assert page.evaluate("[...heights]") == [0]  # not for one frame


def test_welcome_can_be_closed_where_nothing_is_stored(page: Page) -> None:
    page.add_init_script(NOTHING_STORED)
    open_tracer(page)
    page.get_by_label("Close the welcome").click()
    assert not page.locator(".welcome").is_visible()


def test_projector_has_no_welcome(page: Page) -> None:
    open_tracer(page, projector="1")
    assert not page.locator(".welcome").is_visible()


def test_pages_that_teach_are_reached_by_keyboard(page: Page) -> None:
    open_tracer(page)
    page.get_by_role("button", name="learn").focus()
    page.keyboard.press("Enter")
    menu = page.get_by_role("navigation", name="Learn")
    assert menu.locator("a").evaluate_all("all => all.map(a => a.pathname)") == [
        "/lessons", "/labs", "/exercises", "/glossary", "/texts", "/reading",
    ]  # fmt: skip
    assert serious(page) == []
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.pathname") == "/lessons"
    page.keyboard.press("Escape")
    assert not menu.is_visible()


def test_saved_page_has_neither_welcome_nor_pages_beside_it(client: TestClient) -> None:
    saved = client.post("/api/v1/traces", json={"text": "a", "format": "html"}).text
    assert 'class="welcome"' not in saved
    assert "popover" not in saved
    assert 'href="/' not in saved
