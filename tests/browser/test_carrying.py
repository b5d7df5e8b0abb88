"""Text and model go along from page to page, and back: F11."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import open_tracer

READ = {"text": ["Romeo loves"], "model": ["shakespeare-modern"]}


def reads(address: str) -> dict[str, list[str]]:
    query = parse_qs(urlsplit(address).query)
    return {name: query[name] for name in ("text", "model") if name in query}


@pytest.mark.parametrize("menu", ["/lessons", "/labs", "/exercises", "/glossary", "/api"])
def test_text_and_model_come_back_from_everywhere(page: Page, menu: str) -> None:
    open_tracer(page, text=READ["text"][0], model=READ["model"][0])
    if menu != "/api":
        page.click("[popovertarget=learn]")
    page.click(f'.masthead-links a[href^="{menu}"]')
    page.wait_for_url(f"**{menu}*")
    inner = {"/lessons": ".lessons-name a", "/labs": ".lab-name a"}.get(menu)
    if inner:
        page.locator(inner).nth(1).click()
        page.wait_for_load_state()
        page.reload()
    for link in (".wordmark", '.masthead-links >> text="Tracer"'):
        assert reads(page.locator(link).get_attribute("href") or "") == READ
    page.locator('.masthead-links >> text="Tracer"').click()
    page.wait_for_selector("[data-text]")
    assert page.locator("[data-text]").input_value() == READ["text"][0]
    assert reads(page.url) == READ


def test_lesson_opens_with_the_text_that_was_read(page: Page) -> None:
    open_tracer(page, text="Romeo loves")
    page.click("[popovertarget=learn]")
    page.click('.menu a[href^="/lessons"]')
    page.locator(".lessons-name a").first.click()
    page.wait_for_selector("form.question")
    assert page.locator("[data-text]").input_value() == "Romeo loves"
    page.reload()
    page.wait_for_selector("form.question")
    assert page.locator("[data-text]").input_value() == "Romeo loves"


def test_lesson_keeps_its_text_where_it_cannot_read_the_one_that_was(page: Page) -> None:
    page.goto("/lessons/follow-one-input?carried=r%C3%A9sum%C3%A9&model=shakespeare")
    page.wait_for_selector("form.question")
    assert page.locator("[data-text]").input_value() == "To be, or not to be"
