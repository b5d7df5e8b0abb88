"""What is not finite in a tensor, in four words: masked, −∞, +∞ and NaN."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from model.ops.op import Array

WORDS = {"masked": "masked", "minus_inf": "−∞", "plus_inf": "+∞", "nan": "NaN"}
"""The four by their names in an answer, and what a reader sees."""


@dataclass(frozen=True, eq=False)
class Nonfinite:
    """Where a tensor's cells are not finite, as flat indices in the order of its axes. `masked` are
    the −∞ that the stage's own mask put there; every other −∞ is `minus_inf`."""

    masked: Array
    minus_inf: Array
    plus_inf: Array
    nan: Array

    def named(self) -> Iterator[tuple[str, Array]]:
        """Each of the four with its indices."""
        yield from vars(self).items()

    def __str__(self) -> str:
        """How many there are of each that no mask made: "2 cells NaN, 1 cell +∞"."""
        counts = [(WORDS[name], len(found)) for name, found in self.named() if name != "masked"]
        return ", ".join(
            f"{count} {'cell' if count == 1 else 'cells'} {word}" for word, count in counts if count
        )


def nonfinite(array: Array, masked: Array | None = None) -> Nonfinite | None:
    """What of a tensor is not finite, or None where it is nothing but what its mask put there.
    `masked` is where the stage's operation masks, of the tensor's shape (`Op.masked`)."""
    finite = np.isfinite(array)
    if finite.all() if masked is None else np.array_equal(~finite, masked):
        return None
    return everything(array, masked)


def everything(array: Array, masked: Array | None = None) -> Nonfinite:
    """The same whatever there is."""
    below = np.isneginf(array)
    hidden = np.zeros_like(below) if masked is None else below & masked
    return Nonfinite(
        masked=np.flatnonzero(hidden),
        minus_inf=np.flatnonzero(below & ~hidden),
        plus_inf=np.flatnonzero(np.isposinf(array)),
        nan=np.flatnonzero(np.isnan(array)),
    )


def word_of(value: float, *, masked: bool = False) -> str | None:
    """What one number is called, None where it is finite; `masked` where a mask put it there."""
    if math.isfinite(value):
        return None
    if math.isnan(value):
        return WORDS["nan"]
    if value > 0:
        return WORDS["plus_inf"]
    return WORDS["masked" if masked else "minus_inf"]
