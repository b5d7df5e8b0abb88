"""Element by element."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from model.ops.op import Array, Op


@dataclass(frozen=True)
class Add(Op):
    """y = a + b, element by element."""

    operation: ClassVar[str] = "add, element by element"

    def forward(self, *operands: Array) -> Array:
        left, right = operands
        return left + right

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

    def equation(self, result: str, operands: Sequence[str]) -> str:
        left, right = operands
        return rf"{result} = {left} \odot {right}"
