"""The ways between a course text, its sections, and what shows them, as a reader goes them."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import open_tracer
from tests.browser.test_everyone import serious, serious_in_both_themes, sideways

WIDTHS = (1440, 1024, 720, 380, 320)


@pytest.mark.parametrize("address", ["/texts", "/reading"])
def test_axe_finds_nothing_serious_on_the_pages_of_the_texts(page: Page, address: str) -> None:
    page.goto(address)
    for fold in page.locator("details > summary").all():
        fold.click()
    assert serious_in_both_themes(page) == []


@pytest.mark.parametrize("address", ["/texts", "/reading", "/exercises", "/lessons", "/labs"])
def test_no_width_of_the_pages_of_the_texts_scrolls_sideways(page: Page, address: str) -> None:
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert not sideways(page), width


def test_reader_of_the_chapter_comes_to_a_stage_of_its_model(page: Page) -> None:
    open_tracer(page)
    page.get_by_role("complementary", name="Welcome").get_by_text("the NumPy chapter").click()
    page.wait_for_url("**/texts#chapter")
    page.get_by_role("link", name="feed-forward gated").first.click()
    expect(page.locator("[data-title]")).to_have_text("Block 1 · feed-forward gated")
    assert "model=shakespeare-modern" in page.url


def test_stage_leads_to_its_lab_and_to_its_step(page: Page) -> None:
    open_tracer(page, stage="blocks.1.attn.masked_scores")
    places = page.locator("[data-practice]")
    places.locator("summary").click()
    expect(places.get_by_role("link", name="Mask first, then softmax")).to_be_visible()
    assert serious(page) == []
    places.get_by_role("link", name="Nobody looks ahead").click()
    expect(page.locator("h1[data-title]")).to_have_text("Nobody looks ahead")


def test_lesson_leads_back_to_its_stages_and_sections(page: Page) -> None:
    page.goto("/lessons/inside-a-block")
    page.locator(".lesson-taught > summary").click()
    assert serious(page) == []
    topic = page.locator(".lesson-topic", has_text="The shapes must match")
    expect(topic.get_by_role("link", name="Lesson 56: Shapes Must Match")).to_be_visible()
    topic.get_by_role("link", name="Block 1 · attention output").click()
    expect(page.locator("[data-title]")).to_have_text("Block 1 · attention output")
    assert "model=shakespeare-preln" in page.url


def test_section_of_a_stage_leads_to_its_figure(page: Page) -> None:
    open_tracer(page, stage="blocks.0.attn_norm.mean")
    figure = page.get_by_role("link", name="§7.3 LayerNorm: its interactive figure, in the course")
    assert (figure.get_attribute("href") or "").endswith("#figure-layernorm-demo")
