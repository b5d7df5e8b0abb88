"""Element by element."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from model.ops.op import Array, Gradient, Op


@dataclass(frozen=True)
class Add(Op):
    """y = a + b, element by element."""

    operation: ClassVar[str] = "add, element by element"

    def forward(self, *operands: Array) -> Array:
        left, right = operands
        return left + right

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """da = dy, db = dy: a sum hands its gradient to both."""
        return dy, dy

    def equation(self, result: str, operands: Sequence[str]) -> str:
        left, right = operands
        return f"{result} = {left} + {right}"


@dataclass(frozen=True)
class Multiply(Op):
    """y = a ⊙ b, element by element."""

    operation: ClassVar[str] = "multiply, element by element"

    def forward(self, *operands: Array) -> Array:
        left, right = operands
        return left * right

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """da = dy ⊙ b, db = dy ⊙ a."""
        left, right = operands
        return dy * right, dy * left

    def equation(self, result: str, operands: Sequence[str]) -> str:
        left, right = operands
        return rf"{result} = {left} \odot {right}"
