"""The page for everyone: by keyboard, at any width, in both themes, on a projector, on paper."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page
from starlette.testclient import TestClient

from model import LoadedModel
from tests.browser.conftest import drawn, open_tracer

WEIGHTS = "blocks.0.attn.weights"
SERIOUS = ("serious", "critical")
REPAINTED = """() => new Promise(done =>
    requestAnimationFrame(() => requestAnimationFrame(() => done(!document.querySelector('[data-busy]')))))"""
"""Whether the pictures are those of the theme; a heatmap is drawn again in its colours."""


def serious(page: Page, *rules: str) -> list[str]:
    """axe's serious findings, a line each, by all of its rules or by these. What passed is not
    described, which would take longer than the rules."""
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    found = Axe().run(page, options=options).response["violations"]
    return [f"{v['id']}: {v['nodes'][0]['html']}" for v in found if v["impact"] in SERIOUS]


def serious_in_both_themes(page: Page) -> list[str]:
    """The findings in the dark theme, and those of contrast in the light one that the open page
    changes to: colours are all that a theme changes."""
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(REPAINTED)
    found = [f"dark: {line}" for line in serious(page)]
    page.emulate_media(color_scheme="light")
    page.wait_for_function(REPAINTED)
    return found + [f"light: {line}" for line in serious(page, "color-contrast")]


def sideways(page: Page) -> bool:
    return page.evaluate("document.documentElement.scrollWidth > innerWidth")


@pytest.mark.parametrize("address", ["/?text=To+be&token=2&section=§6+Attention", "/api"])
def test_axe_finds_nothing_serious(page: Page, address: str) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(address)
    if address != "/api":
        drawn(page, "To be")
        page.locator(".away > summary").click()
        page.locator(".card > summary").click()
    assert serious_in_both_themes(page) == []


def test_axe_finds_nothing_serious_in_the_help(page: Page) -> None:
    open_tracer(page)
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    assert serious(page) == []
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="hidden")


@pytest.mark.parametrize("width", [1440, 1024, 720, 380, 320])
def test_no_width_scrolls_sideways(page: Page, width: int, model: LoadedModel) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for stage in (WEIGHTS, "ids", "blocks.0.ffn.hidden", "logits"):
        open_tracer(page, text="Now is the winter of our discontent", stage=stage)
        assert not sideways(page), stage
        panel = page.locator("[data-canvas] .heatmaplayer image").first.bounding_box()
        assert panel is not None
        assert panel["x"] + panel["width"] <= width
    page.goto("/api")
    assert not sideways(page)


def test_two_hundred_per_cent_zoom_keeps_everything_reachable(page: Page) -> None:
    page.set_viewport_size({"width": 720, "height": 450})  # 1440 × 900 at 200 %
    open_tracer(page, text="To be")
    assert not sideways(page)
    for part in ("[data-text]", "[data-title]", "[data-bars]", "[data-parents]"):
        page.locator(part).scroll_into_view_if_needed()
        assert page.locator(part).is_visible()


def test_all_stages_by_keyboard_alone(page: Page, model: LoadedModel) -> None:
    open_tracer(page, text="To be", stage=model.stages[0].key)
    page.locator(f'[data-stage="{model.stages[0].key}"]').focus()
    for stage in model.stages[1:]:
        page.keyboard.press("ArrowDown")
        assert page.locator("[data-title]").inner_text() == stage.title
    drawn(page, "To be")
    for stage in reversed(model.stages[:-1]):
        page.keyboard.press("[")
        assert page.locator("[data-title]").inner_text() == stage.title


def test_tokens_and_heads_by_keyboard_alone(page: Page) -> None:
    open_tracer(page, text="To be", stage=WEIGHTS)
    page.locator('[data-position="0"]').focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.locator('[data-position="3"]').get_attribute("aria-pressed") == "true"
    assert page.evaluate("document.activeElement.dataset.position") == "3"
    assert "“b” at position 3" in page.locator("[data-after]").inner_text()
    page.locator('[data-head="1"]').focus()
    page.keyboard.press("Space")
    drawn(page, "To be")
    page.wait_for_function("() => document.querySelector('[data-canvas]').data.length === 1")


def test_cells_by_keyboard_alone(page: Page, client: TestClient) -> None:
    open_tracer(page, text="To be", stage=WEIGHTS)
    page.locator("[data-plot]").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "PageDown", "ArrowUp"):
        page.keyboard.press(key)
    assert page.locator("[data-cell]").get_attribute("aria-live") == "polite"
    answer = client.post("/api/v1/traces", json={"text": "To be", "stages": [WEIGHTS]}).json()
    shown = page.locator(".cell-value").inner_text()
    assert float(shown) == answer["stages"][0]["values"][1][1][1]
    assert "head 2 · position 1 o · source 1 o" in page.locator("[data-cell]").inner_text()
    assert page.url.endswith("cell=1.1.1")
    page.keyboard.press("Escape")
    assert "cell=" not in page.url


def test_tokens_stay_reachable_when_the_chosen_one_is_gone(page: Page) -> None:
    open_tracer(page, text="To be", token="50")
    assert page.locator('.chip[tabindex="0"]').count() == 1


def test_related_links_keep_the_whole_view(page: Page) -> None:
    open_tracer(page, text="To be", stage=WEIGHTS)
    page.locator('[data-position="2"]').click()
    page.locator('select[name="palette"]').select_option("grey")
    for link in page.locator("[data-parents] a, [data-children] a").evaluate_all(
        "all => all.map(a => a.href)"
    ):
        assert "token=2" in link
        assert "palette=grey" in link


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 768), (1920, 1080)])
def test_projected_parts_do_not_overlap(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    for stage in ("blocks.0.ffn.activation", "blocks.0.attn.masked_scores", "logits"):
        open_tracer(page, text="a" * 64, stage=stage, projector="1")
        boxes = page.evaluate(
            """() => ['.stage', '[data-canvas] .main-svg', '[data-view="next"]']
                .map(s => document.querySelector(s).getBoundingClientRect().toJSON())"""
        )
        described, drawn_box, following = boxes
        assert described["right"] <= drawn_box["left"]
        assert max(described["bottom"], drawn_box["bottom"]) <= following["top"] + 1
        assert drawn_box["right"] <= width


def test_focus_is_visible_and_every_control_has_a_name(page: Page) -> None:
    open_tracer(page, text="To be")
    names = page.evaluate(
        """() => [...document.querySelectorAll('a[href], button, select, textarea, summary')]
            .filter(e => e.checkVisibility())
            .filter(e => !(e.textContent.trim() || e.ariaLabel || e.labels?.length))
            .map(e => e.outerHTML)"""
    )
    assert names == []
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"


def test_token_is_outlined_in_every_panel_with_its_axis(page: Page) -> None:
    open_tracer(page, text="To be", stage=WEIGHTS, token="2")
    shapes = page.evaluate(
        "document.querySelector('[data-canvas]').layout.shapes.map(s => [s.x0, s.x1, s.y0, s.y1])"
    )
    assert shapes == [[-0.5, 4.5, 1.5, 2.5], [1.5, 2.5, -0.5, 4.5]] * 4
    open_tracer(page, text="To be", stage="logits", token="2")
    shapes = page.evaluate(
        "document.querySelector('[data-canvas]').layout.shapes.map(s => [s.y0, s.y1])"
    )
    assert shapes == [[1.5, 2.5]]


def test_section_picks_out_its_stages(page: Page, model: LoadedModel) -> None:
    open_tracer(page, text="To be", stage="blocks.0.attn_norm.mean")
    page.locator('[data-section="§7.3 LayerNorm"]').click()
    aside = page.locator(".outline-row.is-aside").evaluate_all(
        "all => all.map(a => a.dataset.stage)"
    )
    others = [s.key for s in model.stages if all(section.number != "7.3" for section in s.sections)]
    assert aside == others
    page.go_back()
    page.wait_for_function("() => document.querySelectorAll('.is-aside').length === 0")


def test_palette_and_scale_reach_thumbnails_and_figure(page: Page) -> None:
    open_tracer(page, text="To be", stage="blocks.0.attn_norm.output", palette="grey", scale="full")
    axis = page.evaluate("document.querySelector('[data-canvas]').layout.coloraxis")
    assert axis["colorscale"] == [[0, "#000000"], [1, "#ffffff"]]
    pixels = page.evaluate(
        """() => { const c = document.querySelector('[aria-current] canvas');
            return [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]; }"""
    )
    assert all(pixels[i] == pixels[i + 1] == pixels[i + 2] for i in range(0, len(pixels), 4))
    assert page.evaluate("document.querySelector('[data-canvas]').data.length") == 1  # none clipped


def test_projector_shows_one_panel_in_large_type(page: Page) -> None:
    open_tracer(page, text="To be", stage=WEIGHTS)
    page.keyboard.press("p")
    page.wait_for_function("() => document.querySelector('[data-canvas]').data.length === 1")
    assert not page.locator('[data-view="outline"]').is_visible()
    size = page.evaluate(
        "parseFloat(document.querySelector('[data-canvas]').layout.xaxis.tickfont.size)"
    )
    assert size >= 14
    assert "projector=1" in page.url
    page.keyboard.press("p")
    page.wait_for_function("() => document.querySelector('[data-canvas]').data.length === 4")


def test_hidden_figure_fills_its_panel_when_shown(page: Page) -> None:  # C50
    open_tracer(page, text="To be", stage="blocks.0.attn.output")
    page.evaluate("document.querySelector('.middle').style.display = 'none'")
    page.set_viewport_size({"width": 1200, "height": 800})
    page.evaluate("document.querySelector('.middle').style.display = ''")
    page.wait_for_function(
        """() => {
            const frame = document.querySelector('[data-frame]').clientWidth;
            const drawn = document.querySelector('[data-canvas] .main-svg').getBoundingClientRect().width;
            return drawn > frame * 0.9 && drawn <= frame;
        }"""
    )


def test_reduced_motion_moves_nothing(browser: Browser, server: str) -> None:
    context = browser.new_context(base_url=server, reduced_motion="reduce")
    page = context.new_page()
    page.goto("/?text=To+be")
    drawn(page, "To be")
    moving = page.evaluate(
        """() => [...document.querySelectorAll('*')].map(e => getComputedStyle(e))
            .filter(s => s.transitionDuration !== '0s' || s.animationName !== 'none').length"""
    )
    assert moving == 0
    context.close()


def test_page_without_javascript_says_what_the_api_offers(browser: Browser, server: str) -> None:
    context = browser.new_context(base_url=server, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    assert f"curl '{server}/api/v1/traces" in page.locator("noscript").inner_text()
    context.close()
