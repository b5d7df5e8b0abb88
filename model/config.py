"""What a model is made of, in numbers and names."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

LONGEST_CONTEXT = 1024


class ModelConfig(BaseModel):
    """The shape and the choices of one transformer.

    `build.py` turns it into torch modules and `stages.py` into the stage table; nothing else
    reads the choices. Sizes are counts, `norm_epsilon` is the ε under the norm's root. `biases` are
    those of q, k, v, the attention's output and the feed-forward; a head never has one. A pre-LN
    model has one more norm after its last block. An encoder-decoder has `n_blocks` in each of its
    two stacks, which share one embedding.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    architecture: Literal["decoder-only", "encoder-only", "encoder-decoder"] = "decoder-only"
    wiring: Literal["post-ln", "pre-ln"] = "post-ln"
    norm: Literal["layer-norm", "rms-norm"] = "layer-norm"
    position: Literal["learned", "sinusoidal", "rotary"] = "learned"
    feed_forward: Literal["relu", "gelu", "gelu-tanh", "swiglu"] = "gelu"
    tied_head: bool = False
    biases: bool = True

    vocab_size: int = Field(ge=1, le=65_536)
    context_length: int = Field(ge=1, le=LONGEST_CONTEXT)
    d_model: int = Field(ge=1, le=1024)
    n_heads: int = Field(ge=1, le=64)
    d_ff: int = Field(ge=1, le=4096)
    n_blocks: int = Field(ge=1, le=24)
    norm_epsilon: float = Field(default=1e-5, gt=0, le=1, allow_inf_nan=False)

    @model_validator(mode="after")
    def sizes_fit_together(self) -> Self:
        if self.d_model % self.n_heads:
            raise ValueError(
                f"d_model {self.d_model} is not a multiple of n_heads {self.n_heads}; "
                "every head needs the same whole number of features"
            )
        if self.position == "rotary" and self.d_head % 2:
            raise ValueError(
                f"d_head {self.d_head} is odd; rotary positions turn pairs of features, so choose "
                "sizes that make it even"
            )
        if self.architecture == "encoder-decoder" and (
            self.wiring != "post-ln" or self.position == "rotary"
        ):
            raise ValueError(
                f"an encoder-decoder is built post-ln with learned or sinusoidal positions, not "
                f"{self.wiring} with {self.position} ones"
            )
        return self

    @property
    def guesses(self) -> bool:
        """Whether it guesses hidden characters of its text."""
        return self.architecture == "encoder-only"

    @property
    def writes(self) -> bool:
        """Whether it writes a target beside the text that it reads."""
        return self.architecture == "encoder-decoder"

    @property
    def d_head(self) -> int:
        """Features of one head: d_model / n_heads."""
        return self.d_model // self.n_heads


TINY_SHAKESPEARE_CHARACTERS = 65

_TINY: dict[str, int] = {
    "vocab_size": TINY_SHAKESPEARE_CHARACTERS,
    "context_length": 64,
    "d_model": 64,
    "n_heads": 4,
    "d_ff": 256,
    "n_blocks": 2,
}
PRESETS: dict[str, ModelConfig] = {
    "shakespeare": ModelConfig(**_TINY),
    "shakespeare-2017": ModelConfig(
        **_TINY, position="sinusoidal", feed_forward="relu", tied_head=True
    ),
    "shakespeare-preln": ModelConfig(**_TINY, wiring="pre-ln", tied_head=True),
    "shakespeare-modern": ModelConfig(
        **(_TINY | {"d_ff": 171}),  # 8d/3, so that three matrices cost what two of 4d do
        wiring="pre-ln",
        norm="rms-norm",
        position="rotary",
        feed_forward="swiglu",
        tied_head=True,
        biases=False,
    ),
    "shakespeare-encoder": ModelConfig(
        **(_TINY | {"vocab_size": TINY_SHAKESPEARE_CHARACTERS + 1}),  # and the mask symbol
        architecture="encoder-only",
        tied_head=True,
    ),
    "shakespeare-seq2seq": ModelConfig(**_TINY, architecture="encoder-decoder", tied_head=True),
}
"""The models that the course describes, by the name of their checkpoint folder."""
