"""The glossary by keyboard, and the way between a stage's panel and its words."""

from playwright.sync_api import Page

from app.server.practice import anchor
from model import LoadedModel
from model.config import PRESETS
from model.table.architectures import stages
from tests.browser.conftest import open_tracer
from tests.browser.test_everyone import serious_in_both_themes, sideways

WEIGHTS = "blocks.0.attn.weights"


def shown(page: Page) -> list[str]:
    """The ids of the entries that the query leaves."""
    return page.locator("[data-word][id]:not([hidden])").evaluate_all(
        "all => all.filter(e => e.checkVisibility()).map(e => e.id)"
    )


def test_finding_by_keyboard_goes_to_the_first_match(page: Page) -> None:
    page.goto("/glossary")
    page.keyboard.press("/")
    page.keyboard.type("softmax vocabulary")
    found = shown(page)
    assert found[0] == "operation-softmax-over-the-vocabulary"
    assert page.locator("[data-found]").inner_text().startswith(f"{len(found)} of ")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == found[0]
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.hash === '#stage-probabilities'")


def test_query_is_in_the_address_and_escape_clears_it(page: Page) -> None:
    page.goto("/glossary?find=sigma")
    assert shown(page)
    assert all(one.startswith(("symbol-sigma", "stage-")) for one in shown(page))
    page.locator("[data-find] input").press("Escape")
    assert page.url.endswith("/glossary")
    assert "axis-head" in shown(page)


def test_query_gives_way_to_a_link(page: Page) -> None:
    page.goto("/glossary?find=softmax+vocabulary")
    page.evaluate("location.hash = 'axis-d_head'")
    page.wait_for_function("() => document.getElementById('axis-d_head').checkVisibility()")
    assert page.locator("[data-find] input").input_value() == ""


def test_nothing_found_is_said(page: Page) -> None:
    page.goto("/glossary?find=nosuchword")
    assert page.locator("[data-nothing]").is_visible()
    assert shown(page) == []


def test_link_of_a_word_is_made_as_its_entry_is(page: Page) -> None:
    """The page makes the same anchors as the server, for every word of every table."""
    said = {
        (kind, name)
        for config in PRESETS.values()
        for stage in stages(config)
        for kind, name in (
            ("operation", stage.operation),
            *(("symbol", one.symbol) for one in (stage, *stage.weights)),
            *(("section", section.label) for section in stage.sections),
            *(("axis", axis.name) for axis in stage.axes),
        )
    }
    page.goto("/glossary")
    made = page.evaluate(
        """async said => {
            const own = document.querySelector('script[type="module"]').src;
            const { term } = await import(new URL("../page/terms.js", own));
            return said.map(([kind, name]) => term(kind, name, name).getAttribute("href"));
        }""",
        [list(one) for one in said],
    )
    assert made == [f"/glossary#{anchor(kind, name)}" for kind, name in said]


def test_panel_links_each_of_its_words(page: Page, model: LoadedModel) -> None:
    stage = next(one for one in model.stages if one.weights and len(one.axes) > 2)
    open_tracer(page, text="To be", stage=stage.key)
    links = page.locator("[data-view=stage] .explained")
    words = len(stage.axes) + len(stage.sections) + len(stage.inputs) + len(stage.weights)
    assert links.count() == words + 2  # its operation and its own symbol
    assert links.first.inner_text() == stage.axes[0].name
    assert serious_in_both_themes(page) == []


def test_panel_and_glossary_lead_to_each_other(page: Page) -> None:
    open_tracer(page, text="To be", stage=WEIGHTS)
    page.locator("[data-operation] a").click()
    page.wait_for_function("() => document.querySelector(':target') !== null")
    page.locator(":target .word-stages a").first.click()
    page.wait_for_function("() => location.hash.startsWith('#stage-')")
    page.locator(":target .form-places a").first.click()
    page.locator("[data-title]", has_text="Block 1 · attention weights").wait_for()
    assert page.locator("[data-text]").input_value() == "To be"


def test_axe_finds_nothing_serious_in_the_glossary(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto("/glossary?find=head")
    page.locator(".word:not([hidden]) .word-fold > summary").first.click()
    assert serious_in_both_themes(page) == []


def test_glossary_does_not_scroll_sideways(page: Page) -> None:
    page.goto("/glossary")
    for width in (1440, 720, 380, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert not sideways(page), width


def test_wide_equation_scrolls_by_keyboard(page: Page) -> None:
    page.set_viewport_size({"width": 380, "height": 800})
    page.goto("/glossary")
    unreachable = page.locator("[data-equation]").evaluate_all(
        "all => all.filter(e => (e.scrollWidth > e.clientWidth) !== (e.tabIndex === 0)).length"
    )
    assert unreachable == 0
