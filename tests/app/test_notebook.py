"""A trace shows itself in a notebook: the figure and the table, from what a real kernel put out."""

import json
import re
from typing import Any

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from app.exports import display as notebook
from app.site import opening
from model import LoadedModel, trace
from model.config import PRESETS
from model.errors import UnknownStage
from model.table.architectures import stages
from tests.conftest import ROOT

TEXT = "a &lt; b"
CELLS = (
    f'from model import load, trace\ntrace(load("checkpoints/shakespeare"), "{TEXT}")',
    'from app.exports.display import show\nshow(_, "logits")',
)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What each cell shows, by media type."""
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(variable, str(tmp_path_factory.mktemp("jupyter")))
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
        book = nbformat.v4.new_notebook(cells=cells)
        resources = {"metadata": {"path": str(ROOT)}}
        NotebookClient(book, kernel_name="python3", timeout=120, resources=resources).execute()
    return [cell.outputs[-1].data for cell in book.cells]


def drawn(html: str) -> Any:
    """The figure in an output."""
    found = re.search(r"const figure = (.*);$", html, re.MULTILINE)
    assert found is not None
    return json.loads(found[1])


def test_trace_shows_its_figure(outputs: list[dict[str, Any]], model: LoadedModel) -> None:
    expected = trace(model, TEXT).array(opening.stage(model.stages))
    heads = [one["z"] for one in drawn(outputs[0]["text/html"])["data"] if "z" in one]
    assert np.array_equal(np.array(heads, dtype=np.float32), expected)


def test_trace_shows_a_table_of_every_stage(
    outputs: list[dict[str, Any]], model: LoadedModel
) -> None:
    keys = re.findall(r"<tr><td><code>([^<]+)</code>", outputs[0]["text/html"])
    assert keys == [stage.key for stage in model.stages]


def test_chosen_stage_is_shown(outputs: list[dict[str, Any]], model: LoadedModel) -> None:
    (matrix,) = (one["z"] for one in drawn(outputs[1]["text/html"])["data"] if "z" in one)
    assert np.array_equal(np.array(matrix, dtype=np.float32), trace(model, TEXT).array("logits"))


def test_text_is_shown_as_text(outputs: list[dict[str, Any]]) -> None:
    assert "Trace of “a &amp;lt; b”" in outputs[0]["text/html"]


def test_line_of_a_trace_is_short(outputs: list[dict[str, Any]]) -> None:
    said = outputs[0]["text/plain"]
    assert re.fullmatch(r"<Trace of 'a &lt; b' by shakespeare: \d+ stages>", said)


def test_output_asks_no_other_host(outputs: list[dict[str, Any]]) -> None:
    for output in outputs:
        assert not re.search(r"""(src|href)=|import\(|fetch\(""", output["text/html"])


@pytest.mark.parametrize("key", [stage.key for stage in stages(PRESETS["shakespeare"])])
def test_every_stage_can_be_shown(model: LoadedModel, key: str) -> None:
    assert notebook.show(trace(model, "a"), key)._repr_html_()


def test_table_has_the_ends_of_each_tensor_without_the_mask(model: LoadedModel) -> None:
    traced = trace(model, "To be")
    key = "blocks.0.attn.masked_scores"
    finite = traced.array(key)[np.isfinite(traced.array(key))]
    row = re.search(rf"<tr><td><code>{key}</code>.*?</tr>", notebook.html(traced), re.DOTALL)
    assert row is not None
    numbers = re.findall(r">(-?\d[\d.e+-]*)<", row[0])
    assert numbers == [f"{finite.min():.4g}", f"{finite.max():.4g}"]


def test_figure_is_as_high_as_its_rows_of_panels(model: LoadedModel) -> None:
    traced = trace(model, "To be")
    for key in ("logits", "blocks.0.attn.weights"):  # one panel, and four beside each other
        layout = drawn(notebook.html(traced, key))["layout"]
        margin = layout["margin"]
        assert layout["height"] - margin["t"] - margin["b"] == notebook.HEIGHT


def test_unknown_stage_is_refused(model: LoadedModel) -> None:
    with pytest.raises(UnknownStage, match="nonsense"):
        notebook.show(trace(model, "a"), "nonsense")
