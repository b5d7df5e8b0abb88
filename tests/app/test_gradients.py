"""Gradients over HTTP: the same numbers in every form, and refused where there is no loss."""

import io
import json
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load
from starlette.testclient import TestClient

from model import LoadedModel, trace
from model.gradient_flow import gradient_flow
from model.table.stage import Kind
from tests.app.answers import problem, strict

API = "/api/v1"
TEXT = "To be, or not"


def ask(client: TestClient, **more: Any) -> Any:
    return client.post(f"{API}/traces", json={"text": TEXT, "gradients": True} | more)


@pytest.fixture(scope="module")
def answer(client: TestClient) -> dict[str, Any]:
    response = ask(client, weight_gradients=True)
    assert response.status_code == 200
    answered: dict[str, Any] = strict(response.content)
    return answered


@pytest.fixture(scope="module")
def expected(model: LoadedModel) -> Any:
    return trace(model, TEXT, gradients=True, weight_gradients=True)


def test_json_has_the_gradient_of_every_stage(answer: dict[str, Any], expected: Any) -> None:
    for entry in answer["stages"]:
        gradient = expected.gradient(entry["key"])
        if entry["kind"] == Kind.IDS:
            assert entry["gradient"] is None
        else:
            assert np.array_equal(np.array(entry["gradient"], dtype=np.float32), gradient)


def test_json_has_the_gradient_of_every_weight(answer: dict[str, Any], expected: Any) -> None:
    shown = {one["key"]: one for one in answer["weight_gradients"]}
    assert shown.keys() == expected.weight_gradients.keys()
    for key, tensor in expected.weight_gradients.items():
        assert shown[key]["shape"] == list(tensor.shape)
        assert np.array_equal(np.array(shown[key]["values"], dtype=np.float32), tensor.numpy())


@pytest.mark.parametrize("form", ["safetensors", "npz"])
def test_binary_forms_have_the_same_gradients(client: TestClient, expected: Any, form: str) -> None:
    body = ask(client, format=form, weight_gradients=True).content
    named = load(body) if form == "safetensors" else dict(np.load(io.BytesIO(body)))
    stages = expected.model.stages
    for stage in stages:
        gradient = expected.gradient(stage.key)
        if gradient is None:
            assert f"gradient.{stage.key}" not in named
        else:
            assert np.array_equal(named[f"gradient.{stage.key}"], gradient)
    for key, tensor in expected.weight_gradients.items():
        assert np.array_equal(named[f"weight_gradient.{key}"], tensor.numpy())


def test_csv_has_a_column_of_gradients(client: TestClient, expected: Any) -> None:
    key = "blocks.0.attn.weights"
    lines = ask(client, format="csv", stages=[key]).text.split("\r\n")
    assert lines[0].endswith(",value,gradient")
    shown = np.array([float(line.rsplit(",", 1)[1]) for line in lines[1:-1]], dtype=np.float32)
    assert np.array_equal(shown, expected.gradient(key).ravel())


def test_only_the_chosen_stages_have_gradients(client: TestClient) -> None:
    body = ask(client, format="safetensors", stages=["logits"]).content
    assert set(load(body)) == {"logits", "gradient.logits"}


def test_without_the_wish_there_is_no_gradient(client: TestClient) -> None:
    answer = strict(client.post(f"{API}/traces", json={"text": TEXT}).content)
    assert "weight_gradients" not in answer
    assert all("gradient" not in entry for entry in answer["stages"])


def test_link_can_ask_for_gradients(client: TestClient) -> None:
    query = {"text": TEXT, "gradients": "true", "stages": "logits"}
    answer = client.get(f"{API}/traces", params=query).json()
    assert answer["stages"][0]["gradient"] is not None


@pytest.mark.parametrize("path", ["/traces", "/checks"])
def test_one_character_has_no_gradients(client: TestClient, path: str) -> None:
    response = client.post(API + path, json={"text": "a", "gradients": True})
    found = problem(response, 422)
    assert found.field == "text"
    assert "at least two" in found.message


def test_one_character_has_no_gradient_flow(client: TestClient) -> None:
    response = client.post(f"{API}/gradient-flow", json={"text": "a"})
    assert problem(response, 422).field == "text"


def test_gradient_flow_is_the_models(client: TestClient, expected: Any) -> None:
    answer = strict(client.post(f"{API}/gradient-flow", json={"text": TEXT}).content)
    assert answer["flow"] == [
        {"key": one.key, "norm": one.norm, "without_residuals": one.without_residuals}
        for one in gradient_flow(expected)
    ]


def test_check_of_gradients_is_equal(client: TestClient) -> None:
    sent = {"text": TEXT, "gradients": True}
    checks = strict(client.post(f"{API}/checks", json=sent).content)["checks"]
    without = [check["key"] for check in checks if check["gradient"] is None]
    assert without == ["ids"]
    assert all(check["gradient"]["equal"] for check in checks if check["gradient"] is not None)


def test_figure_of_a_gradient_is_filled_with_it(client: TestClient, expected: Any) -> None:
    sent = {"text": TEXT, "stage": "blocks.0.attn.weights", "gradient": True}
    figure = json.loads(client.post(f"{API}/figures", json=sent).content)
    drawn = np.array([one["z"] for one in figure["data"] if "z" in one], dtype=np.float32)
    assert np.array_equal(drawn, expected.gradient("blocks.0.attn.weights"))
    assert figure["layout"]["coloraxis"]["cmin"] == -figure["layout"]["coloraxis"]["cmax"]
    assert "gradient" in figure["layout"]["title"]["text"]


def test_ids_have_no_figure_of_a_gradient(client: TestClient) -> None:
    sent = {"text": TEXT, "stage": "ids", "gradient": True}
    response = client.post(f"{API}/figures", json=sent)
    assert problem(response, 422).field == "stage"
