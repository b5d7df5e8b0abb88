"""The API's documentation page, made from its own OpenAPI description."""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import FastAPI, Header, Request, Response

from app.server.access import Served
from app.server.service import Service, readable
from app.site import opening
from app.site.pages import Pages
from app.tracing.requests import EXAMPLE_TEXT

Schema = dict[str, Any]


def install(app: FastAPI, pages: Pages) -> None:
    """The address of the page."""

    @app.get("/api", include_in_schema=False)
    async def show_reference(
        request: Request, service: Served, if_none_match: Annotated[str | None, Header()] = None
    ) -> Response:
        return await pages.respond(
            "reference.html",
            if_none_match,
            calls=calls(app.openapi(), _values(service)),
            shapes=shapes(app.openapi()),
            here="/api",
            base=str(request.base_url).rstrip("/"),
        )


def _values(service: Service) -> dict[str, str]:
    """Values for the reference's examples that this server can answer."""
    if not service.models:
        return {}
    model = service.model()
    text = EXAMPLE_TEXT
    if not readable(model, text):
        text = opening.text(service.settings, model)
    return {"model_id": model.id, "text": text}


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


@dataclass(frozen=True)
class Shape:
    """One kind of object that answers are made of."""

    name: str
    description: str
    fields: tuple[Field, ...]


def shapes(openapi: Schema) -> list[Shape]:
    """Every object that the fields of the answers name, by name."""
    schemas = openapi["components"]["schemas"]
    answers = [
        _answer(openapi, o) for methods in openapi["paths"].values() for o in methods.values()
    ]
    waiting = {name for schema in answers for name in _named(schema)}
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= set(_named(schemas[name])) - found
    return [
        Shape(
            name,
            " ".join(schemas[name].get("description", "").split()),
            tuple(_fields(schemas[name])),
        )
        for name in sorted(found)
    ]


def _named(schema: Any) -> Iterator[str]:
    """The names of the objects that a schema refers to."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].rsplit("/", 1)[1]
        for value in schema.values():
            yield from _named(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _named(value)


def _answer(openapi: Schema, operation: Schema) -> Schema:
    content = operation["responses"]["200"].get("content", {})
    return _resolve(openapi, content.get("application/json", {}).get("schema", {}))


def calls(openapi: Schema, examples: Mapping[str, str] | None = None) -> list[Call]:
    """Every call of the description, in its order; `example` has `{base}` for the server, and
    the values of `examples` where the description's own would not do on this server."""
    return [
        _call(openapi, path, method, operation, examples or {})
        for path, methods in openapi["paths"].items()
        for method, operation in methods.items()
    ]


def _call(
    openapi: Schema, path: str, method: str, operation: Schema, examples: Mapping[str, str]
) -> Call:
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
    answer = _answer(openapi, operation)
    return Call(
        method=method.upper(),
        path=path,
        tag=operation["tags"][0],
        description=" ".join(operation.get("description", "").split()),
        inputs=(*inputs, *_fields(body)),
        outputs=tuple(_fields(answer)),
        formats=tuple(operation["responses"]["200"].get("content", {})),
        example=_example(path, method, parameters, body, examples),
    )


def _example(
    path: str, method: str, parameters: list[Schema], body: Schema, examples: Mapping[str, str]
) -> str:
    values = {
        where: {
            p["name"]: examples.get(p["name"], p["schema"]["examples"][0])
            for p in parameters
            if p["in"] == where and p["schema"].get("examples")
        }
        for where in ("path", "query")
    }
    address = path.format(**values["path"])
    if method == "post":
        given = body.get("examples", [_examples(body)])[0]
        example = json.dumps({name: examples.get(name, value) for name, value in given.items()})
        return (
            f"curl {{base}}{address} \\\n"
            f"  -H 'Content-Type: application/json' \\\n  -d {shlex.quote(example)}"
        )
    query = urlencode(values["query"], doseq=True, safe="*")
    return f"curl '{{base}}{address}{'?' if query else ''}{query}'"


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
