"""The request and the answer of the counting lab."""

from typing import Any

from pydantic import Field

from app.server.queries import QueryRequest
from app.server.schemas import Answer
from app.tracing.schemas import Counted, Flops
from model.config import Choices
from model.labs import rules


class CountingRequest(QueryRequest, Choices):
    """A model's sizes and choices; the defaults are the default preset's. Sizes end where a number
    would say nothing more, not where a model could still be built: a count needs no tensors."""

    vocab_size: int = Field(65, ge=1, le=1_000_000, description="V")
    context_length: int = Field(64, ge=1, le=1_048_576, description="L")
    d_model: int = Field(
        64, ge=1, le=65_536, examples=[128], description="d, a multiple of n_heads"
    )
    n_heads: int = Field(4, ge=1, le=1024, description="it does not change the count")
    d_ff: int = Field(256, ge=1, le=262_144, examples=[512], description="h")
    n_blocks: int = Field(2, ge=1, le=256, description="in each stack of an encoder-decoder")
    tokens: int = Field(
        rules.SOME_TOKENS, ge=1, le=rules.MOST_TOKENS, examples=[2 * 10**12],
        description="D, which it is trained on",
    )  # fmt: skip


class Block(Answer):
    """One block without cross-attention."""

    parameters: int
    matrices: int = Field(description="4 d² + 2 d h; with SwiGLU 4 d² + 3 d h")
    twelve_d_squared: int = Field(description="the rule of thumb, for h = 4 d")
    feed_forward_share: float
    growth: float = Field(description="how many times as large it is at twice d_model and d_ff")


class RuleOfThumb(Answer):
    """A rule beside the count."""

    says: float
    counted: float
    error: float = Field(description="(says − counted) / counted")


class AttentionShare(Answer):
    """Scores and mixing among a token's forward work."""

    length: int = Field(description="T, the tokens read at once")
    share: float


class Doubling(Answer):
    """The model or its training made larger."""

    name: str
    parameters: int
    tokens: int
    compute: float = Field(description="6 N D, FLOPs")
    times_parameters: float
    times_compute: float


class Tying(Answer):
    """The model with a tied head and with one of its own."""

    tied: int
    untied: int
    difference: int = Field(description="V · d")
    share: float = Field(description="of the untied model")


class Rules(Answer):
    """The rules of thumb beside what they stand for."""

    tokens: int
    parameters: RuleOfThumb = Field(description="12 n d² + V d, against all parameters")
    compute: RuleOfThumb = Field(
        description="6 N D FLOPs, against three times the forward work of every token"
    )
    inference_per_token: int = Field(description="2 N")
    training_per_token: int = Field(description="6 N")
    attention_share: float = Field(description="at T = context_length")
    attention: list[AttentionShare]
    as_long_as: float = Field(
        description="the T at which scores and mixing take as much as the matrices"
    )
    doublings: list[Doubling]
    tying: Tying


class Counting(Answer):
    """One model, counted."""

    config: dict[str, Any]
    items: list[Counted]
    by_formula: int = Field(description="the items' sum")
    from_tensors: int = Field(description="the same from the tensors")
    in_blocks: int
    unembedding: int = Field(description="V · d, whether the head is tied or not")
    block: Block
    flops: Flops
    rules: Rules


class CountedModel(Answer):
    """A preset, or a model that the course counts."""

    name: str
    counting: Counting


class CountingAnswer(Answer):
    counting: Counting
    references: list[CountedModel]
