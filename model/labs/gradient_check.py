"""The numerical gradient check: one weight moved by ε both ways (the NumPy chapter, exercises)."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import log10

import numpy as np
import torch

from model import interpreter
from model.checkpoint import LoadedModel
from model.errors import CellError
from model.parameters import parameter_of, parameters
from model.tracing import Trace, trace

LONGEST_TEXT = 24
SMALLEST_EPSILON, LARGEST_EPSILON = 1e-12, 1.0
POWERS = tuple(-power / 2 for power in range(22, -1, -1))
"""Of ten, at which the curve has a point: from −11 to 0 by halves."""

Loss = Callable[[float], float]
"""The mean loss where the weight is moved by so much."""


@dataclass(frozen=True)
class Quotient:
    """(loss(w + ε) − loss(w − ε)) / 2ε in one precision: both losses, what they give, and how far
    it is from the analytic gradient; `relative` to it, None where that is 0."""

    above: float
    below: float
    gradient: float
    error: float
    relative: float | None


@dataclass(frozen=True)
class CheckedStep:
    """Both precisions at ε = 10^power."""

    power: float
    epsilon: float
    float32: Quotient
    float64: Quotient


@dataclass(frozen=True)
class GradientCheck:
    """One cell of one weight: its value, d loss / d weight by hand in float64 (the stage table's
    backward pass in NumPy) and by torch in float32, the quotient at the chosen ε, the curve, and
    the power on the curve with the smallest error in each precision."""

    model: str
    text: str
    weight: str
    index: tuple[int, ...]
    shape: tuple[int, ...]
    weights: tuple[str, ...]
    value: float
    loss: float
    analytic: float
    by_torch: float
    chosen: CheckedStep
    curve: tuple[CheckedStep, ...]
    best_float32: float
    best_float64: float


def gradient_check(
    model: LoadedModel, text: str, *, weight: str, index: Sequence[int], epsilon: float
) -> GradientCheck:
    """The difference quotient beside the analytic gradient, over all ε.

    Its error has two parts: the curvature that a finite step leaves out, about ε², and rounding,
    about the precision of the loss over ε. float32 is torch's, float64 NumPy's. An encoder has
    to guess the text's first character.

    Raises:
        UnknownWeight, CellError: there is no such number.
        TextError: the model cannot read the text, or predicts nothing there.
    """
    parameter = parameter_of(model, weight)
    shape = model.weights[weight].shape
    place = tuple(index)
    _require(weight, place, shape)
    hidden = (0,) if model.config.guesses else ()
    traced = trace(model, text, hidden=hidden, weight_gradients=True)
    assert traced.weight_gradients is not None
    exact, rounded = _in_numpy(traced, weight, place), _in_torch(traced, weight, place)
    analytic = _analytic(traced, parameter.weight.key, place)

    def step(power: float, size: float) -> CheckedStep:
        return CheckedStep(
            power, size, _quotient(rounded, size, analytic), _quotient(exact, size, analytic)
        )

    curve = tuple(step(power, 10.0**power) for power in POWERS)
    return GradientCheck(
        model=model.id,
        text=traced.text,
        weight=weight,
        index=place,
        shape=shape,
        weights=tuple(parameters(model.stages)),
        value=float(model.weights[weight][place]),
        loss=exact(0.0),
        analytic=analytic,
        by_torch=float(traced.weight_gradients[weight][place]),
        chosen=step(log10(epsilon), epsilon),
        curve=curve,
        best_float32=min(curve, key=lambda one: one.float32.error).power,
        best_float64=min(curve, key=lambda one: one.float64.error).power,
    )


def _require(weight: str, index: tuple[int, ...], shape: tuple[int, ...]) -> None:
    inside = len(index) == len(shape) and all(
        0 <= at < size for at, size in zip(index, shape, strict=True)
    )
    if not inside:
        raise CellError(
            f"{weight} has the shape {' × '.join(map(str, shape))}, so {list(index)} is no place "
            f"in it; give {len(shape)} whole numbers, each below its size.",
            field="index",
        )


def _in_numpy(traced: Trace, weight: str, place: tuple[int, ...]) -> Loss:
    weights, last = traced.model.exact_weights, traced.stages[-1].key

    def loss(change: float) -> float:
        moved = weights[weight].copy()
        moved[place] += change
        recorded = interpreter.run(traced.stages, {**weights, weight: moved}, traced.reading.given)
        return float(recorded[last].mean())

    return loss


def _in_torch(traced: Trace, weight: str, place: tuple[int, ...]) -> Loss:
    network = deepcopy(traced.model.network)  # all requests share the one that is served
    parameter = dict(network.named_parameters())[weight]
    given = {key: torch.tensor(ids[None]) for key, ids in traced.reading.given.items()}
    begin = parameter[place].item()

    def loss(change: float) -> float:
        with torch.inference_mode():
            parameter.data[place] = begin + change
            return float(network.score(given).mean().item())

    return loss


def _analytic(traced: Trace, key: str, place: tuple[int, ...]) -> float:
    weights = traced.model.exact_weights
    recorded = interpreter.run(traced.stages, weights, traced.reading.given)
    dy = interpreter.gradient_of_mean(recorded[traced.stages[-1].key])
    found = interpreter.backward(traced.stages, weights, recorded, dy).weights
    return float(found[key][place]) if key in found else 0.0


def _quotient(loss: Loss, epsilon: float, analytic: float) -> Quotient:
    above, below = loss(epsilon), loss(-epsilon)
    gradient = float(np.float64(above - below) / (2 * epsilon))
    error = abs(gradient - analytic)
    return Quotient(above, below, gradient, error, error / abs(analytic) if analytic else None)
