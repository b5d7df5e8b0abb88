"""Looking up: ids, and rows of a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from model.ops.explanation import Explanation, Factor, copied
from model.ops.op import Array, Gradient, Op, Rows


@dataclass(frozen=True)
class Given(Op):
    """Integers that come from the reader's text: no operation makes them."""

    result: ClassVar[str]
    """What each of them is, before the number of its place."""

    def forward(self, *operands: Array) -> Array:
        raise TypeError(f"{type(self).__name__} is the interpreter's input; nothing computes it")

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """None: no gradient passes through integers, so nobody may ask."""
        raise TypeError(f"{type(self).__name__} holds integers; no gradient flows through it")

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        (i,) = index
        return copied(f"{self.result} {i}", int(y[i]))


@dataclass(frozen=True)
class Encode(Given):
    """ids[i]: the number of the character at position i."""

    operation: ClassVar[str] = "look each character up in the vocabulary"
    result: ClassVar[str] = "id of the character at position"

    def equation(self, result: str, operands: Sequence[str]) -> str:
        return rf"{result}[i] = \operatorname{{id}}(\text{{character}}_i)"


@dataclass(frozen=True)
class EncodeTarget(Given):
    """ids[i]: the number of the target's character at position i − 1; a line end begins it."""

    operation: ClassVar[str] = "put a line end first, look each character up in the vocabulary"
    result: ClassVar[str] = "id of the character at the target's position"

    def equation(self, result: str, operands: Sequence[str]) -> str:
        return (
            rf"{result}[0] = \operatorname{{id}}(\text{{line end}}), \quad "
            rf"{result}[i] = \operatorname{{id}}(\text{{character}}_{{i-1}})"
        )


@dataclass(frozen=True)
class HiddenPositions(Given):
    """h[j]: where the j-th hidden character stands whose truth is known."""

    operation: ClassVar[str] = "the positions whose character was hidden from the model"
    result: ClassVar[str] = "position of hidden character"

    def equation(self, result: str, operands: Sequence[str]) -> str:
        return rf"{result}[j] = \text{{position of hidden character }} j"


@dataclass(frozen=True)
class HiddenIds(Given):
    """y[j]: the number of the j-th hidden character, which the model did not read."""

    operation: ClassVar[str] = "look the hidden characters up in the vocabulary"
    result: ClassVar[str] = "id of hidden character"

    def equation(self, result: str, operands: Sequence[str]) -> str:
        return rf"{result}[j] = \operatorname{{id}}(\text{{hidden character}}_j)"


@dataclass(frozen=True)
class LookUp(Op):
    """y[i] = W[ids[i]]: (T,), (V, D) -> (T, D)."""

    operation: ClassVar[str] = "look up one row of the table for each id"

    def forward(self, *operands: Array) -> Array:
        ids, table = operands
        return table[ids]

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dW[r] = Σ dy[i] over the i with ids[i] = r: only the rows that occurred."""
        ids, table = operands
        occurred, row = np.unique(ids, return_inverse=True)
        values = np.zeros((len(occurred), table.shape[-1]), dtype=dy.dtype)
        np.add.at(values, row, dy)  # a row that occurred twice receives both
        return None, Rows(occurred, values)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        ids, table = operands
        i, k = index
        row = int(ids[i])
        return copied(
            f"{{1}}, row {row}, feature {k}",
            float(table[row, k]),
            Factor(0, (i,)),
            Factor(1, (row, k)),
            note=f"The id at position {i} is {row}, and it chooses the table's row {row}.",
        )

    def equation(self, result: str, operands: Sequence[str]) -> str:
        ids, table = operands
        return f"{result}[i] = {table}[\\,{ids}[i]\\,]"


@dataclass(frozen=True)
class LookUpPosition(Op):
    """y[i] = W[i]: (T,), (L, D) -> (T, D). Of the ids only their number matters."""

    operation: ClassVar[str] = "take the table's row of each position"

    def forward(self, *operands: Array) -> Array:
        ids, table = operands
        return table[: len(ids)]

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dW[i] = dy[i]: only the rows of positions that the text has."""
        return None, Rows(np.arange(len(dy)), dy)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        _, table = operands
        i, k = index
        return copied(
            f"{{1}}, row {i}, feature {k}",
            float(table[index]),
            Factor(1, index),
            note=f"Position {i} chooses the table's row {i}, whatever character stands there.",
        )

    def equation(self, result: str, operands: Sequence[str]) -> str:
        _, table = operands
        return f"{result}[i] = {table}[i]"
