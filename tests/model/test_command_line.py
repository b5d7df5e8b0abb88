"""`python -m model.training`: its options, its one plain sentence, its progress bar."""

import re
import shlex
from functools import partial
from pathlib import Path

import pytest
from tqdm import tqdm

from model import load
from model.config import PRESETS
from model.training.__main__ import main

QUICK = ["--steps", "3", "--batch-size", "2", "--quiet"]


def run(preset: str, *options: str | Path) -> int:
    return main([preset, *map(str, options)])


def complaint(capsys: pytest.CaptureFixture[str], *options: str | Path) -> str:
    """What a refused command prints: one line on the error stream, and nothing else."""
    assert run("shakespeare", *options) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert printed.err.endswith(".\n")
    assert printed.err.count("\n") == 1
    return printed.err


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_command_trains_a_preset_that_loads(
    preset: str, corpus_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert run(preset, "--data", corpus_file, "--out", out, *QUICK) == 0
    assert "nats a character" in capsys.readouterr().out
    assert load(out).config.d_model == PRESETS[preset].d_model


def test_recorded_command_gives_the_same_weights(corpus_file: Path, tmp_path: Path) -> None:
    run("shakespeare", "--data", corpus_file, "--out", tmp_path / "one", *QUICK)
    record = load(tmp_path / "one").training
    assert record is not None
    python, dash_m, module, *words = shlex.split(record.command)
    assert (python, dash_m, module) == ("python", "-m", "model.training")
    assert main([*words, "--out", str(tmp_path / "two")]) == 0
    assert load(tmp_path / "two").weights_sha256 == record.weights_sha256


def test_progress_bar_shows_loss_speed_and_time_left(
    corpus_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [word for word in QUICK if word != "--quiet"]
    run("shakespeare", "--data", corpus_file, "--out", tmp_path / "run", *options)
    bar = capsys.readouterr().err.split("\r")[-1]
    assert re.search(r"loss \d\.\d+, validation \d\.\d+", bar)
    assert re.search(r"[\d.]+(step/s|s/step)", bar)
    assert re.search(r"\d\d:\d\d<\d\d:\d\d", bar)


def test_progress_bar_shows_the_loss_before_the_first_validation(
    corpus_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("model.training.loop.tqdm", partial(tqdm, mininterval=0))
    options = [word for word in QUICK if word != "--quiet"]
    run("shakespeare", "--data", corpus_file, "--out", tmp_path / "run", *options)
    assert re.search(r"1/3.*loss \d\.\d+\]", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--steps", "0"),
        ("--steps", "-5"),
        ("--batch-size", "0"),
        ("--learning-rate", "-1"),
        ("--learning-rate", "nan"),
        ("--learning-rate", "inf"),
        ("--weight-decay", "-1"),
        ("--warmup", "0"),
        ("--average", "1"),
        ("--evaluate-every", "0"),
        ("--seed", "-1"),
        ("--seed", str(2**63)),
    ],
)
def test_impossible_number_is_refused_by_option_and_value(
    capsys: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    sentence = complaint(capsys, option, value)
    assert f"{option} is {value}" in sentence.replace(".0", "")
    assert re.search(r"must be (at least \S+|from \S+ to \S+)\.\n", sentence)


def test_missing_corpus_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "cannot be read" in complaint(capsys, "--data", tmp_path / "missing.txt")


@pytest.mark.parametrize("length", [50, 640])
def test_short_corpus_is_refused_before_anything_is_made(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, length: int
) -> None:
    """C40."""
    (tmp_path / "short.txt").write_text("a" * length)
    out = tmp_path / "run"
    assert "641" in complaint(capsys, "--data", tmp_path / "short.txt", "--out", out)
    assert not out.exists()


def test_shortest_corpus_trains(tmp_path: Path) -> None:
    """C40: 641 characters hold out exactly one window."""
    (tmp_path / "enough.txt").write_text("ab" * 320 + "a")
    options = ("--data", tmp_path / "enough.txt", "--out", tmp_path / "run")
    assert run("shakespeare", *options, *QUICK) == 0


def test_corpus_that_is_not_utf8_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9" * 500)
    assert "not UTF-8" in complaint(capsys, "--data", tmp_path / "latin.txt")


def test_file_in_place_of_the_folder_is_refused(
    capsys: pytest.CaptureFixture[str], corpus_file: Path
) -> None:
    sentence = complaint(capsys, "--data", corpus_file, "--out", corpus_file)
    assert "cannot be written" in sentence


def test_folder_of_another_model_is_refused(
    capsys: pytest.CaptureFixture[str], corpus_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    run("shakespeare", "--data", corpus_file, "--out", out, *QUICK)
    capsys.readouterr()
    corpus_file.write_text("another alphabet, quite " * 50)
    assert "holds another model" in complaint(capsys, "--data", corpus_file, "--out", out)


def test_unknown_preset_lists_the_presets(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run("nonsense")
    assert ended.value.code != 0
    printed = capsys.readouterr().err
    assert all(preset in printed for preset in PRESETS)
