"""Each format holds the model's own float32 numbers, bit for bit."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from starlette.testclient import TestClient

from model import LoadedModel, Trace, trace
from model.config import PRESETS
from model.ops.op import Array
from model.table.architectures import Kind, stages
from model.tracing import LIKELIEST
from tests.app.answers import strict

STAGES = stages(PRESETS["shakespeare"])
TEXTS = {
    "one character": "a",
    "two": "To",
    "a line break": "To be,\nor not",
    "as long as can be": "Now is the winter of our discontent\nMade glorious summer by this",
}
by_text = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
by_stage = pytest.mark.parametrize("key", [stage.key for stage in STAGES])


def ask(client: TestClient, text: str, form: str, *patterns: str) -> bytes:
    sent = {"text": text, "format": form, "stages": list(patterns) or ["*"]}
    response = client.post("/api/v1/traces", json=sent)
    assert response.status_code == 200, response.text
    return bytes(response.content)


def assert_identical(read: Array, shown: Array) -> None:
    assert (read.dtype, read.shape) == (shown.dtype, shown.shape)
    assert np.ascontiguousarray(read).tobytes() == np.ascontiguousarray(shown).tobytes()


def shape_of(values: Any) -> list[int]:
    """The shape of nested lists, which must be regular."""
    if not isinstance(values, list):
        return []
    inner = [shape_of(item) for item in values]
    assert all(shape == inner[0] for shape in inner)
    return [len(values), *(inner[0] if inner else [])]


def cells(values: Any) -> Iterator[Any]:
    """All that nested lists hold, in order."""
    if isinstance(values, list):
        for item in values:
            yield from cells(item)
    else:
        yield values


def from_json(stage: dict[str, Any]) -> Array:
    """What a client makes of a stage in JSON: a masked cell is what `null_means` says."""
    hole = None if stage["null_means"] is None else float(stage["null_means"])
    numbers = [hole if cell is None else cell for cell in cells(stage["values"])]
    return np.array(numbers, dtype=stage["dtype"]).reshape(stage["shape"])


def read_json(body: bytes) -> dict[str, Array]:
    return {stage["key"]: from_json(stage) for stage in strict(body)["stages"]}


def read_npz(body: bytes) -> dict[str, Array]:
    with np.load(io.BytesIO(body), allow_pickle=False) as archive:
        return {key: archive[key] for key in archive.files if key != "__trace__"}


READERS: dict[str, Callable[[bytes], dict[str, Array]]] = {
    "json": read_json,
    "safetensors": safetensors.numpy.load,
    "npz": read_npz,
}


@pytest.mark.parametrize("form", READERS)
@by_text
def test_format_reads_back_identically(
    client: TestClient, model: LoadedModel, text: str, form: str
) -> None:
    shown = trace(model, text)
    read = READERS[form](ask(client, text, form))
    assert read.keys() == {stage.key for stage in STAGES}
    for key, array in read.items():
        assert_identical(array, shown.array(key))


@by_stage
def test_csv_reads_back_identically(client: TestClient, model: LoadedModel, key: str) -> None:
    text = "To be"
    shown = trace(model, text)
    stage = shown.stage(key)
    body = ask(client, text, "csv", key).decode()
    rows = list(csv.DictReader(io.StringIO(body, newline="")))
    array = shown.array(key)
    texts = ["-inf" if row["value"] == "masked" else row["value"] for row in rows]
    read = np.array(texts).astype(array.dtype).reshape(array.shape)
    assert_identical(read, array)
    for index, row in zip(np.ndindex(array.shape), rows, strict=True):
        assert tuple(int(row[axis.name]) for axis in stage.axes) == index


@pytest.mark.parametrize("key", ["ids", "blocks.1.attn.masked_scores", "logits", "loss"])
def test_csv_of_any_length_reads_back_identically(
    client: TestClient, model: LoadedModel, key: str
) -> None:
    for text in TEXTS.values():
        array = trace(model, text).array(key)
        rows = list(csv.DictReader(io.StringIO(ask(client, text, "csv", key).decode(), newline="")))
        texts = ["-inf" if row["value"] == "masked" else row["value"] for row in rows]
        read = np.array(texts, dtype="U32").astype(array.dtype)
        assert_identical(read.reshape(array.shape), array)


def test_csv_labels_are_the_characters_themselves(client: TestClient) -> None:
    body = ask(client, ",\n-", "csv", "ids").decode()
    rows = list(csv.DictReader(io.StringIO(body, newline="")))
    assert [row["position_token"] for row in rows] == [",", "\n", "-"]


def test_csv_cells_are_numbers_or_characters(client: TestClient, model: LoadedModel) -> None:
    body = ask(client, "a-'b", "csv", "logits").decode()
    rows = list(csv.DictReader(io.StringIO(body, newline="")))
    assert any(row["value"].startswith("-") for row in rows)
    for row in rows:
        float(row.pop("value"))
        for name, cell in row.items():
            assert cell in model.tokenizer.vocabulary if name.endswith("_token") else int(cell) >= 0


@by_text
def test_masked_cells_are_null_and_said_to_be(
    client: TestClient, model: LoadedModel, text: str
) -> None:
    shown = trace(model, text)
    for stage in strict(ask(client, text, "json"))["stages"]:
        masked = np.isneginf(shown.array(stage["key"]))
        nulls = np.array([cell is None for cell in cells(stage["values"])], dtype=bool)
        assert np.array_equal(nulls.reshape(masked.shape), masked)
        declared = shown.stage(stage["key"]).null_means
        assert stage["null_means"] == declared
        assert declared == "-inf" or not masked.any()


@pytest.mark.parametrize("form", ["safetensors", "npz"])
def test_masked_cells_are_infinite_in_binary_forms(client: TestClient, form: str) -> None:
    n = 64
    masking = [stage.key for stage in STAGES if stage.null_means]
    read = READERS[form](ask(client, "a" * n, form, *masking))
    assert read.keys() == set(masking)
    for array in read.values():
        above = np.broadcast_to(np.triu(np.ones((n, n), dtype=bool), 1), array.shape)
        assert np.array_equal(np.isneginf(array), above)
        assert np.isfinite(array[~above]).all()
        assert above[0].sum() == 2016


def test_nested_lists_have_the_stated_shape(client: TestClient) -> None:
    for text in (TEXTS["one character"], TEXTS["two"]):
        for stage in strict(ask(client, text, "json"))["stages"]:
            assert shape_of(stage["values"]) == stage["shape"]


def test_ids_are_integers(client: TestClient) -> None:
    integral = [stage.key for stage in STAGES if stage.kind is Kind.IDS]
    for stage in strict(ask(client, "To be", "json", *integral))["stages"]:
        assert stage["dtype"] == "int32"
        assert all(type(cell) is int for cell in cells(stage["values"]))


@pytest.mark.parametrize("form", READERS)
def test_loss_of_one_character_is_empty(client: TestClient, form: str) -> None:
    assert READERS[form](ask(client, "a", form, "loss"))["loss"].shape == (0,)


def test_loss_of_one_character_has_no_summary(client: TestClient) -> None:
    (stage,) = strict(ask(client, "a", "json", "loss"))["stages"]
    empty = {"min": None, "max": None, "mean": None, "std": None, "nonfinite": 0}
    assert (stage["shape"], stage["values"], stage["summary"]) == ([0], [], empty)


@by_text
def test_summary_is_over_the_finite_cells(
    client: TestClient, model: LoadedModel, text: str
) -> None:
    shown = trace(model, text)
    for stage in strict(ask(client, text, "json"))["stages"]:
        array = shown.array(stage["key"]).astype(np.float64)
        finite = array[np.isfinite(array)]
        summary = stage["summary"]
        assert summary["nonfinite"] == array.size - finite.size
        if finite.size:
            assert summary["min"] == finite.min()
            assert summary["max"] == finite.max()
            assert summary["mean"] == pytest.approx(finite.mean(), rel=1e-12, abs=1e-12)
            assert summary["std"] == pytest.approx(finite.std(), rel=1e-12, abs=1e-12)


@by_text
def test_next_is_the_ten_likeliest_sorted(
    client: TestClient, model: LoadedModel, text: str
) -> None:
    (after,) = strict(ask(client, text, "json", "ids"))["next"]
    row = trace(model, text).array("probabilities")[-1]
    shown = [entry["probability"] for entry in after["top"]]
    assert after["position"] == len(text) - 1
    assert shown == sorted(map(float, row), reverse=True)[:LIKELIEST]
    for entry in after["top"]:
        assert entry["text"] == model.tokenizer.vocabulary[entry["id"]]
        assert entry["probability"] == float(row[entry["id"]])


def words(traced: Trace) -> dict[str, Any]:
    """What every form must say beside the numbers."""
    return {
        "model": {
            "id": traced.model.id,
            "weights_sha256": traced.model.weights_sha256,
            "weights_dtype": "float32",
        },
        "text": traced.text,
        "target": None,
        "hidden": [],
        "tokens": [
            {"position": t.position, "id": t.id, "text": t.text, "label": t.label}
            for t in traced.tokens
        ],
        "target_tokens": [],
        "notices": list(traced.notices),
    }


def words_of_safetensors(body: bytes) -> str:
    length = int.from_bytes(body[:8], "little")
    return str(json.loads(body[8 : 8 + length])["__metadata__"]["trace"])


def words_of_npz(body: bytes) -> str:
    with np.load(io.BytesIO(body), allow_pickle=False) as archive:
        return str(archive["__trace__"])


@pytest.mark.parametrize(
    ("form", "read"), [("safetensors", words_of_safetensors), ("npz", words_of_npz)]
)
def test_binary_form_carries_the_words_of_the_trace(
    client: TestClient, model: LoadedModel, form: str, read: Callable[[bytes], str]
) -> None:
    text = "To be,\r\nor\rnot"
    carried = strict(read(ask(client, text, form)).encode())
    spoken = strict(ask(client, text, "json", "ids"))
    assert carried.pop("next") == spoken["next"]
    assert carried == words(trace(model, text))
    assert len(carried["notices"]) == 1


def test_chosen_stages_come_in_table_order_once(client: TestClient) -> None:
    patterns = ("loss", "*.attn.*", "ids", "blocks.0.attn.q")
    keys = [stage["key"] for stage in strict(ask(client, "ab", "json", *patterns))["stages"]]
    wanted = [s.key for s in STAGES if ".attn." in s.key or s.key in ("ids", "loss")]
    assert keys == wanted


@pytest.mark.parametrize("form", [*READERS, "csv"])
def test_get_and_post_answer_the_same(client: TestClient, form: str) -> None:
    sent = {"text": "To be", "format": form, "stages": ["logits"]}
    asked = client.get("/api/v1/traces", params=sent)
    told = client.post("/api/v1/traces", json=sent)
    assert asked.content == told.content
    for name in ("content-type", "content-disposition"):
        assert asked.headers.get(name) == told.headers.get(name)


def test_file_forms_are_named_for_saving(client: TestClient) -> None:
    for form in ("safetensors", "npz", "csv"):
        response = client.get(
            "/api/v1/traces", params={"text": "a", "format": form, "stages": "logits"}
        )
        named = f'attachment; filename="logits.{form}"'
        assert response.headers["content-disposition"] == named
