"""How a table is written down: stage after stage, each in its place."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from model.ops.op import Op
from model.table.axes import D_MODEL, Axis
from model.table.sections import Section, in_order
from model.table.stage import Kind, Stage, Weight
from model.table.symbols import marked


@dataclass(frozen=True)
class StackSpec:
    """One stack of blocks as the table speaks of it: what its keys, titles and groups begin with,
    the letter of its residual stream, the axes along its positions, the mask of its attention to
    itself. Who teaches what that may see (`seen`), and, besides those who teach every stack, what
    this one reads (`read`) and its additions and norms (`wired`)."""

    prefix: str
    title: str
    stream: str
    position: Axis
    source: Axis
    mask: Op
    seen: tuple[Section, ...]
    read: tuple[Section, ...] = ()
    wired: tuple[Section, ...] = ()

    @property
    def ids(self) -> str:
        """The key of the stack's ids, which say how long its text is."""
        return f"{self.prefix}ids"

    @property
    def on_stream(self) -> tuple[Axis, Axis]:
        """The axes of whatever is added to, or read from, the residual stream."""
        return self.position, D_MODEL

    def named(self, title: str) -> str:
        """A title with the stack's before it: "Encoder block 1", or plain "Block 1"."""
        return f"{self.title} {title[0].lower()}{title[1:]}" if self.title else title

    def streamed(self, blocks: int) -> str:
        """The symbol of the residual stream after a number of blocks."""
        return f"{self.stream}_{blocks}"

    def marked(self, symbol: str, block: int | None = None) -> str:
        """The symbol with the block above it, counted from 1, that its tensor belongs to, and the
        first letter of the stack where there are two; what belongs to neither carries nothing."""
        stack = rf"\text{{{self.title[0]}}}" if self.title else ""
        mark = f"{stack}{'' if block is None else block}"
        return marked(symbol, mark) if mark else symbol


class Table:
    """Collects stages: an equation can use the symbols of what came before, and each stage
    stands in the `stack`, in the `group`, in the `block` and on the `branch` of the moment. In a
    block, its symbol and its weights' carry the block's number, which is 1 for the first."""

    def __init__(self, stack: StackSpec) -> None:
        self.stages: dict[str, Stage] = {}
        self.stack = stack
        self.group = ""
        self.branch: str | None = None
        self.block: int | None = None

    @contextmanager
    def in_block(self, number: int) -> Iterator[None]:
        """What is declared inside belongs to a block, counted from 1."""
        self.block = number
        yield
        self.block = None

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
        op: Op,
        *,
        inputs: tuple[str, ...] = (),
        weights: tuple[Weight, ...] = (),
        sections: tuple[Section, ...],
    ) -> str:
        assert key not in self.stages, f"stage {key} is declared twice"
        symbol = self._named(symbol)
        weights = tuple(replace(weight, symbol=self._named(weight.symbol)) for weight in weights)
        operands = [self.stages[i].symbol for i in inputs] + [w.symbol for w in weights]
        equation = op.equation(symbol, operands)
        self.stages[key] = Stage(
            key, title, symbol, axes, kind, op, equation, in_order(sections),
            self.group, self.branch, inputs, weights,
        )  # fmt: skip
        return key

    def _named(self, symbol: str) -> str:
        """With the block's mark, but for the block's result, which counts the blocks itself."""
        if self.block is None or symbol == self.stack.streamed(self.block):
            return symbol
        return self.stack.marked(symbol, self.block)
