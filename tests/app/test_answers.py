"""Every answer keeps to the answer models and to the OpenAPI description."""

from typing import Any

import pytest
from pydantic import BaseModel
from starlette.testclient import TestClient

from app.glossary import schemas as schemas_glossary
from app.labs import schemas as schemas_labs
from app.labs import schemas_counting, schemas_depth, schemas_experiment, schemas_gradient_check
from app.lessons import schemas as schemas_lessons
from app.server.schemas import Health
from app.tracing import schemas, schemas_cells
from app.tracing.formats import Format
from model.config import PRESETS
from model.table.architectures import stages
from tests.app.answers import mismatches, problem, strict

API = "/api/v1"
STAGES = [stage.key for stage in stages(PRESETS["shakespeare"])]
GRADIENTS = {"gradients": True, "weight_gradients": True}
PREDICTING: dict[str, dict[str, Any]] = {
    name: {"model": name, "text": "T b"}
    | ({"hidden": [2]} if config.guesses else {})
    | ({"target": "To be"} if config.writes else {})
    for name, config in PRESETS.items()
}
"""A request for each preset in which something known is to be predicted."""

CALLS: list[tuple[str, str, dict[str, Any] | None, type[BaseModel]]] = [
    ("GET", "/models", None, schemas.ModelList),
    ("GET", "/models/{model_id}", None, schemas.ModelEntry),
    ("GET", "/stages", None, schemas.StageTable),
    ("POST", "/traces", {"text": "To be"}, schemas.TraceAnswer),
    ("POST", "/traces", {"text": "a"}, schemas.TraceAnswer),
    ("POST", "/traces", {"text": "a\r\nb"}, schemas.TraceAnswer),
    ("GET", "/traces", {"text": "To be", "stages": "loss"}, schemas.TraceAnswer),
    ("POST", "/checks", {"text": "To be"}, schemas.CheckAnswer),
    ("POST", "/checks", {"text": "a"}, schemas.CheckAnswer),
    *(
        ("POST", path, asked | more, shape)
        for asked in PREDICTING.values()
        for path, more, shape in (
            ("/traces", GRADIENTS, schemas.TraceAnswer),
            ("/checks", {"gradients": True}, schemas.CheckAnswer),
            ("/gradient-flow", {}, schemas.FlowAnswer),
        )
    ),
    ("GET", "/labs/counting", None, schemas_counting.CountingAnswer),
    ("GET", "/labs/masking", None, schemas_labs.MaskingAnswer),
    ("GET", "/labs/positions", None, schemas_labs.PositionsAnswer),
    ("GET", "/labs/layernorm", None, schemas_labs.LayerNormAnswer),
    ("GET", "/labs/activations", None, schemas_labs.ActivationsAnswer),
    ("GET", "/labs/residuals", None, schemas_labs.ResidualsAnswer),
    ("GET", "/labs/depth", None, schemas_depth.DepthAnswer),
    ("GET", "/labs/gradient-check", None, schemas_gradient_check.GradientCheckAnswer),
    ("GET", "/labs/experiment", None, schemas_experiment.ExperimentAnswer),
    ("GET", "/lessons", None, schemas_lessons.LessonList),
    ("GET", "/lessons/{name}", {"text": "To be"}, schemas_lessons.LessonAnswer),
    ("POST", "/lessons/{name}/answers", {"text": "ab", "step": 8},
     schemas_lessons.PredictionAnswer),
    ("GET", "/numbers", {"prediction": "12*64^2"}, schemas_lessons.NumberAnswer),
    ("GET", "/weights/{key}", None, schemas_cells.WeightAnswer),
    ("POST", "/cells", {"text": "ab", "stage": "ids", "index": [1]}, schemas_cells.CellAnswer),
    ("GET", "/glossary", None, schemas_glossary.GlossaryAnswer),
    ("GET", "/health", None, Health),
    *(
        ("POST", "/figures", {"text": "ab", "stage": key}, schemas.FigureAnswer)
        for key in STAGES
    ),
]  # fmt: skip
NAMES = [f"{method} {path} {sent}" for method, path, sent, _ in CALLS]


def ask(client: TestClient, method: str, path: str, sent: dict[str, Any] | None) -> Any:
    address = API + path.format(
        model_id="shakespeare", key="embedding.weight", name="follow-one-input"
    )
    how = {"params": sent} if method == "GET" else {"json": sent}
    return client.request(method, address, **how)


def operation(openapi: dict[str, Any], method: str, path: str) -> dict[str, Any]:
    found: dict[str, Any] = openapi["paths"][API + path][method.lower()]
    return found


@pytest.mark.parametrize(("method", "path", "sent", "shape"), CALLS, ids=NAMES)
def test_answer_fits_model_and_description(
    client: TestClient,
    openapi: dict[str, Any],
    method: str,
    path: str,
    sent: dict[str, Any] | None,
    shape: type[BaseModel],
) -> None:
    response = ask(client, method, path, sent)
    assert response.status_code == 200, response.text
    shape.model_validate_json(response.content, strict=True)
    schema = operation(openapi, method, path)["responses"]["200"]["content"]["application/json"]
    assert list(mismatches(openapi, schema["schema"], strict(response.content))) == []


def test_calls_above_are_all_that_the_description_has(openapi: dict[str, Any]) -> None:
    described = {
        (method.upper(), path.removeprefix(API))
        for path, methods in openapi["paths"].items()
        for method in methods
    }
    assert described == {(method, path) for method, path, _, _ in CALLS}


@pytest.mark.parametrize("form", list(Format))
def test_format_is_described(client: TestClient, openapi: dict[str, Any], form: Format) -> None:
    sent = {"text": "a", "stages": "loss", "format": form.value}
    media_type = ask(client, "GET", "/traces", sent).headers["content-type"].partition(";")[0]
    for method in ("GET", "POST"):
        assert media_type in operation(openapi, method, "/traces")["responses"]["200"]["content"]


def test_every_error_is_described(client: TestClient, openapi: dict[str, Any]) -> None:
    for status, sent in (
        (422, {"text": ""}),
        (404, {"text": "a", "model": "nobody"}),
        (413, {"text": "a" * 70_000}),
    ):
        response = ask(client, "POST", "/traces", sent)
        problem(response, status)
        described = operation(openapi, "POST", "/traces")["responses"][str(status)]
        schema = described["content"]["application/json"]["schema"]
        assert list(mismatches(openapi, schema, strict(response.content))) == []


def test_mismatch_is_found_where_it_is(openapi: dict[str, Any]) -> None:
    schema = {"$ref": "#/components/schemas/Health"}
    good = {"status": "ready", "models": [], "reason": None}
    found = {
        name: list(mismatches(openapi, schema, value))
        for name, value in {
            "good": good,
            "missing": {"status": "ready", "models": []},
            "extra": good | {"mood": "fine"},
            "wrong": good | {"models": [1]},
            "no alternative": good | {"reason": 1},
        }.items()
    }
    assert found == {
        "good": [],
        "missing": ["answer.reason is missing"],
        "extra": ["answer.mood is not described"],
        "wrong": ["answer.models[0] is no string: 1"],
        "no alternative": ["answer.reason fits none of the alternatives"],
    }


def test_kinds_cover_every_stage(client: TestClient) -> None:
    table = client.get(f"{API}/stages").json()
    assert {stage["kind"] for stage in table["stages"]} <= table["kinds"].keys()


def test_default_model_is_marked(client: TestClient) -> None:
    models = client.get(f"{API}/models").json()["models"]
    assert [model["id"] for model in models if model["default"]] == ["shakespeare"]


def test_parameters_add_up(client: TestClient) -> None:
    entry = client.get(f"{API}/models/shakespeare").json()
    assert entry["parameters"] == sum(row["count"] for row in entry["parameter_breakdown"])
    assert entry["parameters"] == 112_384


def test_parameters_are_counted_twice(client: TestClient) -> None:
    for entry in client.get(f"{API}/models").json()["models"]:
        for item in entry["counting"]:
            assert item["by_formula"] == item["from_tensors"], item["name"]
        listed = [name for item in entry["counting"] for name in item["tensors"]]
        assert sorted(listed) == sorted(row["key"] for row in entry["parameter_breakdown"])
        assert entry["parameters"] == sum(item["by_formula"] for item in entry["counting"])


def test_flops_are_those_of_the_matrices(client: TestClient) -> None:
    flops = client.get(f"{API}/models/shakespeare").json()["flops"]
    assert flops["forward_per_token"] == 2 * (2 * 12 * 64**2 + 65 * 64)
    assert flops["training_per_token"] == 3 * flops["forward_per_token"]
    assert flops["attention_per_token"] == 2 * 4 * 64 * 64
