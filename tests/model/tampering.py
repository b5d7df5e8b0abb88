"""Traces in which one number is wrong, to see whether a check notices."""

from dataclasses import replace

from model.recorder import Record
from model.tracing import Trace


def perturbed(traced: Trace, key: str, index: tuple[int, ...], by: float) -> Trace:
    """The same trace with one number of one stage wrong."""
    return replace(traced, tensors=of_wrong(traced.tensors, key, index, by))


def of_wrong(tensors: Record, key: str, index: tuple[int, ...], by: float) -> Record:
    """The same tensors with one number of one of them wrong."""
    tensor = tensors[key].clone()
    tensor[index] += by
    changed = {**tensors, key: tensor}
    return Record({name: one[None] for name, one in changed.items()})
