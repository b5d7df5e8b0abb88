"""Positions that are computed, not learned: sinusoids and rotations."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from model.ops.explanation import Explanation, Factor, Rule, Step, Term, explained, number
from model.ops.op import Array, Gradient, Op

BASE = 10_000.0
"""The base of all wavelengths, in the 2017 paper's sinusoids as in rotary positions."""


def angles(n_positions: int, width: int) -> Array:
    """pos · ω_i with ω_i = BASE^(−2i / width): (T, width / 2), float64."""
    frequencies = BASE ** (-np.arange(0, width, 2) / width)
    product: Array = np.arange(n_positions)[:, None] * frequencies
    return product


def _frequency(pair: int, width: int) -> float:
    """ω of the pair of features that begins at an even one."""
    return float(BASE ** (-pair / width))


@dataclass(frozen=True)
class Sinusoids(Op):
    """y[pos, 2i] = sin(pos ω_i), y[pos, 2i+1] = cos(pos ω_i): (T,) -> (T, width). No weights."""

    width: int
    operation: ClassVar[str] = "sines and cosines of each position, a frequency for each pair"

    def forward(self, *operands: Array) -> Array:
        (ids,) = operands
        turned = angles(len(ids), self.width)
        return np.stack([np.sin(turned), np.cos(turned)], axis=-1).reshape(len(ids), -1)

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """None: a position is no number that could change a little."""
        return (None,)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        position, feature = index
        pair = feature - feature % 2
        even = feature == pair
        frequency = _frequency(pair, self.width)
        function = "sin" if even else "cos"
        return explained(
            Rule.SINE if even else Rule.COSINE,
            [
                Term("position", (), float(position)),
                Term(f"frequency 10000^(−{pair}/{self.width})", (), frequency),
            ],
            f"np.{function}({position} * {BASE!r} ** (-{pair} / {self.width}))",
            says=f"the {'sine' if even else 'cosine'} of position times frequency",
            steps=[Step("angle, in radians", position * frequency)],
        )

    def equation(self, result: str, operands: Sequence[str]) -> str:
        return (
            rf"{result}[pos, 2i] = \sin\frac{{pos}}{{10000^{{2i/d}}}}, \quad "
            rf"{result}[pos, 2i{{+}}1] = \cos\frac{{pos}}{{10000^{{2i/d}}}}"
        )


@dataclass(frozen=True)
class Rotate(Op):
    """y[pos, 2i..2i+1] = R(pos · ω_i) x[pos, 2i..2i+1]: each pair of features turned by an angle,
    (H, T, K) -> (H, T, K) (Su et al. 2021).

    The dot product of a turned query and a turned key depends on their distance alone.
    """

    operation: ClassVar[str] = "turn each pair of features by an angle that grows with the position"

    def forward(self, *operands: Array) -> Array:
        (x,) = operands
        return _turned(x, angles(*x.shape[-2:]))

    def longest_sum(self, *operands: Array) -> int:
        """2, the features of a pair."""
        return 2

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        """dx[pos, 2i..2i+1] = R(−pos · ω_i) dy[pos, 2i..2i+1]: turned back, for R⁻¹ = Rᵀ."""
        return (_turned(dy, -angles(*dy.shape[-2:])),)

    def explain(self, index: tuple[int, ...], y: Array, *operands: Array) -> Explanation:
        (x,) = operands
        h, position, feature = index
        pair, width = feature - feature % 2, x.shape[-1]
        angle = position * _frequency(pair, width)
        cos, sin = math.cos(angle), math.sin(angle)
        turns = (
            (("cos θ", cos, "np.cos"), ("−sin θ", -sin, "-np.sin")),
            (("sin θ", sin, "np.sin"), ("cos θ", cos, "np.cos")),
        )[feature - pair]
        theta = f"{position} * {BASE!r} ** (-{pair} / {width})"
        terms, code = [], []
        for k, (name, by, function) in enumerate(turns, start=pair):
            value = float(x[h, position, k])
            terms.append(Term(f"{{0@}} · {name}", (Factor(0, (h, position, k)),), value * by))
            code.append(f"{number(value)} * {function}({theta})")
        steps = [Step("θ, in radians", angle), Step("cos θ", cos), Step("sin θ", sin)]
        note = (
            f"Position {position} turns the pair of features {pair} and {pair + 1} by "
            f"θ = {position} · 10000^(−{pair}/{width})."
        )
        says = f"{turns[0][0]} times the first of the pair plus {turns[1][0]} times the second"
        return explained(Rule.SUM, terms, " + ".join(code), says=says, steps=steps, note=note)

    def equation(self, result: str, operands: Sequence[str]) -> str:
        (x,) = operands
        turn = r"pos\,\omega_i"
        return (
            rf"\begin{{pmatrix}} {result}[2i] \\ {result}[2i{{+}}1] \end{{pmatrix}} = "
            rf"\begin{{pmatrix}} \cos {turn} & -\sin {turn} \\"
            rf" \sin {turn} & \cos {turn} \end{{pmatrix}}"
            rf"\begin{{pmatrix}} {x}[2i] \\ {x}[2i{{+}}1] \end{{pmatrix}}, \quad "
            r"\omega_i = 10000^{-2i/d_{\text{head}}}"
        )


def _turned(x: Array, by: Array) -> Array:
    """Each pair of features of (H, T, K) by its own angle of (T, K / 2)."""
    cos, sin = np.cos(by).astype(x.dtype), np.sin(by).astype(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    pairs = np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1)
    return pairs.reshape(x.shape)
