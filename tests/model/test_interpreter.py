"""Torch against the NumPy interpreter, and whether that comparison can fail."""

import copy
import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest
import torch

from model import LoadedModel, check, trace
from model.checking import StageCheck, sanity
from model.config import PRESETS, ModelConfig
from model.equality import END_TO_END, difference, tolerance
from model.interpreter import apply, run
from model.ops.linear import HeadContributions
from model.question import Question
from model.reading import read
from model.recorder import Recorder
from model.table.stage import Kind, Stage
from model.tracing import Trace
from tests.model.presets import of_preset
from tests.model.presets import untrained as random_numbers
from tests.model.tampering import of_wrong, perturbed
from tests.model.texts import given_zeros, random_text

N_TEXTS = 200


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
    ops = {stage.key: stage.op for stage in model.stages}
    for _ in range(50):
        reading = read(model, Question(random_text(model, random)))
        recorder = Recorder(model.stages, model.config, reading.lengths)
        with torch.inference_mode():
            given = {key: torch.tensor(ids[None]) for key, ids in reading.given.items()}
            network.score(given, recorder)
        again = run(model.stages, weights, reading.given)
        for key, tensor in recorder.finish().items():
            one = difference(
                tensor.numpy(), again[key], 1e-12, masked=ops[key].masked(again[key].shape)
            )
            assert one.equal, (key, one)


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
    """The check can fail: in every stage, by little more than is allowed, and it says where."""
    traced = trace(model, "To be, or not")
    for stage in checkable(model):
        finite = np.argwhere(np.isfinite(traced.array(stage.key)))
        index = tuple(int(i) for i in random.choice(finite))
        row = traced.array(stage.key)[index[:-1]]
        by = 1e-4 * max(1.0, float(np.abs(row[np.isfinite(row)]).max()))
        one = found(check(perturbed(traced, stage.key, index, by)), stage.key)
        assert not one.end_to_end.equal, stage.key
        assert not one.single_operation.equal, stage.key
        assert one.end_to_end.index == one.single_operation.index == index


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


# What is equal


def test_tolerances_are_the_designs() -> None:
    assert (tolerance(), tolerance(1700), END_TO_END) == (1e-5, 1e-5, 5e-5)
    assert tolerance(10_000) == pytest.approx(400 * 2.0**-24, rel=1e-12)


def test_each_check_has_its_own_tolerance(tiny: ModelConfig) -> None:
    """A softmax over 3000 characters adds up so many numbers that rounding takes more."""
    model = random_numbers(tiny.model_copy(update={"vocab_size": 3000}))
    traced = trace(model, "012", gradients=True)
    checks = {one.key: one for one in check(traced)}
    assert checks["logits"].single_operation.tolerance == 1e-5
    of_softmax = checks["probabilities"].single_operation.tolerance
    assert of_softmax == pytest.approx(4 * 2.0**-24 * math.sqrt(3000), rel=1e-12)
    assert {one.end_to_end.tolerance for one in checks.values()} == {5e-5}
    assert {one.gradient.tolerance for one in checks.values() if one.gradient} == {1e-5}


@pytest.mark.parametrize("by", [1e-5, 1.01e-5])
def test_tolerance_is_the_last_that_is_equal(by: float) -> None:
    one = difference(np.array([[by, 0.5]]), np.array([[0.0, 0.5]]), tolerance())
    assert one.equal == (by == 1e-5)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("masks", [False, True])
def test_non_finite_cell_is_a_difference(value: float, masks: bool) -> None:
    right = np.zeros((2, 3), dtype=np.float32)
    wrong = right.copy()
    wrong[1, 2] = value
    for a, b in ((wrong, right), (right, wrong)):
        one = difference(a, b, tolerance(), masked=masks)
        assert not one.equal
        assert one.index == (1, 2)
        assert one.absolute == one.scaled == np.inf


def test_masked_equals_masked() -> None:
    masked = np.array([[1.0, -np.inf], [2.0, 3.0]], dtype=np.float32)
    assert difference(masked, masked.copy(), tolerance(), masked=True).equal
    assert not difference(masked, masked[::-1], tolerance(), masked=True).equal


@pytest.mark.parametrize(
    ("a", "b", "masks"),
    [
        (np.nan, np.nan, True),
        (np.inf, np.inf, True),
        (np.inf, -np.inf, True),
        (-np.inf, -np.inf, False),
    ],
)
def test_no_other_number_that_is_not_finite_equals_anything(
    a: float, b: float, masks: bool
) -> None:
    assert not difference(np.array([0.0, a]), np.array([0.0, b]), tolerance(), masked=masks).equal


def test_difference_is_scaled_by_the_largest_finite_entry_of_its_row() -> None:
    shown = np.array([[100.0, -np.inf, 5.0], [0.0, 0.5, 2.0]])
    again = np.array([[99.0, -np.inf, 5.0], [0.0, 0.5, 2.0]])
    one = difference(shown, again, tolerance(), masked=True)
    assert (one.absolute, one.scaled, one.index) == (1.0, 0.01, (0, 0))


def test_large_row_excuses_no_other() -> None:
    shown = np.array([[[1e6, 0.0], [0.0, 1e-3]]])
    one = difference(shown, np.array([[[1e6, 0.0], [0.0, 0.0]]]), tolerance())
    assert (one.scaled, one.index, one.equal) == (1e-3, (0, 1, 1), False)


def test_index_is_where_the_scaled_difference_is_largest() -> None:
    """The largest difference itself is in the other row."""
    shown = np.array([[1000.0, 0.0], [0.0, 2.0]])
    one = difference(shown, np.array([[1001.0, 0.0], [0.5, 2.0]]), tolerance())
    assert (one.absolute, one.scaled, one.index) == (1.0, 0.25, (1, 0))


def test_stage_of_one_axis_is_one_row() -> None:
    one = difference(np.array([1000.0, 1.0]), np.array([1000.0, 1.005]), tolerance())
    assert one.scaled == pytest.approx(5e-6)
    assert one.equal


def test_small_entries_are_not_scaled_up() -> None:
    one = difference(np.array([1e-3]), np.array([2e-3]), tolerance())
    assert one.scaled == one.absolute


def test_empty_tensors_are_equal() -> None:
    one = difference(np.zeros(0), np.zeros(0), tolerance())
    assert one.equal
    assert one.index is None


def test_gradients_are_measured_by_the_largest_of_the_trace(model: LoadedModel) -> None:
    traced = trace(model, "To be, or not", gradients=True)
    assert traced.gradients is not None
    largest = max(float(gradient.abs().max()) for gradient in traced.gradients.values())
    for by, equal in ((9e-6, True), (1.1e-5, False)):
        gradients = of_wrong(traced.gradients, "input", (2, 3), by * largest)
        one = found(check(replace(traced, gradients=gradients)), "input").gradient
        assert one is not None
        assert one.scaled == pytest.approx(by, rel=0.05)
        assert (one.index, one.equal) == ((2, 3), equal)


# The sanity checks


ROWS = "Every row of attention weights sums to 1"
TRIANGLE = "Nothing above the diagonal"
CAUSALITY = "A changed last character changes nothing earlier"
BOTH_WAYS = "A changed last character changes what is earlier: attention goes both ways"


def failing(traced: Trace) -> list[str]:
    return [one.name for one in sanity(traced) if not one.passed]


def test_sanity_checks_pass_on_random_texts(model: LoadedModel, random: Random) -> None:
    for length in (1, 2, 17, 64):
        checks = sanity(trace(model, random_text(model, random, length)))
        assert [one.name for one in checks] == [ROWS, TRIANGLE, CAUSALITY]
        assert [one.finding for one in checks if not one.passed] == []
        assert all(one.finding for one in checks)


@pytest.mark.parametrize("place", [(0, 0, 0), (0, 2, 1), (3, 4, 4)])
@pytest.mark.parametrize("block", [0, 1])
def test_row_that_does_not_sum_to_one_is_noticed(
    model: LoadedModel, block: int, place: tuple[int, ...]
) -> None:
    traced = trace(model, "To be")
    assert failing(perturbed(traced, f"blocks.{block}.attn.weights", place, 1e-5)) == [ROWS]


@pytest.mark.parametrize(("i", "j"), [(0, 1), (3, 4), (0, 4), (1, 3)])
def test_weight_above_the_diagonal_is_noticed(model: LoadedModel, i: int, j: int) -> None:
    """From the first diagonal on, though the row still sums to 1."""
    key = "blocks.1.attn.weights"
    more = perturbed(trace(model, "To be"), key, (2, i, j), 1e-3)
    assert failing(perturbed(more, key, (2, i, i), -1e-3)) == [TRIANGLE]


@pytest.mark.parametrize("position", [0, 3])
def test_leak_from_the_last_character_is_noticed(model: LoadedModel, position: int) -> None:
    """Up to the position just before it."""
    assert failing(perturbed(trace(model, "To be"), "logits", (position, 7), 1e-5)) == [CAUSALITY]


def test_last_position_may_change_with_its_character(model: LoadedModel) -> None:
    assert failing(perturbed(trace(model, "To be"), "logits", (4, 7), 1.0)) == []


@pytest.mark.parametrize("position", [0, 2])
def test_leak_from_the_targets_last_character_is_noticed(position: int) -> None:
    """A target of three characters has four positions, for a line end begins it."""
    traced = trace(of_preset("shakespeare-seq2seq"), "T b", target="To ")
    assert failing(traced) == []
    assert failing(perturbed(traced, "logits", (position, 7), 1e-5)) == [CAUSALITY]


def test_encoder_that_does_not_look_ahead_is_noticed() -> None:
    """Its attention adds nothing, so no position learns of another."""
    model = random_numbers(PRESETS["shakespeare-encoder"])
    assert failing(trace(model, "01")) == []
    for stage in model.stages:
        if isinstance(stage.op, HeadContributions):
            model.network.get_parameter(stage.weights[0].key).data.zero_()
    for text in ("01", "01234"):
        assert failing(trace(model, text)) == [BOTH_WAYS]


def test_encoders_row_that_does_not_sum_to_one_is_noticed() -> None:
    traced = trace(of_preset("shakespeare-encoder"), "To be")
    assert [one.name for one in sanity(traced)] == [ROWS, BOTH_WAYS]
    assert failing(perturbed(traced, "blocks.0.attn.weights", (1, 0, 4), 1e-5)) == [ROWS]
