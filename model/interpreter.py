"""Runs a stage table with the NumPy operations, forward and backward: the model's second
implementation."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from model.ops.arithmetic import Add
from model.ops.op import Array, Gradient, Rows
from model.table.stage import Stage

Connection = tuple[str, str]
"""A way from one stage to another: the key of the stage that reads, the key that it reads."""


class Gradients(NamedTuple):
    """d scalar / d tensor, by the tensor's key, each of its tensor's shape. What the scalar does
    not depend on, and what is integers, has no entry."""

    stages: dict[str, Array]
    weights: dict[str, Array]


def run(
    stages: Sequence[Stage], weights: Mapping[str, Array], given: Mapping[str, Array]
) -> dict[str, Array]:
    """Every stage from what is given, end to end: integers by stage key to {key: array}.

    `given` has the stages that no operation makes (the ids); `weights` are the checkpoint's arrays
    by name, and the results have their dtype.
    """
    results: dict[str, Array] = {}
    for stage in stages:
        made = stage.key not in given
        results[stage.key] = apply(stage, results, weights) if made else given[stage.key]
    return results


def apply(stage: Stage, recorded: Mapping[str, Array], weights: Mapping[str, Array]) -> Array:
    """One stage's result from the recorded tensors of its inputs."""
    operands = [recorded[key] for key in stage.inputs]
    result = stage.op.forward(*operands, *(weights[weight.key] for weight in stage.weights))
    dtype = next(iter(weights.values())).dtype
    return result.astype(dtype, copy=False)  # a formula of positions alone has no dtype to keep


def backward(
    stages: Sequence[Stage],
    weights: Mapping[str, Array],
    recorded: Mapping[str, Array],
    dy: Array,
    *,
    cut: Collection[Connection] = (),
) -> Gradients:
    """The gradients of a scalar, from its gradient `dy` with respect to the last stage.

    `stages` are a whole table or a part of one, `recorded` the tensors of them and of what they
    read; each gradient has its tensor's dtype. A tensor that is used more than once (a stage that
    several read, a tied weight) receives the sum of what flows back from each use.

    No gradient passes through the connections in `cut`. The tensors are those of the whole model
    all the same: with `residual_connections(stages)` this is how the gradient would fare if it
    had to take the way through every sub-layer, not what a model built without them would have.
    """
    of_stages: dict[str, Array] = {stages[-1].key: dy}
    of_weights: dict[str, Array] = {}
    for stage in reversed(stages):
        if stage.key not in of_stages:  # nothing that leads to the scalar reads it
            continue
        inputs = [(key, recorded[key]) for key in stage.inputs]
        parameters = [(weight.key, weights[weight.key]) for weight in stage.weights]
        operands = [array for _, array in (*inputs, *parameters)]
        flows = stage.op.backward(of_stages[stage.key], recorded[stage.key], *operands)
        for (key, array), flow in zip(inputs, flows[: len(inputs)], strict=True):
            if (stage.key, key) not in cut:
                _add(of_stages, key, array, flow)
        for (key, array), flow in zip(parameters, flows[len(inputs) :], strict=True):
            _add(of_weights, key, array, flow)
    return Gradients(of_stages, of_weights)


def gradient_of_mean(tensor: Array) -> Array:
    """d mean(y) / d y = 1 / (number of y's cells): where the way back from the loss begins."""
    assert tensor.size, "there is no mean of nothing: a text without a target has no gradient"
    return np.full_like(tensor, 1 / tensor.size)


def residual_connections(stages: Sequence[Stage]) -> frozenset[Connection]:
    """The connections that skip a sub-layer: x in every addition x + f(x), where f(x) is made
    from x. (Embeddings + positions is an addition without one.)"""
    behind: dict[str, set[str]] = {}  # of each stage, all that it is made from
    found: set[Connection] = set()
    for stage in stages:
        behind[stage.key] = set(stage.inputs).union(*(behind.get(k, ()) for k in stage.inputs))
        if isinstance(stage.op, Add):
            left, right = stage.inputs
            found |= {
                (stage.key, x)
                for x, other in ((left, right), (right, left))
                if x in behind.get(other, ())
            }
    return frozenset(found)


def _add(totals: dict[str, Array], key: str, operand: Array, gradient: Gradient) -> None:
    """Add to the total of one tensor's gradient, which begins at zero."""
    if gradient is None:
        return
    if key not in totals:
        totals[key] = np.zeros_like(operand)
    if isinstance(gradient, Rows):
        gradient.add_to(totals[key])
    else:
        totals[key] += gradient
