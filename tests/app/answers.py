"""Reading the server's answers as strictly as any client may, and holding them to OpenAPI."""

import json
from collections.abc import Iterator
from typing import Any

from app.server.schemas import ErrorAnswer, Problem

ANNOTATIONS = {"title", "description", "examples", "default"}
TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def strict(body: bytes) -> Any:
    """JSON as the standard has it: the tokens NaN and Infinity, which Python reads, are refused."""

    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is no JSON")

    return json.loads(body.decode("utf-8", "strict"), parse_constant=refuse)


def problem(response: Any, status: int) -> Problem:
    """The error of an answer that must be one, in the one shape and nothing of our insides."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    strict(response.content)
    assert "Traceback" not in response.text
    assert 'File \\"' not in response.text
    return ErrorAnswer.model_validate_json(response.content, strict=True).error


def mismatches(
    openapi: dict[str, Any], schema: dict[str, Any], value: Any, place: str = "answer"
) -> Iterator[str]:
    """Where a value departs from a schema of the description.

    Knows the keywords that our schemas use; any other fails, so that none is passed over.
    """
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/components/schemas/")
        yield from mismatches(openapi, openapi["components"]["schemas"][name], value, place)
        return
    if "anyOf" in schema:
        if all(list(mismatches(openapi, option, value, place)) for option in schema["anyOf"]):
            yield f"{place} fits none of the alternatives"
        return
    known = {"type", "properties", "required", "additionalProperties", "items"} | ANNOTATIONS
    assert schema.keys() <= known, schema.keys() - known
    expected = schema.get("type")
    wrong = expected is not None and not isinstance(value, TYPES[expected])
    if wrong or (isinstance(value, bool) and expected in ("integer", "number")):
        yield f"{place} is no {expected}: {value!r:.60}"
    elif isinstance(value, dict):
        yield from _object_mismatches(openapi, schema, value, place)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from mismatches(openapi, schema.get("items", {}), item, f"{place}[{index}]")


def _object_mismatches(
    openapi: dict[str, Any], schema: dict[str, Any], value: dict[str, Any], place: str
) -> Iterator[str]:
    fields, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name in schema.get("required", []):
        if name not in value:
            yield f"{place}.{name} is missing"
    for name, item in value.items():
        if name in fields:
            yield from mismatches(openapi, fields[name], item, f"{place}.{name}")
        elif others is False:
            yield f"{place}.{name} is not described"
        elif isinstance(others, dict):
            yield from mismatches(openapi, others, item, f"{place}.{name}")


def referred(openapi: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """A schema; the one that it refers to, where it does."""
    if "$ref" not in schema:
        return schema
    named: dict[str, Any] = openapi["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return named | schema
