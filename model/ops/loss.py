"""What the logits cost, once it is known which character was to be predicted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from model.ops.explanation import (
    Explanation,
    Factor,
    Rule,
    Step,
    Term,
    explained,
    number,
    numbers,
    summed,
)
from model.ops.op import Array, Gradient, Op


@dataclass(frozen=True)
class NextTokenLoss(Op):
    """ℓ[i] = log Σ_v exp z[i, v] − z[i, ids[i + 1]]: (T, V), (T,) -> (T − 1,), in nats; empty for
    one position. It is −log of the next character's probability, and finite where that is 0."""

    operation: ClassVar[str] = (
        "logarithm of the sum of the logits' exponentials, minus the next character's logit"
    )

    def forward(self, *operands: Array) -> Array:
        logits, ids = operands
        return _cross_entropy(logits[: len(ids) - 1], ids[1:])

    def longest_sum(self, *operands: Array) -> int:
        """V, the length of a row, whose exponentials are added up."""
        return operands[0].shape[-1]

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dz[i] = dℓ[i] (softmax(z[i]) − one-hot(ids[i + 1])), and 0 in the last row."""
        logits, ids = operands
        gradient = np.zeros_like(logits)
        gradient[: len(dy)] = _slope(logits[: len(dy)], ids[1:]) * dy[:, None]
        return gradient, None

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        logits, ids = operands
        (i,) = index
        followed = int(ids[i + 1])
        return _log_sum(
            logits, i, followed, f"id {followed}, which follows position {i}", Factor(1, (i + 1,))
        )

    def equation(self, result: str, operands: Sequence[str]) -> str:
        logits, ids = operands
        target = rf"{logits}[i,\, {ids}[i+1]\,]"
        return rf"{result}[i] = \log \sum_v e^{{{logits}[i,\, v]}} - {target}"


@dataclass(frozen=True)
class HiddenLoss(Op):
    """ℓ[j] = log Σ_v exp z[h[j], v] − z[h[j], y[j]]: (T, V), (M,), (M,) -> (M,), in nats; empty if
    none is hidden. It is −log of the hidden character's probability, and finite where that is 0."""

    operation: ClassVar[str] = (
        "logarithm of the sum of the logits' exponentials, minus the hidden character's logit"
    )

    def forward(self, *operands: Array) -> Array:
        logits, hidden, targets = operands
        return _cross_entropy(logits[hidden], targets)

    def longest_sum(self, *operands: Array) -> int:
        """V, the length of a row, whose exponentials are added up."""
        return operands[0].shape[-1]

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dz[h[j]] = dℓ[j] (softmax(z[h[j]]) − one-hot(y[j])), and 0 in the rows that are not
        hidden; no position is hidden twice."""
        logits, hidden, targets = operands
        gradient = np.zeros_like(logits)
        gradient[hidden] = _slope(logits[hidden], targets) * dy[:, None]
        return gradient, None, None

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        logits, hidden, targets = operands
        (j,) = index
        position, truth = int(hidden[j]), int(targets[j])
        return _log_sum(
            logits, position, truth, f"id {truth}, which is hidden at position {position}",
            Factor(1, index), Factor(2, index),
        )  # fmt: skip

    def equation(self, result: str, operands: Sequence[str]) -> str:
        logits, hidden, targets = operands
        target = rf"{logits}[\,{hidden}[j],\, {targets}[j]\,]"
        return rf"{result}[j] = \log \sum_v e^{{{logits}[\,{hidden}[j],\, v]}} - {target}"


def _cross_entropy(rows: Array, targets: Array) -> Array:
    """log Σ exp z − z[target] of each row: (N, V), (N,) -> (N,)."""
    # The largest is subtracted first: the difference is the same, no exponential overflows, and the
    # sum is at least 1, so that its logarithm is never that of 0.
    shifted = rows - rows.max(axis=-1, keepdims=True)
    return np.log(np.exp(shifted).sum(axis=-1)) - shifted[np.arange(len(targets)), targets]


def _slope(rows: Array, targets: Array) -> Array:
    """softmax(z) − one-hot(target) of each row: (N, V), (N,) -> (N, V)."""
    exponentials = np.exp(rows - rows.max(axis=-1, keepdims=True))
    slope = exponentials / exponentials.sum(axis=-1, keepdims=True)
    slope[np.arange(len(targets)), targets] -= 1
    return slope


def _log_sum(logits: Array, row: int, target: int, name: str, *chosen: Factor) -> Explanation:
    """The exponentials of a row of logits, then the target's logit; `chosen` are the operands that
    say which one it is."""
    z = logits[row].astype(np.float64)
    largest = z.max()
    exponentials = np.exp(z - largest)
    total = summed(exponentials)
    terms = [
        Term(f"exp(logit of id {v} − maximum)", (Factor(0, (row, v)),), float(exponential))
        for v, exponential in enumerate(exponentials)
    ]
    own = Term(
        f"logit of {name}, − maximum",
        (Factor(0, (row, target)), *chosen),
        float(z[target] - largest),
    )
    m = number(largest)
    return explained(
        Rule.LOG_SUM,
        [*terms, own],
        f"np.log(np.sum(np.exp(np.array({numbers(z)}) - {m}))) - ({number(z[target])} - {m})",
        steps=[
            Step("maximum of the row", float(largest)),
            Step("sum of the exponentials", total),
            Step("its logarithm", float(np.log(total))),
        ],
        note="The maximum is subtracted from every logit, the last term's too: that changes "
        "nothing, and no exponential overflows. The result is −log of the character's probability.",
    )
