"""What a model is made of, in words and numbers."""

from enum import StrEnum
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Choice(StrEnum):
    """One word of a configuration, as files have it; `label` is how people write it.

    A word is declared here and nowhere else. What it means stands in its room of `network/`, of
    `table/` and, where it is an operation of its own, of `ops/`; each has a table from word to
    meaning, so a new word touches that room in each corridor.
    """

    label: str

    def __new__(cls, value: str, label: str, *facts: Any) -> Self:
        word = str.__new__(cls, value)
        word._value_ = value
        word.label = label
        return word

    __hash__ = str.__hash__  # equal to its value, so a table can be asked by either


class Architecture(Choice):
    """Which stacks of blocks there are and what their attention may look at. `task` says what the
    model does, `predicted` what its loss is counted by."""

    DECODER_ONLY = (
        "decoder-only",
        "decoder-only",
        "Reads a text from left to right and says at every position which character may follow.",
        "a character that follows",
    )
    ENCODER_ONLY = (
        "encoder-only",
        "encoder-only",
        "Reads a text on both sides of its hidden characters and says which they may be.",
        "a hidden character",
    )
    ENCODER_DECODER = (
        "encoder-decoder",
        "encoder-decoder",
        "Reads a line without its vowels and writes the line with them.",
        "a written character",
    )

    task: str
    predicted: str

    def __init__(self, value: str, label: str, task: str, predicted: str) -> None:
        self.task = task
        self.predicted = predicted


class Wiring(Choice):
    """Where a block's norms stand."""

    POST_LN = "post-ln", "post-LN"
    PRE_LN = "pre-ln", "pre-LN"


class Norm(Choice):
    """What brings a position's features to one size."""

    LAYER_NORM = "layer-norm", "LayerNorm"
    RMS_NORM = "rms-norm", "RMSNorm"


class Position(Choice):
    """How a model knows where a character stands."""

    LEARNED = "learned", "learned"
    SINUSOIDAL = "sinusoidal", "sinusoidal"
    ROTARY = "rotary", "rotary"


class FeedForward(Choice):
    """The nonlinearity of the feed-forward network. In a `gated` one, a second projection of the
    input is multiplied by the activation of the first."""

    RELU = "relu", "ReLU"
    GELU = "gelu", "GELU"
    GELU_TANH = "gelu-tanh", "GELU (tanh)"
    SWIGLU = "swiglu", "SwiGLU", True

    gated: bool

    def __init__(self, value: str, label: str, gated: bool = False) -> None:
        self.gated = gated


class Choices(BaseModel):
    """What is chosen, not counted."""

    architecture: Architecture = Field(
        Architecture.DECODER_ONLY, description=", ".join(Architecture)
    )
    wiring: Wiring = Field(Wiring.POST_LN, description=", ".join(Wiring))
    norm: Norm = Field(Norm.LAYER_NORM, description=", ".join(Norm))
    position: Position = Field(Position.LEARNED, description=", ".join(Position))
    feed_forward: FeedForward = Field(FeedForward.GELU, description=", ".join(FeedForward))
    tied_head: bool = Field(False, description="whether the head is the embedding")
    biases: bool = Field(
        True,
        description="of q, k, v, the attention's output and the feed-forward; a head never has one",
    )


class ModelConfig(Choices):
    """The shape and the choices of one transformer.

    Its words become torch modules in `network/` and stages in `table/`. Sizes are counts,
    `norm_epsilon` is the ε under the norm's root. A pre-LN model has one more norm after its last
    block. An encoder-decoder has `n_blocks` in each of its two stacks, which share one embedding.

    Any sizes that fit together are a configuration: it can be counted. Whether it can be built
    here is another question, which `budget.py` answers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    vocab_size: int = Field(ge=1, description="V")
    context_length: int = Field(ge=1, description="L")
    d_model: int = Field(ge=1, description="d, a multiple of n_heads")
    n_heads: int = Field(ge=1, description="h; it does not change the count")
    d_ff: int = Field(ge=1, description="d_ff")
    n_blocks: int = Field(ge=1, description="in each stack of an encoder-decoder")
    norm_epsilon: float = Field(
        default=1e-5,
        ge=1e-30,  # or float32, in which the root is taken, could not tell it from 0
        le=1,
        allow_inf_nan=False,
        description="ε, under the norm's root",
    )

    @model_validator(mode="after")
    def sizes_fit_together(self) -> Self:
        if self.d_model % self.n_heads:
            raise ValueError(
                f"d_model {self.d_model} is not a multiple of n_heads {self.n_heads}; "
                "every head needs the same whole number of features"
            )
        if self.position is Position.ROTARY and self.d_head % 2:
            raise ValueError(
                f"d_head {self.d_head} is odd; rotary positions turn pairs of features, so choose "
                "sizes that make it even"
            )
        if self.position is Position.SINUSOIDAL and self.d_model % 2:
            raise ValueError(
                f"d_model {self.d_model} is odd; sinusoidal positions are pairs of a sine and a "
                "cosine, so choose an even one"
            )
        if self.writes and self.wiring is not Wiring.POST_LN:
            raise ValueError(
                f"the wiring {self.wiring} is not an encoder-decoder’s, which is built as in 2017; "
                f"choose {Wiring.POST_LN}"
            )
        if self.writes and self.position is Position.ROTARY:
            raise ValueError(
                f"the position code {self.position} is not an encoder-decoder’s; choose learned or "
                "sinusoidal"
            )
        return self

    def having(self, **changes: Any) -> Self:
        """The same configuration with other choices or sizes.

        Raises:
            ValidationError: they do not fit together.
        """
        return self.model_validate(self.model_dump() | changes)

    @property
    def guesses(self) -> bool:
        """Whether it guesses hidden characters of its text."""
        return self.architecture is Architecture.ENCODER_ONLY

    @property
    def writes(self) -> bool:
        """Whether it writes a target beside the text that it reads."""
        return self.architecture is Architecture.ENCODER_DECODER

    @property
    def d_head(self) -> int:
        """Features of one head: d_model / n_heads."""
        return self.d_model // self.n_heads


TINY_SHAKESPEARE_CHARACTERS = 65

_TINY = ModelConfig(
    vocab_size=TINY_SHAKESPEARE_CHARACTERS,
    context_length=64,
    d_model=64,
    n_heads=4,
    d_ff=256,
    n_blocks=2,
)
PRESETS: dict[str, ModelConfig] = {
    "shakespeare": _TINY,
    "shakespeare-2017": _TINY.having(
        position=Position.SINUSOIDAL, feed_forward=FeedForward.RELU, tied_head=True
    ),
    "shakespeare-preln": _TINY.having(wiring=Wiring.PRE_LN, tied_head=True),
    "shakespeare-modern": _TINY.having(
        wiring=Wiring.PRE_LN,
        norm=Norm.RMS_NORM,
        position=Position.ROTARY,
        feed_forward=FeedForward.SWIGLU,
        d_ff=171,  # 8d/3, so that three matrices cost what two of 4d do
        tied_head=True,
        biases=False,
    ),
    "shakespeare-encoder": _TINY.having(
        architecture=Architecture.ENCODER_ONLY,
        vocab_size=TINY_SHAKESPEARE_CHARACTERS + 1,  # and the mask symbol
        tied_head=True,
    ),
    "shakespeare-seq2seq": _TINY.having(architecture=Architecture.ENCODER_DECODER, tied_head=True),
}
"""The models that the course describes, by the name of their checkpoint folder."""
