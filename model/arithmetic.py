"""What the arithmetic of one number is made of, as an answer has it."""

from dataclasses import dataclass

from model.ops.explanation import Rule


@dataclass(frozen=True)
class Operand:
    """A number and where it stands: in a stage or in a weight, or in the gradient of one; `index`
    counts from 0 along each axis, `name` counts a head from 1, as people do."""

    stage: str | None
    weight: str | None
    gradient: bool
    index: tuple[int, ...]
    value: float
    name: str
    word: str | None
    """What a value is called that is not finite, in this and the following; None for any other."""


@dataclass(frozen=True)
class Symbol:
    """A symbol of the words, as plain text, and the title of the tensor that it stands for."""

    symbol: str
    title: str


@dataclass(frozen=True)
class CellTerm:
    """One part of the arithmetic, and the operands that it is made from."""

    label: str
    factors: tuple[Operand, ...]
    value: float
    word: str | None


@dataclass(frozen=True)
class CellStep:
    """A number on the way from the terms to the total."""

    label: str
    value: float
    word: str | None


@dataclass(frozen=True)
class Cell:
    """One number of a trace, explained: `terms`, joined by `rule`, come to `total`, which is
    `difference` away from the `value` shown; `equal` says whether that is what this project calls
    equal (`model.equality.RULE`); `joined` says in words what the total is, `symbols` what they
    speak of. `name` is the cell's, as an operand's; `counted` says where that counts otherwise than
    `index`. A masked cell is −∞ in `value`, `total` and its one term. `used_by` are the stages that
    read the tensor. The rest is as in model.ops.Explanation."""

    stage: str | None
    weight: str | None
    gradient: bool
    index: tuple[int, ...]
    name: str
    counted: str | None
    value: float
    word: str | None
    equation: str
    rule: Rule
    joined: str
    symbols: tuple[Symbol, ...]
    terms: tuple[CellTerm, ...]
    folded: int
    steps: tuple[CellStep, ...]
    total: float
    total_word: str | None
    difference: float
    equal: bool
    code: str
    note: str | None
    used_by: tuple[str, ...]
