"""The tabs of the tests share a process and a context, and nothing that a test could notice."""

import pytest
from playwright.sync_api import BrowserContext

from tests.browser.conftest import tab


def run(context: BrowserContext, server: str, script: str) -> None:
    """A test whose page runs the script."""
    with tab(context, server) as page:
        page.goto("/glossary")
        page.evaluate(script)
        page.wait_for_timeout(100)


@pytest.mark.parametrize("level", ["warn", "error", "info", "debug"])
def test_word_on_the_console_fails_its_test(
    context: BrowserContext, server: str, level: str
) -> None:
    with pytest.raises(AssertionError, match="no good"):
        run(context, server, f"console.{level}('no good')")


def test_uncaught_error_fails_its_test(context: BrowserContext, server: str) -> None:
    with pytest.raises(AssertionError, match="error: no good"):
        run(context, server, "setTimeout(() => { throw new Error('no good'); })")


def test_request_to_another_host_fails_its_test(context: BrowserContext, server: str) -> None:
    with pytest.raises(AssertionError, match="foreign request: http://localhost:9/picture"):
        run(context, server, "location.assign('http://localhost:9/picture')")


def test_tab_finds_nothing_of_the_test_before(context: BrowserContext, server: str) -> None:
    with tab(context, server) as page:
        page.goto("/glossary")
        page.evaluate("localStorage.setItem('a', 'b')")
        context.grant_permissions(["clipboard-read"])
        page.set_viewport_size({"width": 380, "height": 800})
        page.emulate_media(color_scheme="dark")
        page.evaluate("sessionStorage.setItem('a', 'b')")
        page.route("**/*", lambda route: route.abort())
        context.new_page()
    with tab(context, server) as page:
        page.goto("/glossary")
        assert len(context.pages) == 2  # the first, which holds the process, and this one
        assert page.evaluate("sessionStorage.length") == 0
        assert page.evaluate("localStorage.length") == 0
        assert page.evaluate("innerWidth") == 1440
        assert not page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
        allowed = "navigator.permissions.query({name: 'clipboard-read'}).then(one => one.state)"
        assert page.evaluate(allowed) != "granted"


def test_script_of_every_page_goes_with_its_test(context: BrowserContext, server: str) -> None:
    with tab(context, server) as page:
        page.add_init_script("window.left = true")
    with tab(context, server) as page:
        page.goto("/glossary")
        assert page.evaluate("window.left") is None


def test_failed_test_leaves_nothing_to_the_next(context: BrowserContext, server: str) -> None:
    with pytest.raises(AssertionError, match="no good"):
        run(context, server, "console.error('no good')")
    run(context, server, "")
