"""What is not a request's: a parameter that the call does not have, or one given twice where one is
meant. A typing error must never pass for a request without it.

This holds for every call of the API, and for the page of checks, which answers as a call does. Any
other page leaves alone what it does not know in its address, since other sites add words of their
own to links.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, get_origin

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel

REPEATED = "repeated"
"""The kind of finding that a name given twice is, among pydantic's own kinds."""


async def as_declared(request: Request) -> None:
    """Refuse unknown and repeated query parameters, and names that a JSON object has twice.

    Raises:
        RequestValidationError: with every one of them.
    """
    problems = [*_of_query(request), *_of_body(await request.body())]
    if problems:
        raise RequestValidationError(problems)


def _of_query(request: Request) -> Iterator[dict[str, Any]]:
    route = request.scope.get("route")
    known, whole = _declared(getattr(route, "dependant", None))
    for name, times in Counter(name for name, _ in request.query_params.multi_items()).items():
        # A model of the whole query refuses what it does not know itself, with all else it finds.
        if name not in known and not whole:
            yield _problem("extra_forbidden", "query", name, request.query_params[name])
        elif times > 1 and not known.get(name, True):
            yield _problem(REPEATED, "query", name, times)


def _declared(dependant: Dependant | None) -> tuple[dict[str, bool], bool]:
    """The query parameters of a call, each with whether it may be repeated; and whether a model
    describes the whole query."""
    known: dict[str, bool] = {}
    whole = False
    for field in dependant.query_params if dependant else ():
        annotation = field.field_info.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            whole = True
            known |= {
                name: _is_list(one.annotation) for name, one in annotation.model_fields.items()
            }
        else:
            known[field.alias] = _is_list(annotation)
    return known, whole


def _is_list(annotation: Any) -> bool:
    return get_origin(annotation) is list


def _of_body(body: bytes) -> Iterator[dict[str, Any]]:
    """The names that an object of the body has more than once, however deep."""
    repeated: Counter[str] = Counter()

    def noted(pairs: list[tuple[str, Any]]) -> None:
        times = Counter(name for name, _ in pairs)
        repeated.update({name: count for name, count in times.items() if count > 1})

    if not body:
        return
    try:
        json.loads(body, object_pairs_hook=noted)
    except (ValueError, RecursionError):
        return  # what is no JSON is refused elsewhere, where one is wanted
    for name, count in repeated.items():
        yield _problem(REPEATED, "body", name, count)


def _problem(kind: str, place: str, name: str, value: Any) -> dict[str, Any]:
    return {"type": kind, "loc": (place, name), "msg": kind, "input": value}
