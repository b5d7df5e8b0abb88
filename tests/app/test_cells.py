"""Cells and weights over HTTP: the same arithmetic, and refused by name where there is none."""

import json
from random import Random
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from starlette.testclient import TestClient

from app.tracing.schemas_cells import RULES, CellAnswer, WeightAnswer
from model import LoadedModel, trace
from model.arithmetic import Cell
from model.cells import LISTED, explain, explain_weight
from model.ops.explanation import Rule
from model.parameters import parameters
from model.table.stage import Kind
from tests.app.answers import mismatches, problem, strict
from tests.model.test_explanations import executed

API = "/api/v1"
TEXT = "To be, or not"
WEIGHTS = "blocks.0.attn.weights"
EMBEDDING = "embedding.weight"


def post(client: TestClient, **sent: Any) -> Any:
    return client.post(f"{API}/cells", json={"text": TEXT} | sent)


def ask(client: TestClient, **sent: Any) -> dict[str, Any]:
    response = post(client, **sent)
    assert response.status_code == 200, response.text
    answered: dict[str, Any] = strict(response.content)
    return answered


def sent_as(value: float) -> float | None:
    """A number as JSON has it."""
    return value if np.isfinite(value) else None


def same(answer: dict[str, Any], cell: Cell) -> bool:
    """Whether an answer says what the model package says."""
    terms = [
        {
            "label": term.label,
            "factors": [
                {
                    "stage": one.stage,
                    "weight": one.weight,
                    "gradient": one.gradient,
                    "index": list(one.index),
                    "value": sent_as(one.value),
                    "name": one.name,
                    "word": one.word,
                }
                for one in term.factors
            ],
            "value": sent_as(term.value),
            "word": term.word,
        }
        for term in cell.terms
    ]
    return (
        answer["terms"] == terms
        and answer["rule"] == cell.rule
        and (answer["joined"], answer["name"], answer["counted"])
        == (cell.joined, cell.name, cell.counted)
        and answer["index"] == list(cell.index)
        and answer["value"] == sent_as(cell.value)
        and answer["word"] == cell.word
        and answer["total"] == sent_as(cell.total)
        and answer["code"] == cell.code
    )


@pytest.mark.parametrize("gradient", [False, True])
def test_every_stage_explains_a_cell(
    client: TestClient, openapi: dict[str, Any], model: LoadedModel, random: Random, gradient: bool
) -> None:
    traced = trace(model, TEXT, gradients=True)
    schema = openapi["paths"][f"{API}/cells"]["post"]["responses"]["200"]["content"]
    for stage in model.stages:
        if gradient and stage.kind is Kind.IDS:
            continue
        index = [random.randrange(size) for size in traced.array(stage.key).shape]
        response = post(client, stage=stage.key, index=index, gradient=gradient)
        assert response.status_code == 200, response.text
        CellAnswer.model_validate_json(response.content, strict=True)
        answer = strict(response.content)
        assert list(mismatches(openapi, schema["application/json"]["schema"], answer)) == []
        assert same(answer, explain(traced, stage.key, index, gradient=gradient))


@pytest.mark.parametrize("gradient", [False, True])
def test_every_weight_explains_a_cell(
    client: TestClient, model: LoadedModel, random: Random, gradient: bool
) -> None:
    traced = trace(model, TEXT, gradients=True, weight_gradients=True)
    for key, array in model.weights.items():
        index = [random.randrange(size) for size in array.shape]
        answer = ask(client, weight=key, index=index, gradient=gradient)
        CellAnswer.model_validate(answer, strict=True)
        assert same(answer, explain_weight(traced, key, index, gradient=gradient))


def test_value_is_that_of_the_trace(client: TestClient) -> None:
    sent = {"text": TEXT, "stages": [WEIGHTS]}
    values = strict(client.post(f"{API}/traces", json=sent).content)["stages"][0]["values"]
    for index in ([0, 0, 0], [3, 12, 12], [1, 4, 2]):
        h, i, j = index
        cell = ask(client, stage=WEIGHTS, index=index)
        assert np.float32(cell["value"]) == np.float32(values[h][i][j])
        assert cell["difference"] == abs(cell["value"] - cell["total"])
        assert cell["equal"] is True


def test_masked_cell_is_null_and_names_the_mask(client: TestClient, model: LoadedModel) -> None:
    key = next(stage.key for stage in model.stages if stage.null_means is not None)
    cell = ask(client, stage=key, index=[0, 2, 5])
    assert (cell["value"], cell["total"]) == (None, None)
    assert (cell["word"], cell["total_word"]) == ("masked", "masked")
    (term,) = cell["terms"]
    assert term == {"label": "causal mask", "factors": [], "value": None, "word": "masked"}
    assert cell["rule"] == "mask"
    assert executed(cell["code"]) == -np.inf


def test_operands_can_be_asked_down_to_a_character(client: TestClient, model: LoadedModel) -> None:
    """From a probability, by the first operand that is a stage."""
    last = model.stages[-1]
    cell = ask(client, stage=last.inputs[0], index=[len(TEXT) - 1, 5])
    way = [cell["stage"]]
    while any(one["stage"] for term in cell["terms"] for one in term["factors"]):
        operands = [one for term in cell["terms"] for one in term["factors"] if one["stage"]]
        at = operands[0]
        cell = ask(client, stage=at["stage"], index=at["index"])
        assert np.float32(cell["value"]) == np.float32(at["value"])
        way.append(at["stage"])
    assert way[-1] == model.stages[0].key
    assert cell["note"] == f"The character is {TEXT[cell['index'][0]]!r}."


@pytest.mark.parametrize(("terms", "listed"), [(1, 2), (20, 21), (None, 64)])
def test_as_many_terms_come_as_asked_for(
    client: TestClient, terms: int | None, listed: int
) -> None:
    assert len(ask(client, stage="logits", index=[1, 1], terms=terms)["terms"]) == listed


def test_largest_terms_come_by_default(client: TestClient) -> None:
    cell = ask(client, stage="logits", index=[1, 1])
    assert len(cell["terms"]) == LISTED + 1
    assert cell["folded"] == 64 - LISTED


def test_every_served_model_explains_its_loss(client: TestClient) -> None:
    for entry in client.get(f"{API}/models").json()["models"]:
        more: dict[str, Any] = {}
        if entry["mask"] is not None:
            more["hidden"] = [1, 4]
        if entry["limits"]["max_target_characters"] is not None:
            more["target"] = "To be"
        for gradient in (False, True):
            sent = {"model": entry["id"], "stage": "loss", "index": [1], "gradient": gradient}
            cell = ask(client, **sent, **more)
            assert cell["equal"] is True
            assert cell["model"]["id"] == entry["id"]


def test_description_says_what_each_rule_means(openapi: dict[str, Any]) -> None:
    described = openapi["components"]["schemas"]["CellAnswer"]["properties"]["rule"]["description"]
    assert RULES in described
    assert all(f"{rule.value}: {rule.meaning}" in described for rule in Rule)


def test_notice_of_line_ends_is_passed_on(client: TestClient) -> None:
    cell = ask(client, text="a\r\nb", stage="ids", index=[1])
    assert cell["text"] == "a\nb"
    assert "newlines" in cell["notices"][0]


# What is refused

WRONG: dict[str, tuple[dict[str, Any], int, str]] = {
    "an unknown stage": ({"stage": "nothing", "index": [0]}, 422, "stage"),
    "a pattern": ({"stage": "blocks.*", "index": [0]}, 422, "stage"),
    "an unknown weight": ({"weight": "nothing", "index": [0]}, 404, "weight"),
    "a stage as a weight": ({"weight": WEIGHTS, "index": [0]}, 404, "weight"),
    "neither": ({"index": [0]}, 422, "stage"),
    "both": ({"stage": "ids", "weight": EMBEDDING, "index": [0]}, 422, "stage"),
    "no index": ({"stage": "ids"}, 422, "index"),
    "an empty index": ({"stage": "ids", "index": []}, 422, "index"),
    "a long index": ({"stage": "ids", "index": [0, 0]}, 422, "index"),
    "an endless index": ({"stage": "ids", "index": [0] * 999}, 422, "index"),
    "a position beyond": ({"stage": "ids", "index": [len(TEXT)]}, 422, "index"),
    "a position before": ({"stage": "ids", "index": [-1]}, 422, "index"),
    "a huge position": ({"stage": "ids", "index": [10**40]}, 422, "index"),
    "half a position": ({"stage": "ids", "index": [0.5]}, 422, "index"),
    "a whole fraction": ({"stage": "ids", "index": [1.0]}, 422, "index"),
    "a string": ({"stage": "ids", "index": ["0"]}, 422, "index"),
    "a truth": ({"stage": "ids", "index": [True]}, 422, "index"),
    "one number": ({"stage": "ids", "index": 0}, 422, "index"),
    "a head beyond": ({"stage": WEIGHTS, "index": [4, 0, 0]}, 422, "index"),
    "a row beyond": ({"weight": EMBEDDING, "index": [65, 0]}, 422, "index"),
    "a column beyond": ({"weight": EMBEDDING, "index": [0, 64], "gradient": True}, 422, "index"),
    "a gradient of ids": ({"stage": "ids", "index": [0], "gradient": True}, 422, "gradient"),
    "no term": ({"stage": "ids", "index": [0], "terms": 0}, 422, "terms"),
    "a word for terms": ({"stage": "ids", "index": [0], "terms": "all"}, 422, "terms"),
    "an empty loss": ({"stage": "loss", "index": [0], "text": "a"}, 422, "index"),
    "a gradient of one character": (
        {"stage": "logits", "index": [0, 0], "text": "a", "gradient": True}, 422, "text",
    ),
    "an unknown model": ({"stage": "ids", "index": [0], "model": "nobody"}, 404, "model"),
    "an unknown character": ({"stage": "ids", "index": [0], "text": "🙂"}, 422, "text"),
    "another field": ({"stage": "ids", "index": [0], "cell": 1}, 422, "cell"),
}  # fmt: skip


@pytest.mark.parametrize(("sent", "status", "field"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_asked_is_refused_by_its_field(
    client: TestClient, sent: dict[str, Any], status: int, field: str
) -> None:
    assert problem(post(client, **sent), status).field == field


def test_wrong_index_is_told_the_limits(client: TestClient) -> None:
    found = problem(post(client, stage=WEIGHTS, index=[4, 0, 0]), 422)
    assert found.code == "invalid_cell"
    for piece in ("[4, 0, 0]", WEIGHTS, "head 0 to 3", "position 0 to 12", "source 0 to 12"):
        assert piece in found.message


# Weights


def weight(client: TestClient, key: str, **query: Any) -> Any:
    return client.get(f"{API}/weights/{key}", params=query)


def test_weight_is_the_checkpoints(client: TestClient, model: LoadedModel) -> None:
    for key, parameter in parameters(model.stages).items():
        response = weight(client, key)
        WeightAnswer.model_validate_json(response.content, strict=True)
        shown = strict(response.content)["weight"]
        assert np.array_equal(np.array(shown["values"], dtype=np.float32), model.weights[key])
        assert shown["shape"] == list(model.weights[key].shape)
        assert shown["used_by"] == [stage.key for stage in parameter.used_by]
        assert len(shown["axes"]) == len(shown["along"]) == len(shown["shape"])


def test_weight_reads_back_from_safetensors(client: TestClient, model: LoadedModel) -> None:
    for key in model.weights:
        response = weight(client, key, format="safetensors")
        read = safetensors.numpy.load(response.content)
        assert read.keys() == {key}
        assert read[key].dtype == np.float32
        assert np.array_equal(read[key], model.weights[key])


def test_safetensors_describes_the_weight_as_json_does(client: TestClient) -> None:
    body = weight(client, EMBEDDING, format="safetensors").content
    size = int.from_bytes(body[:8], "little")
    told = json.loads(json.loads(body[8 : 8 + size])["__metadata__"]["weight"])
    whole = strict(weight(client, EMBEDDING).content)
    numbers = {name: whole["weight"].pop(name) for name in ("values", "summary")}
    assert numbers["summary"]["nonfinite"] == 0
    assert told == whole


def test_rows_of_the_embedding_are_the_vocabularys(client: TestClient) -> None:
    shown = weight(client, EMBEDDING).json()["weight"]
    assert shown["along"] == ["vocabulary", None]
    assert shown["symbolic_shape"] == ["V", "d"]
    assert shown["kind"] == "signed"


@pytest.mark.parametrize("key", ["nothing", "embedding", WEIGHTS, "..%2Fconfig.json", "%00", "*"])
def test_unknown_weight_is_not_found(client: TestClient, key: str) -> None:
    problem(weight(client, key), 404)


def test_unknown_weight_is_named(client: TestClient) -> None:
    found = problem(weight(client, "nothing"), 404)
    assert (found.code, found.field) == ("unknown_weight", "weight")
    assert "'nothing'" in found.message
    assert EMBEDDING in found.message


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [({"format": "npz"}, 422, "format"), ({"model": "nobody"}, 404, "model"),
     ({"text": "a"}, 422, "text")],
)  # fmt: skip
def test_wrong_query_of_a_weight_is_refused(
    client: TestClient, query: dict[str, str], status: int, field: str
) -> None:
    assert problem(weight(client, EMBEDDING, **query), status).field == field
