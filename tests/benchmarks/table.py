"""The table that the benchmark prints: a measured figure, its goal, and whether it is met."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Bound(Enum):
    """On which side of the goal a figure must lie."""

    AT_MOST = "≤"
    AT_LEAST = "≥"


@dataclass(frozen=True)
class Goal:
    """A figure's limit, and the better one that is aimed at."""

    limit: float
    bound: Bound = Bound.AT_MOST
    aim: float | None = None

    def met(self, value: float) -> bool:
        return value <= self.limit if self.bound is Bound.AT_MOST else value >= self.limit

    def __str__(self) -> str:
        aim = "" if self.aim is None else f" (aim {self.aim:g})"
        return f"{self.bound.value} {self.limit:g}{aim}"


@dataclass(frozen=True)
class Line:
    """One figure. Without a goal it is told for comparison alone."""

    what: str
    value: float
    goal: Goal | None = None

    @property
    def verdict(self) -> str:
        if self.goal is None:
            return ""
        return "met" if self.goal.met(self.value) else "NOT MET"


def table(lines: Iterable[Line]) -> str:
    """The lines as aligned text: what, figure, goal, verdict."""
    rows = [(line.what, f"{line.value:.3f}", str(line.goal or ""), line.verdict) for line in lines]
    what, value, goal = (max(len(row[i]) for row in rows) for i in range(3))
    return "\n".join(f"{a:<{what}}  {b:>{value}}  {c:<{goal}}  {d}".rstrip() for a, b, c, d in rows)
