"""F36: nothing that is handed out in Python can be written into so that a trace, or a later one, is
another."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from torch import Tensor

from model import LoadedModel, Trace, trace
from model.labs.counting import references
from model.labs.experiment import experiment
from model.ops.op import Array
from model.parameters import parameters
from model.tokenizer import CharacterTokenizer
from tests.model import presets


@pytest.fixture
def traced(untrained: LoadedModel) -> Trace:
    """Each preset, with every gradient."""
    untrained.network.requires_grad_(True)  # as loaded ones do
    return presets.with_gradients(untrained, "0123456")


ARRAYS: dict[str, Callable[[Trace], Mapping[str, Array | None]]] = {
    "stages": lambda one: {key: one.array(key) for key in one.tensors},
    "gradients": lambda one: {key: one.gradient(key) for key in one.tensors},
    "records": lambda one: {key: one.tensors.array(key) for key in one.tensors},
    "weights": lambda one: one.model.weights,
    "exact weights": lambda one: one.model.exact_weights,
    "ids that were read": lambda one: one.reading.given,
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_array_that_is_handed_out_cannot_be_written_into(traced: Trace, kind: str) -> None:
    arrays = [array for array in ARRAYS[kind](traced).values() if array is not None]
    assert arrays
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


def test_array_is_still_the_traces_own_memory(traced: Trace) -> None:
    one, two = traced.array("logits"), traced.array("logits")
    assert np.shares_memory(one, two)
    parameter = traced.model.network.state_dict()["embedding.weight"].numpy()
    assert np.shares_memory(traced.model.weights["embedding.weight"], parameter)


TENSORS: dict[str, Callable[[Trace], Mapping[str, Tensor]]] = {
    "stages": lambda one: {key: one.tensor(key) for key in one.tensors},
    "records": lambda one: dict(one.tensors),
    "gradients": lambda one: dict(one.gradients or {}),
    "weight gradients": lambda one: dict(one.weight_gradients or {}),
}


@pytest.mark.parametrize("kind", TENSORS)
def test_tensor_that_is_handed_out_is_a_copy(traced: Trace, kind: str) -> None:
    """Of a parameter's memory too, as the learned positions are."""
    weights = {key: array.copy() for key, array in traced.model.weights.items()}
    before = TENSORS[kind](traced)
    assert before
    for key, tensor in TENSORS[kind](traced).items():
        tensor.zero_().add_(7)
        assert TENSORS[kind](traced)[key].equal(before[key]), key
    for key, array in traced.model.weights.items():
        assert np.array_equal(array, weights[key]), key


def test_names_of_weights_cannot_be_given_other_arrays(model: LoadedModel) -> None:
    for arrays in (model.weights, model.exact_weights):
        with pytest.raises(TypeError):
            arrays["embedding.weight"] = np.zeros(1)  # type: ignore[index]


def test_ids_of_a_tokenizer_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        CharacterTokenizer(("a", "b")).ids["a"] = 5  # type: ignore[index]


def test_model_can_still_be_copied_and_its_copy_changed(model: LoadedModel) -> None:
    logits = trace(model, "To be").array("logits").copy()
    mine = copy.deepcopy(model)
    mine.network.state_dict()["embedding.weight"].zero_()
    assert not np.array_equal(trace(mine, "To be").array("logits"), logits)
    assert np.array_equal(trace(model, "To be").array("logits"), logits)


KEPT: dict[str, Callable[[], dict[str, Any]]] = {
    "counted references": lambda: references()[0][1].config,
    "a measured comparison": lambda: experiment().positions.config,
    "what its runs varied": lambda: experiment().norm_placement.groups[0].varied,
}


@pytest.mark.parametrize("name", KEPT)
def test_result_that_a_lab_keeps_is_not_changed_by_its_reader(name: str) -> None:
    before = copy.deepcopy(KEPT[name]())
    KEPT[name]().clear()
    assert KEPT[name]() == before != {}


def test_parameters_of_a_table_cannot_be_changed(model: LoadedModel) -> None:
    with pytest.raises(TypeError):
        parameters(model.stages)["embedding.weight"] = None  # type: ignore[index]
