"""How a tensor is drawn: one template a kind, and how a tensor fills it.

A template is plain Plotly without numbers. `/stages` sends it to the page, which fills it from
the trace it holds; `fill` does the same here for exports and notebooks.
"""

import copy
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from app.tracing import wire
from app.tracing.palettes import (
    DEFAULT,
    LIMIT_AT,
    MARKS,
    MASK,
    PALETTES,
    RANGES,
    SYMMETRIC,
    TILE,
    UNIT,
    VOCABULARY,
    Colours,
    Scale,
    ground,
    hatching,
)
from model.errors import UnknownStage
from model.finiteness import nonfinite
from model.ops.op import Array
from model.table.stage import Kind, Stage
from model.tracing import Trace

WRITTEN = {"texttemplate": "%{z}", "textfont": {"size": 11}}


def _template(colours: Colours, kind: Kind) -> dict[str, Any]:
    last = len(colours) - 1
    axis = {
        "showgrid": False, "zeroline": False, "showline": False, "ticks": "", "constrain": "domain",
        "fixedrange": True,
        # Else Plotly measures every label at every drawing, two thirds of the time to update a
        # figure, to hide those that leave it; there is room for all.
        "ticklabeloverflow": "allow",
    }  # fmt: skip
    return {
        "trace": {"type": "heatmap", "coloraxis": "coloraxis", "zsmooth": False},
        "coloraxis": {
            "colorscale": [[i / last, colour] for i, colour in enumerate(colours)],
            "colorbar": {"thickness": 10, "outlinewidth": 0, "ticks": "outside", "ticklen": 3},
        },
        "xaxis": axis | {"side": "top", "ticklabelstandoff": 3},
        "yaxis": axis | {"autorange": "reversed"},
        "masked": {
            "source": hatching(), "layer": "below", "sizing": "fill", "xanchor": "left",
            "yanchor": "top",
        },
        "unusual": {"layer": "below", "sizing": "stretch", "xanchor": "left", "yanchor": "top"},
        "clipped": {
            "type": "scatter", "mode": "markers", "hoverinfo": "skip", "showlegend": False,
            "marker": {"size": 7, "color": "#ffffff", "line": {"color": "#000000", "width": 1}},
        },
        # A triangle points the way that a number leaves the scale.
        "beyond": {"low": "triangle-down", "high": "triangle-up"},
        # Whole numbers are written into their cells, where those are wide enough.
        "written": WRITTEN if kind is Kind.IDS else {},
        "layout": {
            "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)", "dragmode": False,
            "font": {"family": "system-ui, sans-serif", "size": 12},
            "margin": {"l": 40, "r": 10, "t": 40, "b": 10},
        },
    }  # fmt: skip


KINDS: dict[str, dict[str, Any]] = {
    kind.value: {
        "colours": list(palettes[DEFAULT]),
        "palettes": {name: list(colours) for name, colours in palettes.items()},
        "range": RANGES[kind],
        "limit_at": LIMIT_AT,
        "mask": MASK,
        "marks": MARKS,
        "tile": TILE,
        "template": _template(palettes[DEFAULT], kind),
    }
    for kind, palettes in PALETTES.items()
}
"""Each kind's colour tables (evenly spaced, linear in sRGB), its range, its Plotly template."""


def value_range(
    rule: str, array: Array, vocab_size: int, *, scale: Scale = Scale.USUAL
) -> tuple[float, float]:
    """The values at the two ends of the colour scale; never of zero width."""
    if rule == VOCABULARY:
        return 0.0, float(max(1, vocab_size - 1))
    if rule == UNIT and scale is Scale.USUAL:
        return 0.0, 1.0
    found = limit(array, 1.0 if scale is Scale.LARGEST else LIMIT_AT)
    return (-found, found) if rule == SYMMETRIC else (0.0, found)


def limit(array: Array, share: float) -> float:
    """The smallest |x| that a share of the finite numbers other than 0 does not exceed; 1 where
    there are none."""
    sizes = np.abs(array[np.isfinite(array) & (array != 0)])
    if not sizes.size:
        return 1.0
    rank = math.ceil(share * sizes.size) - 1
    return float(np.partition(sizes, rank)[rank])


def panels(array: Array) -> list[Array]:
    """The tensor as matrices: one for each index of the first of three axes; a vector is a row."""
    matrix = array[None] if array.ndim == 1 else array
    return list(matrix) if matrix.ndim == 3 else [matrix]


def panel_axes(stage: Stage) -> tuple[str | None, str | None, str]:
    """Which axis makes the panels, which the rows, which the columns; None where there is none."""
    names = [axis.name for axis in stage.axes]
    panel, row, column = [None, None, *names][-3:]
    assert column is not None
    return panel, row, column


def fill(
    traced: Trace, stage: Stage, *, columns: int = 2, scale: Scale = Scale.USUAL
) -> dict[str, Any]:
    """One stage's figure: heads as small multiples in `columns` columns, one shared scale.

    Row 0 is on top; positions are coordinates and token glyphs their labels; masked cells are
    gaps before a hatching.
    """
    masked = stage.null_means is not None
    return _filled(traced, stage, traced.array(stage.key), columns, scale, masked=masked)


def of_gradient(
    traced: Trace, stage: Stage, *, columns: int = 2, scale: Scale = Scale.USUAL
) -> dict[str, Any]:
    """The same of d loss / d stage, which is signed whatever the stage is.

    Raises:
        UnknownStage: the stage holds ids, which have no gradient.
    """
    gradient = traced.gradient(stage.key)
    if gradient is None:
        raise UnknownStage(f"{stage.key} holds ids, and ids have no gradient.", field="stage")
    drawn = replace(stage, title=f"{stage.title}: gradient of the loss", kind=Kind.SIGNED)
    return _filled(traced, drawn, gradient, columns, scale, masked=False)


def _filled(
    traced: Trace, stage: Stage, array: Array, columns: int, scale: Scale, *, masked: bool
) -> dict[str, Any]:
    kind = KINDS[stage.kind.value]
    template = copy.deepcopy(kind["template"])
    matrices = panels(array)
    panel_name, row_name, column_name = panel_axes(stage)
    labels = {axis.name: wire.labels_of(axis, traced) for axis in stage.axes}
    low, high = value_range(kind["range"], array, traced.model.config.vocab_size, scale=scale)
    across = min(columns, len(matrices))
    down = -(-len(matrices) // across)
    axis = template["coloraxis"] | {"cmin": low, "cmax": high}
    if kind["range"] == UNIT and high != 1:
        axis["colorbar"] = axis["colorbar"] | _end_at_largest(high)
    layout = template["layout"] | {
        "coloraxis": axis,
        "title": {"text": plotly_text(stage.title)},
        "images": [],
        "annotations": [],
    }
    layout["margin"] = layout["margin"] | {"t": 90}
    data, marks = [], []
    for index, matrix in enumerate(matrices):
        number = "" if index == 0 else str(index + 1)
        x_domain = _cell(index % across, across)
        # Between rows there is room for the name of the one and the labels of the other.
        y_domain = _cell(down - 1 - index // across, down, gap=0.4 / down)
        row_labels = [""] if row_name is None else labels[row_name]
        layout[f"xaxis{number}"] = {
            **template["xaxis"], **_ticks(labels[column_name], matrix.shape[1]),
            "anchor": f"y{number}", "domain": x_domain,
            "title": {"text": column_name, "standoff": 2},
        }  # fmt: skip
        layout[f"yaxis{number}"] = {
            **template["yaxis"], **_ticks(row_labels, matrix.shape[0]),
            "anchor": f"x{number}", "domain": y_domain, "title": {"text": row_name or ""},
        }  # fmt: skip
        words = _words(matrix, stage.op.masked(matrix.shape) if masked else None)
        if masked and words is None:
            layout["images"].append(template["masked"] | {
                "xref": f"x{number}", "yref": f"y{number}", "x": -0.5, "y": -0.5,
                "sizex": matrix.shape[1], "sizey": matrix.shape[0],
            })  # fmt: skip
        if words is not None:
            layout["images"].append(template["unusual"] | {
                "xref": f"x{number}", "yref": f"y{number}", "x": -0.5, "y": -0.5,
                "sizex": matrix.shape[1], "sizey": matrix.shape[0], "source": ground(words),
            })  # fmt: skip
        if panel_name is not None:
            layout["annotations"].append({
                "text": f"{panel_name} {index + 1}", "showarrow": False, "xref": "paper",
                "yref": "paper", "x": sum(x_domain) / 2, "y": y_domain[0], "yanchor": "top",
                "xanchor": "center",
            })  # fmt: skip
        data.append(template["trace"] | template["written"] | {
            "xaxis": f"x{number}", "yaxis": f"y{number}",
            "z": np.ascontiguousarray(matrix),
            "hovertemplate": _hover(stage, row_name, column_name, index if panel_name else None),
        })  # fmt: skip
        marks += _beyond(template, matrix, (low, high), number)
    return {"data": data + marks, "layout": layout}


def _beyond(
    template: dict[str, Any], matrix: Array, ends: tuple[float, float], number: str
) -> list[dict[str, Any]]:
    """The marks on finite cells that the colours do not reach."""
    low, high = ends
    finite = np.isfinite(matrix)
    rows, columns = np.nonzero(finite & ((matrix < low) | (matrix > high)))
    if not len(rows):
        return []
    sides = ["low" if matrix[at] < low else "high" for at in zip(rows, columns, strict=True)]
    marker = template["clipped"]["marker"] | {
        "symbol": [template["beyond"][side] for side in sides]
    }
    return [template["clipped"] | {
        "marker": marker, "xaxis": f"x{number}", "yaxis": f"y{number}",
        "x": columns.tolist(), "y": rows.tolist(),
    }]  # fmt: skip


def _words(matrix: Array, masked: Array | None) -> list[list[str | None]] | None:
    """The name of what each cell is that is not finite; None where no cell is, but for the mask."""
    found = nonfinite(matrix, masked) if matrix.size and matrix.dtype.kind == "f" else None
    if found is None:
        return None
    words = np.full(matrix.size, None, dtype=object)
    for name, index in found.named():
        words[index] = name
    named: list[list[str | None]] = words.reshape(matrix.shape).tolist()
    return named


def plotly_text(text: str) -> str:
    """Plotly reads a small markup in its texts; this makes a text come out as it is."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _end_at_largest(high: float) -> dict[str, Any]:
    """The bar of probabilities that are stretched says so: one knows it from 0 to 1."""
    return {
        "tickmode": "array",
        "tickvals": [0, high / 2, high],
        "ticktext": ["0", f"{high / 2:.3g}", f"{high:.3g}<br>largest"],
    }


def _hover(stage: Stage, row: str | None, column: str, panel: int | None) -> str:
    places = [f"{column} %{{x}}"]
    if row is not None:
        places.insert(0, f"{row} %{{y}}")
    if panel is not None:
        places.insert(0, f"head {panel + 1}")
    return f"{plotly_text(stage.title)}<br>{', '.join(places)}<br>%{{z}}<extra></extra>"


def _cell(index: int, count: int, gap: float = 0.06) -> list[float]:
    """The share of the paper that cell `index` of `count` takes, from 0 to 1."""
    width = (1 - gap * (count - 1)) / count
    return [index * (width + gap), index * (width + gap) + width]


def _ticks(labels: Sequence[str] | None, count: int) -> dict[str, Any]:
    """Labels at whole positions: never category text, which merges equal labels."""
    if labels is None:
        return {"tickmode": "linear", "tick0": 0, "dtick": max(1, count // 8)}
    return {
        "tickmode": "array",
        "tickvals": list(range(count)),
        "ticktext": [plotly_text(label) for label in labels[:count]],
    }
