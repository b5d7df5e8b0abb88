"""What the probabilities cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from model.ops.op import Array, Op


@dataclass(frozen=True)
class NextTokenLoss(Op):
    """ℓ[i] = −log p[i, ids[i + 1]]: (T, V), (T,) -> (T − 1,), in nats; empty for one position."""

    operation: ClassVar[str] = "minus the logarithm of the probability given to the next character"

    def forward(self, *operands: Array) -> Array:
        probabilities, ids = operands
        targets = ids[1:]
        with np.errstate(divide="ignore"):  # a probability of 0 is an infinite loss, as in torch
            return -np.log(probabilities[np.arange(len(targets)), targets])

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

    def equation(self, result: str, operands: Sequence[str]) -> str:
        probabilities, hidden, targets = operands
        return rf"{result}[j] = -\log {probabilities}[\,{hidden}[j],\, {targets}[j]\,]"
