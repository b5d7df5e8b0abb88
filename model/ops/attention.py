"""Scores, mask, weights, and the weighted sum."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from model.ops.explanation import (
    Explanation,
    Factor,
    Rule,
    Step,
    Term,
    copied,
    explained,
    number,
    numbers,
    products,
    summed,
)
from model.ops.op import Array, Gradient, Op


@dataclass(frozen=True)
class ScaledDotProduct(Op):
    """s[h, i, j] = q[h, i] · k[h, j] / √K: (H, T, K), (H, S, K) -> (H, T, S)."""

    operation: ClassVar[str] = "dot product of each query with each key, divided by √d_head"

    def forward(self, *operands: Array) -> Array:
        q, k = operands
        return (q @ np.swapaxes(k, -1, -2)) * _scale(q)

    def longest_sum(self, *operands: Array) -> int:
        """K, the features of one head."""
        return operands[0].shape[-1]

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dq[h] = ds[h] k[h] / √K, dk[h] = ds[h]ᵀ q[h] / √K."""
        q, k = operands
        scaled = dy * _scale(q)
        return scaled @ k, np.swapaxes(scaled, -1, -2) @ q

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        q, k = operands
        h, i, j = index
        added, code = products(
            "feature", q[h, i], k[h, j], lambda n: (Factor(0, (h, i, n)), Factor(1, (h, j, n)))
        )
        d_head = q.shape[-1]
        return explained(
            Rule.QUOTIENT,
            [*added, Term(f"√d_head, the root of {d_head}", (), math.sqrt(d_head))],
            f"{code} / np.sqrt({d_head})",
            says="the sum of the products of {0} and {1}, divided by √d_head",
            steps=[Step("sum of the products", summed(term.value for term in added))],
        )

    def equation(self, result: str, operands: Sequence[str]) -> str:
        q, k = operands
        return rf"{result}[h] = \frac{{{q}[h]\,{k}[h]^{{\top}}}}{{\sqrt{{d_{{\text{{head}}}}}}}}"


@dataclass(frozen=True)
class MaskLater(Op):
    """y[…, i, j] = s[…, i, j] where j ≤ i, else −∞: no position sees a later one."""

    operation: ClassVar[str] = "put −∞ above the diagonal: no position sees a later one"
    masks: ClassVar[bool] = True

    def masked(self, shape: tuple[int, ...]) -> Array | None:
        """Above the diagonal, in every head."""
        return np.broadcast_to(~np.tri(*shape[-2:], dtype=np.bool_), shape)

    def forward(self, *operands: Array) -> Array:
        (scores,) = operands
        return np.where(_seen(scores), scores, scores.dtype.type(-np.inf))

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """ds = dy where j ≤ i, else 0: what is masked has no say."""
        (scores,) = operands
        return (np.where(_seen(scores), dy, dy.dtype.type(0)),)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        *_, i, j = index
        if j <= i:
            kept = f"Position {i} sees position {j}, so the mask leaves the score as it is."
            return copied("{0}", float(operands[0][index]), Factor(0, index), note=kept)
        hidden = f"Position {i} must not see position {j}, which comes later."
        mask = Term("causal mask", (), -math.inf)
        says = "−∞, which the causal mask puts in place of {0}"
        return explained(Rule.MASK, [mask], number(-math.inf), says=says, note=hidden)

    def equation(self, result: str, operands: Sequence[str]) -> str:
        (scores,) = operands
        return (
            rf"{result}[h,i,j] = \begin{{cases}} {scores}[h,i,j] & j \le i \\"
            rf" -\infty & j > i \end{{cases}}"
        )


@dataclass(frozen=True)
class MaskNothing(Op):
    """y = s: every position sees all that there is, which `seen` names."""

    seen: str = "every other"

    @property
    def operation(self) -> str:  # type: ignore[override]
        return f"no mask: every position sees {self.seen}"

    def forward(self, *operands: Array) -> Array:
        (scores,) = operands
        return scores

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """ds = dy."""
        return (dy,)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        return copied("{0}", float(operands[0][index]), Factor(0, index))

    def equation(self, result: str, operands: Sequence[str]) -> str:
        (scores,) = operands
        return f"{result} = {scores}"


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

    def longest_sum(self, *operands: Array) -> int:
        """The length of a row, whose exponentials are added up."""
        return operands[0].shape[-1]

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dx = y ⊙ (dy − Σ_j dy_j y_j), along the last axis.

        The result alone says it all, so a score of −∞ is never touched: there y is 0, and so is dx.
        """
        return (y * (dy - (dy * y).sum(axis=-1, keepdims=True)),)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        """The cell's own exponential first, then the others of its row."""
        *row, own = index
        x = operands[0][tuple(row)].astype(np.float64)
        largest = x.max()
        exponentials = np.exp(x - largest)
        order = [own, *(j for j in range(len(x)) if j != own)]
        m = number(largest)
        return explained(
            Rule.SHARE,
            [
                Term("exp({0@} − maximum)", (Factor(0, (*row, j)),), float(exponentials[j]))
                for j in order
            ],
            f"np.exp({number(x[own])} - {m}) / np.sum(np.exp(np.array({numbers(x)}) - {m}))",
            says="the exponential of this cell’s own {0}, divided by the sum of those of its row",
            note="The maximum, the largest {0} of the row, is subtracted first: the quotient stays "
            "the same, and no exponential is too large to be computed.",
            steps=[
                Step("maximum of the row", float(largest)),
                Step("sum of the exponentials", summed(exponentials)),
            ],
        )

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

    def longest_sum(self, *operands: Array) -> int:
        """S, the source positions."""
        return operands[0].shape[-1]

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """da[h] = dy[h] v[h]ᵀ, dv[h] = a[h]ᵀ dy[h]."""
        weights, values = operands
        return dy @ np.swapaxes(values, -1, -2), np.swapaxes(weights, -1, -2) @ dy

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        weights, values = operands
        h, i, k = index
        added, code = products(
            "source",
            weights[h, i],
            values[h, :, k],
            lambda j: (Factor(0, (h, i, j)), Factor(1, (h, j, k))),
        )
        says = "the sum of {0} times {1} over the source positions"
        return explained(Rule.SUM, added, code, says=says)

    def equation(self, result: str, operands: Sequence[str]) -> str:
        weights, values = operands
        return f"{result}[h] = {weights}[h]\\,{values}[h]"


def _scale(q: Array) -> Any:
    """1 / √K, in the dtype of the queries."""
    return q.dtype.type(1.0 / math.sqrt(q.shape[-1]))


def _seen(scores: Array) -> Array:
    """Where a position may look: (T, S), true up to the diagonal."""
    return np.tri(*scores.shape[-2:], dtype=np.bool_)
