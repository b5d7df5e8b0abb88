"""The gradient check: the quotient meets the analytic gradient, and errs where it must."""

import math
from copy import deepcopy

import pytest
import torch

from model.checkpoint import LoadedModel
from model.errors import CellError, TextError, UnknownWeight
from model.labs.gradient_check import GradientCheck, gradient_check
from model.tracing import trace

WEIGHT = "embedding.weight"


@pytest.fixture(scope="module")
def checked(model: LoadedModel) -> GradientCheck:
    return gradient_check(model, "To be", weight=WEIGHT, index=(1, 2), epsilon=1e-3)


def test_quotient_meets_the_analytic_gradient_in_float64(checked: GradientCheck) -> None:
    assert min(one.float64.error for one in checked.curve) < 1e-8 * abs(checked.analytic)


def test_analytic_gradient_is_torchs(checked: GradientCheck, model: LoadedModel) -> None:
    gradients = trace(model, "To be", weight_gradients=True).weight_gradients
    assert gradients is not None
    assert checked.by_torch == float(gradients[WEIGHT][1, 2])
    assert checked.analytic == pytest.approx(checked.by_torch, rel=1e-5)


def test_quotient_is_that_of_a_torch_model_in_float64(
    checked: GradientCheck, model: LoadedModel
) -> None:
    """By torch, which the float64 side never sees."""
    network = deepcopy(model.network).double()
    ids = torch.tensor(trace(model, "To be").reading.given["ids"][None])
    losses = []
    for change in (1e-3, -1e-3):
        with torch.no_grad():
            network.embedding.weight[1, 2] += change
            losses.append(network.score({"ids": ids}).mean().item())
            network.embedding.weight[1, 2] -= change
    found = checked.chosen.float64
    assert [found.above, found.below] == pytest.approx(losses, abs=1e-12)
    assert found.gradient == pytest.approx((losses[0] - losses[1]) / 2e-3, rel=1e-9)


def test_truncation_falls_with_the_square_of_the_step(checked: GradientCheck) -> None:
    errors = {one.power: one.float64.error for one in checked.curve}
    assert errors[-2] / errors[-3] == pytest.approx(100, rel=0.02)


def test_rounding_grows_as_the_step_shrinks(checked: GradientCheck) -> None:
    errors = {one.power: one.float64.error for one in checked.curve}
    assert errors[-10] > 100 * errors[checked.best_float64]
    assert checked.best_float32 > checked.best_float64


def test_step_below_float32_moves_nothing(checked: GradientCheck) -> None:
    smallest = checked.curve[0].float32
    assert smallest.gradient == 0
    assert smallest.error == abs(checked.analytic)


def test_served_model_is_left_alone(model: LoadedModel) -> None:
    before = model.weights[WEIGHT].copy()
    gradient_check(model, "To be", weight=WEIGHT, index=(1, 2), epsilon=1.0)
    assert (model.weights[WEIGHT] == before).all()


def test_row_of_a_character_that_is_not_there_has_no_gradient(model: LoadedModel) -> None:
    found = gradient_check(model, "To be", weight=WEIGHT, index=(64, 0), epsilon=1e-3)
    assert (found.analytic, found.chosen.float64.relative) == (0, None)
    assert found.chosen.power == pytest.approx(math.log10(1e-3))


@pytest.mark.parametrize("index", [(65, 0), (0,), (0, 0, 0), (0, 64)])
def test_place_that_a_weight_does_not_have_is_refused(
    model: LoadedModel, index: tuple[int, ...]
) -> None:
    with pytest.raises(CellError, match="65 × 64"):
        gradient_check(model, "To be", weight=WEIGHT, index=index, epsilon=1e-3)


def test_unknown_weight_is_refused(model: LoadedModel) -> None:
    with pytest.raises(UnknownWeight):
        gradient_check(model, "To be", weight="nothing", index=(0,), epsilon=1e-3)


def test_text_without_a_loss_is_refused(model: LoadedModel) -> None:
    with pytest.raises(TextError):
        gradient_check(model, "T", weight=WEIGHT, index=(0, 0), epsilon=1e-3)
