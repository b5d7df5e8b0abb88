"""The check of each panel leads to its cell, and to the page of all checks."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Browser, Page
from starlette.testclient import TestClient

from tests.browser.conftest import open_tracer
from tests.browser.test_everyone import serious_in_both_themes, sideways

WEIGHTS = "blocks.0.attn.weights"
WHERE = "[data-where]"


def opened(page: Page, **query: str) -> None:
    """The page, once the check of the focused stage is said."""
    open_tracer(page, **query)
    said = "Gradient:" if "gradient" in query else "agrees"
    page.locator("[data-check]", has_text=said).wait_for()


def query_of(address: str) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(urlsplit(address).query).items()}


def test_differences_lead_to_the_cells_of_the_api(page: Page, client: TestClient) -> None:
    opened(page, text="To be", stage=WEIGHTS, gradient="1")
    sent = {"text": "To be", "gradients": True}
    answer = client.post("/api/v1/checks", json=sent).json()
    check = next(one for one in answer["checks"] if one["key"] == WEIGHTS)
    expected = [check[name]["index"] for name in ("end_to_end", "single_operation", "gradient")]
    links = page.locator(WHERE)
    assert links.count() == 3
    asked: list[str | None] = []
    for link, index in zip(links.all(), expected, strict=True):
        cell = ".".join(map(str, index))
        assert query_of(link.get_attribute("href") or "")["cell"] == cell
        link.click()
        assert query_of(page.url)["cell"] == cell
        asked.append(query_of(page.url).get("of"))
        assert f"head {index[0] + 1} ·" in page.locator("[data-cell]").inner_text()
    assert asked == [None, None, "gradient"]


def test_link_keeps_the_focus_and_back_returns(page: Page) -> None:
    opened(page, text="To be", stage=WEIGHTS, head="0")
    link = page.locator(WHERE).first
    link.focus()
    page.keyboard.press("Enter")
    cell = query_of(page.url)["cell"]
    assert query_of(page.url)["head"] == cell.split(".")[0]
    assert page.evaluate("document.activeElement.matches('[data-where]')")
    page.go_back()
    page.wait_for_function("() => !location.search.includes('cell=')")


def test_all_checks_are_of_the_same_request(page: Page) -> None:
    opened(page, text="T b", model="shakespeare-seq2seq", target="To", gradient="1")
    page.get_by_role("link", name="All checks").click()
    page.wait_for_url("**/checks?**")
    assert query_of(page.url) == {
        "text": "T b", "model": "shakespeare-seq2seq", "target": "To", "gradient": "1",
    }  # fmt: skip
    assert "agree." in page.locator("h1").inner_text()


def test_cell_is_opened_from_the_page_of_all_checks(page: Page) -> None:
    page.goto("/checks?text=To+be")
    link = page.locator(".checks-where a").nth(1)
    place = link.inner_text()
    link.click()
    page.locator(".cell-place").wait_for()
    assert place in page.locator(".cell-place").inner_text()


def test_axe_finds_nothing_serious(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto("/checks?text=To+be")
    assert serious_in_both_themes(page) == []


def test_no_width_scrolls_sideways(page: Page) -> None:
    page.goto("/checks?text=To+be&gradient=1")
    for width in (1440, 720, 380, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert not sideways(page), width


def test_form_asks_without_a_script(browser: Browser, server: str) -> None:
    context = browser.new_context(base_url=server, java_script_enabled=False)
    page = context.new_page()
    page.goto("/checks?text=To+be")
    page.get_by_label("Text").fill("O\nRomeo")
    page.get_by_label("gradients too").check()
    page.get_by_role("button", name="Check").click()
    page.wait_for_url("**text=O**")
    assert page.get_by_label("Text").input_value() == "O\nRomeo"
    assert "gradients agree." in page.locator("h1").inner_text()
    context.close()
