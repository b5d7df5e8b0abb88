"""One tensor of the table: what it is, how it is made, who teaches it."""

from dataclasses import dataclass
from enum import StrEnum

from model.config import ModelConfig
from model.ops.op import Op
from model.table.axes import NO_TEXT, Axis, Lengths
from model.table.sections import Section


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

    def shape(self, config: ModelConfig) -> tuple[int, ...]:
        """The parameter's shape, which depends on no text."""
        return tuple(axis.size(config, NO_TEXT) for axis in self.axes)


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
    op: Op
    equation: str
    sections: tuple[Section, ...]
    group: str
    branch: str | None
    inputs: tuple[str, ...] = ()
    weights: tuple[Weight, ...] = ()

    def __hash__(self) -> int:
        """By the key: each trace looks its table up, and to read all fields takes 15 times as
        long."""
        return hash(self.key)

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
