"""What a person reads off the page is the model's own number."""

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page
from starlette.testclient import TestClient

from model import LoadedModel, trace
from tests.browser.conftest import drawn, open_tracer

WEIGHTS = "blocks.0.attn.weights"


def geometry(page: Page) -> list[dict[str, float]]:
    """Plotly's own plot areas, in the window's pixels, one a panel."""
    return page.evaluate(
        """() => [...document.querySelectorAll('[data-canvas] .heatmaplayer image')]
            .map(image => image.getBoundingClientRect().toJSON())"""
    )


def point_at(page: Page, panel: int, row: int, column: int, rows: int, columns: int) -> None:
    """Move the mouse to the middle of a cell of what Plotly drew."""
    box = geometry(page)[panel]
    page.mouse.move(
        box["x"] + (column + 0.5) * box["width"] / columns,
        box["y"] + (row + 0.5) * box["height"] / rows,
    )


def tip(page: Page) -> list[str]:
    page.wait_for_selector("[data-tip]:not([hidden])")
    return page.locator("[data-tip] span").all_inner_texts()


def test_hovered_cell_shows_the_api_value(page: Page, client: TestClient) -> None:
    open_tracer(page, text="To be", stage=WEIGHTS)
    answer: dict[str, Any] = client.post(
        "/api/v1/traces", json={"text": "To be", "stages": [WEIGHTS]}
    ).json()
    values = answer["stages"][0]["values"]
    for panel, row, column in ((0, 4, 1), (1, 2, 0), (3, 4, 4)):
        point_at(page, panel, row, column, 5, 5)
        page.wait_for_function(
            "words => document.querySelector('[data-tip]').textContent.includes(words)",
            arg=f"head {panel + 1} · position {row} ",
        )
        value, place, title = tip(page)
        assert float(value) == values[panel][row][column]
        assert f"position {row} {'To␣be'[row]} · source {column} {'To␣be'[column]}" in place
        assert title == "Block 1 · attention weights"


def test_repeated_letters_keep_their_columns(page: Page) -> None:  # C01
    open_tracer(page, text="hello", stage=WEIGHTS)
    point_at(page, 0, 4, 3, 5, 5)
    assert "source 3 l" in tip(page)[1]
    open_tracer(page, text="aaaa", stage=WEIGHTS)
    point_at(page, 0, 3, 2, 4, 4)
    assert "position 3 a · source 2 a" in tip(page)[1]
    shapes = page.evaluate(
        "document.querySelector('[data-canvas]').data.map(t => [t.z.length, t.z[0].length])"
    )
    assert shapes == [[4, 4]] * 4


@pytest.mark.parametrize("text", ["a3", "333"])
def test_labels_that_look_like_numbers_stay_labels(page: Page, text: str) -> None:  # C02
    open_tracer(page, text=text, stage=WEIGHTS)
    axis = page.evaluate("document.querySelector('[data-canvas]').layout.xaxis")
    assert axis["ticktext"] == list(text)
    assert axis["tickvals"] == list(range(len(text)))
    assert axis["range"] == [-0.5, len(text) - 0.5]
    shown = page.locator("[data-canvas] .xaxislayer-above .xtick text").all_text_contents()
    assert shown == list(text)


def test_row_zero_is_on_top_and_sees_only_itself(page: Page) -> None:  # C03
    open_tracer(page, text="abc", stage=WEIGHTS)
    point_at(page, 0, 0, 0, 3, 3)
    assert tip(page)[0] == "1"
    for column in (1, 2):
        point_at(page, 0, 0, column, 3, 3)
        page.wait_for_function(
            "c => document.querySelector('[data-tip]').textContent.includes(`source ${c}`)",
            arg=column,
        )
        assert tip(page)[0] == "0"
    top = page.locator("[data-canvas] .yaxislayer-above .ytick text").first.bounding_box()
    last = page.locator("[data-canvas] .yaxislayer-above .ytick text").nth(2).bounding_box()
    assert top is not None
    assert last is not None
    assert top["y"] < last["y"]


def test_single_character_has_the_colour_of_one(page: Page) -> None:  # C04
    open_tracer(page, text="a", stage=WEIGHTS)
    axis = page.evaluate("document.querySelector('[data-canvas]').layout.coloraxis")
    assert (axis["cmin"], axis["cmax"]) == (0, 1)
    colours = page.evaluate(
        """async () => {
            const url = document.querySelector('[data-canvas] .heatmaplayer image').href.baseVal;
            const image = new Image();
            image.src = url;
            await image.decode();
            const canvas = new OffscreenCanvas(image.width, image.height);
            const context = canvas.getContext('2d');
            context.drawImage(image, 0, 0);
            return [...context.getImageData(image.width / 2, image.height / 2, 1, 1).data];
        }"""
    )
    assert colours == [8, 48, 107, 255]  # the end of the table


def test_masked_cells_are_named_and_left_out_of_the_range(page: Page, model: LoadedModel) -> None:
    stage = "blocks.0.attn.masked_scores"  # C05
    open_tracer(page, text="abc", stage=stage)
    finite = [
        abs(float(v)) for v in trace(model, "abc").array(stage).ravel() if abs(v) != float("inf")
    ]
    axis = page.evaluate("document.querySelector('[data-canvas]').layout.coloraxis")
    assert axis["cmax"] == -axis["cmin"] == max(finite)
    box = geometry(page)[0]
    page.mouse.move(box["x"] + box["width"] * 0.84, box["y"] + box["height"] * 0.16)
    assert tip(page)[:2] == ["masked", "head 1 · position 0 a · source 2 c"]
    remark = page.locator("[data-remark]").inner_text()
    assert "Hatched cells are masked" in remark


def test_entities_are_five_characters(page: Page) -> None:  # C16
    open_tracer(page, text="&amp;", stage=WEIGHTS)
    assert page.locator(".chip-glyph").all_inner_texts() == ["&", "a", "m", "p", ";"]
    shown = page.locator("[data-canvas] .xaxislayer-above .xtick text").all_text_contents()
    assert shown[:5] == ["&", "a", "m", "p", ";"]


def test_every_stage_is_drawn_and_checked(page: Page, model: LoadedModel) -> None:
    open_tracer(page, text="To be", stage=model.stages[0].key)
    page.wait_for_function(
        "() => document.querySelector('[data-check]').textContent.includes('agrees')"
    )
    for stage in model.stages:
        page.wait_for_function(
            """key => document.querySelector('[data-view="figure"]').dataset.drawn === `${key} To be`""",
            arg=stage.key,
        )
        assert page.locator("[data-title]").inner_text() == stage.title
        assert page.locator("[data-equation] math").count() == 1
        assert "NumPy agrees" in page.locator("[data-check]").inner_text()
        if stage is not model.stages[-1]:
            page.keyboard.press("]")


def test_figure_of_the_page_is_the_figure_of_the_api(page: Page, client: TestClient) -> None:
    for stage in ("ids", "blocks.0.attn.masked_scores", "blocks.1.ffn_norm.variance", "logits"):
        open_tracer(page, text="abc", stage=stage)
        ours = page.evaluate(
            """() => {
                const {data, layout} = document.querySelector('[data-canvas]');
                return {z: data.filter(t => t.z).map(t => t.z.map(row => [...row].map(v => Number.isFinite(v) ? v : null))),
                    scale: layout.coloraxis.colorscale, range: [layout.coloraxis.cmin, layout.coloraxis.cmax],
                    masked: layout.images.length, type: data.map(t => t.type)};
            }"""
        )
        theirs = client.post("/api/v1/figures", json={"text": "abc", "stage": stage}).json()
        assert floats(ours["z"]) == floats([t["z"] for t in theirs["data"] if "z" in t]), stage
        assert ours["type"] == [t["type"] for t in theirs["data"]]
        axis = theirs["layout"]["coloraxis"]
        assert ours["scale"] == axis["colorscale"]
        assert ours["range"] == [axis["cmin"], axis["cmax"]]
        assert ours["masked"] == len(theirs["layout"]["images"])


def floats(nested: Any) -> Any:
    """Every number as the float32 that it stands for."""
    if isinstance(nested, list):
        return [floats(item) for item in nested]
    return None if nested is None else np.float32(nested)


def test_next_characters_are_the_models(page: Page, model: LoadedModel) -> None:
    open_tracer(page, text="To be")
    expected = trace(model, "To be").next()
    glyphs = page.locator(".bar-glyph").all_inner_texts()
    assert glyphs == [{" ": "␣", "\n": "↵"}.get(p.text, p.text) for p in expected]
    numbers = [float(t.replace("−", "-")) for t in page.locator(".bar-number").all_inner_texts()]
    assert numbers == pytest.approx([p.probability for p in expected], rel=0.06)
    drawn(page, "To be")
