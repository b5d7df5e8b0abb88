"""To the figure, to any stage, and to this view again: keys, a search, a link."""

import pytest
from playwright.sync_api import Page, expect

from model import LoadedModel
from tests.browser.conftest import drawn, open_tracer
from tests.browser.test_everyone import serious_in_both_themes

FOUND = "[data-options] [role=option]"


def find(page: Page, words: str) -> list[str]:
    """The keys of what the search lists for these words."""
    page.keyboard.press("s")
    page.keyboard.type(words)
    return [one.get_attribute("data-key") or "" for one in page.locator(FOUND).all()]


def test_key_leads_to_the_figure(page: Page) -> None:
    open_tracer(page, text="To be", stage="blocks.0.attn.weights")
    page.keyboard.press("f")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.matches('[data-view=\"figure\"] [data-plot]')")


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("second block feed-forward", None),
        ("attention weights", "blocks.0.attn.weights"),
        ("W_Q(2)", "blocks.1.attn.query.weight"),
        ("blocks.1.ffn.act", "blocks.1.ffn.activation"),
        ("LOGITS", "logits"),
    ],
)
def test_words_find_a_stage_or_a_weight(page: Page, words: str, first: str | None) -> None:
    open_tracer(page, text="To be")
    keys = find(page, words)
    assert (keys[0] if keys else None) == first


def test_section_finds_all_that_it_teaches(page: Page, model: LoadedModel) -> None:
    open_tracer(page, text="To be")
    taught = {
        stage.key for stage in model.stages if any("§7.3" in one.label for one in stage.sections)
    }
    assert set(find(page, "7.3")) == taught != set()
    expect(page.locator("[data-dialog=search] [data-said]")).to_have_text(f"{len(taught)} tensors")


def test_found_stage_is_opened_by_keyboard_alone(page: Page) -> None:
    open_tracer(page, text="To be")
    keys = find(page, "feed-forward")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    chosen = page.locator(f"{FOUND}[aria-selected=true]")
    assert chosen.get_attribute("id") == page.locator("[data-find]").get_attribute(
        "aria-activedescendant"
    )
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-dialog=search]", state="hidden")
    drawn(page, "To be")
    assert f"stage={keys[1]}" in page.url
    page.go_back()
    expect(page.locator("[data-outline] , .outline-row[aria-current]").first).to_be_visible()


def test_escape_leaves_the_search_and_nothing_is_changed(page: Page) -> None:
    open_tracer(page, text="To be", stage="logits")
    find(page, "queries")
    page.keyboard.press("Escape")
    page.wait_for_selector("[data-dialog=search]", state="hidden")
    assert "stage=logits" in page.url
    assert page.locator("[data-text]").input_value() == "To be"


def test_what_is_not_there_is_said(page: Page) -> None:
    open_tracer(page)
    assert find(page, "dropout") == []
    page.keyboard.press("Enter")
    expect(page.locator("[data-dialog=search] [data-said]")).to_have_text(
        "Nothing here has all of these words."
    )


def test_keys_are_letters_while_one_types(page: Page) -> None:
    open_tracer(page, text="To be")
    page.locator("[data-text]").focus()
    page.keyboard.press("End")
    page.keyboard.type("sfc")
    assert page.locator("[data-text]").input_value() == "To besfc"
    assert page.locator("dialog[open]").count() == 0


def test_link_of_the_view_is_copied(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_tracer(page, text="To be", stage="logits")
    page.keyboard.press("c")
    expect(page.locator(".link-copied")).to_have_text("Link copied.")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_refused_clipboard_says_how_else(page: Page) -> None:
    open_tracer(page)
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    page.get_by_role("button", name="copy link").click()
    expect(page.locator(".link-copied")).to_contain_text("copy the address from its address bar")


def test_help_lists_every_key_that_acts_and_no_other(page: Page) -> None:
    open_tracer(page)
    listed = {one for one in page.locator(".keys kbd").all_text_contents() if len(one) == 1}
    acting = page.evaluate(
        """() => {
            const acts = (key) => !document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
            const close = () => document.querySelectorAll('dialog[open]').forEach(one => one.close());
            const keys = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));
            return keys.filter(key => { const acted = acts(key); close(); return acted; });
        }"""
    )
    assert set(acting) == listed - set("↑↓←→")


def test_search_is_for_everyone(page: Page) -> None:
    open_tracer(page, text="To be")
    find(page, "norm")
    assert serious_in_both_themes(page) == []
    for width in (1440, 720, 380, 320):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
