"""The mask before the softmax, and the mistake of putting it after (lesson 56).

One query's scores against every position, of which it may see those up to its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from model.errors import InputError
from model.ops.attention import MaskLater, Softmax
from model.ops.op import Array

MOST_SCORES = 16
LARGEST_SCORE = 500.0
"""exp(500) is a float64, exp(1000) is not."""

_SOFTMAX = Softmax("source positions")


@dataclass(frozen=True)
class Before:
    """The right way: −∞ at what must not be seen (here None), then the softmax."""

    masked: tuple[float | None, ...]
    exponentials: tuple[float, ...]
    exponentials_sum: float
    weights: tuple[float, ...]
    total: float


@dataclass(frozen=True)
class After:
    """The mistake: the softmax of all scores, and zeros put in afterwards. The row sums to `total`
    and not to 1, because the later positions took their share; dividing by the total brings the
    right weights back where the total is large enough to divide by, and None where it is 0."""

    softmax: tuple[float, ...]
    weights: tuple[float, ...]
    total: float
    renormalized: tuple[float | None, ...]


@dataclass(frozen=True)
class Leak:
    """The largest change of a seen position's weight when each later score grows by `change`. It
    should be 0: what must not be seen must not matter. `renormalized` is None where one of the two
    rows has no weights left."""

    change: float
    before: float
    after: float
    renormalized: float | None


@dataclass(frozen=True)
class Masking:
    """One row of attention weights, masked in either order."""

    scores: tuple[float, ...]
    position: int
    before: Before
    after: After
    leak: Leak


def masking(scores: Sequence[float], position: int, change: float = 1.0) -> Masking:
    """The weights of the query at `position`, counted from 0, which sees scores 0 to `position`.

    Scores of 1 and 2 become weights e/(e + e²) = 0.269 and e²/(e + e²) = 0.731, whatever follows.

    Raises:
        InputError: the position has no score.
    """
    if not 0 <= position < len(scores):
        raise InputError(
            f"The position {position} has no score: there are {len(scores)}, counted from 0. "
            "Choose an earlier position, or give more scores.",
            field="position",
        )
    row = np.array(scores, dtype=np.float64)
    later = np.arange(len(row)) > position
    moved = np.where(later, row + change, row)
    before, after = _before(row, position), _after(row, later)
    before_moved, after_moved = _before(moved, position), _after(moved, later)
    return Masking(
        scores=tuple(row.tolist()),
        position=position,
        before=before,
        after=after,
        leak=Leak(
            change=change,
            before=_largest_change(before.weights, before_moved.weights),
            after=_largest_change(after.weights, after_moved.weights),
            renormalized=_change_of_known(after.renormalized, after_moved.renormalized),
        ),
    )


def _before(row: Array, position: int) -> Before:
    masked = MaskLater().forward(np.tile(row, (len(row), 1)))[position]
    exponentials = np.exp(masked)
    weights = _SOFTMAX.forward(masked)
    return Before(
        masked=tuple(score if np.isfinite(score) else None for score in masked.tolist()),
        exponentials=tuple(exponentials.tolist()),
        exponentials_sum=float(exponentials.sum()),
        weights=tuple(weights.tolist()),
        total=float(weights.sum()),
    )


def _after(row: Array, later: Array) -> After:
    softmax = _SOFTMAX.forward(row)
    weights = np.where(later, 0.0, softmax)
    total = float(weights.sum())
    return After(
        softmax=tuple(softmax.tolist()),
        weights=tuple(weights.tolist()),
        total=total,
        renormalized=tuple((weights / total).tolist()) if total else (None,) * len(row),
    )


def _largest_change(a: Sequence[float], b: Sequence[float]) -> float:
    return max(abs(x - y) for x, y in zip(a, b, strict=True))


def _change_of_known(a: Sequence[float | None], b: Sequence[float | None]) -> float | None:
    known = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    return max((abs(x - y) for x, y in known), default=None)
