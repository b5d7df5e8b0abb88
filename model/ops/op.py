"""What an operation is."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from model.ops.explanation import Explanation

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Rows:
    """The gradient of a table of which a few rows were read: `values` (N, D) at the rows `index`
    (N,), none of them twice, and zero at all others."""

    index: Array
    values: Array

    def add_to(self, table: Array) -> None:
        """Add to the gradient of the whole table, in place."""
        table[self.index] += self.values


Gradient = Array | Rows | None
"""d scalar / d operand: of the operand's shape and dtype; None where the operand is integers."""


def raised(symbol: str, exponent: str) -> str:
    """A symbol with an exponent in LaTeX; one that has something above it already is braced."""
    return f"{{{symbol}}}^{exponent}" if "^" in symbol else f"{symbol}^{exponent}"


class Op(ABC):
    """One operation: its words, its equation, its result, its derivative, a cell's arithmetic."""

    operation: ClassVar[str]
    masks: ClassVar[bool] = False
    """Whether cells of the result can be −∞ because a mask put it there."""

    def masked(self, shape: tuple[int, ...]) -> Array | None:
        """Where the operation's own mask puts −∞ into a result of that shape; None without one."""
        return None

    @abstractmethod
    def forward(self, *operands: Array) -> Array:
        """The result, from the stage's inputs and then its weights."""

    def longest_sum(self, *operands: Array) -> int:
        """How many numbers the longest sum behind one cell of the result adds up, from the shapes
        of the operands: 1 where each cell is made from single numbers. Rounding grows with it."""
        return 1

    @abstractmethod
    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """The vector-Jacobian product: one gradient an operand, from the gradient `dy` of the
        result `y`. In the formulas dx stands for d scalar / d x, for any scalar that y leads to.

        The gradients may share memory with `dy` and with each other; do not write into them.
        """

    @abstractmethod
    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        """The arithmetic of y[index] with the operands' own numbers, in float64 whatever their
        dtype. `y` is the result; only what no operand makes is read from it."""

    @abstractmethod
    def equation(self, result: str, operands: Sequence[str]) -> str:
        """The equation in LaTeX, from the symbols of the result and of the operands."""
