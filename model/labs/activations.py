"""The feed-forward network's activations and their slopes (module 7.4, lesson 56)."""

from dataclasses import dataclass

import numpy as np

from model.errors import InputError
from model.ops.activations import Gelu, GeluTanh, Relu, Silu
from model.ops.op import Array, Op

LARGEST_INPUT = 100.0
MOST_POINTS = 1001

ACTIVATIONS: dict[str, Op] = {
    "ReLU": Relu(),
    "GELU": Gelu(),
    "GELU (tanh)": GeluTanh(),
    "SiLU": Silu(),
}


@dataclass(frozen=True)
class Curve:
    """One activation over the range, and at the chosen point: its values and its slopes dy/dx.
    ReLU has no slope at 0; 0 is used there, as in training."""

    name: str
    operation: str
    equation: str
    values: Array
    slopes: Array
    value: float
    slope: float


@dataclass(frozen=True)
class Activations:
    """Every activation at the inputs x and at the point `at`."""

    x: Array
    at: float
    curves: tuple[Curve, ...]


def activations(low: float, high: float, n_points: int, at: float) -> Activations:
    """ReLU, GELU in both forms and SiLU, at n_points evenly from low to high and at one point.

    GELU(1) = 0.841 and GELU(−1) = −0.159: small negatives pass a little.

    Raises:
        InputError: the range is empty.
    """
    if not low < high:
        raise InputError(
            f"The range from {low:g} to {high:g} is empty; let it end above its beginning.",
            field="high",
        )
    x = np.linspace(low, high, n_points)
    return Activations(x, at, tuple(_curve(name, op, x, at) for name, op in ACTIVATIONS.items()))


def _curve(name: str, op: Op, x: Array, at: float) -> Curve:
    inputs = np.append(x, at)
    values = op.forward(inputs)
    slopes = _slopes(op, inputs, values)
    return Curve(
        name,
        op.operation,
        op.equation("y", ("x",)),
        values[:-1],
        slopes[:-1],
        float(values[-1]),
        float(slopes[-1]),
    )


def _slopes(op: Op, x: Array, y: Array) -> Array:
    """dy/dx element by element: what the op's backward pass makes of ones."""
    (slopes,) = op.backward(np.ones_like(x), y, x)
    assert isinstance(slopes, np.ndarray)
    return slopes
