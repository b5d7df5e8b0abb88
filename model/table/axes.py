"""The axes of the tensors: their names, their letters, what their indices count."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from model.config import ModelConfig


class Lengths(NamedTuple):
    """How many positions one trace has: characters of the text, of the target (its start symbol
    included; 0 without a target), and hidden characters whose loss is known."""

    text: int
    target: int = 0
    hidden: int = 0


NO_TEXT = Lengths(0)
"""What a parameter's shape depends on."""


class Along(StrEnum):
    """Whose characters the indices of an axis are."""

    TEXT = "text"
    TARGET = "target"
    HIDDEN = "hidden"
    VOCABULARY = "vocabulary"


@dataclass(frozen=True)
class Axis:
    """One named axis. `symbol` is how shapes print it, `meaning` what its indices count; `field` is
    the config entry with its size; without one, the size is the number of the characters `along`
    it, less `fewer`; without either, it is 1. Indices count from 0; people count from `first`."""

    name: str
    symbol: str
    meaning: str
    field: str | None = None
    along: Along | None = None
    fewer: int = 0
    first: int = 0

    def place(self, index: int) -> str:
        """An index as people say it within a cell's name: "head 3" of index 2, plain "6" where
        they count as the index does."""
        return f"{self.name} {index + self.first}" if self.first else str(index)

    def size(self, config: ModelConfig, lengths: Lengths) -> int:
        if self.field is not None:
            return int(getattr(config, self.field))
        if self.along is None:
            return 1
        return int(getattr(lengths, self.along)) - self.fewer


POSITION = Axis(
    "position",
    "N",
    "the characters of the text, in order; in attention, the position that looks",
    along=Along.TEXT,
)
SOURCE = Axis(
    "source",
    "N",
    "the characters of the text again, in attention: the position that is looked at",
    along=Along.TEXT,
)
PREDICTED = Axis(
    "position",
    "N − 1",
    "the characters of the text that another one follows, which has a loss",
    along=Along.TEXT,
    fewer=1,
)
TARGET = Axis(
    "position",
    "M",
    "the line end that begins the target, then its characters",
    along=Along.TARGET,
)
TARGET_SOURCE = Axis(
    "source",
    "M",
    "the line end and the target's characters again, as the decoder's attention to itself looks "
    "at them",
    along=Along.TARGET,
)
TARGET_PREDICTED = Axis(
    "position",
    "M − 1",
    "the line end that begins the target, and those of its characters that another one follows, "
    "which has a loss",
    along=Along.TARGET,
    fewer=1,
)
HIDDEN = Axis(
    "hidden",
    "m",
    "the characters that were hidden from an encoder and are known, so that they have a loss",
    along=Along.HIDDEN,
)
D_MODEL = Axis(
    "d_model",
    "d",
    "the features of a position on the residual stream, to which every block adds; a post-LN "
    "block norms each sum before it goes on",
    "d_model",
)
HEAD = Axis("head", "h", "the heads of an attention, which look side by side", "n_heads", first=1)
D_HEAD = Axis(
    "d_head",
    "d_head",
    "the features of one head, d_model / n_heads; the 2017 paper's d_k",
    "d_head",
)
D_FF = Axis("d_ff", "d_ff", "the hidden features of a feed-forward network", "d_ff")
VOCAB = Axis("vocab", "V", "the characters that the model knows", "vocab_size", Along.VOCABULARY)
CONTEXT = Axis(
    "context",
    "L",
    "the positions that a learned table has rows for: the longest text that can be read",
    "context_length",
)
ONE = Axis("one", "1", "the only number of its kind in a layer")
