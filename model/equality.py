"""What is equal: the measure of a difference between two computations, and how large it may be."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from model.ops.op import Array

SINGLE_OPERATION = 1e-5
"""What one operation from recorded inputs may differ by, on the scale of its row; see
`tolerance`."""

END_TO_END = 5e-5
"""What a whole chain of operations may: rounding has gathered on the way."""

ROUNDINGS = 4
"""How many roundings of float32 the sum of n numbers may be off by, a √n each."""

RULE = (
    "Equal means |a − b| ≤ tolerance · max(1, the largest finite |a| of the row), a being the "
    "shown tensor and a row its last axis. The tolerance is "
    f"{END_TO_END:.0e} from the ids on, and {SINGLE_OPERATION:.0e} for one operation by itself, or "
    f"{ROUNDINGS} · 2⁻²⁴ · √n where that is more, n being the numbers in its longest sum. "
    "Gradients are measured by the largest gradient of the trace instead, to "
    f"{SINGLE_OPERATION:.0e}. Masked equals masked; no other number that is not finite equals "
    "anything."
).replace("e-0", "e−")
"""What this project calls equal, in words for whoever reads an answer."""

MEASURE = r"\frac{\left| a - b \right|}{\max \left( 1, \max_{\text{row}} \left| a \right| \right)}"
"""`Difference.scaled` of one cell in LaTeX, of which the largest counts."""


def tolerance(longest_sum: int = 1) -> float:
    """What one operation may differ by: max(1e-5, 4 · 2⁻²⁴ · √n), n the longest sum in it."""
    return max(SINGLE_OPERATION, ROUNDINGS * 2.0**-24 * math.sqrt(longest_sum))


@dataclass(frozen=True)
class Difference:
    """How far two tensors of one stage are apart.

    `absolute` is the largest |a − b|, `scaled` the largest |a − b| / max(1, the largest finite |a|
    of the row), `index` where that is (None for an empty tensor). Both are infinite where one
    number is not finite, unless a mask put −∞ into both. They are equal as far as `tolerance`.
    """

    absolute: float
    scaled: float
    index: tuple[int, ...] | None
    tolerance: float

    @property
    def equal(self) -> bool:
        return self.scaled <= self.tolerance


def difference(
    shown: Array,
    again: Array,
    allowed: float,
    *,
    masked: Array | bool | None = None,
    scale: Array | float | None = None,
) -> Difference:
    """Compare a shown tensor with a second computation of it, of the same shape.

    `allowed` is the tolerance; where `masked`, −∞ in both is equal; `scale` replaces the rows'.
    """
    assert shown.shape == again.shape
    if not shown.size:
        return Difference(0.0, 0.0, None, allowed)
    apart = _apart(shown, again, False if masked is None else masked)
    scaled = apart / (row_scale(shown) if scale is None else scale)
    index = tuple(int(i) for i in np.unravel_index(np.argmax(scaled), scaled.shape))
    return Difference(float(apart.max()), float(scaled[index]), index, allowed)


def cell_difference(
    shown: Array,
    index: tuple[int, ...],
    again: float,
    allowed: float,
    *,
    masked: bool = False,
    scale: float | None = None,
) -> Difference:
    """The same of one cell of a shown tensor, on the scale of the whole row that it stands in."""
    apart = float(_apart(shown[index], np.float64(again), masked))
    scale = float(row_scale(shown[index[:-1]]).item()) if scale is None else scale
    return Difference(apart, apart / scale, index, allowed)


def row_scale(shown: Array) -> Array:
    """max(1, the largest finite |entry|) of each row: (…, F) -> (…, 1)."""
    a = np.abs(shown.astype(np.float64))
    return np.asarray(a.max(axis=-1, keepdims=True, initial=1.0, where=np.isfinite(a)))


def _apart(shown: Any, again: Any, masked: Array | bool) -> Array:
    """|a − b| of each cell; infinite where one of the two is not finite, and 0 for −∞ in both
    where a mask put it."""
    a, b = np.asarray(shown, np.float64), np.asarray(again, np.float64)
    with np.errstate(invalid="ignore"):  # ∞ − ∞
        apart = np.abs(a - b)
    apart = np.where(np.isfinite(apart), apart, np.inf)
    return np.where(masked & (a == -np.inf) & (b == -np.inf), 0.0, apart)
