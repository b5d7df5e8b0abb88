"""The API's figures: where the colours end, what is marked beyond them, and what is called what."""

from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.tracing import figures
from app.tracing.palettes import UNIT, VOCABULARY
from model import LoadedModel, Trace, trace
from model.ops.op import Array

TEXT = "To be, or not to be"
WEIGHTS = "blocks.0.attn.weights"
CLIPPED = "blocks.1.attn.contributions"
"""A signed tensor, a panel a head, with cells beyond both ends of the colours."""
PANELS = ("", "2", "3", "4")
"""What the names of four panels' axes end with."""
NARROW = np.array([[0.1, 0.2, 0.3]])


@pytest.fixture(scope="module")
def traced(model: LoadedModel) -> Trace:
    return trace(model, TEXT)


@pytest.fixture(scope="module")
def clipped(client: TestClient) -> dict[str, Any]:
    """The figure of a tensor with cells beyond both ends."""
    answer = client.post("/api/v1/figures", json={"text": TEXT, "stage": CLIPPED})
    figure: dict[str, Any] = answer.json()
    return figure


def ends(figure: dict[str, Any]) -> tuple[float, float]:
    axis = figure["layout"]["coloraxis"]
    return axis["cmin"], axis["cmax"]


def marked(figure: dict[str, Any]) -> set[tuple[int, int, int]]:
    """The cells with a dot: head, row, column."""
    axes = [one["xaxis"] for one in figure["data"] if one["type"] == "heatmap"]
    return {
        (axes.index(marks["xaxis"]), row, column)
        for marks in figure["data"]
        if marks["type"] == "scatter"
        for column, row in zip(marks["x"], marks["y"], strict=True)
    }


def cells(where: Array) -> set[tuple[int, ...]]:
    return {tuple(map(int, place)) for place in np.argwhere(where)}


def test_colours_of_probabilities_and_ids_do_not_depend_on_the_numbers() -> None:
    assert figures.value_range(UNIT, NARROW, 65) == (0.0, 1.0)
    assert figures.value_range(VOCABULARY, NARROW, 65) == (0.0, 64.0)


def test_figure_of_probabilities_is_from_0_to_1(traced: Trace) -> None:
    for stage in ("probabilities", WEIGHTS):
        assert ends(figures.fill(traced, traced.stage(stage))) == (0.0, 1.0)


def test_figure_of_ids_is_of_the_whole_vocabulary(traced: Trace) -> None:
    assert ends(figures.fill(traced, traced.stage("ids"))) == (0.0, 64.0)


def test_cells_beyond_either_end_are_marked(clipped: dict[str, Any], traced: Trace) -> None:
    low, high = ends(clipped)
    array = traced.array(CLIPPED)
    below, above = cells(array < low), cells(array > high)
    assert below
    assert above
    assert marked(clipped) == below | above


def test_masked_cell_has_no_mark(traced: Trace) -> None:
    key = "blocks.0.attn.masked_scores"
    masked = cells(np.isinf(traced.array(key)))
    assert masked
    assert not marked(figures.fill(traced, traced.stage(key))) & masked


def test_heads_are_counted_from_one(traced: Trace) -> None:
    figure = figures.fill(traced, traced.stage(WEIGHTS))
    names = [f"head {number}" for number in (1, 2, 3, 4)]
    assert [note["text"] for note in figure["layout"]["annotations"]] == names
    for name, panel in zip(names, figure["data"], strict=True):
        assert f"<br>{name}, position %{{y}}, source %{{x}}<br>" in panel["hovertemplate"]


def test_name_of_a_head_stands_under_its_own_panel(traced: Trace) -> None:
    layout = figures.fill(traced, traced.stage(WEIGHTS), columns=2)["layout"]
    for number, note in zip(PANELS, layout["annotations"], strict=True):
        left, right = layout[f"xaxis{number}"]["domain"]
        assert note["x"] == pytest.approx((left + right) / 2)
        assert note["y"] == layout[f"yaxis{number}"]["domain"][0]


def test_heads_are_read_line_by_line(traced: Trace) -> None:
    layout = figures.fill(traced, traced.stage(WEIGHTS), columns=2)["layout"]
    corners = [(layout[f"xaxis{n}"]["domain"][0], layout[f"yaxis{n}"]["domain"][0]) for n in PANELS]
    assert corners[0][1] == corners[1][1] > corners[2][1] == corners[3][1]
    assert corners[0][0] == corners[2][0] < corners[1][0] == corners[3][0]


def test_axes_are_named_and_labelled_each_by_its_own(model: LoadedModel) -> None:
    traced = trace(model, "abc")
    layout = figures.fill(traced, traced.stage("logits"))["layout"]
    x, y = layout["xaxis"], layout["yaxis"]
    assert (x["title"]["text"], y["title"]["text"]) == ("vocab", "position")
    assert (y["tickvals"], y["ticktext"]) == ([0, 1, 2], ["a", "b", "c"])
    labels = [figures.plotly_text(model.tokenizer.piece(id).label) for id in range(65)]
    assert (x["tickvals"], x["ticktext"]) == (list(range(65)), labels)


def test_row_0_is_on_top(traced: Trace) -> None:
    layout = figures.fill(traced, traced.stage(WEIGHTS))["layout"]
    assert [layout[f"yaxis{number}"]["autorange"] for number in PANELS] == ["reversed"] * 4


def test_hatching_covers_the_whole_panel(traced: Trace) -> None:
    layout = figures.fill(traced, traced.stage("blocks.0.attn.masked_scores"))["layout"]
    n = len(TEXT)
    places = [[one[name] for name in ("x", "y", "sizex", "sizey")] for one in layout["images"]]
    assert places == [[-0.5, -0.5, n, n]] * 4
    assert [one["xref"] for one in layout["images"]] == ["x", "x2", "x3", "x4"]
