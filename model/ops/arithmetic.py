"""Element by element."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from model.ops.explanation import Explanation, Factor, Rule, Term, explained, number
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

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        left, right = (float(operand[index]) for operand in operands)
        code = f"{number(left)} + {number(right)}"
        return explained(Rule.SUM, _two(index, left, right), code, says="{0} plus {1}")

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

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        left, right = (float(operand[index]) for operand in operands)
        code = f"{number(left)} * {number(right)}"
        return explained(Rule.PRODUCT, _two(index, left, right), code, says="{0} times {1}")

    def equation(self, result: str, operands: Sequence[str]) -> str:
        left, right = operands
        return rf"{result} = {left} \odot {right}"


def _two(index: tuple[int, ...], left: float, right: float) -> tuple[Term, Term]:
    """The cell at the same place of either operand."""
    return Term("{0}", (Factor(0, index),), left), Term("{1}", (Factor(1, index),), right)
