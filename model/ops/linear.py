"""Linear maps of each position's vector."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from model.ops.op import Array, Op


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
    """y = Σ_h x[h] (+ b): (H, T, D), (D,) -> (T, D)."""

    operation: ClassVar[str] = "sum of the heads' contributions, plus the bias if there is one"

    def forward(self, *operands: Array) -> Array:
        contributions, *bias = operands
        total = contributions.sum(axis=0)
        return total + bias[0] if bias else total

    def equation(self, result: str, operands: Sequence[str]) -> str:
        contributions, *bias = operands
        return rf"{result} = \sum_h {contributions}[h]" + "".join(f" + {b}" for b in bias)
