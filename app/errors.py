"""The exception tree of the server, and the one shape of every error.

{"error": {"code", "message", "field", "details"}}
"""

from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from model.errors import InputError, UnknownModel, quoted


class NoModel(InputError):
    """No checkpoint could be loaded, so nothing can be traced."""

    code = "no_model"


class Busy(InputError):
    """Too many slow requests wait already."""

    code = "busy"


class BodyTooLarge(InputError):
    """A request body beyond the limit."""

    code = "body_too_large"


STATUS: dict[type[InputError], int] = {
    UnknownModel: 404,
    BodyTooLarge: 413,
    NoModel: 503,
    Busy: 503,
}
RETRY_AFTER_SECONDS = "1"
REQUEST_PLACES = ("body", "query", "path", "header")


def error_response(
    status: int, code: str, message: str, *, field: str | None = None, details: Any = ()
) -> Response:
    """One error. Whatever was sent, the answer can be encoded: lone surrogates are escaped."""
    content = {
        "error": {"code": code, "message": message, "field": field, "details": list(details)}
    }
    headers = {"Cache-Control": "no-store"}
    if status == 503:
        headers["Retry-After"] = RETRY_AFTER_SECONDS
    return Response(
        orjson.dumps(_encodable(content)),
        status_code=status,
        media_type="application/json",
        headers=headers,
    )


def input_error_response(error: InputError) -> Response:
    """The answer to what a user got wrong: 422 unless its class says otherwise."""
    return error_response(
        STATUS.get(type(error), 422),
        error.code,
        error.message,
        field=error.field,
        details=error.details,
    )


def install(app: FastAPI) -> None:
    """Make every error of the app come out in the one shape."""

    @app.exception_handler(InputError)
    async def of_input(_: Request, error: InputError) -> Response:
        return input_error_response(error)

    @app.exception_handler(RequestValidationError)
    async def of_validation(_: Request, error: RequestValidationError) -> Response:
        problems = [_problem(problem) for problem in error.errors()]
        first = problems[0]
        return error_response(
            422, "invalid_request", first["message"], field=first["field"], details=problems
        )

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> Response:
        path = quoted(request.url.path, 80)
        messages = {
            404: f"There is nothing at {path}; /api lists the addresses.",
            405: f"{request.method} is not possible at {path}; /api says what is.",
        }
        codes = {400: "unreadable_body", 404: "not_found", 405: "method_not_allowed"}
        return error_response(
            error.status_code,
            codes.get(error.status_code, "http_error"),
            messages.get(error.status_code, f"{error.detail}."),
        )

    @app.exception_handler(Exception)
    async def of_us(_: Request, error: Exception) -> Response:
        # The traceback is in the server's log; a visitor gets no part of it.
        return error_response(
            500, "internal_error", "The server made a mistake; its log says which."
        )


def _problem(problem: Any) -> dict[str, Any]:
    """One of pydantic's findings, with the visitor's value escaped and cut."""
    place = [part for part in problem["loc"] if part not in REQUEST_PLACES]
    field = ".".join(str(part) for part in place if isinstance(part, str)) or None
    kind = problem["type"]
    if kind == "json_invalid":
        reason = problem.get("ctx", {}).get("error", "not JSON")
        return {"field": None, "message": f"The body is not valid JSON: {reason}."}
    if kind == "missing":
        what = f"The field {quoted(field)} is missing" if field else "The body is missing"
        return {"field": field, "message": f"{what}; /api shows a complete request."}
    if kind == "extra_forbidden":
        return {"field": field, "message": f"There is no field {quoted(field)}; /api lists them."}
    if kind == "string_unicode":
        return {
            "field": field,
            "message": f"The field {quoted(field)} is {quoted(problem['input'])}: a lone surrogate "
            "is half a character. Send whole characters.",
        }
    reason = problem["msg"][:1].lower() + problem["msg"][1:]
    shown = quoted(problem.get("input"))
    of_field = f"The field {quoted(field)}" if field else "The body"
    return {"field": field, "message": f"{of_field} is {shown}: {reason}."}


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {key: _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value
