"""The words of the stage table: axis, kind, weight, stage, and the table that collects them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from model import ops
from model.config import ModelConfig
from model.sections import Section


class Lengths(NamedTuple):
    """How many positions one trace has: characters of the text, of the target (its start symbol
    included; 0 without a target), and hidden characters whose loss is known."""

    text: int
    target: int = 0
    hidden: int = 0


class Along(StrEnum):
    """Whose characters the indices of an axis are."""

    TEXT = "text"
    TARGET = "target"
    HIDDEN = "hidden"
    VOCABULARY = "vocabulary"


@dataclass(frozen=True)
class Axis:
    """One named axis. `symbol` is how shapes print it, `meaning` what its indices count; `field` is
    the config entry with its size, or None where the size is the number of the characters `along`
    it, less `fewer`."""

    name: str
    symbol: str
    meaning: str
    field: str | None = None
    along: Along | None = None
    fewer: int = 0

    def size(self, config: ModelConfig, lengths: Lengths) -> int:
        if self.field is not None:
            return int(getattr(config, self.field))
        assert self.along is not None, f"the axis {self.name} has no size"
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
    "the characters of the target, after the line end that begins it",
    along=Along.TARGET,
)
TARGET_SOURCE = Axis(
    "source",
    "M",
    "the characters of the target again, as the decoder's attention to itself looks at them",
    along=Along.TARGET,
)
TARGET_PREDICTED = Axis(
    "position",
    "M − 1",
    "the characters of the target that another one follows, which has a loss",
    along=Along.TARGET,
    fewer=1,
)
HIDDEN = Axis(
    "hidden",
    "m",
    "the characters that were hidden from an encoder and are known, so that they have a loss",
    along=Along.HIDDEN,
)
D_MODEL = Axis("d_model", "d", "the features of a position on the residual stream", "d_model")
HEAD = Axis("head", "h", "the heads of an attention, which look side by side", "n_heads")
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


class Kind(StrEnum):
    """What the numbers of a stage are, which chooses the picture."""

    IDS = "ids"
    SIGNED = "signed"
    SCORES = "scores"
    PROBABILITY = "probability"
    SCALE = "scale"

    @property
    def meaning(self) -> str:
        """The numbers in a few words."""
        return {
            Kind.IDS: "whole numbers that name characters",
            Kind.SIGNED: "numbers of either sign",
            Kind.SCORES: "numbers of either sign that a softmax reads; a mask puts −∞ among them",
            Kind.PROBABILITY: "shares of a whole, from 0 to 1",
            Kind.SCALE: "sizes, which are never below zero",
        }[self]


@dataclass(frozen=True)
class Weight:
    """A parameter as the checkpoint has it; a matrix's axes are (out, in)."""

    key: str
    symbol: str
    axes: tuple[Axis, ...]


@dataclass(frozen=True)
class Stage:
    """One tensor: what it is (`title`, `symbol`, `axes`, `kind`), how it is made (`op` from
    `inputs` and `weights`), who teaches it (`sections`), and where it stands: the `group` it is
    listed under, and the sub-layer (`branch`) that leaves the residual stream and rejoins it,
    None for a stage on the stream itself."""

    key: str
    title: str
    symbol: str
    axes: tuple[Axis, ...]
    kind: Kind
    op: ops.Op
    equation: str
    sections: tuple[Section, ...]
    group: str
    branch: str | None
    inputs: tuple[str, ...] = ()
    weights: tuple[Weight, ...] = ()

    @property
    def operation(self) -> str:
        return self.op.operation

    @property
    def symbolic_shape(self) -> tuple[str, ...]:
        return tuple(axis.symbol for axis in self.axes)

    @property
    def null_means(self) -> str | None:
        """What a missing cell stands for: "-inf" where a mask put it, else None."""
        return "-inf" if self.op.masks else None

    def shape(self, config: ModelConfig, lengths: Lengths) -> tuple[int, ...]:
        """The tensor's shape for texts of these lengths."""
        return tuple(axis.size(config, lengths) for axis in self.axes)


@dataclass(frozen=True)
class Stack:
    """One column of blocks: what its keys, titles and groups begin with, the letter of its
    residual stream, the axes along its positions, and what its attention may look at."""

    prefix: str
    title: str
    stream: str
    position: Axis
    source: Axis
    mask: ops.Op

    @property
    def on_stream(self) -> tuple[Axis, Axis]:
        """The axes of whatever is added to, or read from, the residual stream."""
        return self.position, D_MODEL

    def named(self, title: str) -> str:
        """A title with the stack's before it: "Encoder block 1", or plain "Block 1"."""
        return f"{self.title} {title[0].lower()}{title[1:]}" if self.title else title


class Table:
    """Collects stages: an equation can use the symbols of what came before, and each stage
    stands in the `stack`, in the `group` and on the `branch` of the moment."""

    def __init__(self, stack: Stack) -> None:
        self.stages: dict[str, Stage] = {}
        self.stack = stack
        self.group = ""
        self.branch: str | None = None

    @contextmanager
    def on_branch(self, name: str) -> Iterator[None]:
        """What is declared inside leaves the residual stream."""
        self.branch = name
        yield
        self.branch = None

    def add(
        self,
        key: str,
        title: str,
        symbol: str,
        axes: tuple[Axis, ...],
        kind: Kind,
        op: ops.Op,
        *,
        inputs: tuple[str, ...] = (),
        weights: tuple[Weight, ...] = (),
        sections: tuple[Section, ...],
    ) -> str:
        assert key not in self.stages, f"stage {key} is declared twice"
        operands = [self.stages[i].symbol for i in inputs] + [w.symbol for w in weights]
        equation = op.equation(symbol, operands)
        self.stages[key] = Stage(
            key, title, symbol, axes, kind, op, equation, sections,
            self.group, self.branch, inputs, weights,
        )  # fmt: skip
        return key
