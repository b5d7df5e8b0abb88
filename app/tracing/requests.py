"""The requests about traces: what a body or a query may say."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue, StrictInt

from app.server.queries import QueryRequest
from app.server.schemas import Request
from app.tracing.formats import Format
from app.tracing.palettes import Scale
from model.budget import LONGEST_CONTEXT
from model.cells import LISTED
from model.question import Question
from model.tokenizer import MASK

EXAMPLE_TEXT = "To be"
EXAMPLE_STAGES: list[JsonValue] = ["blocks.*.attn.weights"]
# Long patterns are slow to compile, far out of proportion: 60,000 brackets took three minutes.
Pattern = Annotated[str, Field(max_length=100)]


class ModelRequest(Request):
    """Which model is meant."""

    model: str | None = Field(None, description="a model id; default: the server's default model")


def _no_other_number(value: object) -> object:
    """1.0, true and "0" are not meant."""
    if isinstance(value, bool | float | str):
        raise ValueError("give a whole number")
    return value


Position = Annotated[int, Field(ge=0, le=LONGEST_CONTEXT - 1), BeforeValidator(_no_other_number)]


class TextRequest(ModelRequest):
    """A text for a model; `target` and `hidden` for the architectures that have them."""

    text: str = Field(
        description="1 to context_length characters of the model's vocabulary",
        examples=[EXAMPLE_TEXT],
    )
    target: str | None = Field(
        None,
        description="encoder-decoder: the target so far, one line; default: what it writes "
        "greedily",
    )
    hidden: list[Position] = Field(
        [],
        max_length=LONGEST_CONTEXT,
        description="encoder-only: positions whose character the model must guess, beside those "
        f"typed as {MASK}",
    )

    @property
    def question(self) -> Question:
        """What is asked of the model, as one value."""
        return Question(self.text, self.target, tuple(self.hidden))


class TraceRequest(TextRequest):
    """One trace."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"text": EXAMPLE_TEXT, "stages": EXAMPLE_STAGES, "format": "json"}]
        }
    )

    stages: list[Pattern] = Field(
        ["*"],
        min_length=1,
        max_length=64,
        examples=[EXAMPLE_STAGES],
        description="shell patterns of stage keys; `*` crosses dots; default: every stage",
    )
    gradients: bool = Field(
        False,
        strict=True,
        description="also d loss / d stage; the loss is the mean over the characters that were to "
        "be predicted",
    )
    weight_gradients: bool = Field(False, strict=True, description="also d loss / d parameter")
    format: Format = Field(
        Format.JSON,
        description="json, safetensors, npz; csv for a single stage; html for the page as one "
        "file, which has every stage and opens at the first of those asked for",
    )


class TraceQuery(QueryRequest, TraceRequest):
    """The same as the query of an address."""


class CheckRequest(TextRequest):
    """A text to compute a second time."""

    gradients: bool = Field(False, strict=True, description="check the gradients of the loss too")


class FigureRequest(TextRequest):
    """One stage's figure."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": EXAMPLE_TEXT, "stage": "blocks.0.attn.weights"}]}
    )

    stage: str = Field(description="a stage key")
    gradient: bool = Field(False, strict=True, description="d loss / d stage instead of the stage")
    columns: int = Field(2, ge=1, le=16, strict=True, description="small multiples side by side")
    scale: Scale = Field(
        Scale.USUAL,
        description="where the colours end: usual, 1 for probabilities and for other kinds the "
        "97th percentile of the sizes, or largest, the largest finite number; cells beyond are "
        "marked",
    )


class CellRequest(TextRequest):
    """One number, by its stage or its weight, and its place there."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"text": EXAMPLE_TEXT, "stage": "blocks.0.attn.weights", "index": [0, 0, 0]}
            ]
        }
    )

    stage: str | None = Field(None, description="a stage key; or else name a weight")
    weight: str | None = Field(None, description="a weight's name in the checkpoint")
    index: list[StrictInt] = Field(
        max_length=8, description="one whole number for each axis, counted from 0"
    )
    gradient: bool = Field(
        False, strict=True, description="d loss / d that cell instead of the cell"
    )
    terms: int | None = Field(
        LISTED,
        ge=1,
        strict=True,
        description="how many terms of a long sum to list, largest first, the rest summed in one "
        "more; null for all",
    )


class WeightRequest(ModelRequest):
    """How one weight is wanted."""

    format: Literal["json", "safetensors"] = Field("json", description="json or safetensors")
