"""The words of the stage table: axis, kind, weight, stage, and the table that collects them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

from model import ops
from model.config import ModelConfig
from model.sections import Section


@dataclass(frozen=True)
class Axis:
    """One named axis. `symbol` is how shapes print it; `field` is the config entry with its size,
    or None where the size is the number of positions, less `fewer`."""

    name: str
    symbol: str
    field: str | None = None
    fewer: int = 0

    def size(self, config: ModelConfig, n_positions: int) -> int:
        if self.field is None:
            return n_positions - self.fewer
        return int(getattr(config, self.field))


POSITION = Axis("position", "N")
SOURCE = Axis("source", "N")
PREDICTED = Axis("position", "N − 1", fewer=1)  # the positions whose next character is known
D_MODEL = Axis("d_model", "d", "d_model")
HEAD = Axis("head", "h", "n_heads")
D_HEAD = Axis("d_head", "d_head", "d_head")
D_FF = Axis("d_ff", "d_ff", "d_ff")
VOCAB = Axis("vocab", "V", "vocab_size")
CONTEXT = Axis("context", "L", "context_length")


class Kind(StrEnum):
    """What the numbers of a stage are, which chooses the picture."""

    IDS = "ids"
    SIGNED = "signed"
    SCORES = "scores"
    PROBABILITY = "probability"
    SCALE = "scale"


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

    def shape(self, config: ModelConfig, n_positions: int) -> tuple[int, ...]:
        """The tensor's shape for a text of `n_positions` characters."""
        return tuple(axis.size(config, n_positions) for axis in self.axes)


class Table:
    """Collects stages: an equation can use the symbols of what came before, and each stage
    stands in the `group` and on the `branch` of the moment."""

    def __init__(self) -> None:
        self.stages: dict[str, Stage] = {}
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
