"""Normalization, a step at a time."""

import math
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
class Mean(Op):
    """μ[i] = Σ_k x[i, k] / D: (T, D) -> (T,)."""

    operation: ClassVar[str] = "mean of each position's features"

    def forward(self, *operands: Array) -> Array:
        (x,) = operands
        return x.mean(axis=-1)

    def longest_sum(self, *operands: Array) -> int:
        """D, the features of a position."""
        return operands[0].shape[-1]

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dx[i, k] = dμ[i] / D."""
        (x,) = operands
        return (np.broadcast_to(dy[:, None] / x.shape[-1], x.shape),)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        (i,) = index
        x = operands[0][i].astype(np.float64)
        of = "the sum of the features of {0}, divided by their number"
        return _mean("{0}", of, i, x, f"np.mean({numbers(x)})")

    def equation(self, result: str, operands: Sequence[str]) -> str:
        (x,) = operands
        return rf"{result}[i] = \frac{{1}}{{d}} \sum_{{k}} {x}[i,k]"


@dataclass(frozen=True)
class Variance(Op):
    """σ²[i] = Σ_k (x[i, k] − μ[i])² / D: (T, D), (T,) -> (T,). Divided by D, not by D − 1."""

    operation: ClassVar[str] = "mean squared distance of each position's features from their mean"

    def forward(self, *operands: Array) -> Array:
        x, mean = operands
        return np.square(x - mean[:, None]).mean(axis=-1)

    def longest_sum(self, *operands: Array) -> int:
        """D, the features of a position."""
        return operands[0].shape[-1]

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dx[i, k] = 2 (x[i, k] − μ[i]) dσ²[i] / D, dμ[i] = −Σ_k dx[i, k]."""
        x, mean = operands
        gradient = (x - mean[:, None]) * (2 * dy / x.shape[-1])[:, None]
        return gradient, -gradient.sum(axis=-1)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        (i,) = index
        x, mean = operands[0][i].astype(np.float64), float(operands[1][i])
        code = f"np.mean((np.array({numbers(x)}) - {number(mean)}) ** 2)"
        of = "the sum of the squares of {0} minus {1}, divided by the number of features"
        return _mean("({0} − {1})²", of, i, np.square(x - mean), code, Factor(1, index))

    def equation(self, result: str, operands: Sequence[str]) -> str:
        x, mean = operands
        return rf"{result}[i] = \frac{{1}}{{d}} \sum_{{k}} \left({x}[i,k] - {mean}[i]\right)^2"


@dataclass(frozen=True)
class Normalize(Op):
    """y[i] = (x[i] − μ[i]) / √(σ²[i] + ε): (T, D), (T,), (T,) -> (T, D)."""

    epsilon: float
    operation: ClassVar[str] = "subtract the mean, divide by the standard deviation"

    def forward(self, *operands: Array) -> Array:
        x, mean, variance = operands
        deviation = np.sqrt(variance + x.dtype.type(self.epsilon))
        return (x - mean[:, None]) / deviation[:, None]

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """With s = √(σ² + ε): dx = dy / s, dμ = −Σ_k dx, dσ² = −Σ_k dy ⊙ (x − μ) / (2 s³)."""
        x, _, variance = operands
        inverse = 1 / np.sqrt(variance + x.dtype.type(self.epsilon))
        gradient = dy * inverse[:, None]
        of_variance = -0.5 * (gradient * y).sum(axis=-1) * inverse  # y is (x − μ) / s
        return gradient, -gradient.sum(axis=-1), of_variance

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        i, _ = index
        x, mean, variance = float(operands[0][index]), *(float(o[i]) for o in operands[1:])
        return explained(
            Rule.QUOTIENT,
            [
                Term("{0}", (Factor(0, index),), x),
                Term("−{1}", (Factor(1, (i,)),), -mean),
                Term(
                    f"√({{2}} + ε), with ε = {self.epsilon!r}",
                    (Factor(2, (i,)),),
                    math.sqrt(variance + self.epsilon),
                ),
            ],
            f"({number(x)} - {number(mean)}) / np.sqrt({number(variance)} + {self.epsilon!r})",
            says="{0} minus {1}, divided by √({2} + ε)",
            steps=[Step("{0} − {1}", x - mean)],
        )

    def equation(self, result: str, operands: Sequence[str]) -> str:
        x, mean, variance = operands
        return rf"{result} = \frac{{{x} - {mean}}}{{\sqrt{{{variance} + \epsilon}}}}"


@dataclass(frozen=True)
class ScaleAndShift(Op):
    """y = x ⊙ γ + β: (T, D), (D,), (D,) -> (T, D), the same γ and β at every position."""

    operation: ClassVar[str] = "scale and shift each feature by learned amounts"

    def forward(self, *operands: Array) -> Array:
        x, scale, shift = operands
        return x * scale + shift

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dx = dy ⊙ γ, dγ = Σ_i dy[i] ⊙ x[i], dβ = Σ_i dy[i]."""
        x, scale, _ = operands
        return dy * scale, (dy * x).sum(axis=0), dy.sum(axis=0)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        _, k = index
        x, scale, shift = float(operands[0][index]), *(float(o[k]) for o in operands[1:])
        return explained(
            Rule.SUM,
            [
                Term("{0} · {1}", (Factor(0, index), Factor(1, (k,))), x * scale),
                Term("{2}", (Factor(2, (k,)),), shift),
            ],
            f"{number(x)} * {number(scale)} + {number(shift)}",
            says="{0} times {1}, plus {2}",
        )

    def equation(self, result: str, operands: Sequence[str]) -> str:
        x, scale, shift = operands
        return rf"{result} = {x} \odot {scale} + {shift}"


@dataclass(frozen=True)
class MeanSquare(Op):
    """m[i] = Σ_k x[i, k]² / D: (T, D) -> (T,)."""

    operation: ClassVar[str] = "mean of each position's squared features"

    def forward(self, *operands: Array) -> Array:
        (x,) = operands
        return np.square(x).mean(axis=-1)

    def longest_sum(self, *operands: Array) -> int:
        """D, the features of a position."""
        return operands[0].shape[-1]

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dx[i, k] = 2 x[i, k] dm[i] / D."""
        (x,) = operands
        return (x * (2 * dy / x.shape[-1])[:, None],)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        (i,) = index
        x = operands[0][i].astype(np.float64)
        of = "the sum of the squared features of {0}, divided by their number"
        return _mean("({0})²", of, i, np.square(x), f"np.mean(np.square({numbers(x)}))")

    def equation(self, result: str, operands: Sequence[str]) -> str:
        (x,) = operands
        return rf"{result}[i] = \frac{{1}}{{d}} \sum_{{k}} {x}[i,k]^2"


@dataclass(frozen=True)
class RmsNormalize(Op):
    """y[i] = x[i] / √(m[i] + ε): (T, D), (T,) -> (T, D). The mean is not subtracted."""

    epsilon: float
    operation: ClassVar[str] = "divide by the root mean square"

    def forward(self, *operands: Array) -> Array:
        x, mean_square = operands
        return x / np.sqrt(mean_square + x.dtype.type(self.epsilon))[:, None]

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """With s = √(m + ε): dx = dy / s, dm = −Σ_k dy ⊙ x / (2 s³)."""
        x, mean_square = operands
        inverse = 1 / np.sqrt(mean_square + x.dtype.type(self.epsilon))
        gradient = dy * inverse[:, None]
        return gradient, -0.5 * (gradient * y).sum(axis=-1) * inverse  # y is x / s

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        i, _ = index
        x, mean_square = float(operands[0][index]), float(operands[1][i])
        root = math.sqrt(mean_square + self.epsilon)
        return explained(
            Rule.QUOTIENT,
            [
                Term("{0}", (Factor(0, index),), x),
                Term(f"√({{1}} + ε), with ε = {self.epsilon!r}", (Factor(1, (i,)),), root),
            ],
            f"{number(x)} / np.sqrt({number(mean_square)} + {self.epsilon!r})",
            says="{0} divided by √({1} + ε)",
        )

    def equation(self, result: str, operands: Sequence[str]) -> str:
        x, mean_square = operands
        return rf"{result} = \frac{{{x}}}{{\sqrt{{{mean_square} + \epsilon}}}}"


@dataclass(frozen=True)
class Scale(Op):
    """y = x ⊙ g: (T, D), (D,) -> (T, D), the same gain at every position."""

    operation: ClassVar[str] = "scale each feature by a learned gain"

    def forward(self, *operands: Array) -> Array:
        x, gain = operands
        return x * gain

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dx = dy ⊙ g, dg = Σ_i dy[i] ⊙ x[i]."""
        x, gain = operands
        return dy * gain, (dy * x).sum(axis=0)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        _, k = index
        x, gain = float(operands[0][index]), float(operands[1][k])
        terms = [Term("{0}", (Factor(0, index),), x), Term("{1}", (Factor(1, (k,)),), gain)]
        code = f"{number(x)} * {number(gain)}"
        return explained(Rule.PRODUCT, terms, code, says="{0} times {1}")

    def equation(self, result: str, operands: Sequence[str]) -> str:
        x, gain = operands
        return rf"{result} = {x} \odot {gain}"


def _mean(label: str, says: str, i: int, parts: Array, code: str, *others: Factor) -> Explanation:
    """The mean of one number a feature of position `i`; `others` are read for each of them."""
    added = [
        Term(f"{label}, feature {k}", (Factor(0, (i, k)), *others), float(part))
        for k, part in enumerate(parts)
    ]
    divisor = Term("number of features", (), float(len(parts)))
    steps = [Step("sum", summed(parts))]
    return explained(Rule.QUOTIENT, [*added, divisor], code, says=says, steps=steps)
