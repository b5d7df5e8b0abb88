"""Runs a stage table with the NumPy operations: the model's second implementation."""

from collections.abc import Mapping, Sequence

from model.ops import Array
from model.stage import Stage


def run(stages: Sequence[Stage], weights: Mapping[str, Array], ids: Array) -> dict[str, Array]:
    """Every stage from the ids, end to end: (T,) integers to {key: array}.

    `weights` are the checkpoint's arrays by name; the results have their dtype.
    """
    results = {stages[0].key: ids}
    for stage in stages[1:]:
        results[stage.key] = apply(stage, results, weights)
    return results


def apply(stage: Stage, recorded: Mapping[str, Array], weights: Mapping[str, Array]) -> Array:
    """One stage's result from the recorded tensors of its inputs."""
    operands = [recorded[key] for key in stage.inputs]
    result = stage.op.forward(*operands, *(weights[weight.key] for weight in stage.weights))
    dtype = next(iter(weights.values())).dtype
    return result.astype(dtype, copy=False)  # a formula of positions alone has no dtype to keep
