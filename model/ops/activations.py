"""The feed-forward network's nonlinearities."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from model.ops.op import Array, Op

_erf = np.vectorize(math.erf, otypes=[np.float64])


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
class GeluTanh(Op):
    """y = x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2: GELU's usual approximation."""

    operation: ClassVar[str] = "GELU in its tanh form"

    def forward(self, *operands: Array) -> Array:
        (x,) = operands
        cubed = x * x * x  # NumPy's power is slower and rounds otherwise
        inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * cubed)
        return (0.5 * x * (1.0 + np.tanh(inner))).astype(x.dtype)

    def equation(self, result: str, operands: Sequence[str]) -> str:
        (x,) = operands
        return (
            rf"{result} = \frac{{1}}{{2}} {x} \odot \left(1 + \tanh\left(\sqrt{{2/\pi}}"
            rf"\left({x} + 0.044715\,{x}^3\right)\right)\right)"
        )


@dataclass(frozen=True)
class Relu(Op):
    """y = max(0, x)."""

    operation: ClassVar[str] = "ReLU: what is below zero becomes zero"

    def forward(self, *operands: Array) -> Array:
        (x,) = operands
        return np.maximum(x, 0)

    def equation(self, result: str, operands: Sequence[str]) -> str:
        (x,) = operands
        return rf"{result} = \max(0, {x})"


@dataclass(frozen=True)
class Silu(Op):
    """y = x / (1 + exp(−x)) (Shazeer 2020: the gate of SwiGLU)."""

    operation: ClassVar[str] = "SiLU: each number times its own sigmoid"

    def forward(self, *operands: Array) -> Array:
        (x,) = operands
        return x * _sigmoid(x)

    def equation(self, result: str, operands: Sequence[str]) -> str:
        (x,) = operands
        return rf"{result} = {x} \odot \sigma({x}), \quad \sigma(z) = \frac{{1}}{{1 + e^{{-z}}}}"


def _sigmoid(x: Array) -> Array:
    """1 / (1 + exp(−x)), without overflow at either end."""
    shrunk = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + shrunk), shrunk / (1 + shrunk)).astype(x.dtype)
