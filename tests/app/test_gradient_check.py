"""The gradient check over HTTP: every served model, and what is refused."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from model.config import PRESETS
from tests.app.answers import problem

CHECK = "/api/v1/labs/gradient-check"


@pytest.mark.parametrize("model", PRESETS)
def test_gradient_of_every_model_is_checked(client: TestClient, model: str) -> None:
    query = {"model": model, "epsilon": 1e-4}
    found = client.get(CHECK, params=query).json()
    assert found["model"] == model
    assert found["chosen"]["float64"]["error"] < 1e-6 * max(1, abs(found["analytic"]))


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"index": "99,0"}, "index"),
        ({"index": "0"}, "index"),
        ({"index": "a,b"}, "index"),
        ({"index": "-1,0"}, "index"),
        ({"text": "§"}, "text"),
        ({"text": "T"}, "text"),
        ({"text": "a" * 25}, "text"),
        ({"text": ""}, "text"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": 2}, "epsilon"),
        ({"epsilon": "nan"}, "epsilon"),
        ({"nothing": 1}, "nothing"),
    ],
)
def test_bad_check_is_refused_naming_the_field(
    client: TestClient, query: dict[str, Any], field: str
) -> None:
    assert problem(client.get(CHECK, params=query), 422).field == field


@pytest.mark.parametrize("field", ["model", "weight"])
def test_what_is_not_served_is_not_found(client: TestClient, field: str) -> None:
    assert problem(client.get(CHECK, params={field: "nothing"}), 404).field == field
