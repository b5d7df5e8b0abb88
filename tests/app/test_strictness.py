"""F37: a typing error never passes for a request without it."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from app.server.errors import in_words
from tests.app.answers import problem

API = "/api/v1"
TRACES = f"{API}/traces"
BODIES: dict[str, dict[str, Any]] = {
    "/traces": {"text": "To be", "stages": ["ids"]},
    "/figures": {"text": "To be", "stage": "ids"},
    "/cells": {"text": "To be", "stage": "logits", "index": [0, 0]},
    "/checks": {"text": "To be"},
    "/gradient-flow": {"text": "To be"},
    "/lessons/{name}/answers": {"text": "To be", "step": 1},
}
PLACES = {"model_id": "shakespeare", "key": "embedding.weight", "name": "follow-one-input"}
QUERIES = {
    "/traces": {"text": "To be", "stages": "ids"},
    "/numbers": {"prediction": "12*64^2"},
}
SWITCHES = [
    ("/traces", "gradients"),
    ("/traces", "weight_gradients"),
    ("/checks", "gradients"),
    ("/figures", "gradient"),
    ("/cells", "gradient"),
]


def calls(client: TestClient) -> list[tuple[str, str]]:
    """Every call of the API: its method, and its path under the prefix."""
    paths = client.get(f"{API}/openapi.json").json()["paths"]
    return [
        (method, path.removeprefix(API)) for path, methods in paths.items() for method in methods
    ]


def asked(client: TestClient, method: str, path: str, query: list[tuple[str, str]]) -> Any:
    """The answer of a call that is right but for what is added to its query."""
    address = API + path.format(**PLACES)
    if method == "post":
        return client.post(address, params=query, json=BODIES[path])
    return client.get(address, params=[*QUERIES.get(path, {}).items(), *query])


def test_every_call_is_answered_as_it_is_asked_here(client: TestClient) -> None:
    """Or the refusals below would say nothing."""
    for method, path in calls(client):
        assert asked(client, method, path, []).status_code == 200, path


def test_unknown_query_parameter_is_refused_by_every_call(client: TestClient) -> None:
    for method, path in calls(client):
        found = problem(asked(client, method, path, [("modle", "3")]), 422)
        assert (found.code, found.field) == ("invalid_request", "modle"), path
        assert "no field 'modle'" in found.message


def test_description_for_programs_refuses_them_too(client: TestClient) -> None:
    assert problem(client.get(f"{API}/openapi.json?modle=3"), 422).field == "modle"


@pytest.mark.parametrize(
    ("path", "query", "field"),
    [
        ("/traces", "text=a&text=b", "text"),
        ("/traces", "text=a&stages=ids&model=shakespeare&model=shakespeare", "model"),
        ("/traces", "text=a&format=json&format=csv&stages=ids", "format"),
        ("/stages", "model=shakespeare&model=shakespeare-2017", "model"),
        ("/weights/embedding.weight", "format=json&format=json", "format"),
        ("/labs/masking", "position=1&position=2", "position"),
        ("/lessons/follow-one-input", "text=a&text=b", "text"),
    ],
)
def test_parameter_given_twice_is_refused(
    client: TestClient, path: str, query: str, field: str
) -> None:
    found = problem(client.get(f"{API}{path}?{query}"), 422)
    assert (found.code, found.field) == ("invalid_request", field)
    assert f"{field!r} is given 2 times" in found.message


def test_list_is_given_by_repeating_its_parameter(client: TestClient) -> None:
    for address in ("/traces?text=a&stages=ids&stages=logits", "/labs/masking?scores=1&scores=2"):
        assert client.get(f"{API}{address}").status_code == 200


@pytest.mark.parametrize(("path", "field"), SWITCHES)
@pytest.mark.parametrize("value", ["yes", "true", "on", 1, 0, "1", None, 1.0, [True]])
def test_switch_of_a_body_is_true_or_false(
    client: TestClient, path: str, field: str, value: Any
) -> None:
    found = problem(client.post(API + path, json=BODIES[path] | {field: value}), 422)
    assert found.field == field


@pytest.mark.parametrize("value", ["yes", "on", "t", "True", "TRUE", "", "2", " 1"])
@pytest.mark.parametrize(
    ("path", "field"),
    [("/traces?text=To+be&stages=ids", "gradients"), ("/labs/counting?d_ff=256", "tied_head")],
)
def test_switch_of_a_query_is_one_of_four_words(
    client: TestClient, path: str, field: str, value: str
) -> None:
    found = problem(client.get(f"{API}{path}&{field}={value}"), 422)
    assert (found.field, "true or false" in found.message) == (field, True)


@pytest.mark.parametrize(("on", "off"), [("true", "false"), ("1", "0")])
def test_switch_of_a_query_is_read(client: TestClient, on: str, off: str) -> None:
    address = f"{TRACES}?text=To+be&stages=logits&gradients="
    assert "gradient" in client.get(address + on).json()["stages"][0]
    assert "gradient" not in client.get(address + off).json()["stages"][0]


@pytest.mark.parametrize("value", ["0", "1", True, 1.0, None, [0]])
@pytest.mark.parametrize("path", ["/traces", "/checks"])
def test_position_of_a_body_is_a_whole_number(client: TestClient, path: str, value: Any) -> None:
    sent = BODIES[path] | {"model": "shakespeare-encoder", "hidden": [value]}
    assert problem(client.post(API + path, json=sent), 422).field == "hidden"


@pytest.mark.parametrize("value", ["1.0", " 1", "1_0", "", "one", "true", "٣"])
@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/traces?text=To+be&model=shakespeare-encoder", "hidden"),
        ("/labs/masking?change=1", "position"),
    ],
)
def test_whole_number_of_a_query_is_written_in_digits(
    client: TestClient, path: str, field: str, value: str
) -> None:
    found = problem(client.get(f"{API}{path}&{field}={value}"), 422)
    assert (found.field, "whole number" in found.message) == (field, True)


@pytest.mark.parametrize("value", ["1_0", " 1", "1 "])
def test_number_of_a_query_has_no_blanks_and_underscores(client: TestClient, value: str) -> None:
    found = problem(client.get(f"{API}/labs/masking", params={"scores": value}), 422)
    assert (found.field, "give a number" in found.message) == ("scores", True)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ('{"text": "a", "text": "b"}', "text"),
        ('{"text": "a", "stages": ["ids"], "stages": ["ids"]}', "stages"),
        (r'{"text": "a", "te\u0078t": "a"}', "text"),
        ('{"text": "a", "gradients": true, "gradients": false}', "gradients"),
    ],
)
def test_name_that_an_object_has_twice_is_refused(
    client: TestClient, body: str, field: str
) -> None:
    response = client.post(TRACES, content=body, headers={"Content-Type": "application/json"})
    found = problem(response, 422)
    assert (found.code, found.field) == ("invalid_request", field)
    assert f"{field!r} is given 2 times" in found.message


def test_page_leaves_unknown_words_of_its_address_alone(client: TestClient) -> None:
    for page in ("/", "/api", "/labs", "/labs/masking", "/glossary", "/lessons"):
        assert client.get(f"{page}?utm_source=mail&modle=3").status_code == 200


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("text=a&text=b", "is given 2 times"),
        ("text=To+be&gradient=yes", "give 1 or 0"),
        ("text=To+be&modle=3", "no field"),
    ],
)
def test_page_of_checks_refuses_what_a_call_refuses(
    client: TestClient, query: str, said: str
) -> None:
    response = client.get(f"/checks?{query}")
    assert (response.status_code, said in response.text) == (422, True)


def test_findings_of_our_own_are_worded_as_pydantics_are() -> None:
    found = in_words({"type": "repeated", "loc": ("query", "text"), "msg": "", "input": 3})
    assert found == {"field": "text", "message": "The field 'text' is given 3 times; give it once."}
