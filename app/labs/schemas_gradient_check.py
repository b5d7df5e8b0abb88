"""The request and the answer of the gradient check."""

from typing import Annotated

from pydantic import Field

from app.server.schemas import Answer, Request
from model.labs import gradient_check


class GradientCheckRequest(Request):
    """A text, one number of one weight, and how far it is moved."""

    model: str = Field("", max_length=64, description="a model id; empty: the default model")
    text: str = Field(
        "To be", min_length=1, max_length=gradient_check.LONGEST_TEXT,
        description="short, as the loss is computed a hundred times",
    )  # fmt: skip
    weight: str = Field(
        "embedding.weight", max_length=200, description="its name in the checkpoint"
    )
    index: str = Field(
        "1,2", max_length=30, pattern=r"^\d{1,7}(,\d{1,7}){0,2}$",
        description="its place in the weight: a row and a column, or one number for a vector",
    )  # fmt: skip
    epsilon: Annotated[
        float,
        Field(
            ge=gradient_check.SMALLEST_EPSILON, le=gradient_check.LARGEST_EPSILON,
            allow_inf_nan=False,
        ),
    ] = Field(1e-3, description="ε")  # fmt: skip


class Quotient(Answer):
    """(loss(w + ε) − loss(w − ε)) / 2ε."""

    above: float
    below: float
    gradient: float
    error: float
    relative: float | None = Field(description="null where the analytic gradient is 0")


class CheckedStep(Answer):
    """At one ε."""

    power: float = Field(description="of ten")
    epsilon: float
    float32: Quotient = Field(description="torch")
    float64: Quotient = Field(description="NumPy")


class GradientCheckAnswer(Answer):
    model: str
    text: str
    weight: str
    index: list[int]
    shape: list[int]
    weights: list[str] = Field(description="the names of all weights of the model")
    value: float
    loss: float
    analytic: float = Field(description="by hand, in float64")
    by_torch: float = Field(description="by torch, in float32")
    chosen: CheckedStep
    curve: list[CheckedStep]
    best_float32: float = Field(description="the power with the smallest error")
    best_float64: float
