"""What the probabilities cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from model.ops.explanation import Explanation, Factor, Rule, Term, explained, number
from model.ops.op import Array, Gradient, Op


@dataclass(frozen=True)
class NextTokenLoss(Op):
    """ℓ[i] = −log p[i, ids[i + 1]]: (T, V), (T,) -> (T − 1,), in nats; empty for one position."""

    operation: ClassVar[str] = "minus the logarithm of the probability given to the next character"

    def forward(self, *operands: Array) -> Array:
        probabilities, ids = operands
        targets = ids[1:]
        with np.errstate(divide="ignore"):  # a probability of 0 is an infinite loss, as in torch
            return -np.log(probabilities[np.arange(len(targets)), targets])

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dp[i, ids[i + 1]] = −dℓ[i] / p[i, ids[i + 1]], and 0 elsewhere."""
        probabilities, ids = operands
        followed = (np.arange(len(dy)), ids[1:])
        gradient = np.zeros_like(probabilities)
        gradient[followed] = -dy / probabilities[followed]
        return gradient, None

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        probabilities, ids = operands
        (i,) = index
        followed = int(ids[i + 1])
        return _minus_log(
            f"probability, at position {i}, of id {followed}, which follows",
            float(probabilities[i, followed]),
            Factor(0, (i, followed)),
            Factor(1, (i + 1,)),
        )

    def equation(self, result: str, operands: Sequence[str]) -> str:
        probabilities, ids = operands
        return rf"{result}[i] = -\log {probabilities}[i,\, {ids}[i+1]\,]"


@dataclass(frozen=True)
class HiddenLoss(Op):
    """ℓ[j] = −log p[h[j], y[j]]: (T, V), (M,), (M,) -> (M,), in nats; empty if none is hidden."""

    operation: ClassVar[str] = (
        "minus the logarithm of the probability given to the hidden character"
    )

    def forward(self, *operands: Array) -> Array:
        probabilities, hidden, targets = operands
        with np.errstate(divide="ignore"):
            return -np.log(probabilities[hidden, targets])

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dp[h[j], y[j]] = −dℓ[j] / p[h[j], y[j]], and 0 elsewhere; no position is hidden twice."""
        probabilities, *at = operands
        asked = tuple(at)
        gradient = np.zeros_like(probabilities)
        gradient[asked] = -dy / probabilities[asked]
        return gradient, None, None

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        probabilities, hidden, targets = operands
        (j,) = index
        position, truth = int(hidden[j]), int(targets[j])
        return _minus_log(
            f"probability, at position {position}, of id {truth}, which was hidden there",
            float(probabilities[position, truth]),
            Factor(0, (position, truth)),
            Factor(1, index),
            Factor(2, index),
        )

    def equation(self, result: str, operands: Sequence[str]) -> str:
        probabilities, hidden, targets = operands
        return rf"{result}[j] = -\log {probabilities}[\,{hidden}[j],\, {targets}[j]\,]"


def _minus_log(label: str, probability: float, *factors: Factor) -> Explanation:
    """A probability's cost. The logarithm of 0 is no line of code: NumPy warns of it."""
    code = f"-np.log({number(probability)})" if probability else "np.inf"
    return explained(Rule.MINUS_LOG, [Term(label, factors, probability)], code)
