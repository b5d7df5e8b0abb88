"""The page's colours reach as far as the API's, and say where they end."""

from typing import Any

import numpy as np
from playwright.sync_api import Page
from starlette.testclient import TestClient

from model import LoadedModel, trace
from tests.browser.conftest import drawn, open_tracer

TEXT = "To be, or"
AXIS = "document.querySelector('[data-view=\"figure\"] [data-canvas]').layout.coloraxis"
MARKS = """() => document.querySelector('[data-view="figure"] [data-canvas]').data
    .filter(({ type }) => type === 'scatter').flatMap(({ x, y, marker }) => x.map((at, i) => [y[i], at, marker.symbol[i]]))"""


def axis(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(AXIS)
    return found


def remark(page: Page) -> str:
    return page.locator('[data-view="figure"] [data-remark]').inner_text()


def test_page_and_figures_end_their_colours_at_the_same_numbers(
    page: Page, client: TestClient, model: LoadedModel
) -> None:  # F03
    for n, stage in enumerate(one.key for one in model.stages if one.kind != "ids"):
        if n == 0:
            open_tracer(page, text=TEXT, stage=stage)
        else:
            page.keyboard.press("]")
            page.wait_for_function(
                "key => document.querySelector('[data-view=\"figure\"]').dataset.drawn.startsWith(`${key} `)",
                arg=stage,
            )
            drawn(page, TEXT)
        sent = {"text": TEXT, "stage": stage}
        figure = client.post("/api/v1/figures", json=sent).json()
        theirs = figure["layout"]["coloraxis"]
        assert (axis(page)["cmin"], axis(page)["cmax"]) == (theirs["cmin"], theirs["cmax"]), stage
        marks = [one for one in figure["data"] if one["type"] == "scatter"]
        assert len(page.evaluate(MARKS)) == sum(len(one["x"]) for one in marks), stage


def test_cells_beyond_both_ends_point_their_way(page: Page, model: LoadedModel) -> None:  # F03
    open_tracer(page, text=TEXT, stage="blocks.0.ffn.hidden")
    array = trace(model, TEXT).array("blocks.0.ffn.hidden")
    high = axis(page)["cmax"]
    expected = {
        (row, column, "triangle-up" if array[row, column] > 0 else "triangle-down")
        for row, column in np.argwhere(np.abs(array) > high).tolist()
    }
    assert {tuple(mark) for mark in page.evaluate(MARKS)} == expected
    assert len({symbol for *_, symbol in expected}) == 2
    assert f"{len(expected)} cells beyond have a triangle" in remark(page)


def test_probabilities_are_stretched_with_one_click_and_by_the_address(
    page: Page, model: LoadedModel
) -> None:  # F04
    stage = "probabilities"
    open_tracer(page, text=TEXT, stage=stage)
    largest = float(trace(model, TEXT).array(stage).max())
    assert axis(page)["cmax"] == 1
    before = page.evaluate("document.querySelector('[aria-current] canvas').toDataURL()")
    page.click("[data-stretch]")
    page.wait_for_function(f"() => {AXIS}.cmax < 1")
    for _ in range(2):  # by the click, then by the address that it left
        assert axis(page)["cmax"] == largest
        assert "largest" in axis(page)["colorbar"]["ticktext"][-1]
        assert "the largest, not to 1" in remark(page)
        assert page.locator("[data-stretch]").get_attribute("aria-pressed") == "true"
        assert "stretched=1" in page.url
        assert (
            page.evaluate("document.querySelector('[aria-current] canvas').toDataURL()") != before
        )
        page.reload()
        drawn(page, TEXT)
    page.click("[data-stretch]")
    page.wait_for_function(f"() => {AXIS}.cmax === 1")
    assert "stretched" not in page.url


def test_faint_picture_names_its_largest_number(page: Page) -> None:  # F04
    open_tracer(page, text=TEXT, stage="blocks.0.attn.weights")
    assert "faint" not in remark(page)
    found = page.evaluate(
        """async () => {
            const { remarksOf } = await import(document.querySelector('link[href*="remarks"]').href);
            const tensors = new Map([["p", { shape: [2], data: new Float32Array([0.01, 0.03]) }]]);
            const stage = { key: "p", kind: "share", along: [null], null_means: null };
            return remarksOf(stage, { tensors }, { low: 0, high: 1, mask: {}, marks: {}, unusualAt: () => null }, { stages: [stage], kinds: { share: { range: "unit" } } });
        }"""
    )
    assert "the largest is 0.03" in found


def test_cell_under_the_pointer_is_named_when_the_page_is_scaled(page: Page) -> None:  # F19
    open_tracer(page, text="hello", stage="blocks.0.attn.weights")
    for factor in (1, 1.5, 0.75):
        page.add_style_tag(content=f"main {{ transform: scale({factor}); transform-origin: 0 0; }}")
        for panel, row, column in ((0, 4, 1), (1, 2, 3), (3, 3, 0)):
            box = page.evaluate(
                "i => document.querySelectorAll('[data-canvas] .heatmaplayer image')[i].getBoundingClientRect().toJSON()",
                panel,
            )
            at = {
                "clientX": box["x"] + (column + 0.5) * box["width"] / 5,
                "clientY": box["y"] + (row + 0.5) * box["height"] / 5,
                "bubbles": True,
            }
            page.dispatch_event('[data-view="figure"] [data-plot]', "pointermove", at)
            words = page.locator('[data-view="figure"] [data-tip]').inner_text()
            assert f"head {panel + 1} · position {row} " in words, (factor, words)
            assert f"source {column} " in words, (factor, words)
