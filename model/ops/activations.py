"""The feed-forward network's nonlinearities."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from model.ops.explanation import Explanation, Factor, Rule, Step, Term, explained, number
from model.ops.op import Array, Gradient, Op, raised

_erf = np.vectorize(math.erf, otypes=[np.float64])


@dataclass(frozen=True)
class Gelu(Op):
    """y = x · Φ(x), with Φ(x) = (1 + erf(x / √2)) / 2 (Hendrycks & Gimpel 2016), the exact form."""

    operation: ClassVar[str] = "GELU: each number times the share of a normal distribution below it"

    def forward(self, *operands: Array) -> Array:
        (x,) = operands
        return (x * _share_below(x)).astype(x.dtype)

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dx = dy ⊙ (Φ(x) + x φ(x)), with φ(x) = exp(−x² / 2) / √(2π)."""
        (x,) = operands
        density = np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
        return ((dy * (_share_below(x) + x * density)).astype(x.dtype),)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        """In code, because NumPy has no erf: Φ(x) = 1/2 + the area under φ from 0 to x."""
        x, from_x = float(operands[0][index]), (Factor(0, index),)
        share = 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))
        z = number(x)
        area = f"np.trapezoid(np.exp(-(np.linspace(0, {z}, 1001) ** 2) / 2), dx={z} / 1000)"
        return explained(
            Rule.PRODUCT,
            [Term("{0}", from_x, x), Term("Φ({0})", from_x, share)],
            f"{z} * (0.5 + {area} / np.sqrt(2 * np.pi))",
            says="{0} times Φ({0})",
            note="Φ({0}) is the share of a normal distribution that lies below {0}.",
        )

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
        return 0.5 * x * (1.0 + self._tanh(x))

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dx = dy ⊙ (1 + t + x (1 − t²) √(2/π) (1 + 0.134145 x²)) / 2, with t the tanh."""
        (x,) = operands
        t = self._tanh(x)
        slope = math.sqrt(2.0 / math.pi) * (1.0 + 3.0 * 0.044715 * x * x)
        return (0.5 * dy * (1.0 + t + x * (1.0 - t * t) * slope),)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        x, from_x = float(operands[0][index]), (Factor(0, index),)
        inside = math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)
        z = number(x)
        return explained(
            Rule.PRODUCT,
            [
                Term("{0}", from_x, x),
                Term("(1 + tanh(u)) / 2", from_x, 0.5 * (1 + math.tanh(inside))),
            ],
            f"{z} * (1 + np.tanh(np.sqrt(2 / np.pi) * ({z} + 0.044715 * ({z}) ** 3))) / 2",
            says="{0} times (1 + tanh(u)) / 2",
            steps=[Step("u = √(2/π) ({0} + 0.044715 ({0})³)", inside)],
        )

    def equation(self, result: str, operands: Sequence[str]) -> str:
        (x,) = operands
        cubed = raised(x, "3")
        return (
            rf"{result} = \frac{{1}}{{2}} {x} \odot \left(1 + \tanh\left(\sqrt{{2/\pi}}"
            rf"\left({x} + 0.044715\,{cubed}\right)\right)\right)"
        )

    def _tanh(self, x: Array) -> Array:
        """tanh(√(2/π) (x + 0.044715 x³))."""
        cubed = x * x * x  # NumPy's power is slower and rounds otherwise
        return np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * cubed))


@dataclass(frozen=True)
class Relu(Op):
    """y = max(0, x)."""

    operation: ClassVar[str] = "ReLU: what is below zero becomes zero"

    def forward(self, *operands: Array) -> Array:
        (x,) = operands
        return np.maximum(x, 0)

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dx = dy where x > 0, else 0; at 0 itself, where there is no slope, 0 as in torch."""
        (x,) = operands
        return (dy * (x > 0),)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        x = float(operands[0][index])
        terms = [Term("zero", (), 0.0), Term("{0}", (Factor(0, index),), x)]
        code = f"np.maximum(0, {number(x)})"
        return explained(Rule.MAXIMUM, terms, code, says="the larger of zero and {0}")

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

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dx = dy ⊙ σ(x) (1 + x (1 − σ(x)))."""
        (x,) = operands
        gate = _sigmoid(x)
        return (dy * gate * (1 + x * (1 - gate)),)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        x, from_x = float(operands[0][index]), (Factor(0, index),)
        gate = float(_sigmoid(np.array(x)))
        return explained(
            Rule.PRODUCT,
            [Term("{0}", from_x, x), Term("1 / (1 + exp(−{0}))", from_x, gate)],
            f"{number(x)} / (1 + np.exp({number(-x)}))",
            says="{0} times its own sigmoid, 1 / (1 + exp(−{0}))",
        )

    def equation(self, result: str, operands: Sequence[str]) -> str:
        (x,) = operands
        return rf"{result} = {x} \odot \sigma({x}), \quad \sigma(z) = \frac{{1}}{{1 + e^{{-z}}}}"


def _share_below(x: Array) -> Array:
    """Φ(x), the share of a normal distribution below x, in float64."""
    return 0.5 * (1.0 + _erf(x / math.sqrt(2.0)))


def _sigmoid(x: Array) -> Array:
    """1 / (1 + exp(−x)), without overflow at either end."""
    shrunk = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + shrunk), shrunk / (1 + shrunk)).astype(x.dtype)
