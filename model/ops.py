"""The operations a stage can be made by, in NumPy alone: the second implementation.

Each class is one equation. `forward` computes it from its operands, the stage's inputs first and
its weights after them, in the dtype given; `equation` prints it with the stage's own symbols;
`operation` says it in words. Nothing here knows torch, and nothing here knows which model calls.

Shapes are written with the legend of this package: T position, S source, D d_model, H head,
K d_head, F any number of features, V vocab; `…` stands for any leading axes. There is no batch
axis: a trace is of one text.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_erf = np.vectorize(math.erf, otypes=[np.float64])


class Op(ABC):
    """One operation: its words, its equation, its result."""

    operation: ClassVar[str]
    masks: ClassVar[bool] = False
    """Whether cells of the result can be −∞ because a mask put it there."""

    @abstractmethod
    def forward(self, *operands: Array) -> Array:
        """The result, from the stage's inputs and then its weights."""

    @abstractmethod
    def equation(self, result: str, operands: Sequence[str]) -> str:
        """The equation in LaTeX, from the symbols of the result and of the operands."""


@dataclass(frozen=True)
class Encode(Op):
    """ids[i]: the number of the character at position i. The only stage that is given, not made."""

    operation: ClassVar[str] = "look each character up in the vocabulary"

    def forward(self, *operands: Array) -> Array:
        raise TypeError("the ids are the interpreter's input; no operation makes them")

    def equation(self, result: str, operands: Sequence[str]) -> str:
        return rf"{result}[i] = \operatorname{{id}}(\text{{character}}_i)"


@dataclass(frozen=True)
class LookUp(Op):
    """y[i] = W[ids[i]]: (T,), (V, D) -> (T, D)."""

    operation: ClassVar[str] = "look up one row of the table for each id"

    def forward(self, *operands: Array) -> Array:
        ids, table = operands
        return table[ids]

    def equation(self, result: str, operands: Sequence[str]) -> str:
        ids, table = operands
        return f"{result}[i] = {table}[\\,{ids}[i]\\,]"


@dataclass(frozen=True)
class LookUpPosition(Op):
    """y[i] = W[i]: (T,), (L, D) -> (T, D). Of the ids only their number matters."""

    operation: ClassVar[str] = "take the table's row of each position"

    def forward(self, *operands: Array) -> Array:
        ids, table = operands
        return table[: len(ids)]

    def equation(self, result: str, operands: Sequence[str]) -> str:
        _, table = operands
        return f"{result}[i] = {table}[i]"


@dataclass(frozen=True)
class Add(Op):
    """y = a + b, element by element."""

    operation: ClassVar[str] = "add, element by element"

    def forward(self, *operands: Array) -> Array:
        left, right = operands
        return left + right

    def equation(self, result: str, operands: Sequence[str]) -> str:
        left, right = operands
        return f"{result} = {left} + {right}"


@dataclass(frozen=True)
class Linear(Op):
    """y = x Wᵀ (+ b): (T, D), (F, D), (F,) -> (T, F). W is (out, in), as the checkpoint has it."""

    operation: ClassVar[str] = "linear map of each position's vector"

    def forward(self, *operands: Array) -> Array:
        x, weight, *bias = operands
        product = x @ weight.T
        return product + bias[0] if bias else product

    def equation(self, result: str, operands: Sequence[str]) -> str:
        x, weight, *bias = operands
        return f"{result} = {x}\\,{weight}^{{\\top}}" + "".join(f" + {b}" for b in bias)


@dataclass(frozen=True)
class HeadLinear(Op):
    """y[h] = x W[h]ᵀ + b[h]: (T, D), (H·K, D), (H·K,) -> (H, T, K). Head h owns K rows of W."""

    n_heads: int
    operation: ClassVar[str] = "linear map of each position's vector, one slice for each head"

    def forward(self, *operands: Array) -> Array:
        y = Linear().forward(*operands)
        return np.swapaxes(y.reshape(len(y), self.n_heads, -1), 0, 1)

    def equation(self, result: str, operands: Sequence[str]) -> str:
        x, weight, *bias = operands
        return f"{result}[h] = {x}\\,{weight}[h]^{{\\top}}" + "".join(f" + {b}[h]" for b in bias)


@dataclass(frozen=True)
class ScaledDotProduct(Op):
    """s[h, i, j] = q[h, i] · k[h, j] / √K: (H, T, K), (H, S, K) -> (H, T, S)."""

    operation: ClassVar[str] = "dot product of each query with each key, divided by √d_head"

    def forward(self, *operands: Array) -> Array:
        q, k = operands
        scale = q.dtype.type(1.0 / math.sqrt(q.shape[-1]))
        return (q @ np.swapaxes(k, -1, -2)) * scale

    def equation(self, result: str, operands: Sequence[str]) -> str:
        q, k = operands
        return rf"{result}[h] = \frac{{{q}[h]\,{k}[h]^{{\top}}}}{{\sqrt{{d_{{\text{{head}}}}}}}}"


@dataclass(frozen=True)
class CausalMask(Op):
    """y[…, i, j] = s[…, i, j] where j ≤ i, else −∞: no position sees a later one."""

    operation: ClassVar[str] = "put −∞ above the diagonal: no position sees a later one"
    masks: ClassVar[bool] = True

    def forward(self, *operands: Array) -> Array:
        (scores,) = operands
        seen = np.tri(*scores.shape[-2:], dtype=np.bool_)
        return np.where(seen, scores, scores.dtype.type(-np.inf))

    def equation(self, result: str, operands: Sequence[str]) -> str:
        (scores,) = operands
        return (
            rf"{result}[h,i,j] = \begin{{cases}} {scores}[h,i,j] & j \le i \\"
            rf" -\infty & j > i \end{{cases}}"
        )


@dataclass(frozen=True)
class Softmax(Op):
    """y_j = exp(x_j) / Σ exp(x), along the last axis, which `over` names."""

    over: str

    @property
    def operation(self) -> str:  # type: ignore[override]
        return f"softmax over the {self.over}"

    def forward(self, *operands: Array) -> Array:
        (x,) = operands
        # The largest is subtracted first: the quotient is the same and no exponential overflows.
        exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
        return exponentials / exponentials.sum(axis=-1, keepdims=True)

    def equation(self, result: str, operands: Sequence[str]) -> str:
        (x,) = operands
        return rf"{result} = \operatorname{{softmax}}({x})"


@dataclass(frozen=True)
class WeightedSum(Op):
    """y[h, i] = Σ_j a[h, i, j] v[h, j]: (H, T, S), (H, S, K) -> (H, T, K)."""

    operation: ClassVar[str] = "average of the values, weighted by the attention weights"

    def forward(self, *operands: Array) -> Array:
        weights, values = operands
        return weights @ values

    def equation(self, result: str, operands: Sequence[str]) -> str:
        weights, values = operands
        return f"{result}[h] = {weights}[h]\\,{values}[h]"


@dataclass(frozen=True)
class HeadContributions(Op):
    """y[h] = x[h] W[h]ᵀ: (H, T, K), (D, H·K) -> (H, T, D). Head h owns K columns of W."""

    operation: ClassVar[str] = "each head's vectors through its own slice of the output matrix"

    def forward(self, *operands: Array) -> Array:
        heads, weight = operands
        n_heads, _, d_head = heads.shape
        slices = weight.reshape(len(weight), n_heads, d_head)  # (D, H, K)
        return heads @ slices.transpose(1, 2, 0)

    def equation(self, result: str, operands: Sequence[str]) -> str:
        heads, weight = operands
        return f"{result}[h] = {heads}[h]\\,{weight}[h]^{{\\top}}"


@dataclass(frozen=True)
class SumHeads(Op):
    """y = Σ_h x[h] + b: (H, T, D), (D,) -> (T, D)."""

    operation: ClassVar[str] = "sum of the heads' contributions, plus the bias"

    def forward(self, *operands: Array) -> Array:
        contributions, bias = operands
        return contributions.sum(axis=0) + bias

    def equation(self, result: str, operands: Sequence[str]) -> str:
        contributions, bias = operands
        return rf"{result} = \sum_h {contributions}[h] + {bias}"


@dataclass(frozen=True)
class Mean(Op):
    """μ[i] = Σ_k x[i, k] / D: (T, D) -> (T,)."""

    operation: ClassVar[str] = "mean of each position's features"

    def forward(self, *operands: Array) -> Array:
        (x,) = operands
        return x.mean(axis=-1)

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

    def equation(self, result: str, operands: Sequence[str]) -> str:
        x, scale, shift = operands
        return rf"{result} = {x} \odot {scale} + {shift}"


@dataclass(frozen=True)
class Gelu(Op):
    """y = x · Φ(x), with Φ(x) = (1 + erf(x / √2)) / 2 (Hendrycks & Gimpel 2016), the exact form."""

    operation: ClassVar[str] = "GELU: each number times the share of a normal distribution below it"

    def forward(self, *operands: Array) -> Array:
        (x,) = operands
        below = 0.5 * (1.0 + _erf(x / math.sqrt(2.0)))
        return (x * below).astype(x.dtype)

    def equation(self, result: str, operands: Sequence[str]) -> str:
        (x,) = operands
        return (
            rf"{result} = {x} \odot \Phi({x}), \quad "
            r"\Phi(z) = \frac{1}{2}\left(1 + \operatorname{erf}\frac{z}{\sqrt{2}}\right)"
        )


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
