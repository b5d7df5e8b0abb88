"""The answers about single numbers and about weights."""

from typing import Any

from pydantic import Field

from app.server.schemas import Answer
from app.tracing.schemas import ModelCard, Summary, TableWeight
from model.equality import RULE
from model.finiteness import WORDS
from model.ops.explanation import Rule

COUNTED = "from 0 along each axis, so that the page’s head 3 is index 2"
WORD = f"where the value is null, which of the four it is: {', '.join(WORDS.values())}"


class CellOperand(Answer):
    """One number that a term is made from, and where it stands: a stage or a weight."""

    stage: str | None
    weight: str | None
    gradient: bool = Field(description="whether it is d loss / d that cell instead")
    index: list[int] = Field(description=COUNTED)
    value: float | None = Field(description="null where it is not finite")
    word: str | None = Field(description=WORD)
    name: str = Field(description="its symbol and place, a head counted from 1")


class CellSymbol(Answer):
    """A symbol as plain text; its block stands above it in parentheses, counted from 1."""

    symbol: str
    title: str


class CellTerm(Answer):
    """One part of a cell's arithmetic."""

    label: str
    factors: list[CellOperand] = Field(description="none for a constant")
    value: float | None
    word: str | None = Field(description=WORD)


class CellStep(Answer):
    """A number on the way from the terms to the total."""

    label: str
    value: float | None
    word: str | None = Field(description=WORD)


RULES = "; ".join(f"{rule.value}: {rule.meaning}" for rule in Rule)


class CellAnswer(Answer):
    """Where one number comes from."""

    model: ModelCard
    text: str
    target: str | None
    hidden: list[int]
    stage: str | None
    weight: str | None
    gradient: bool
    index: list[int] = Field(description=COUNTED)
    name: str = Field(description="its symbol and place, a head counted from 1, as the page does")
    counted: str | None = Field(
        description="where `name` counts otherwise than `index`: head 3 is index 2"
    )
    value: float | None = Field(description="as the trace shows it; null where it is not finite")
    word: str | None = Field(description=WORD)
    equation: str = Field(description="LaTeX")
    mathml: str
    rule: str = Field(description=f"how the terms join: {RULES}")
    joined: str = Field(description="what the total is, in words")
    symbols: list[CellSymbol] = Field(description="those that the words use")
    terms: list[CellTerm]
    folded: int = Field(
        description="how many small terms are summed in one, which has no factors; 0 if none"
    )
    steps: list[CellStep] = Field(description="numbers between the terms and the total")
    total: float | None = Field(description="what the terms come to, computed in float64")
    total_word: str | None = Field(description="the same word of the total")
    difference: float | None = Field(description="|value − total|")
    equal: bool = Field(description=f"as one operation. {RULE}")
    code: str = Field(description="the same as one line of NumPy, for `import numpy as np`")
    note: str | None
    used_by: list[str] = Field(description="the stages that read this tensor")
    notices: list[str]


class Weight(TableWeight):
    """One of them with its numbers."""

    summary: Summary
    values: list[Any]


class WeightAnswer(Answer):
    model: ModelCard
    weight: Weight
