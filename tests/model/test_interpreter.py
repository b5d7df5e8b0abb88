"""Torch against the NumPy interpreter, and whether that comparison can fail."""

import copy
from dataclasses import replace
from random import Random

import numpy as np
import pytest
import torch

from model import LoadedModel, check, trace
from model.checking import StageCheck, difference, sanity
from model.interpreter import apply, run
from model.ops.op import Array
from model.question import Question
from model.reading import read
from model.recorder import Record, Recorder
from model.table.stage import Kind, Stage
from model.tracing import Trace
from tests.model.texts import given_zeros, random_text

N_TEXTS = 200


def perturbed(traced: Trace, key: str, index: tuple[int, ...], by: float) -> Trace:
    """The same trace with one number of one stage wrong."""
    tensor = traced.tensor(key).clone()
    tensor[index] += by
    tensors = {**traced.tensors, key: tensor}
    return replace(traced, tensors=Record({name: one[None] for name, one in tensors.items()}))


def found(checks: tuple[StageCheck, ...], key: str) -> StageCheck:
    return next(one for one in checks if one.key == key)


def checkable(model: LoadedModel) -> list[Stage]:
    return [stage for stage in model.stages if stage.kind is not Kind.IDS]


@pytest.fixture(scope="module")
def checked(model: LoadedModel) -> dict[str, tuple[StageCheck, ...]]:
    """200 texts of 1 to 64 characters, each with its check."""
    random = Random(20261129)
    texts = [random_text(model, random) for _ in range(N_TEXTS)]
    return {text: check(trace(model, text)) for text in texts}


def test_each_operation_of_random_texts_is_equal(
    checked: dict[str, tuple[StageCheck, ...]],
) -> None:
    for text, checks in checked.items():
        wrong = [one.key for one in checks if not one.single_operation.equal]
        assert not wrong, (text, wrong)


def test_random_texts_are_equal_end_to_end(checked: dict[str, tuple[StageCheck, ...]]) -> None:
    for text, checks in checked.items():
        wrong = [(one.key, one.end_to_end.scaled) for one in checks if not one.end_to_end.equal]
        assert not wrong, (text, wrong)


def test_exact_numbers_are_equal_end_to_end(model: LoadedModel, random: Random) -> None:
    """In float64 rounding is out of the way: what remains would be a difference of formulas."""
    network = copy.deepcopy(model.network).double()
    weights = {key: array.astype(np.float64) for key, array in model.weights.items()}
    for _ in range(50):
        reading = read(model, Question(random_text(model, random)))
        recorder = Recorder(model.stages, model.config, reading.lengths)
        with torch.inference_mode():
            given = {key: torch.from_numpy(ids[None]) for key, ids in reading.given.items()}
            network.score(given, recorder)
        again = run(model.stages, weights, reading.given)
        for key, tensor in recorder.finish().items():
            assert difference(tensor.numpy(), again[key]).scaled <= 1e-12, key


def test_random_weights_are_equal_in_torch_and_numpy(
    untrained: LoadedModel, random: Random
) -> None:
    """With every parameter random, so that a forgotten γ, β or bias shows."""
    for length in (1, 2, 33, 64):
        checks = check(trace(untrained, random_text(untrained, random, length)))
        assert all(one.end_to_end.equal and one.single_operation.equal for one in checks)


def test_every_stage_is_checked_in_table_order(model: LoadedModel) -> None:
    assert [one.key for one in check(trace(model, "ab"))] == [s.key for s in model.stages]


def test_float64_weights_give_float64_stages(untrained: LoadedModel) -> None:
    weights = {key: array.astype(np.float64) for key, array in untrained.weights.items()}
    given = {key: ids[0].numpy() for key, ids in given_zeros(untrained.config, 3).items()}
    results = run(untrained.stages, weights, given)
    assert {str(results[stage.key].dtype) for stage in checkable(untrained)} == {"float64"}


def test_perturbed_number_is_found_at_its_index(model: LoadedModel, random: Random) -> None:
    """The check can fail: in every stage, and it says where."""
    traced = trace(model, "To be, or not")
    for stage in checkable(model):
        finite = np.argwhere(np.isfinite(traced.array(stage.key)))
        index = tuple(int(i) for i in random.choice(finite))
        by = 1e-3 * max(1.0, float(np.nanmax(np.abs(finite_cells(traced, stage.key)))))
        one = found(check(perturbed(traced, stage.key, index, by)), stage.key)
        assert not one.end_to_end.equal, stage.key
        assert not one.single_operation.equal, stage.key
        assert one.end_to_end.index == one.single_operation.index == index


def finite_cells(traced: Trace, key: str) -> Array:
    array = traced.array(key)
    return array[np.isfinite(array)]


def test_perturbed_input_spoils_only_operations_that_read_it(model: LoadedModel) -> None:
    """End to end starts from the ids, so a wrong record of one stage does not spread there."""
    key = "blocks.0.attn.v"
    checks = check(perturbed(trace(model, "To be"), key, (0, 0, 0), 1.0))
    assert [one.key for one in checks if not one.end_to_end.equal] == [key]
    assert [one.key for one in checks if not one.single_operation.equal] == [
        key,
        *[stage.key for stage in model.stages if key in stage.inputs],
    ]


def test_wrong_operation_is_found(untrained: LoadedModel) -> None:
    """A model whose norm has another ε is not equal to its table."""
    key = next(s.key for s in untrained.stages if s.key.endswith("blocks.0.ffn_norm.normalized"))
    untrained.network.get_submodule(key.removesuffix(".normalized")).epsilon = 1e-2
    checks = check(trace(untrained, untrained.tokenizer.vocabulary[0] * 5))
    assert not found(checks, key).single_operation.equal


def test_apply_uses_what_was_recorded(model: LoadedModel) -> None:
    traced = trace(model, "abc")
    arrays = {stage.key: traced.array(stage.key) for stage in model.stages}
    stage = traced.stage("blocks.0.attn_residual")
    left, right = (arrays[key] for key in stage.inputs)
    assert np.array_equal(apply(stage, arrays, model.weights), left + right)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_non_finite_cell_is_a_difference(value: float) -> None:
    right = np.zeros((2, 3), dtype=np.float32)
    wrong = right.copy()
    wrong[1, 2] = value
    one = difference(wrong, right)
    assert not one.equal
    assert one.index == (1, 2)


def test_same_infinities_are_equal() -> None:
    masked = np.array([[1.0, -np.inf], [2.0, 3.0]], dtype=np.float32)
    assert difference(masked, masked.copy()).equal


def test_opposite_infinities_differ() -> None:
    assert not difference(np.array([np.inf]), np.array([-np.inf])).equal


def test_not_a_number_in_both_is_a_difference() -> None:
    assert not difference(np.array([np.nan]), np.array([np.nan])).equal


def test_difference_is_scaled_by_the_largest_finite_entry() -> None:
    one = difference(np.array([100.0, -np.inf]), np.array([99.0, -np.inf]))
    assert one.absolute == 1.0
    assert one.scaled == 0.01


def test_small_entries_are_not_scaled_up() -> None:
    one = difference(np.array([1e-3]), np.array([2e-3]))
    assert one.scaled == one.absolute


def test_empty_tensors_are_equal() -> None:
    one = difference(np.zeros(0), np.zeros(0))
    assert one.equal
    assert one.index is None


def test_sanity_checks_pass_on_random_texts(model: LoadedModel, random: Random) -> None:
    for length in (1, 2, 17, 64):
        checks = sanity(trace(model, random_text(model, random, length)))
        assert [one.finding for one in checks if not one.passed] == []
        assert all(one.name and one.finding for one in checks)


@pytest.mark.parametrize(
    ("key", "index", "by"),
    [
        ("blocks.1.attn.weights", (0, 2, 1), 1e-4),
        ("blocks.0.attn.weights", (3, 0, 4), 1e-4),
        ("logits", (1, 7), 1e-6),
    ],
    ids=["row sum", "above the diagonal", "leak"],
)
def test_sanity_checks_can_fail(
    model: LoadedModel, key: str, index: tuple[int, ...], by: float
) -> None:
    checks = sanity(perturbed(trace(model, "To be"), key, index, by))
    assert not all(one.passed for one in checks)
