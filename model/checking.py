"""The proof of a trace: every stage a second time, in NumPy, and the sanity checks of lesson 56."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from model import interpreter
from model.ops import Array
from model.tracing import Trace, trace


@dataclass(frozen=True)
class Difference:
    """How far two tensors of one stage are apart.

    `absolute` is the largest |a − b| over the finite cells, `scaled` the same divided by
    max(1, the largest finite |entry|), `index` where it is (None for an empty tensor). Cells
    that are not finite must be the same in both, else both figures are infinite.
    """

    absolute: float
    scaled: float
    index: tuple[int, ...] | None

    TOLERANCE: ClassVar[float] = 1e-5
    """What this project calls equal, on the scale of `scaled`."""

    @property
    def equal(self) -> bool:
        return self.scaled <= self.TOLERANCE


def difference(shown: Array, again: Array) -> Difference:
    """Compare a shown tensor with a second computation of it, of the same shape."""
    assert shown.shape == again.shape
    if not shown.size:
        return Difference(0.0, 0.0, None)
    a, b = shown.astype(np.float64), again.astype(np.float64)
    gaps = np.full(a.shape, np.inf)
    finite = np.isfinite(a) & np.isfinite(b)
    gaps[finite] = np.abs(a[finite] - b[finite])
    gaps[~finite & (a == b)] = 0.0
    index = tuple(int(i) for i in np.unravel_index(np.argmax(gaps), gaps.shape))
    absolute = float(gaps[index])
    largest = float(np.max(np.abs(a[np.isfinite(a)]), initial=1.0))
    return Difference(absolute, absolute / largest, index)


@dataclass(frozen=True)
class StageCheck:
    """One stage against the NumPy interpreter: from the ids on, and this one operation alone
    from the inputs that were recorded."""

    key: str
    end_to_end: Difference
    single_operation: Difference


def check(traced: Trace) -> tuple[StageCheck, ...]:
    """Compute every stage a second time, in NumPy (float32), and compare."""
    stages, weights = traced.model.stages, traced.model.weights
    recorded = {stage.key: traced.array(stage.key) for stage in stages}
    ids = np.array([token.id for token in traced.tokens], dtype=np.int32)
    again = interpreter.run(stages, weights, ids)
    alone = {
        stage.key: interpreter.apply(stage, recorded, weights) if stage.inputs else ids
        for stage in stages
    }
    return tuple(
        StageCheck(
            stage.key,
            difference(recorded[stage.key], again[stage.key]),
            difference(recorded[stage.key], alone[stage.key]),
        )
        for stage in stages
    )


@dataclass(frozen=True)
class SanityCheck:
    """One of lesson 56's checks of a decoder, on the reader's own text."""

    name: str
    passed: bool
    finding: str


ROW_SUM_TOLERANCE = 1e-6


def sanity(traced: Trace) -> tuple[SanityCheck, ...]:
    """Attention rows sum to 1, nothing is above the diagonal, and a changed last character
    changes nothing before it, bit for bit."""
    weights = [stage.key for stage in traced.model.stages if stage.key.endswith("attn.weights")]
    arrays = [traced.array(key) for key in weights]
    sums = max(float(np.abs(a.sum(-1, dtype=np.float64) - 1).max()) for a in arrays)
    above = sum(int(np.count_nonzero(np.triu(a, 1))) for a in arrays)
    return (
        SanityCheck(
            "Every row of attention weights sums to 1",
            sums <= ROW_SUM_TOLERANCE,
            f"The row furthest from 1 is off by {sums:.1e}; allowed is {ROW_SUM_TOLERANCE:.0e}.",
        ),
        SanityCheck(
            "Nothing above the diagonal",
            above == 0,
            f"{above} attention weights above the diagonal are not exactly 0.",
        ),
        _causality(traced),
    )


def _causality(traced: Trace) -> SanityCheck:
    name = "A changed last character changes nothing earlier"
    last = len(traced.tokens) - 1
    vocabulary = traced.model.tokenizer.vocabulary
    other = vocabulary[(traced.tokens[-1].id + 1) % len(vocabulary)]
    changed = trace(traced.model, traced.text[:-1] + other)
    before, after = (t.array("logits")[:last] for t in (traced, changed))
    moved = int(np.count_nonzero(before != after))
    if last == 0:
        return SanityCheck(name, True, "The text has one character, so nothing is earlier.")
    return SanityCheck(
        name,
        moved == 0,
        f"With {other!r} last, {moved} of the {before.size} logits before it differ.",
    )
