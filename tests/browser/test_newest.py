"""Late answers. The newest question wins in whatever order the answers come, on every page: F10.

Where a page is tested, its requests cannot be aborted, so that each late answer really arrives."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import drawn
from tests.browser.test_labs import open_lab, settle

STAGE = "blocks.0.attn.weights"
OLD, NEW = "hello", "world"
DEAF = """() => {
    const { fetch } = window;
    window.fetch = (address, options) => fetch(address, { ...options, signal: undefined });
}"""
"""From now on what was asked is answered, whether it is aborted or not."""
SETTLED = """() => {
    const has = selector => document.querySelector(selector) !== null;
    const said = document.querySelector('[data-view="check"]').textContent;
    return !has('.is-waiting, .is-stale, [data-busy]') && said.includes('Gradient') && has('.terms')
        && !document.querySelector('[data-flow]').hidden;
}"""
"""Every panel of the tracer has its answer."""
SEEN = """() => ({
    text: document.querySelector('main').innerText,
    chips: [...document.querySelectorAll('.chip-glyph')].map(one => one.textContent),
    pictures: [...document.querySelectorAll('[data-drawn]')].map(one => one.dataset.drawn),
    thumbnails: [...document.querySelectorAll('canvas')].map(one => `${one.width} ${one.height}`),
    waiting: document.querySelectorAll('.is-waiting, .is-stale').length,
})"""
"""What stands in every panel."""
ASKED = """async script => {
    const { newest } = await import('/static/any/js/page/newest.js');
    const told = [];
    const asked = [];
    const fetched = (question, signal) => new Promise((resolve, reject) => asked.push({ question, signal, resolve, reject }));
    const { ask, drop } = newest({
        fetched,
        answered: (answer, question) => told.push(`${question}: ${answer}`),
        refused: (refusal, question) => told.push(`${question}! ${refusal}`),
    });
    const soon = (time = 0) => new Promise(done => setTimeout(done, time));
    await new Function('ask', 'drop', 'asked', 'soon', `return (async () => {${script}})()`)(ask, drop, asked, soon);
    await soon();
    return { told, asked: asked.map(({ question, signal }) => [question, signal.aborted]) };
}"""
"""Run a script with a module whose questions nobody answers but the script: its `fetched` does not
heed its signal. Gives what was told, and of each question asked whether it was aborted."""


def asked(page: Page, script: str) -> Any:
    page.route("**/blank", lambda route: route.fulfill(body="", content_type="text/html"))
    page.goto("/blank")
    return page.evaluate(ASKED, script)


class Held:
    """Requests that a test answers when it likes."""

    def __init__(
        self, page: Page, path: str, which: Callable[[str], bool] = lambda _: True
    ) -> None:
        self._page, self.routes = page, list[Route]()

        def hold(route: Route) -> None:
            if which(f"{route.request.url} {route.request.post_data or ''}"):
                self.routes.append(route)
            else:
                route.fallback()

        page.route(path, hold)

    def wait(self, count: int = 1) -> None:
        """Wait until so many are held."""
        while len(self.routes) < count:
            self._page.wait_for_timeout(20)

    def release(self) -> None:
        """Let each arrive, and the page do with it what it would."""
        for route in self.routes:
            with self._page.expect_event("requestfinished", lambda r, own=route: r == own.request):
                route.continue_()
        self._page.wait_for_timeout(150)


# The module by itself


def test_older_answer_that_comes_last_is_dropped(page: Page) -> None:
    script = "ask('a'); ask('b'); asked[1].resolve(2); await soon(); asked[0].resolve(1);"
    assert asked(page, script)["told"] == ["b: 2"]


def test_older_answer_that_comes_first_is_dropped(page: Page) -> None:
    script = "ask('a'); ask('b'); asked[0].resolve(1); await soon(); asked[1].resolve(2);"
    assert asked(page, script)["told"] == ["b: 2"]


def test_late_refusal_is_dropped(page: Page) -> None:
    script = "ask('a'); ask('b'); asked[1].resolve(2); await soon(); asked[0].reject('no');"
    assert asked(page, script)["told"] == ["b: 2"]


def test_refusal_of_the_newest_is_told(page: Page) -> None:
    assert asked(page, "ask('a'); asked[0].reject('no');")["told"] == ["a! no"]


def test_asking_again_aborts_the_question_before(page: Page) -> None:
    assert asked(page, "ask('a'); ask('b');")["asked"] == [["a", True], ["b", False]]


def test_asking_again_after_a_pause_aborts_and_drops_at_once(page: Page) -> None:
    found = asked(page, "ask('a'); ask('b', 60000); asked[0].resolve(1);")
    assert found == {"told": [], "asked": [["a", True]]}


def test_only_the_last_question_before_a_pause_is_asked(page: Page) -> None:
    script = "ask('a', 20); ask('b', 20); ask('c', 20); await soon(200); asked[0].resolve(3);"
    assert asked(page, script) == {"told": ["c: 3"], "asked": [["c", False]]}


def test_dropped_question_is_aborted_and_never_told(page: Page) -> None:
    found = asked(page, "ask('a'); drop(); asked[0].resolve(1);")
    assert found == {"told": [], "asked": [["a", True]]}


def test_question_dropped_in_its_pause_is_never_asked(page: Page) -> None:
    assert asked(page, "ask('a', 20); drop(); await soon(100);") == {"told": [], "asked": []}


# The tracer


@pytest.mark.parametrize(
    ("paths", "part"),
    [
        (["traces"], '"format"'),  # the first request for the old text: its trace
        (["traces"], '"gradients":true'),
        (["cells", "checks", "gradient-flow"], ""),
    ],
    ids=["trace", "gradients", "what is asked of a trace"],
)
def test_late_answer_never_overwrites_a_newer_one(page: Page, paths: list[str], part: str) -> None:
    """C32, F10: only the old text's answers are held back, until the new one's stand everywhere."""
    page.add_init_script(f"({DEAF})()")
    page.goto(f"/?text=start&stage={STAGE}&cell=0.4.2&gradient=1&highway=1")
    page.wait_for_function(SETTLED)
    held = [
        Held(page, f"**/api/v1/{path}", lambda said: f'"text":"{OLD}"' in said and part in said)
        for path in paths
    ]
    page.locator("[data-text]").fill(OLD)
    for one in held:
        one.wait()
    page.locator("[data-text]").fill(NEW)
    drawn(page, NEW)
    page.wait_for_function(SETTLED)
    before = page.evaluate(SEEN)
    assert before["chips"] == list(NEW)
    assert before["pictures"] == [f"{STAGE} {NEW}"] * 2
    for one in held:
        one.release()
    assert page.evaluate(SEEN) == before


def test_typing_on_aborts_the_trace_before(page: Page) -> None:
    page.goto("/?text=start")
    drawn(page, "start")
    held = Held(page, "**/api/v1/traces", lambda said: f'"text":"{OLD}"' in said)
    page.locator("[data-text]").fill(OLD)
    held.wait()
    with page.expect_event("requestfailed") as failed:
        page.locator("[data-text]").fill(NEW)
    assert failed.value.failure == "net::ERR_ABORTED"
    drawn(page, NEW)


# Labs


def test_late_answer_of_a_lab_is_not_drawn(page: Page) -> None:
    page.add_init_script(f"({DEAF})()")
    open_lab(page, "activations")
    held = Held(page, "**/api/v1/labs/activations?at=2&*")
    page.get_by_label("x, typed").fill("2")
    held.wait()
    page.get_by_label("x, typed").fill("3")
    settle(page)
    held.release()
    expect(page.locator("[data-slot=at]")).to_have_text("At x = 3")


def test_late_verdict_on_an_older_guess_is_not_told(page: Page) -> None:
    page.add_init_script(f"({DEAF})()")
    open_lab(page, "masking")
    first = page.locator("[data-question]").first
    late = True
    held = Held(page, "**/api/v1/labs/masking?*", lambda _: late)
    first.locator("[data-guess]").fill("0.5")
    first.get_by_role("button").click()
    held.wait()
    late = False
    first.locator("[data-guess]").fill("0.73")
    first.get_by_role("button").click()
    expect(first.locator("[data-said]")).to_contain_text("Right.")
    held.release()
    expect(first.locator("[data-said]")).to_contain_text("Right.")


# Lessons


def test_late_wording_of_a_lesson_is_dropped(page: Page) -> None:
    page.add_init_script(f"({DEAF})()")
    page.goto("/lessons/follow-one-input?text=start&step=2")
    page.wait_for_selector("[data-question]")
    held = Held(page, f"**/api/v1/lessons/follow-one-input?text={OLD}")
    page.locator("[data-text]").fill(OLD)
    held.wait()
    page.locator("[data-text]").fill(NEW)
    page.wait_for_selector(f'[data-view="figure"][data-drawn$=" {NEW}"]')
    before = page.evaluate(SEEN)
    held.release()
    assert page.evaluate(SEEN) == before


def test_late_answer_of_a_lesson_about_an_older_text_is_dropped(page: Page) -> None:
    page.add_init_script(f"({DEAF})()")
    page.goto("/lessons/follow-one-input?text=start&step=2")
    page.wait_for_selector("[data-question]")
    held = Held(page, "**/api/v1/lessons/follow-one-input/answers")
    page.locator("[name=prediction]").first.fill("5 × 64")
    page.keyboard.press("Enter")
    held.wait()
    with page.expect_response(f"**/api/v1/lessons/follow-one-input?text={NEW}"):
        page.locator("[data-text]").fill(NEW)
    held.release()
    expect(page.locator("[data-reveal]")).to_be_empty()


def test_late_picture_of_a_lesson_is_not_drawn(page: Page) -> None:
    page.add_init_script(f"({DEAF})()")
    page.goto("/lessons/follow-one-input?text=start&step=6")
    page.wait_for_selector('[data-view="figure"][data-drawn$=" start"]')
    held = Held(page, "**/api/v1/traces", lambda said: f'"text":"{OLD}"' in said)
    page.locator("[data-text]").fill(OLD)
    held.wait()
    page.locator("[data-text]").fill(NEW)
    page.wait_for_selector(f'[data-view="figure"][data-drawn$=" {NEW}"]')
    before = page.evaluate(SEEN)
    held.release()
    assert page.evaluate(SEEN) == before
