"""`python -m app trace` and `export`: the API's own bytes in a file, or one plain sentence."""

import csv
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.__main__ import main
from app.tracing.formats import Format
from model import LoadedModel, trace
from tests.app.test_formats import READERS, assert_identical
from tests.conftest import ROOT

TRACES = "/api/v1/traces"
ENCODER, SEQ2SEQ = "shakespeare-encoder", "shakespeare-seq2seq"
BINARY = ("safetensors", "npz")


def answered(client: TestClient, **asked: Any) -> bytes:
    response = client.post(TRACES, json=asked)
    assert response.status_code == 200, response.text
    return bytes(response.content)


def complaint(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    """What a refused command prints: one line on the error stream, and nothing else."""
    assert main([str(word) for word in words]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert printed.err.endswith(".\n")
    assert printed.err.count("\n") == 1
    return printed.err


@pytest.mark.parametrize("form", [form.value for form in Format])
def test_file_has_the_bytes_of_the_api(client: TestClient, tmp_path: Path, form: str) -> None:
    path = tmp_path / f"out.{form}"
    command = ["trace", "To be", "--stages", "*.0.attn.weights", "--format", form, "-o", str(path)]
    assert main(command) == 0
    asked = {"text": "To be", "stages": ["*.0.attn.weights"], "format": form}
    assert path.read_bytes() == answered(client, **asked)


@pytest.mark.parametrize("form", READERS)
def test_file_reads_back_identically(model: LoadedModel, tmp_path: Path, form: str) -> None:
    """C46."""
    path = tmp_path / "out"
    assert main(["trace", "To be,\nor not", "--format", form, "-o", str(path)]) == 0
    shown = trace(model, "To be,\nor not")
    read = READERS[form](path.read_bytes())
    assert read.keys() == {stage.key for stage in model.stages}
    for key, array in read.items():
        assert_identical(array, shown.array(key))


def test_csv_file_reads_back_identically(model: LoadedModel, tmp_path: Path) -> None:
    """C45, C46: labels are the characters themselves, negative numbers are numbers."""
    text, path = ",\n-", tmp_path / "out.csv"
    command = ["trace", text, "--stages", "logits", "--format", "csv", "-o", str(path)]
    assert main(command) == 0
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    vocabulary = len(model.tokenizer.vocabulary)
    assert [row["position_token"] for row in rows[::vocabulary]] == list(text)
    read = np.array([row["value"] for row in rows], dtype=np.float32)
    assert (read < 0).any()
    assert_identical(read.reshape(3, vocabulary), trace(model, text).array("logits"))


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["T b", "--model", SEQ2SEQ, "--target", "To"], {"model": SEQ2SEQ, "target": "To"}),
        (["T b", "--model", SEQ2SEQ], {"model": SEQ2SEQ}),
        (["To be", "--model", ENCODER, "--hidden", "1", "3"], {"model": ENCODER, "hidden": [1, 3]}),
        (["To be", "--gradients", "--weight-gradients"],
         {"gradients": True, "weight_gradients": True}),
        (["To be", "--stages", "ids", "*.q"], {"stages": ["ids", "*.q"]}),
    ],
)  # fmt: skip
def test_options_are_the_fields_of_a_request(
    client: TestClient, tmp_path: Path, words: list[str], asked: dict[str, Any]
) -> None:
    path = tmp_path / "out.npz"
    assert main(["trace", *words, "--format", "npz", "-o", str(path)]) == 0
    assert path.read_bytes() == answered(client, text=words[0], format="npz", **asked)


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ([], {}),
        (["--stage", "logits"], {"stages": ["logits"]}),
        (["--model", ENCODER, "--hidden", "0"], {"model": ENCODER, "hidden": [0]}),
        (["--gradients"], {"gradients": True}),
    ],
)
def test_export_is_the_html_of_the_api(
    client: TestClient, tmp_path: Path, words: list[str], asked: dict[str, Any]
) -> None:
    path = tmp_path / "trace.html"
    assert main(["export", "To be", *words, "-o", str(path)]) == 0
    assert path.read_bytes() == answered(client, text="To be", format="html", **asked)


@pytest.mark.parametrize("output", [(), ("-o", "-")])
def test_text_goes_to_standard_output(
    client: TestClient, capfdbinary: pytest.CaptureFixture[bytes], output: tuple[str, ...]
) -> None:
    assert main(["trace", "To be", "--stages", "ids", *output]) == 0
    printed = capfdbinary.readouterr()
    assert (printed.out, printed.err) == (answered(client, text="To be", stages=["ids"]), b"")


def test_reader_that_leaves_early_is_no_error() -> None:
    unset = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}  # the command sets them itself
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    shell = f"{sys.executable} -m app trace 'To be' | head -c 10"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", shell], cwd=ROOT, env=environment, capture_output=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b'{"model":{', b"")


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("x.npz", "npz"),
        ("x.safetensors", "safetensors"),
        ("x.csv", "csv"),
        ("x.html", "html"),
        ("x.json", "json"),
        ("a.b.NPZ", "npz"),
        ("x", "json"),
        ("npz", "json"),
    ],
)
def test_suffix_decides_the_format(
    client: TestClient, tmp_path: Path, name: str, form: str
) -> None:
    """F35."""
    path = tmp_path / name
    assert main(["trace", "To be", "--stages", "logits", "-o", str(path)]) == 0
    assert path.read_bytes() == answered(client, text="To be", stages=["logits"], format=form)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["trace", "a", "--format", "json", "-o", "x.npz"], ("'.npz'", "json")),
        (["trace", "a", "--format", "npz", "-o", "x.safetensors"], ("'.safetensors'", "npz")),
        (["trace", "a", "--format", "csv", "--stages", "ids", "-o", "x.JSON"], ("'.JSON'", "csv")),
        (["export", "a", "-o", "x.npz"], ("'.npz'", "html")),
        (["trace", "a", "-o", "x.txt"], ("'.txt'", "--format")),
        (["trace", "a", "-o", "x.npz.gz"], ("'.gz'", "--format")),
    ],
)
def test_suffix_of_another_format_is_refused(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    words: list[str],
    named: tuple[str, str],
) -> None:
    """F35: both are named, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    sentence = complaint(capsys, *words)
    assert all(name in sentence for name in named)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words", [["trace", "a", "--format", "json"], ["export", "a"]], ids=["trace", "export"]
)
def test_suffix_that_names_no_format_is_left_to_what_is_asked(
    tmp_path: Path, words: list[str]
) -> None:
    path = tmp_path / "x.txt"
    assert main([*words, "-o", str(path)]) == 0
    assert path.read_bytes()[:1] == (b"{" if words[0] == "trace" else b"<")


@pytest.mark.parametrize("form", BINARY)
def test_binary_form_needs_a_file(capsys: pytest.CaptureFixture[str], form: str) -> None:
    assert f"{form} is no text" in complaint(capsys, "trace", "To be", "--format", form)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["trace", ""], "The text is empty"),
        (["trace", "O Romeo 🙂"], "U+1F642"),
        (["trace", "a" * 65], "65 characters"),
        (["trace", "a\udcff"], "U+DCFF"),
        (["trace", "a", "--model", "nobody"], "no model 'nobody'"),
        (["trace", "a", "--model", "../shakespeare"], "no model"),
        (["trace", "a", "--stages", "nothing"], "No stage of shakespeare matches 'nothing'"),
        (["trace", "a", "--stages", "[" * 200], "at most 100 characters"),
        (["trace", "a", "--format", "csv"], "csv format holds one stage"),
        (["trace", "a", "--target", "b"], "has no target"),
        (["trace", "a", "--model", ENCODER, "--hidden", "-1"], "hidden"),
        (["trace", "a", "--model", ENCODER, "--hidden", "7"], "no position 7"),
        (["trace", "a", "--gradients"], "no character follows"),
        (["export", "", "-o", "never.html"], "The text is empty"),
    ],
)
def test_what_cannot_be_done_is_said(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert said in complaint(capsys, *words)


def test_file_that_cannot_be_written_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "missing" / "out.json"
    sentence = complaint(capsys, "trace", "a", "-o", path)
    assert "out.json" in sentence
    assert "No such file or directory" in sentence


def test_nothing_is_written_where_the_request_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "out.json"
    path.write_text("kept")
    complaint(capsys, "trace", "", "-o", path)
    assert path.read_text() == "kept"


@pytest.mark.parametrize(
    "words",
    [
        ["trace"],
        ["trace", "a", "--format", "png"],
        ["trace", "a", "--hidden", "one"],
        ["export", "a"],
        ["wander"],
    ],
)
def test_command_that_is_not_understood_ends_with_2(
    capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "usage: python -m app" in capsys.readouterr().err


def test_no_model_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TRACER_CHECKPOINTS", str(tmp_path))
    assert "No model could be loaded" in complaint(capsys, "trace", "a")
