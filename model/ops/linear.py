"""Linear maps of each position's vector."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from model.ops.explanation import (
    Explanation,
    Factor,
    Rule,
    Term,
    explained,
    number,
    numbers,
    products,
)
from model.ops.op import Array, Gradient, Op, raised

TOP = r"{\top}"
"""What turns a matrix."""
SUMMED = "{0} times {1} over the features"
"""What a dot product adds, in words."""


@dataclass(frozen=True)
class Linear(Op):
    """y = x Wᵀ (+ b): (T, D), (F, D), (F,) -> (T, F). W is (out, in), as the checkpoint has it."""

    operation: ClassVar[str] = "linear map of each position's vector"

    def forward(self, *operands: Array) -> Array:
        x, weight, *bias = operands
        product = x @ weight.T
        return product + bias[0] if bias else product

    def longest_sum(self, *operands: Array) -> int:
        """D, the width of the input."""
        return operands[0].shape[-1]

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dx = dy W, dW = dyᵀ x, db = Σ_i dy[i]."""
        x, weight, *bias = operands
        return dy @ weight, dy.T @ x, *(dy.sum(axis=0) for _ in bias)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        x, weight, *bias = operands
        i, o = index
        added, code = products(
            "feature", x[i], weight[o], lambda k: (Factor(0, (i, k)), Factor(1, (o, k)))
        )
        return _with_bias(f"the sum of {SUMMED}", added, code, bias, 2, o)

    def equation(self, result: str, operands: Sequence[str]) -> str:
        x, weight, *bias = operands
        return f"{result} = {x}\\,{raised(weight, TOP)}" + "".join(f" + {b}" for b in bias)


@dataclass(frozen=True)
class HeadLinear(Op):
    """y[h] = x W[h]ᵀ + b[h]: (T, D), (H·K, D), (H·K,) -> (H, T, K). Head h owns K rows of W."""

    n_heads: int
    operation: ClassVar[str] = "linear map of each position's vector, one slice for each head"

    def forward(self, *operands: Array) -> Array:
        y = Linear().forward(*operands)
        return np.swapaxes(y.reshape(len(y), self.n_heads, -1), 0, 1)

    def longest_sum(self, *operands: Array) -> int:
        """Linear's: D, the width of the input."""
        return Linear().longest_sum(*operands)

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """Linear's, with the heads' gradients side by side: (H, T, K) -> (T, H·K)."""
        joined = np.swapaxes(dy, 0, 1).reshape(dy.shape[1], -1)
        return Linear().backward(joined, y, *operands)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        """Linear's, at row h · K + k of W."""
        h, i, k = index
        d_head = len(operands[1]) // self.n_heads
        return Linear().explain((i, h * d_head + k), y, *operands)

    def equation(self, result: str, operands: Sequence[str]) -> str:
        x, weight, *bias = operands
        return f"{result}[h] = {x}\\,{weight}[h]^{{\\top}}" + "".join(f" + {b}[h]" for b in bias)


@dataclass(frozen=True)
class HeadContributions(Op):
    """y[h] = x[h] W[h]ᵀ: (H, T, K), (D, H·K) -> (H, T, D). Head h owns K columns of W."""

    operation: ClassVar[str] = "each head's vectors through its own slice of the output matrix"

    def forward(self, *operands: Array) -> Array:
        heads, weight = operands
        return heads @ np.swapaxes(self._slices(heads, weight), -1, -2)

    def longest_sum(self, *operands: Array) -> int:
        """K, the features of one head."""
        return operands[0].shape[-1]

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dx[h] = dy[h] W[h], dW[h] = dy[h]ᵀ x[h]."""
        heads, weight = operands
        of_slices = np.swapaxes(dy, -1, -2) @ heads  # (H, D, K)
        return dy @ self._slices(heads, weight), np.swapaxes(of_slices, 0, 1).reshape(weight.shape)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        heads, weight = operands
        h, i, o = index
        d_head = heads.shape[-1]
        start = h * d_head
        added, code = products(
            "feature",
            heads[h, i],
            weight[o, start : start + d_head],
            lambda k: (Factor(0, (h, i, k)), Factor(1, (o, start + k))),
        )
        return explained(Rule.SUM, added, code, says=f"the sum of {SUMMED} of the head")

    def equation(self, result: str, operands: Sequence[str]) -> str:
        heads, weight = operands
        return f"{result}[h] = {heads}[h]\\,{weight}[h]^{{\\top}}"

    def _slices(self, heads: Array, weight: Array) -> Array:
        """W[h] of every head: (D, H·K) -> (H, D, K)."""
        n_heads, _, d_head = heads.shape
        return np.swapaxes(weight.reshape(len(weight), n_heads, d_head), 0, 1)


@dataclass(frozen=True)
class SumHeads(Op):
    """y = Σ_h x[h] (+ b): (H, T, D), (D,) -> (T, D)."""

    operation: ClassVar[str] = "sum of the heads' contributions, plus the bias if there is one"

    def forward(self, *operands: Array) -> Array:
        contributions, *bias = operands
        total = contributions.sum(axis=0)
        return total + bias[0] if bias else total

    def longest_sum(self, *operands: Array) -> int:
        """H, the heads, and one more with a bias."""
        contributions, *bias = operands
        return len(contributions) + len(bias)

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dx[h] = dy for every head, db = Σ_i dy[i]."""
        contributions, *bias = operands
        return np.broadcast_to(dy, contributions.shape), *(dy.sum(axis=0) for _ in bias)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        contributions, *bias = operands
        i, o = index
        added = [
            Term("{0@}", (Factor(0, (h, i, o)),), float(value))
            for h, value in enumerate(contributions[:, i, o])
        ]
        code = f"np.sum({numbers(contributions[:, i, o])})"
        return _with_bias("the sum of {0} over the heads", added, code, bias, 1, o)

    def equation(self, result: str, operands: Sequence[str]) -> str:
        contributions, *bias = operands
        return rf"{result} = \sum_h {contributions}[h]" + "".join(f" + {b}" for b in bias)


def _with_bias(
    says: str, added: list[Term], code: str, bias: Sequence[Array], operand: int, o: int
) -> Explanation:
    """A sum, and the bias of feature `o` where the operation has one."""
    for vector in bias:
        symbol = f"{{{operand}}}"
        added = [*added, Term(f"bias {symbol}", (Factor(operand, (o,)),), float(vector[o]))]
        code += f" + {number(vector[o])}"
        says += f", plus {symbol}"
    return explained(Rule.SUM, added, code, says=says)
