"""Masked, −∞, +∞ and NaN are four things, in every format."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.server.settings import Settings
from model import Trace, load, trace
from model.checking import check
from model.finiteness import WORDS
from model.ops.op import Array
from tests.model import overflowing

TEXT = "zab"
SCORES = "blocks.0.attn.masked_scores"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Checkpoints whose weights are finite and whose tensors are not."""
    folder = tmp_path_factory.mktemp("checkpoints")
    overflowing.write(folder)
    return folder


@pytest.fixture(scope="module")
def broken(folder: Path) -> Iterator[TestClient]:
    with TestClient(create_app(Settings(checkpoints=folder))) as client:
        yield client


@pytest.fixture(params=overflowing.OVERFLOWING)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def shown(folder: Path, name: str) -> Trace:
    return trace(load(folder / name), TEXT, gradients=True)


def ask(client: TestClient, name: str, **query: Any) -> Any:
    return client.get("/api/v1/traces", params={"model": name, "text": TEXT, **query})


def by_hand(key: str, array: Array) -> dict[str, list[int]]:
    """Which of the four, from the numbers and the mask that this stage has."""
    above = np.zeros(array.shape, dtype=bool)
    if key.endswith("masked_scores"):
        above[:] = np.triu(np.ones(array.shape[-2:], dtype=bool), 1)
    return {
        "masked": np.flatnonzero(np.isneginf(array) & above).tolist(),
        "minus_inf": np.flatnonzero(np.isneginf(array) & ~above).tolist(),
        "plus_inf": np.flatnonzero(np.isposinf(array)).tolist(),
        "nan": np.flatnonzero(np.isnan(array)).tolist(),
    }


def only_masked(found: dict[str, list[int]]) -> bool:
    return not any(found[name] for name in WORDS if name != "masked")


def test_json_lists_what_each_null_is(broken: TestClient, name: str, shown: Trace) -> None:
    for stage in ask(broken, name).json()["stages"]:
        found = by_hand(stage["key"], shown.array(stage["key"]))
        if only_masked(found):
            assert stage["null_means"] == shown.stage(stage["key"]).null_means
            assert stage["nonfinite"] is None
        else:
            assert (stage["null_means"], stage["nonfinite"]) == ("listed", found)


def test_binary_metadata_lists_the_same(broken: TestClient, name: str, shown: Trace) -> None:
    expected = {one.key: by_hand(one.key, shown.array(one.key)) for one in shown.stages}
    expected = {key: found for key, found in expected.items() if not only_masked(found)}
    body = ask(broken, name, format="safetensors").content
    header = json.loads(body[8 : 8 + int.from_bytes(body[:8], "little")])
    assert json.loads(header["__metadata__"]["trace"])["nonfinite"] == expected
    with np.load(io.BytesIO(ask(broken, name, format="npz").content)) as archive:
        assert json.loads(str(archive["__trace__"]))["nonfinite"] == expected


def test_csv_has_the_words(broken: TestClient, name: str, shown: Trace) -> None:
    for key in (SCORES, next(iter(shown.nonfinite))):
        body = ask(broken, name, format="csv", stages=key).text
        rows = [row["value"] for row in csv.DictReader(io.StringIO(body, newline=""))]
        found = by_hand(key, shown.array(key))
        words = {"masked": "masked", "minus_inf": "-inf", "plus_inf": "+inf", "nan": "nan"}
        for kind, word in words.items():
            assert [i for i, value in enumerate(rows) if value == word] == found[kind]


def test_first_tensor_that_is_not_finite_is_named(
    broken: TestClient, name: str, shown: Trace
) -> None:
    first = next(
        one for one in shown.stages if not only_masked(by_hand(one.key, shown.array(one.key)))
    )
    (notice,) = ask(broken, name, stages="ids").json()["notices"]
    assert f"“{first.title}” ({first.key})" in notice


def test_finite_trace_has_no_such_notice(client: TestClient) -> None:
    assert client.get("/api/v1/traces", params={"text": TEXT}).json()["notices"] == []


@pytest.mark.parametrize("gradient", ["0", "1"])
def test_page_of_checks_answers(broken: TestClient, name: str, gradient: str) -> None:
    query = {"model": name, "text": TEXT, "gradient": gradient}
    answer = broken.get("/checks", params=query)
    assert answer.status_code == 200
    assert "∞" in answer.text
    assert "Not every number here is finite" in answer.text


def test_gradients_that_are_not_finite_are_listed(
    broken: TestClient, name: str, shown: Trace
) -> None:
    body = {"model": name, "text": TEXT, "gradients": True, "weight_gradients": True}
    answer = broken.post("/api/v1/traces", json=body).json()
    for stage in answer["stages"]:
        gradient = shown.gradient(stage["key"])
        found = None if gradient is None else by_hand("", gradient)
        listed = None if found is None or only_masked(found) else found
        assert stage["gradient_nonfinite"] == listed
    assert any(one["gradient_nonfinite"] for one in answer["stages"])
    assert any(one["nonfinite"] for one in answer["weight_gradients"])


@pytest.mark.parametrize("gradient", [False, True])
def test_every_cell_has_arithmetic_with_its_word(
    broken: TestClient, name: str, shown: Trace, gradient: bool
) -> None:
    """One cell of each of the four in every stage."""
    for stage in shown.stages:
        array = shown.gradient(stage.key) if gradient else shown.array(stage.key)
        if array is None:
            continue
        found = by_hand("" if gradient else stage.key, array)
        for kind, places in found.items():
            if not places:
                continue
            index = [int(i) for i in np.unravel_index(places[-1], array.shape)]
            body = {
                "model": name, "text": TEXT, "stage": stage.key, "index": index,
                "gradient": gradient,
            }  # fmt: skip
            cell = broken.post("/api/v1/cells", json=body).json()
            assert (cell["value"], cell["word"]) == (None, WORDS[kind]), stage.key
            assert cell["equal"] == (kind == "masked")
            numbers = [cell, *cell["terms"], *cell["steps"]]
            numbers += [factor for term in cell["terms"] for factor in term["factors"]]
            for one in numbers:
                assert (one["value"] is None) == (one["word"] is not None)


def test_masked_agrees_with_masked_and_no_other_infinity(folder: Path) -> None:
    traced = trace(load(folder / "large-queries"), TEXT)
    found = {one.key: one for one in check(traced)}[SCORES]
    assert np.isinf(np.tril(traced.array(SCORES))).any()
    assert not found.end_to_end.equal
