"""A real Chromium on a real server; each test ends with a quiet console and no foreign request."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import FLAGS, find

PATIENCE = 30_000


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, server: str) -> Iterator[Page]:
    """A fresh tab; complaints of the console and requests to other hosts fail the test."""
    context = browser.new_context(base_url=server, viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((server, "data:", "blob:"))
            else complaints.append(f"foreign request: {request.url}")
        ),
    )
    page.complaints = complaints  # type: ignore[attr-defined]
    yield page
    context.close()
    assert not complaints, complaints


def open_tracer(page: Page, **query: str) -> None:
    """Open the page at a view and wait until its picture is drawn."""
    page.goto(f"/?{urlencode(query)}" if query else "/")
    drawn(page, query.get("text"))


def drawn(page: Page, text: str | None = None) -> None:
    """Wait until Plotly has drawn the focused stage (of that text)."""
    page.wait_for_function(
        """text => {
            const figure = document.querySelector('[data-view="figure"]');
            const drawn = figure.dataset.drawn;
            return drawn !== undefined && !figure.dataset.busy && (text === null || drawn.endsWith(` ${text}`));
        }""",
        arg=text,
    )
