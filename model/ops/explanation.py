"""The arithmetic of one cell of an operation's result: its terms, and how they join."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

OPERAND = re.compile(r"\{(\d+)(@?)\}")
"""Where words have an operand's symbol, or its cell."""


class Rule(StrEnum):
    """How the values of an explanation's terms join to its total; `meaning` says it in words."""

    SUM = "sum", "all terms, added"
    PRODUCT = "product", "all terms, multiplied"
    QUOTIENT = "quotient", "the sum of all terms but the last, divided by the last"
    SHARE = "share", "the first term, divided by the sum of all, itself included"
    MAXIMUM = "maximum", "the largest term"
    MINUS_LOG = "minus log", "minus the natural logarithm of the only term"
    SINE = "sine", "the sine of the terms' product"
    COSINE = "cosine", "the cosine of the terms' product"
    COPY = "copy", "the only term, as it is"
    MASK = "mask", "−∞, because the mask that the only term names put it there"
    TRAINED = "trained", "the only term, as it is: a weight, which training made"

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Self:
        rule = str.__new__(cls, value)
        rule._value_ = value
        rule.meaning = meaning
        return rule

    def total(self, values: Sequence[float]) -> float:
        """What terms with these values come to, in float64."""
        return _TOTALS[self](values)


@dataclass(frozen=True)
class Factor:
    """One cell of one operand: which of the operands (counted from 0), and where in it."""

    operand: int
    index: tuple[int, ...]


@dataclass(frozen=True)
class Term:
    """One part of a cell's arithmetic: what it is, the operands' cells it is made from (none for
    a constant), and its value. In the words, `{0}` stands for the symbol of operand 0, and `{0@}`
    for its cell among the factors: operations know no symbols, so `named` fills them in."""

    label: str
    factors: tuple[Factor, ...]
    value: float


@dataclass(frozen=True)
class Step:
    """A number on the way from the terms to the total."""

    label: str
    value: float


@dataclass(frozen=True)
class Explanation:
    """Why one cell has its value: `terms` joined by `rule` give `total`. `code` is the same as one
    line of NumPy, with `np` as its only name; `says` is in words what the total is, however many
    terms are listed and in whatever order; `steps` are numbers between; `note` is what the terms do
    not say, in a sentence. All words have operands as a term's label has."""

    rule: Rule
    terms: tuple[Term, ...]
    total: float
    code: str
    says: str
    steps: tuple[Step, ...] = ()
    note: str | None = None
    folded: int = 0
    """How many terms the last of a folded sum stands for; 0 where every term is listed."""


def explained(
    rule: Rule,
    terms: Iterable[Term],
    code: str,
    *,
    says: str | None = None,
    steps: Iterable[Step] = (),
    note: str | None = None,
) -> Explanation:
    """An explanation whose total is what the rule makes of the terms; without words of its own it
    says what the rule means."""
    terms = tuple(terms)
    total = rule.total([term.value for term in terms])
    return Explanation(rule, terms, total, code, says or rule.meaning, tuple(steps), note)


def copied(label: str, value: float, *factors: Factor, note: str | None = None) -> Explanation:
    """A cell that is a number from elsewhere, unchanged."""
    terms = [Term(label, factors, value)]
    return explained(Rule.COPY, terms, number(value), says=f"{label}, as it is", note=note)


Place = Callable[[int], tuple[Factor, Factor]]


def products(
    label: str, left: NDArray[Any], right: NDArray[Any], place: Place
) -> tuple[list[Term], str]:
    """The products that a dot product of two vectors adds, and the line of code for it. `place`
    says where the two numbers of each stand."""
    values = left.astype(np.float64) * right.astype(np.float64)
    terms = [Term(f"{label} {n}", place(n), value) for n, value in enumerate(values.tolist())]
    return terms, f"np.dot({numbers(left)}, {numbers(right)})"


def folded(explanation: Explanation, largest: int) -> Explanation:
    """The same with only the `largest` terms of what is added, largest first, and one term that is
    the sum of the rest. A share's own term stays first, a quotient's divisor last."""
    rule, terms = explanation.rule, explanation.terms
    if rule not in (Rule.SUM, Rule.QUOTIENT, Rule.SHARE):
        return explanation
    first = terms[:1] if rule is Rule.SHARE else ()
    last = terms[-1:] if rule is Rule.QUOTIENT else ()
    added = terms[len(first) : len(terms) - len(last)]
    if len(added) <= largest + 1:  # one term needs no more room than one that stands for it
        return explanation
    ordered = sorted(added, key=lambda term: -abs(term.value))
    rest = ordered[largest:]
    label = f"{len(rest)} more terms, none larger"
    more = Term(label, (), math.fsum(term.value for term in rest))
    return replace(explanation, terms=(*first, *ordered[:largest], more, *last), folded=len(rest))


class Nameable(Protocol):
    """What an operand is called, as plain text: by its symbol, or one cell of it."""

    @property
    def symbol(self) -> str: ...

    def cell(self, index: tuple[int, ...]) -> str:
        """Its symbol and where the cell stands."""


def named(explanation: Explanation, operands: Sequence[Nameable]) -> Explanation:
    """The same with the operands' names in its words."""

    def filled(words: str, factors: tuple[Factor, ...] = ()) -> str:
        def name(found: re.Match[str]) -> str:
            n = int(found[1])
            if not found[2]:
                return operands[n].symbol
            return operands[n].cell(next(one.index for one in factors if one.operand == n))

        return OPERAND.sub(name, words)

    return replace(
        explanation,
        terms=tuple(
            replace(term, label=filled(term.label, term.factors)) for term in explanation.terms
        ),
        says=filled(explanation.says),
        steps=tuple(replace(step, label=filled(step.label)) for step in explanation.steps),
        note=None if explanation.note is None else filled(explanation.note),
    )


def number(value: Any) -> str:
    """A number as Python writes it, so that it reads back exactly."""
    if isinstance(value, int):
        return repr(value)
    value = float(value)
    if math.isnan(value):
        return "np.nan"
    if math.isinf(value):
        return "np.inf" if value > 0 else "-np.inf"
    return repr(value)


def numbers(values: Iterable[Any]) -> str:
    """Numbers as a list, written the same way."""
    return f"[{', '.join(map(number, values))}]"


def _quotient(values: Sequence[float]) -> float:
    return math.fsum(values[:-1]) / values[-1]


def _share(values: Sequence[float]) -> float:
    return values[0] / math.fsum(values)


def _minus_log(values: Sequence[float]) -> float:
    (value,) = values
    return -math.log(value) if value > 0 else math.inf


def _only(values: Sequence[float]) -> float:
    (value,) = values
    return value


_TOTALS: dict[Rule, Callable[[Sequence[float]], float]] = {
    Rule.SUM: math.fsum,
    Rule.PRODUCT: math.prod,
    Rule.QUOTIENT: _quotient,
    Rule.SHARE: _share,
    Rule.MAXIMUM: max,
    Rule.MINUS_LOG: _minus_log,
    Rule.SINE: lambda values: math.sin(math.prod(values)),
    Rule.COSINE: lambda values: math.cos(math.prod(values)),
    Rule.COPY: _only,
    Rule.MASK: _only,
    Rule.TRAINED: _only,
}
