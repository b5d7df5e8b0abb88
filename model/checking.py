"""The proof of a trace: every stage a second time, in NumPy, and the sanity checks of lesson 56."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from model import interpreter
from model.equality import END_TO_END, Difference, difference, tolerance
from model.ops.attention import Softmax
from model.ops.op import Array
from model.table.axes import SOURCE, Along
from model.table.stage import Stage
from model.tokenizer import LINE_END, MASK, Piece, Tokenizer
from model.tracing import Trace, forward


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
    stages, weights = traced.stages, traced.model.exact_weights
    recorded = {stage.key: _exact(traced.array(stage.key)) for stage in stages}
    given = traced.reading.given
    with np.errstate(all="ignore"):  # numbers that are not finite are what a check is to find
        again = interpreter.run(stages, weights, given)
        alone = {
            stage.key: interpreter.apply(stage, recorded, weights)
            if stage.inputs
            else given[stage.key]
            for stage in stages
        }
        backward = _gradient_differences(traced, recorded)

    def compared(stage: Stage, other: Mapping[str, Array], allowed: float) -> Difference:
        one = recorded[stage.key]
        return difference(one, other[stage.key], allowed, masked=stage.op.masked(one.shape))

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
    """Torch's gradients against the interpreter's, through the same tensors, so that what differs
    is the way back alone. Where nothing that leads to the loss reads a tensor, it is 0."""
    if traced.gradients is None:
        return {}
    stages, weights = traced.stages, traced.model.exact_weights
    dy = interpreter.gradient_of_mean(recorded[stages[-1].key])
    ours = interpreter.backward(stages, weights, recorded, dy).stages
    shown = {key: traced.gradients.array(key) for key in traced.gradients}
    scale = traced.largest_gradient
    return {
        key: difference(
            one, ours.get(key, np.zeros_like(one, np.float64)), tolerance(), scale=scale
        )
        for key, one in shown.items()
    }


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
        stage for stage in traced.stages
        if isinstance(stage.op, Softmax) and stage.axes[-1].name == SOURCE.name
    ]  # fmt: skip
    masked = [stage for stage in weights if _is_masked(traced, stage)]
    # A maximum by NumPy is NaN where one of them is; Python's depends on their order.
    sums = float(np.max([_furthest_from_one(traced.array(stage.key)) for stage in weights]))
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


def _is_masked(traced: Trace, weights: Stage) -> bool:
    (scores,) = weights.inputs
    return traced.stage(scores).op.masks


def _furthest_from_one(weights: Array) -> float:
    return float(np.abs(weights.sum(-1, dtype=np.float64) - 1).max())


def _causality(traced: Trace) -> SanityCheck:
    """Of the text, or of an encoder-decoder's target: its source it reads in both directions."""
    unit = traced.model.tokenizer.unit
    name = f"A changed last {unit} changes nothing earlier"
    along = Along.TEXT if traced.target is None else Along.TARGET
    pieces = traced.reading.pieces[along]
    if len(pieces) < 2:
        return SanityCheck(name, True, f"There is nothing before the last {unit}.")
    moved, finding = _with_another_last(traced, along, pieces[-1])
    return SanityCheck(name, moved == 0, finding)


def _both_ways(traced: Trace) -> SanityCheck:
    """An encoder's positions see the later ones too."""
    tokenizer = traced.model.tokenizer
    name = f"A changed last {tokenizer.unit} changes what is earlier: attention goes both ways"
    if len(traced.tokens) == 1:
        return SanityCheck(name, True, f"The text has one {tokenizer.unit}, so nothing is earlier.")
    truth = tokenizer.read(traced.text)[-1]  # which may be hidden
    moved, finding = _with_another_last(traced, Along.TEXT, truth)
    return SanityCheck(name, moved > 0, finding)


def _with_another_last(traced: Trace, along: Along, last: Piece) -> tuple[int, str]:
    """How many logits differ before the last position of a text when another id stands there, and
    the sentence that says so. An id is changed and not the text, which might be cut otherwise."""
    model, given = traced.model, traced.reading.given
    key = next(one.key for one in traced.stages if one.key in given and one.axes[0].along is along)
    other = _another(model.tokenizer, last.id)
    changed = given[key].copy()
    changed[-1] = other.id
    again = forward(model, replace(traced.reading, given={**given, key: changed}))
    before, after = (one.array("logits")[:-1] for one in (traced, again))
    moved = int(np.count_nonzero(before != after))
    return moved, f"With {other.text!r} last, {moved} of the {before.size} logits before it differ."


def _another(tokenizer: Tokenizer, id: int) -> Piece:
    """The next piece, in the vocabulary's order, that any line may have."""
    count = len(tokenizer)
    others = (tokenizer.piece((id + step) % count) for step in range(1, count))
    free = (piece for piece in others if piece.text not in (LINE_END, MASK))
    return next(free, tokenizer.piece(id))
