"""Looking up: ids, and rows of a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from model.ops.op import Array, Op


@dataclass(frozen=True)
class Encode(Op):
    """ids[i]: the number of the character at position i. The only stage that is given, not made."""

    operation: ClassVar[str] = "look each character up in the vocabulary"

    def forward(self, *operands: Array) -> Array:
        raise TypeError("the ids are the interpreter's input; no operation makes them")

    def equation(self, result: str, operands: Sequence[str]) -> str:
        return rf"{result}[i] = \operatorname{{id}}(\text{{character}}_i)"


@dataclass(frozen=True)
class LookUp(Op):
    """y[i] = W[ids[i]]: (T,), (V, D) -> (T, D)."""

    operation: ClassVar[str] = "look up one row of the table for each id"

    def forward(self, *operands: Array) -> Array:
        ids, table = operands
        return table[ids]

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

    def equation(self, result: str, operands: Sequence[str]) -> str:
        _, table = operands
        return f"{result}[i] = {table}[i]"
