"""What a model is made of, in numbers and names."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class ModelConfig(BaseModel):
    """The shape and the choices of one transformer.

    `build.py` turns it into torch modules and `stages.py` into the stage table; nothing else
    reads the choices. Sizes are counts, `norm_epsilon` is the ε under LayerNorm's root.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    architecture: Literal["decoder-only"] = "decoder-only"
    wiring: Literal["post-ln"] = "post-ln"
    norm: Literal["layer-norm"] = "layer-norm"
    position: Literal["learned"] = "learned"
    feed_forward: Literal["gelu"] = "gelu"
    tied_head: Literal[False] = False

    vocab_size: int = Field(ge=1, le=65_536)
    context_length: int = Field(ge=1, le=1024)
    d_model: int = Field(ge=1, le=1024)
    n_heads: int = Field(ge=1, le=64)
    d_ff: int = Field(ge=1, le=4096)
    n_blocks: int = Field(ge=1, le=24)
    norm_epsilon: float = Field(default=1e-5, gt=0, le=1, allow_inf_nan=False)

    @model_validator(mode="after")
    def heads_divide_the_width(self) -> Self:
        if self.d_model % self.n_heads:
            raise ValueError(
                f"d_model {self.d_model} is not a multiple of n_heads {self.n_heads}; "
                "every head needs the same whole number of features"
            )
        return self

    @property
    def d_head(self) -> int:
        """Features of one head: d_model / n_heads."""
        return self.d_model // self.n_heads


TINY_SHAKESPEARE_CHARACTERS = 65

PRESETS: dict[str, ModelConfig] = {
    "shakespeare": ModelConfig(
        vocab_size=TINY_SHAKESPEARE_CHARACTERS,
        context_length=64,
        d_model=64,
        n_heads=4,
        d_ff=256,
        n_blocks=2,
    ),
}
"""The models that the course describes, by the name of their checkpoint folder."""
