"""Runs a stage table with the NumPy operations: the model's second implementation."""

from collections.abc import Mapping, Sequence

from model.ops import Array
from model.stage import Stage


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
