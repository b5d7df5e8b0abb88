"""The exception tree of the server, and the one shape of every error.

{"error": {"code", "message", "field", "details"}}
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from app.server import headers
from model.errors import InputError, UnknownModel, UnknownWeight, quoted


class NoModel(InputError):
    """No checkpoint could be loaded, so nothing can be traced."""

    code = "no_model"


class Busy(InputError):
    """Too many slow requests wait already."""

    code = "busy"


class BodyTooLarge(InputError):
    """A request body beyond the limit."""

    code = "body_too_large"


class UnknownLesson(InputError):
    """A lesson that there is not."""

    code = "unknown_lesson"


STATUS: dict[type[InputError], int] = {
    UnknownModel: 404,
    UnknownWeight: 404,
    UnknownLesson: 404,
    BodyTooLarge: 413,
    NoModel: 503,
    Busy: 503,
}
RETRY_AFTER = {"Retry-After": "1"}
REQUEST_PLACES = ("body", "query", "path", "header")


def error_response(
    status: int,
    code: str,
    message: str,
    *,
    field: str | None = None,
    details: Any = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """One error. Whatever was sent, the answer can be encoded: lone surrogates are escaped."""
    content = {
        "error": {"code": code, "message": message, "field": field, "details": list(details)}
    }
    return Response(
        orjson.dumps(_encodable(content)),
        status_code=status,
        media_type="application/json",
        headers={"Cache-Control": "no-store", **(headers or {})},
    )


def input_error_response(error: InputError) -> Response:
    """The answer to what a user got wrong: 422 unless its class says otherwise."""
    return error_response(
        STATUS.get(type(error), 422),
        error.code,
        error.message,
        field=error.field,
        details=error.details,
        headers=RETRY_AFTER if isinstance(error, Busy) else None,
    )


def install(app: FastAPI, missing: Callable[[Request], Response | None]) -> None:
    """Make every error of the app come out in the one shape. Where there is nothing at an address,
    `missing` may have another answer."""

    @app.exception_handler(InputError)
    async def of_input(request: Request, error: InputError) -> Response:
        page = missing(request) if STATUS.get(type(error)) == 404 else None
        return page or input_error_response(error)

    @app.exception_handler(RequestValidationError)
    async def of_validation(_: Request, error: RequestValidationError) -> Response:
        problems = [in_words(problem) for problem in error.errors()]
        first = problems[0]
        return error_response(
            422, "invalid_request", first["message"], field=first["field"], details=problems
        )

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> Response:
        path = quoted(request.url.path, 80)
        if error.status_code == 400:  # FastAPI could not read the body, and keeps why to itself
            return error_response(422, "invalid_request", _unreadable(error.__cause__))
        if error.status_code == 404:
            page = missing(request)
            if page is not None:
                return page
            message = f"There is nothing at {path}; /api lists the addresses."
            return error_response(404, "not_found", message)
        if error.status_code == 405:
            allowed = _allowed(request)
            message = f"{request.method} is not possible at {path}; {allowed} is."
            return error_response(405, "method_not_allowed", message, headers={"Allow": allowed})
        return error_response(error.status_code, "http_error", f"{error.detail}.")

    @app.exception_handler(Exception)
    async def of_us(_: Request, error: Exception) -> Response:
        # The traceback is in the server's log; a visitor gets no part of it. This answer passes
        # outside all middleware.
        message = "The server made a mistake; its log says which."
        return error_response(500, "internal_error", message, headers=headers.SECURITY)


def _allowed(request: Request) -> str:
    """The methods that the requested path has; HEAD goes wherever GET does."""
    methods = []
    for method, meant in (("GET", "GET, HEAD"), ("POST", "POST")):
        scope = {**request.scope, "method": method}
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.routes):
            methods.append(meant)
    return ", ".join(methods)


def _unreadable(cause: BaseException | None) -> str:
    if isinstance(cause, UnicodeDecodeError):
        return f"The body is not valid UTF-8: byte {cause.start} cannot be read."
    if isinstance(cause, RecursionError):
        return "The body is nested too deeply; a request is one flat JSON object."
    if isinstance(cause, ValueError):
        return "The body has a number of too many digits."
    return "The body cannot be read."


def in_words(problem: Any) -> dict[str, Any]:
    """One of pydantic's findings, with the visitor's value escaped and cut."""
    place = [part for part in problem["loc"] if part not in REQUEST_PLACES]
    field = ".".join(str(part) for part in place if isinstance(part, str)) or None
    return {"field": field, "message": _sentence(problem, field)}


def _sentence(problem: Any, field: str | None) -> str:
    kind, value = problem["type"], problem.get("input")
    named = f"The field {quoted(field)}" if field else "The body"
    if kind == "json_invalid":
        where = f"at character {problem['loc'][-1]}"
        return f"The body is not valid JSON: {problem['ctx']['error']} {where}."
    if kind == "missing":
        return f"{named} is missing; /api shows a complete request."
    if kind == "repeated":
        return f"{named} is given {value} times; give it once."
    if kind == "extra_forbidden":
        return f"There is no field {quoted(field)}; /api lists them."
    if kind == "string_unicode":
        named = named if field else "A field name"
        return f"{named} is {quoted(value)}: a lone surrogate is half a character. Send whole ones."
    if isinstance(value, bytes):
        return "The body is not declared as JSON; send the header Content-Type: application/json."
    if kind == "model_attributes_type":
        return f"{named} is {_shown(value)}; it should be a JSON object. /api shows one."
    # pydantic says so before the words of a validator of ours
    words = problem["msg"].removeprefix("Value error, ")
    should = re.sub(r"^(Input|String|List) should", "it should", words)
    should = should.removesuffix(f" after validation, not {_length(value)}")
    return f"{named} is {_shown(value)}; {should}."


def _length(value: Any) -> int | None:
    return len(value) if isinstance(value, list) else None


def _shown(value: Any, limit: int = 40) -> str:
    """A JSON value in a message: text quoted, numbers as sent, lists and objects by their kind."""
    if isinstance(value, str):
        return quoted(value, limit)
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    text = json.dumps(value)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {key: _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value
