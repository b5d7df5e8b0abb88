"""A trace in a notebook: the figure of one stage, and a table of all.

`model.Trace` finds `html` through the entry point in pyproject.toml, so that a trace on the last
line of a cell shows itself; `show` chooses another stage. What is shown needs no network: each
output carries Plotly's script, as gzip, since any other one may have been deleted.
"""

import gzip
from base64 import b64encode
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from uuid import uuid4

import numpy as np
import orjson

from app.server.json import to_json
from app.site import opening
from app.site.rendering import environment
from app.tracing import figures
from app.tracing.palettes import Scale
from model.ops.op import Array
from model.table.stage import Stage
from model.tracing import Trace

ACROSS = 4
WIDTH, HEIGHT, ROOM = 960, 250, {"l": 50, "r": 10, "t": 70, "b": 30}
"""Pixels: of the figure; of a row of panels; around them."""


@dataclass(frozen=True)
class Shown:
    """A trace that a notebook shows at a stage of one's choice."""

    trace: Trace
    stage: str
    scale: Scale = Scale.USUAL

    def _repr_html_(self) -> str:
        return html(self.trace, self.stage, scale=self.scale)


def show(traced: Trace, stage: str, *, scale: Scale | str = Scale.USUAL) -> Shown:
    """The last line of a cell: `show(traced, key)`, or `show(traced, key, scale="largest")` for
    colours that run to the largest number.

    Raises:
        UnknownStage: the model has no such stage.
    """
    return Shown(traced, traced.stage(stage).key, Scale(scale))


def html(traced: Trace, key: str | None = None, *, scale: Scale = Scale.USUAL) -> str:
    """The figure of a stage (by default the one that the page opens at), and the table."""
    stage = traced.stage(opening.stage(traced.stages) if key is None else key)
    array = traced.array(stage.key)
    figure = figures.fill(traced, stage, columns=ACROSS, scale=scale) if array.size else None
    if figure is not None:
        rows = -(-len(figures.panels(array)) // ACROSS)
        size = {"width": WIDTH, "height": ROOM["t"] + ROOM["b"] + rows * HEIGHT, "margin": ROOM}
        # The title stands above; the ground is white, for the labels are dark.
        figure["layout"] |= size | {"title": None, "paper_bgcolor": "#ffffff"}
    return (
        environment(lambda name: name)
        .get_template("notebook.html")
        .render(
            traced=traced,
            title=stage.title,
            shape=_shape(stage, array),
            place=f"trace-{uuid4().hex}",
            figure=None if figure is None else orjson.loads(to_json(figure)),
            rows=[_row(traced, stage.key) for stage in traced.stages],
            plotly=_plotly(),
        )
    )


def _row(traced: Trace, key: str) -> dict[str, str]:
    """What the table says of a stage."""
    stage, array = traced.stage(key), traced.array(key)
    finite = array[np.isfinite(array)]
    least, most = (f"{finite.min():.4g}", f"{finite.max():.4g}") if finite.size else ("", "")
    return {
        "key": key,
        "title": stage.title,
        "shape": _shape(stage, array),
        "kind": stage.kind.value,
        "least": least,
        "most": most,
    }


def _shape(stage: Stage, array: Array) -> str:
    """In symbols and in numbers."""
    return f"{' × '.join(stage.symbolic_shape)} = {' × '.join(map(str, array.shape))}"


@lru_cache(maxsize=1)
def _plotly() -> str:
    """Plotly's script as gzip, as base64."""
    script = files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
    return b64encode(gzip.compress(script, 6, mtime=0)).decode()
