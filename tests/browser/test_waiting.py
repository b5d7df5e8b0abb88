"""A page says when it waits, dims what is old, and does neither when the answer is quick: F09."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import drawn, open_tracer

WATCH = """() => {
    globalThis.lateness = 0;
    new MutationObserver(() => { globalThis.lateness += document.body.classList.contains('is-late') ? 1 : 0; })
        .observe(document.body, { attributes: true, attributeFilter: ['class'] });
}"""
OPACITY = "selector => Number(getComputedStyle(document.querySelector(selector)).opacity)"


@contextmanager
def held(page: Page, pattern: str) -> Iterator[None]:
    """Within, what is asked is answered only afterwards."""
    routes: list[Route] = []
    page.route(pattern, lambda route: routes.append(route))
    yield
    for route in routes:
        route.continue_()
    page.unroute(pattern)


def says_that_it_waits(page: Page, dimmed: str) -> None:
    expect(page.locator(".waiting")).to_contain_text("Waiting for an answer")
    assert page.locator("main").get_attribute("aria-busy") == "true"
    assert page.evaluate(OPACITY, dimmed) < 0.6


def is_at_rest(page: Page, shown: str) -> None:
    page.wait_for_function("() => !document.body.classList.contains('is-late')")
    assert page.locator(".waiting").inner_text() == ""
    assert page.locator("main").get_attribute("aria-busy") == "false"
    assert page.evaluate(OPACITY, shown) == 1


def test_tracer_says_that_it_waits(page: Page) -> None:
    open_tracer(page, text="To be")
    with held(page, "**/api/v1/traces"):
        page.fill("[data-text]", "Romeo loves")
        says_that_it_waits(page, ".figure-frame")
        assert page.evaluate(OPACITY, ".chips") < 0.6
    drawn(page, "Romeo loves")
    is_at_rest(page, ".figure-frame")


def test_lab_says_that_it_waits(page: Page) -> None:
    page.goto("/labs/masking")
    page.wait_for_selector("[data-lab][data-shown]")
    with held(page, "**/api/v1/labs/**"):
        page.locator("[data-number]").first.fill("2")
        page.locator("[data-number]").first.press("Tab")
        says_that_it_waits(page, ".lab-figures")
    is_at_rest(page, ".lab-figures")


@pytest.mark.parametrize("address", ["/lessons/follow-one-input", "/exercises"])
def test_lessons_say_that_they_wait(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("form.question")
    with held(page, "**/api/v1/lessons/**"):
        page.fill("[data-text]", "Romeo loves")
        says_that_it_waits(page, ".lesson-ask")
    is_at_rest(page, ".lesson-ask")


def test_quick_answers_do_not_flicker(page: Page) -> None:
    open_tracer(page, text="To be")
    page.evaluate(WATCH)
    quick = "() => { const { fetch } = window; globalThis.slowest = 0; window.fetch = async (...given) => { const from = performance.now(); const answer = await fetch(...given); globalThis.slowest = Math.max(globalThis.slowest, performance.now() - from); return answer; }; }"
    page.evaluate(quick)
    for text in ("To b", "To", "To c"):
        page.fill("[data-text]", text)
        drawn(page, text)
    assert page.evaluate("lateness") == 0 or page.evaluate("slowest") > 100
