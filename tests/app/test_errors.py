"""Every error has one shape, says what was sent, what the limit is, and the way out."""

import json
from random import Random
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.server.access import of_app
from app.server.settings import Settings
from tests.app.answers import problem
from tests.app.conftest import Serve

TRACES, FIGURES = "/api/v1/traces", "/api/v1/figures"
JSON = {"Content-Type": "application/json"}


def post(client: TestClient, body: bytes | str, path: str = TRACES) -> Any:
    return client.post(path, content=body, headers=JSON)


WRONG_BODIES: dict[str, tuple[str | bytes, list[str]]] = {
    "nothing": ("", ["body is missing"]),
    "no JSON": ("To be", ["not valid JSON", "character 0"]),
    "cut off": ('{"text": "To', ["not valid JSON"]),
    "more than JSON": ('{"text": "a"} b', ["not valid JSON", "character 14"]),
    "a list": ('["a"]', ["a list of 1", "JSON object"]),
    "a string": ('"a"', ["'a'", "JSON object"]),
    "null": ("null", ["null", "JSON object"]),
    "no text": ("{}", ["'text'", "missing"]),
    "null text": ('{"text": null}', ["'text'", "null", "string"]),
    "a number for text": ('{"text": 5}', ["'text'", "5", "string"]),
    "NaN for text": ('{"text": NaN}', ["'text'", "NaN"]),
    "1e400 for text": ('{"text": 1e400}', ["'text'", "Infinity"]),
    "an object for text": ('{"text": {"a": 1}}', ["'text'", "an object"]),
    "a string for stages": ('{"text": "a", "stages": "ids"}', ["'stages'", "'ids'", "list"]),
    "a number among stages": ('{"text": "a", "stages": [1]}', ["'stages'", "1", "string"]),
    "no stage": ('{"text": "a", "stages": []}', ["'stages'", "a list of 0", "at least 1"]),
    "too many stages": (
        json.dumps({"text": "a", "stages": ["ids"] * 65}),
        ["'stages'", "a list of 65", "at most 64"],
    ),
    "a long pattern": (
        json.dumps({"text": "a", "stages": ["[" * 5_000]}),
        ["'stages'", "5000 characters", "at most 100"],
    ),
    "another format": ('{"text": "a", "format": "xml"}', ["'format'", "'xml'", "'safetensors'"]),
    "another field": ('{"text": "a", "stage": "ids"}', ["no field 'stage'", "/api"]),
    "NaN in another field": ('{"text": "a", "t": NaN}', ["no field 't'"]),
    "a surrogate": (r'{"text": "a\ud800"}', [r"'\ud800' (U+D800) at position 1"]),
    "a surrogate as a field": (r'{"text": "a", "\ud800": 1}', [r"\ud800", "lone surrogate"]),
    "a surrogate as a stage": (r'{"text": "a", "stages": ["\ud800"]}', [r"\ud800"]),
    "no UTF-8": (b'{"text": "\xff"}', ["UTF-8", "byte 10"]),
    "deep lists": ("[" * 20_000 + "]" * 20_000, ["The body is"]),
    "deep objects": ('{"a":' * 9_000 + "1" + "}" * 9_000, []),
    "a gigantic integer": (f'{{"text": {"9" * 5_000}}}', ["too many digits"]),
    "a long integer": (f'{{"text": {"9" * 4_000}}}', ["999… (4000 characters)"]),
}


@pytest.mark.parametrize(("body", "parts"), WRONG_BODIES.values(), ids=WRONG_BODIES)
def test_wrong_body_is_refused_saying_why(
    client: TestClient, body: str | bytes, parts: list[str]
) -> None:
    found = problem(post(client, body), 422)
    for part in parts:
        assert part in found.message


@pytest.mark.parametrize("columns", ["NaN", "1e400", "-1", "0", "17", '"2"', "true", "2.0", "null"])
def test_wrong_number_is_refused(client: TestClient, columns: str) -> None:
    body = f'{{"text": "a", "stage": "ids", "columns": {columns}}}'
    assert problem(post(client, body, FIGURES), 422).field == "columns"


def test_every_wrong_field_is_in_the_details(client: TestClient) -> None:
    found = problem(post(client, '{"text": 1, "stages": 2, "format": 3, "x": 4}'), 422)
    assert {detail["field"] for detail in found.details} == {"text", "stages", "format", "x"}


@pytest.mark.parametrize(
    "declared",
    [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
)
def test_body_not_declared_as_json_is_told_how(client: TestClient, declared: str | None) -> None:
    headers = {} if declared is None else {"Content-Type": declared}
    response = client.post(TRACES, content=b'{"text": "a"}', headers=headers)
    assert "Content-Type: application/json" in problem(response, 422).message


@pytest.mark.parametrize("declared", ["application/json; charset=utf-8", "Application/JSON"])
def test_body_declared_as_json_is_read(client: TestClient, declared: str) -> None:
    headers = {"Content-Type": declared}
    response = client.post(TRACES, content=b'{"text": "a"}', headers=headers)
    assert response.status_code == 200


@pytest.mark.parametrize("name", ["nobody", "", "../outside", "/etc/passwd", "shakespeare/", "\0"])
def test_unknown_model_is_refused_everywhere(client: TestClient, name: str) -> None:
    sent = {"text": "a", "model": name}
    found = [
        problem(client.post(TRACES, json=sent), 404),
        problem(client.post("/api/v1/checks", json=sent), 404),
        problem(client.post(FIGURES, json=sent | {"stage": "ids"}), 404),
        problem(client.get(TRACES, params=sent), 404),
        problem(client.get("/api/v1/stages", params={"model": name}), 404),
    ]
    for each in found:
        assert (each.code, each.field) == ("unknown_model", "model")
        assert repr(name) in each.message
        assert "shakespeare" in each.message


@pytest.mark.parametrize("name", ["nobody", "..%2Foutside", "%2Fetc%2Fpasswd", "..", "%00", "%ff"])
def test_unknown_model_in_a_path_is_not_found(client: TestClient, name: str) -> None:
    problem(client.get(f"/api/v1/models/{name}"), 404)


@pytest.mark.parametrize("pattern", ["nothing", "blocks.2.*", "", "[", "[!]", "IDS", "*.query"])
def test_unknown_stage_pattern_is_refused(client: TestClient, pattern: str) -> None:
    found = problem(client.post(TRACES, json={"text": "a", "stages": ["ids", pattern]}), 422)
    assert (found.code, found.field) == ("unknown_stage", "stages")
    assert repr(pattern) in found.message


@pytest.mark.parametrize("stage", ["nothing", "blocks.*", ""])
def test_unknown_stage_of_a_figure_is_refused(client: TestClient, stage: str) -> None:
    found = problem(client.post(FIGURES, json={"text": "a", "stage": stage}), 422)
    assert (found.code, found.field) == ("unknown_stage", "stage")


@pytest.mark.parametrize("stages", [["*"], ["ids", "logits"]])
def test_csv_of_several_stages_is_refused(client: TestClient, stages: list[str]) -> None:
    sent = {"text": "a", "format": "csv", "stages": stages}
    found = problem(client.post(TRACES, json=sent), 422)
    assert found.field == "stages"
    assert "one stage" in found.message


@pytest.mark.parametrize(
    ("query", "field"),
    [("", "text"), ("text=a&stage=ids", "stage"), ("text=a&format=pdf", "format")],
)
def test_wrong_query_is_refused(client: TestClient, query: str, field: str) -> None:
    assert problem(client.get(f"{TRACES}?{query}"), 422).field == field


def test_words_of_our_own_validators_stand_alone(client: TestClient) -> None:
    sent = {"text": "a", "hidden": [1.5], "stage": "ids", "index": [0]}
    found = problem(client.post("/api/v1/cells", json=sent), 422)
    assert found.message == "The field 'hidden' is 1.5; give a whole number."


def test_misspelt_query_of_stages_is_refused(client: TestClient) -> None:
    assert problem(client.get("/api/v1/stages?modle=shakespeare"), 422).field == "modle"


@pytest.mark.parametrize("path", ["/nope", "/api/v1", "/api/v1/trace", "/docs", "/static/x/y.js"])
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "DELETE"])
def test_unknown_path_is_not_found(client: TestClient, method: str, path: str) -> None:
    if path.startswith("/static") and method != "GET":
        problem(client.request(method, path), 405)
    else:
        assert repr(path) in problem(client.request(method, path), 404).message


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", TRACES, "GET, HEAD, POST"),
        ("OPTIONS", TRACES, "GET, HEAD, POST"),
        ("GET", FIGURES, "POST"),
        ("POST", "/api/v1/health", "GET, HEAD"),
        ("PUT", "/", "GET, HEAD"),
        ("OPTIONS", "/api/v1/models/x", "GET, HEAD"),
    ],
)
def test_other_method_is_refused_naming_those_allowed(
    client: TestClient, method: str, path: str, allowed: str
) -> None:
    response = client.request(method, path)
    assert allowed in problem(response, 405).message
    assert response.headers["allow"] == allowed


@pytest.mark.parametrize(
    "path", ["/", "/api", "/api/v1/health", f"{TRACES}?text=a", "/nope", FIGURES]
)
def test_head_is_get_without_a_body(client: TestClient, path: str) -> None:
    head, get = client.head(path), client.get(path)
    assert head.content == b""
    assert head.status_code == get.status_code
    assert head.headers == get.headers


@pytest.mark.parametrize("declared", [True, False])
def test_large_body_is_refused_with_the_limit(client: TestClient, declared: bool) -> None:
    limit = Settings().max_body_bytes
    body = b"a" * (limit + 1)
    response = client.post(TRACES, content=body if declared else iter([body]), headers=JSON)
    assert str(limit) in problem(response, 413).message


def test_body_of_the_limit_is_read(client: TestClient) -> None:
    body = b'{"text": "a"}'.ljust(Settings().max_body_bytes)
    assert post(client, body).status_code == 200


def test_mistake_of_ours_shows_nothing_of_it(serve: Serve) -> None:
    def broken() -> None:
        raise RuntimeError("the secret of app/server/service.py")

    client = serve()
    client.app.dependency_overrides[of_app] = broken
    response = client.get("/api/v1/models")
    assert problem(response, 500).code == "internal_error"
    assert "secret" not in response.text
    assert "default-src 'self'" in response.headers["content-security-policy"]


def test_error_is_never_cached(client: TestClient) -> None:
    for response in (client.get("/nope"), post(client, "{}"), client.get(FIGURES)):
        assert response.headers["cache-control"] == "no-store"


ODD_VALUES = [
    "null", "true", "0", "-1", "1e400", "NaN", "-Infinity", "1e-400", "9" * 400, '""', '"a"',
    r'"\ud83d"', r'"\u0000"', '"' + "a" * 65 + '"', '"<b>"', '"🙂"', "[]", "[[[]]]", '["*"]',
    '["ids", null]', "{}", '{"text": {}}', "[" * 300 + "]" * 300, '"[!-]"', '["[a"]', '["*[["]',
]  # fmt: skip
ODD_NAMES = [
    "text",
    "model",
    "stages",
    "format",
    "stage",
    "columns",
    "weight",
    "index",
    "gradient",
    "terms",
    "",
    "__proto__",
    r"\udfff",
]


def odd_body(random: Random) -> bytes:
    """A request that is wrong in one way or several, sometimes not even JSON."""
    names = random.choices(ODD_NAMES, k=random.randint(0, 5))
    fields = ", ".join(f'"{name}": {random.choice(ODD_VALUES)}' for name in names)
    body = bytearray(f"{{{fields}}}".encode())
    for _ in range(random.choice([0, 0, 0, 1, 3])):
        body[random.randrange(len(body))] = random.randrange(256)
    return bytes(body)


@pytest.mark.parametrize("path", ["traces", "figures", "checks", "cells"])
def test_odd_bodies_are_answered_or_refused(client: TestClient, random: Random, path: str) -> None:
    refused = 0
    for _ in range(300):
        body = odd_body(random)
        response = post(client, body, f"/api/v1/{path}")
        if response.status_code != 200:
            problem(response, 404 if response.status_code == 404 else 422)
            refused += 1
    assert refused > 200


def test_odd_queries_are_answered_or_refused(client: TestClient, random: Random) -> None:
    for _ in range(300):
        parts = ("text", "=", "a", "&", "stages", "%", "%ff", "%00", "[", "model", "format", "+")
        query = "".join(random.choices(parts, k=random.randint(0, 12)))
        response = client.get(f"{TRACES}?{query}")
        if response.status_code != 200:
            problem(response, 404 if response.status_code == 404 else 422)
