"""The proof of a trace: every stage a second time, in NumPy, and the sanity checks of lesson 56."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from model import interpreter
from model.checkpoint import LoadedModel
from model.ops.attention import Softmax
from model.ops.op import Array
from model.table.axes import SOURCE
from model.table.stage import Stage
from model.tokenizer import LINE_END, MASK
from model.tracing import Trace, stage_of, trace

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
    masks: bool = False,
    scale: Array | float | None = None,
) -> Difference:
    """Compare a shown tensor with a second computation of it, of the same shape.

    `allowed` is the tolerance; with `masks`, −∞ in both is equal; `scale` replaces the rows'.
    """
    assert shown.shape == again.shape
    if not shown.size:
        return Difference(0.0, 0.0, None, allowed)
    apart = _apart(shown, again, masks)
    scaled = apart / (row_scale(shown) if scale is None else scale)
    index = tuple(int(i) for i in np.unravel_index(np.argmax(scaled), scaled.shape))
    return Difference(float(apart.max()), float(scaled[index]), index, allowed)


def cell_difference(
    shown: Array,
    index: tuple[int, ...],
    again: float,
    allowed: float,
    *,
    masks: bool = False,
    scale: float | None = None,
) -> Difference:
    """The same of one cell of a shown tensor, on the scale of the whole row that it stands in."""
    apart = float(_apart(shown[index], np.float64(again), masks))
    scale = float(row_scale(shown[index[:-1]]).item()) if scale is None else scale
    return Difference(apart, apart / scale, index, allowed)


def row_scale(shown: Array) -> Array:
    """max(1, the largest finite |entry|) of each row: (…, F) -> (…, 1)."""
    a = np.abs(shown.astype(np.float64))
    return np.asarray(a.max(axis=-1, keepdims=True, initial=1.0, where=np.isfinite(a)))


def gradient_scale(traced: Trace) -> float:
    """The largest finite |gradient| of all stages of a trace, by which its gradients are measured;
    1 where all of them are 0."""
    assert traced.gradients is not None
    sizes = (np.abs(traced.gradients.array(key)) for key in traced.gradients)
    return max(float(a.max(initial=0.0, where=np.isfinite(a))) for a in sizes) or 1.0


def _apart(shown: Any, again: Any, masks: bool) -> Array:
    """|a − b| of each cell; infinite where one of the two is not finite, and 0 for −∞ in both if
    that is a mask's."""
    a, b = np.asarray(shown, np.float64), np.asarray(again, np.float64)
    with np.errstate(invalid="ignore"):  # ∞ − ∞
        apart = np.abs(a - b)
    apart = np.where(np.isfinite(apart), apart, np.inf)
    return np.where(masks & (a == -np.inf) & (b == -np.inf), 0.0, apart)


@dataclass(frozen=True)
class StageCheck:
    """One stage against the NumPy interpreter: from the ids on, this one operation alone from the
    inputs that were recorded, and, where the trace has it, its gradient, carried back from the
    loss through the tensors that were recorded.

    A gradient's `scaled` is divided by the largest gradient of the whole trace instead; its
    tolerance is that of one operation.
    """

    key: str
    end_to_end: Difference
    single_operation: Difference
    gradient: Difference | None = None


def check(traced: Trace) -> tuple[StageCheck, ...]:
    """Compute every stage a second time, in NumPy, forward and, if the trace has gradients,
    backward; and compare. In float64, so that what differs is the rounding of the shown side."""
    stages, weights = traced.model.stages, traced.model.exact_weights
    recorded = {stage.key: _exact(traced.array(stage.key)) for stage in stages}
    given = traced.reading.given
    again = interpreter.run(stages, weights, given)
    alone = {
        stage.key: interpreter.apply(stage, recorded, weights) if stage.inputs else given[stage.key]
        for stage in stages
    }
    backward = _gradient_differences(traced, recorded)

    def compared(stage: Stage, other: Mapping[str, Array], allowed: float) -> Difference:
        key = stage.key
        return difference(recorded[key], other[key], allowed, masks=stage.op.masks)

    return tuple(
        StageCheck(
            stage.key,
            compared(stage, again, END_TO_END),
            compared(stage, alone, stage_tolerance(stage, recorded, weights)),
            backward.get(stage.key),
        )
        for stage in stages
    )


def stage_tolerance(
    stage: Stage, recorded: Mapping[str, Array], weights: Mapping[str, Array]
) -> float:
    """What a stage's own operation may differ by, from the shapes that it reads."""
    operands = [recorded[key] for key in stage.inputs]
    operands += [weights[weight.key] for weight in stage.weights]
    return tolerance(stage.op.longest_sum(*operands))


def _exact(array: Array) -> Array:
    """The same numbers in float64; ids stay whole."""
    return array if array.dtype.kind == "i" else array.astype(np.float64)


def _gradient_differences(traced: Trace, recorded: Mapping[str, Array]) -> dict[str, Difference]:
    """Torch's gradients against the interpreter's, through the same tensors: the derivative of
    −log p is −1/p, so a last digit of a small p would count for more than all else."""
    if traced.gradients is None:
        return {}
    stages, weights = traced.model.stages, traced.model.exact_weights
    dy = interpreter.gradient_of_mean(recorded[stages[-1].key])
    ours = interpreter.backward(stages, weights, recorded, dy).stages
    shown = {key: traced.gradients.array(key) for key in traced.gradients}
    scale = gradient_scale(traced)
    return {key: difference(shown[key], ours[key], tolerance(), scale=scale) for key in shown}


@dataclass(frozen=True)
class SanityCheck:
    """One of lesson 56's checks, on the reader's own text."""

    name: str
    passed: bool
    finding: str


ROW_SUM_TOLERANCE = 1e-6


def sanity(traced: Trace) -> tuple[SanityCheck, ...]:
    """Attention rows sum to 1; and where a mask is, nothing is above the diagonal, and a changed
    last character changes nothing before it, bit for bit. Without one it must change something."""
    weights = [
        stage for stage in traced.model.stages
        if isinstance(stage.op, Softmax) and stage.axes[-1].name == SOURCE.name
    ]  # fmt: skip
    masked = [stage for stage in weights if _is_masked(traced.model, stage)]
    sums = max(_furthest_from_one(traced.array(stage.key)) for stage in weights)
    rows = SanityCheck(
        "Every row of attention weights sums to 1",
        sums <= ROW_SUM_TOLERANCE,
        f"The row furthest from 1 is off by {sums:.1e}; allowed is {ROW_SUM_TOLERANCE:.0e}.",
    )
    if not masked:
        return rows, _both_ways(traced)
    above = sum(int(np.count_nonzero(np.triu(traced.array(stage.key), 1))) for stage in masked)
    triangle = SanityCheck(
        "Nothing above the diagonal",
        above == 0,
        f"{above} attention weights above the diagonal are not exactly 0.",
    )
    return rows, triangle, _causality(traced)


def _is_masked(model: LoadedModel, weights: Stage) -> bool:
    (scores,) = weights.inputs
    return stage_of(model, scores).op.masks


def _furthest_from_one(weights: Array) -> float:
    return float(np.abs(weights.sum(-1, dtype=np.float64) - 1).max())


def _causality(traced: Trace) -> SanityCheck:
    """Of the text, or of an encoder-decoder's target: its source it reads in both directions."""
    name = "A changed last character changes nothing earlier"
    line = traced.text if traced.target is None else traced.target
    if len(line) < 2 and (traced.target is None or not line):
        return SanityCheck(name, True, "There is nothing before the last character.")
    other = _another(traced, line[-1])
    last = len(traced.array("logits")) - 1
    if traced.target is None:
        changed = trace(traced.model, line[:-1] + other)
    else:
        changed = trace(traced.model, traced.text, target=line[:-1] + other)
    before, after = (t.array("logits")[:last] for t in (traced, changed))
    moved = int(np.count_nonzero(before != after))
    return SanityCheck(
        name,
        moved == 0,
        f"With {other!r} last, {moved} of the {before.size} logits before it differ.",
    )


def _both_ways(traced: Trace) -> SanityCheck:
    """An encoder's positions see the later ones too."""
    name = "A changed last character changes what is earlier: attention goes both ways"
    last = len(traced.tokens) - 1
    if last == 0:
        return SanityCheck(name, True, "The text has one character, so nothing is earlier.")
    other = _another(traced, traced.text[-1])
    hidden = [position for position in traced.reading.hidden if position != last]
    changed = trace(traced.model, traced.text[:-1] + other, hidden=hidden)
    before, after = (t.array("logits")[:last] for t in (traced, changed))
    moved = int(np.count_nonzero(before != after))
    return SanityCheck(
        name,
        moved > 0,
        f"With {other!r} last, {moved} of the {before.size} logits before it differ.",
    )


def _another(traced: Trace, character: str) -> str:
    """A different character that any line may have."""
    vocabulary = [c for c in traced.model.tokenizer.vocabulary if c not in (LINE_END, MASK)]
    at = vocabulary.index(character) if character in vocabulary else -1
    return vocabulary[(at + 1) % len(vocabulary)]
