"""What every request and every answer keeps, and the answers of the server itself. Tests hold every
real answer against these."""

from typing import Any

from pydantic import BaseModel, ConfigDict


class Request(BaseModel):
    """A body with an unknown field is refused: a misspelt option must not be silently ignored."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class Answer(BaseModel):
    """Fields may be added to an answer, never renamed."""

    model_config = ConfigDict(extra="forbid")


class Health(Answer):
    status: str
    models: list[str]
    reason: str | None


class Problem(Answer):
    code: str
    message: str
    field: str | None
    details: list[dict[str, Any]]


class ErrorAnswer(Answer):
    """The one shape of every error."""

    error: Problem
