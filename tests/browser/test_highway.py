"""The gradient highway: the gradient's size along the residual stream, as a table and drawn."""

from collections.abc import Mapping
from typing import Any

import pytest
from playwright.sync_api import Page
from starlette.testclient import TestClient

from model import LoadedModel
from model.config import PRESETS
from model.gradient_flow import gradient_flow
from tests.browser.conftest import open_tracer
from tests.browser.test_gradients import with_loss
from tests.browser.test_typing import forgive, type_text

TEXT = "To be"
SEQ2SEQ = "shakespeare-seq2seq"
FLOW = "**/api/v1/gradient-flow"


def rows(page: Page) -> list[dict[str, Any]]:
    """Each row's stage, its two numbers and where their dots stand, from 0 to 100."""
    page.wait_for_selector("[data-flow]:not([hidden]):not(.is-waiting)")
    found: list[dict[str, Any]] = page.locator("[data-rows] tr").evaluate_all(
        """all => all.map(row => ({
            key: row.querySelector('a').dataset.go,
            numbers: [...row.querySelectorAll('.flow-number')].map(e => e.textContent),
            dots: ['norm', 'without_residuals'].map(name =>
                Number(row.querySelector(`.flow-dot.is-${name}`).getAttribute('d').match(/M([\\d.]+)/)[1])),
        }))"""
    )
    return found


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def test_highway_is_closed_and_not_asked_for_until_it_is_opened(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_tracer(page, text=TEXT, gradient="1")
    page.wait_for_selector('[data-view="gradient"]:not([hidden])')
    assert not page.locator("[data-flow]").is_visible()
    page.wait_for_timeout(400)
    assert not [url for url in asked if "gradient-flow" in url]
    page.locator('[data-view="flow"] > summary').focus()
    page.keyboard.press("Enter")
    assert rows(page)
    assert page.url.endswith("&gradient=1&highway=1")
    page.go_back()
    page.wait_for_selector("[data-flow]", state="hidden")


@pytest.mark.parametrize("preset", PRESETS)
def test_table_has_the_models_norms(
    family_page: Page, family: Mapping[str, LoadedModel], preset: str
) -> None:
    traced, query = with_loss(family[preset])
    open_tracer(family_page, **query, gradient="1", highway="1")
    expected = gradient_flow(traced)
    found = rows(family_page)
    assert [row["key"] for row in found] == [place.key for place in expected]
    for row, place in zip(found, expected, strict=True):
        shown = [number(text) for text in row["numbers"]]
        assert shown == pytest.approx([place.norm, place.without_residuals], rel=0.06)


def test_dots_stand_in_the_order_of_their_numbers(page: Page, client: TestClient) -> None:
    open_tracer(page, text=TEXT, gradient="1", highway="1")
    found = rows(page)
    flow = client.post("/api/v1/gradient-flow", json={"text": TEXT}).json()["flow"]
    norms = [value for place in flow for value in (place["norm"], place["without_residuals"])]
    dots = [dot for row in found for dot in row["dots"]]
    by_norm = sorted(range(len(norms)), key=lambda i: norms[i])
    assert [dots[i] for i in by_norm] == sorted(dots)
    assert all(0 <= dot <= 100 for dot in dots)


@pytest.mark.parametrize(
    ("norms", "scale", "dots"),
    [
        ([1.0, 0.1, 0.5, 0.3], "linear scale, from 0", [100, 10, 50, 30]),
        ([10.0, 0.1, 1.0, 0.01], "logarithmic scale", [100, 33.333, 66.667, 0]),
    ],
)
def test_scale_is_logarithmic_where_norms_differ_by_orders(
    page: Page, norms: list[float], scale: str, dots: list[float]
) -> None:
    keys = ("input", "blocks.0.attn_residual")
    flow = [
        {"key": key, "norm": norms[2 * i], "without_residuals": norms[2 * i + 1]}
        for i, key in enumerate(keys)
    ]
    page.route(FLOW, lambda route: route.fulfill(json={"flow": flow}))
    open_tracer(page, text=TEXT, gradient="1", highway="1")
    assert [dot for row in rows(page) for dot in row["dots"]] == dots
    assert page.locator("[data-scale]").inner_text() == scale
    said = page.locator("[data-starts]").inner_text()
    assert said.endswith(f"the norm is {norms[0]:g}; without the connections it would be 0.1.")


def test_place_leads_to_its_stage(page: Page) -> None:
    open_tracer(page, text=TEXT, gradient="1", highway="1")
    rows(page)
    link = page.locator('[data-rows] a[data-go="blocks.0.ffn_residual"]')
    assert "highway=1" in (link.get_attribute("href") or "")
    link.press("Enter")
    assert page.locator("[data-title]").inner_text() == "Block 1 · stream + feed-forward"
    assert page.locator("[data-rows] a[aria-current]").count() == 1


def test_lines_of_two_stacks_are_not_joined(family_page: Page) -> None:
    open_tracer(family_page, model=SEQ2SEQ, text="T b", target="To", gradient="1", highway="1")
    found = rows(family_page)
    lines = family_page.locator("[data-rows] tr").evaluate_all(
        "all => all.map(row => row.querySelectorAll('.flow-line').length)"
    )
    first = [row["key"].split(".")[0] for row in found].index("decoder")
    ends = (0, first - 1, first, len(found) - 1)
    assert lines == [2 if i in ends else 4 for i in range(len(found))]
    assert family_page.locator("[data-starts]").inner_text().count("the norm is") == 2


def test_highway_follows_the_text(page: Page, client: TestClient) -> None:
    open_tracer(page, text=TEXT, gradient="1", highway="1")
    rows(page)
    type_text(page, "My lord")
    page.wait_for_selector("[data-flow].is-waiting")
    flow = client.post("/api/v1/gradient-flow", json={"text": "My lord"}).json()["flow"]
    assert number(rows(page)[0]["numbers"][0]) == pytest.approx(flow[0]["norm"], rel=0.01)


def test_refused_highway_says_why_and_is_asked_for_again_when_opened(page: Page) -> None:
    error = {"code": "unavailable", "message": "Not now.", "field": None, "details": []}
    page.route(FLOW, lambda route: route.fulfill(status=503, json={"error": error}))
    open_tracer(page, text=TEXT, gradient="1", highway="1")
    page.wait_for_function(
        "() => document.querySelector('[data-refusal]').textContent === 'Not now.'"
    )
    page.unroute_all()
    for _ in range(2):
        page.locator('[data-view="flow"] > summary').click()
    assert rows(page)
    assert page.locator("[data-refusal]").inner_text() == ""
    forgive(page, 503)


def test_highway_names_where_it_is_taught(page: Page) -> None:
    open_tracer(page, text=TEXT, gradient="1", highway="1")
    link = page.locator(".highway-words a")
    assert link.inner_text() == "§7.2 Residual Connections and the Residual Stream"
    assert (link.get_attribute("href") or "").startswith("https://")
