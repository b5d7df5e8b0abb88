"""Traces in which one number is wrong, to see whether a check notices; and models of other
numbers."""

import copy
from collections.abc import Mapping
from dataclasses import replace

import torch

from model.checkpoint import LoadedModel
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


def scaled(model: LoadedModel, factors: Mapping[str, float]) -> LoadedModel:
    """A model of its own whose named parameters are so many times as large."""
    changed = copy.deepcopy(model)
    parameters = dict(changed.network.named_parameters())
    with torch.no_grad():
        for key, factor in factors.items():
            parameters[key].mul_(factor)
    return changed


def having(model: LoadedModel, numbers: Mapping[tuple[str, tuple[int, ...]], float]) -> LoadedModel:
    """A model of its own with other numbers in single cells of its parameters."""
    changed = copy.deepcopy(model)
    parameters = dict(changed.network.named_parameters())
    with torch.no_grad():
        for (key, index), number in numbers.items():
            parameters[key][index] = number
    return changed
