"""The API's documentation page, made from its own OpenAPI description."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

Schema = dict[str, Any]


@dataclass(frozen=True)
class Field:
    """One parameter or field: its name, type, whether it must be given, and what it means."""

    name: str
    type: str
    required: bool
    description: str


@dataclass(frozen=True)
class Call:
    """One address and method."""

    method: str
    path: str
    tag: str
    description: str
    inputs: tuple[Field, ...]
    outputs: tuple[Field, ...]
    formats: tuple[str, ...]
    example: str


def calls(openapi: Schema) -> list[Call]:
    """Every call of the description, in its order; `example` has `{base}` for the server."""
    return [
        _call(openapi, path, method, operation)
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
    ]


def _call(openapi: Schema, path: str, method: str, operation: Schema) -> Call:
    body = _body_schema(openapi, operation)
    parameters = [p for p in operation.get("parameters", []) if p["in"] != "header"]
    inputs = [
        Field(
            p["name"],
            _type(p["schema"]),
            p.get("required", False),
            p.get("description") or p["schema"].get("description", ""),
        )
        for p in parameters
    ]
    content = operation["responses"]["200"].get("content", {})
    answer = _resolve(openapi, content.get("application/json", {}).get("schema", {}))
    return Call(
        method=method.upper(),
        path=path,
        tag=operation["tags"][0],
        description=" ".join(operation.get("description", "").split()),
        inputs=(*inputs, *_fields(body)),
        outputs=tuple(_fields(answer)),
        formats=tuple(content),
        example=_example(path, method, parameters, body),
    )


def _example(path: str, method: str, parameters: list[Schema], body: Schema) -> str:
    if method == "post":
        example = json.dumps(body.get("examples", [_examples(body)])[0])
        return (
            f"curl {{base}}{path} \\\n"
            f"  -H 'Content-Type: application/json' \\\n  -d {shlex.quote(example)}"
        )
    given = {
        where: {
            p["name"]: p["schema"]["examples"][0]
            for p in parameters
            if p["in"] == where and p["schema"].get("examples")
        }
        for where in ("path", "query")
    }
    query = urlencode(given["query"], doseq=True, safe="*")
    return f"curl '{{base}}{path.format(**given['path'])}{'?' if query else ''}{query}'"


def _examples(schema: Schema) -> Schema:
    return {
        name: field["examples"][0]
        for name, field in schema.get("properties", {}).items()
        if field.get("examples")
    }


def _body_schema(openapi: Schema, operation: Schema) -> Schema:
    content = operation.get("requestBody", {}).get("content", {})
    return _resolve(openapi, content.get("application/json", {}).get("schema", {}))


def _resolve(openapi: Schema, schema: Schema) -> Schema:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        found: Schema = openapi["components"]["schemas"][name]
        return found
    return schema


def _fields(schema: Schema) -> Iterator[Field]:
    required = set(schema.get("required", []))
    for name, field in schema.get("properties", {}).items():
        yield Field(name, _type(field), name in required, field.get("description", ""))


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rsplit("/", 1)[1])
    if "anyOf" in schema:
        return " or ".join(_type(option) for option in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "anything"))
