"""What reaches the bottom of a deep stack, with and without skip connections (module 7.2)."""

from dataclasses import dataclass
from math import comb

import numpy as np

from model.ops.linear import Linear
from model.ops.op import Array

DEEPEST = 48
LARGEST_FACTOR = 2.0
WIDTH = 64
"""Features of the measured stack."""


@dataclass(frozen=True)
class Depth:
    """After `depth` layers, each of slope f: f^depth without skips, (1 + f)^depth with them."""

    depth: int
    without_skips: float
    with_skips: float


@dataclass(frozen=True)
class Paths:
    """The paths that go through `layers` of the layers and skip the rest: their number, and what
    they bring together, number · f^layers. The path through none is the identity: 1, always."""

    layers: int
    paths: int
    contribution: float


@dataclass(frozen=True)
class Measured:
    """The gradient's length, from 1 at the top, after each layer of a stack of random linear maps
    that scale a random direction by |f| on average. Directions differ here, so that with skips it
    grows like √(1 + f²) a layer and not like 1 + f."""

    width: int
    seed: int
    without_skips: tuple[float, ...]
    with_skips: tuple[float, ...]


@dataclass(frozen=True)
class Residuals:
    """The gradient through a stack of `depth` layers of slope `factor`."""

    factor: float
    depths: tuple[Depth, ...]
    paths: tuple[Paths, ...]
    measured: Measured


def residuals(depth: int, factor: float, seed: int = 0) -> Residuals:
    """y = f(x) a layer, or y = x + f(x), each f with the slope `factor`.

    0.5 in twelve layers leaves 0.5¹² = 0.000244. With skips the product of the (1 + f) expands
    into a sum over all paths, Σ_k C(depth, k) f^k, of which the path through no layer stays 1.
    """
    return Residuals(
        factor=factor,
        depths=tuple(Depth(n, factor**n, (1 + factor) ** n) for n in range(depth + 1)),
        paths=tuple(Paths(k, comb(depth, k), comb(depth, k) * factor**k) for k in range(depth + 1)),
        measured=_measured(depth, factor, seed),
    )


def _measured(depth: int, factor: float, seed: int) -> Measured:
    random = np.random.default_rng(seed)
    top = random.standard_normal((1, WIDTH))
    top /= np.linalg.norm(top)
    deviation = factor / np.sqrt(WIDTH)
    plain, skipped = [top], [top]
    for _ in range(depth):
        weight = deviation * random.standard_normal((WIDTH, WIDTH))
        plain.append(_through(weight, plain[-1]))
        skipped.append(skipped[-1] + _through(weight, skipped[-1]))
    return Measured(WIDTH, seed, _lengths(plain), _lengths(skipped))


def _through(weight: Array, gradient: Array) -> Array:
    """The gradient of a linear layer's input, from that of its output."""
    y = np.zeros_like(gradient)
    to_input, _ = Linear().backward(gradient, y, y, weight)
    assert isinstance(to_input, np.ndarray)
    return to_input


def _lengths(gradients: list[Array]) -> tuple[float, ...]:
    return tuple(float(np.linalg.norm(gradient)) for gradient in gradients)
