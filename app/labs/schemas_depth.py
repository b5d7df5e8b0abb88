"""The request and the answer of the lab of fresh stacks."""

from typing import Annotated

from pydantic import Field

from app.server.schemas import Answer, Request
from model.labs.depth import DEEPEST, LARGEST_SCALE, LARGEST_SEED, SMALLEST_SCALE


class DepthRequest(Request):
    """A fresh stack and the stream that enters it."""

    depth: int = Field(12, ge=1, le=DEEPEST, description="blocks")
    scale: Annotated[float, Field(ge=SMALLEST_SCALE, le=LARGEST_SCALE, allow_inf_nan=False)] = (
        Field(1.0, description="root mean square of the stream that enters")
    )
    seed: int = Field(0, ge=0, le=LARGEST_SEED, description="of all that is drawn")


class FreshBlock(Answer):
    """One fresh block."""

    wiring: str
    change: float = Field(description="‖y − x‖ / ‖x‖")
    cosine: float
    size: float = Field(description="root mean square of y")


class Averaging(Answer):
    """The spread of the positions after each block, ‖X − mean‖ / ‖X‖."""

    attention_alone: list[float]
    attention_added: list[float]
    whole_blocks: list[float]


class Linearity(Answer):
    """‖f(x + y) − f(x) − f(y)‖ / ‖f(x + y)‖; 0 for a linear map."""

    attention: float = Field(description="its weights held")
    feed_forward: float


class Drift(Answer):
    """Root mean square of the stream after each block."""

    no_norms: list[float]
    pre_ln: list[float]
    post_ln: list[float]


class PassedShape(Answer):
    """One tensor."""

    title: str
    shape: list[int]


class TinyPass(Answer):
    """Lesson 56's pass, in a batch of two."""

    shapes: list[PassedShape]
    row_sums_off: float
    above_diagonal: float
    earlier_moved: float
    last_moved: float


class DepthAnswer(Answer):
    seed: int
    depth: int
    scale: float
    fresh: list[FreshBlock]
    averaging: Averaging
    linearity: Linearity
    drift: Drift
    tiny: TinyPass
