"""Numbers and switches as a query writes them."""

import re
from typing import Annotated, Any, get_args, get_origin

from pydantic import ValidationInfo, field_validator

from app.server.schemas import Request

SWITCHES = {"true": True, "1": True, "false": False, "0": False}
WHOLE = re.compile(r"[+-]?[0-9]+")
"""What int() takes, without the blanks and underscores that it takes too."""


class QueryRequest(Request):
    """A request that may come as a query, where everything is text: true, false, 1 and 0 are
    switches, digits are whole numbers, and nothing else is either ("yes", "1_0", "2.0")."""

    @field_validator("*", mode="before")
    @classmethod
    def written_plainly(cls, value: Any, info: ValidationInfo) -> Any:
        assert info.field_name is not None
        kind = cls.model_fields[info.field_name].annotation
        if get_origin(kind) is list and isinstance(value, list):
            return [_read(_plain(get_args(kind)[0]), item) for item in value]
        return _read(kind, value)


def _plain(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _read(kind: Any, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if kind is bool:
        if value not in SWITCHES:
            raise ValueError("give true or false (or 1 or 0)")
        return SWITCHES[value]
    if kind is int:
        if not WHOLE.fullmatch(value):
            raise ValueError("give a whole number")
        return int(value) if len(value) <= 40 else value  # a longer one is beyond every limit
    if kind is float and (value != value.strip() or "_" in value):
        raise ValueError("give a number")
    return value
