"""The labs give the numbers that the texts print."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from model.errors import InputError
from model.labs.activations import Curve, activations
from model.labs.layernorm import NormStep, layernorm
from model.labs.masking import masking
from model.labs.positions import Positions, positions
from model.labs.residuals import residuals
from model.ops.op import Array


def step(steps: Sequence[NormStep], name: str) -> Array:
    """The numbers of one step."""
    return np.array(next(found.values for found in steps if found.name == name))


def curve(name: str, at: float) -> Curve:
    return next(c for c in activations(-4, 4, 9, at).curves if c.name == name)


# Masking


def test_mask_before_softmax_gives_the_lesson_weights() -> None:
    found = masking([1, 2, 3], 1)
    assert found.before.exponentials == pytest.approx((2.718, 7.389, 0), abs=5e-4)
    assert found.before.exponentials_sum == pytest.approx(10.107, abs=5e-4)
    assert found.before.weights == pytest.approx((0.269, 0.731, 0), abs=5e-4)


def test_masked_weight_is_exactly_zero() -> None:
    assert masking([1, 2, 500], 1).before.weights[2] == 0


@pytest.mark.parametrize("later", [-500.0, 0.0, 3.0, 500.0])
def test_mask_before_softmax_lets_nothing_through(later: float) -> None:
    assert masking([1, 2, later], 1).before.weights == (*masking([1, 2], 1).before.weights, 0)


def test_mask_after_softmax_does_not_sum_to_one() -> None:
    found = masking([1, 2, 3], 1).after
    assert found.total == pytest.approx((math.e + math.e**2) / (math.e + math.e**2 + math.e**3))


def test_mask_after_softmax_leaks_the_later_scores() -> None:
    leak = masking([1, 2, 3], 1, change=1.0).leak
    assert leak.before == 0
    assert leak.after > 0.1


def test_renormalized_weights_are_right_again() -> None:
    found = masking([1, 2, 3], 1)
    assert found.after.renormalized == pytest.approx(found.before.weights)
    assert found.leak.renormalized == pytest.approx(0, abs=1e-15)


def test_renormalizing_fails_where_a_later_score_takes_everything() -> None:
    found = masking([-500, -499, 500], 1)
    assert found.after.total == 0
    assert found.after.renormalized == (None, None, None)
    assert found.before.weights == pytest.approx((0.269, 0.731, 0), abs=5e-4)


def test_last_position_sees_everything() -> None:
    found = masking([1, 2, 3], 2)
    assert found.before.weights == found.after.weights
    assert found.leak.after == 0


@pytest.mark.parametrize("position", [-1, 3])
def test_position_without_a_score_is_refused(position: int) -> None:
    with pytest.raises(InputError) as found:
        masking([1, 2, 3], position)
    assert found.value.field == "position"


# Positions


@pytest.fixture(scope="module", params=[1, 7, 25])
def wide(request: pytest.FixtureRequest) -> Positions:
    """The width of the text's example, at each of its shifts."""
    return positions(512, 64, 3, request.param)


@pytest.mark.parametrize(
    ("pair", "wavelength", "within"), [(0, 6.28, 0.005), (64, 63, 0.5), (255, 60_600, 50)]
)
def test_wavelength_is_that_of_the_course(
    wide: Positions, pair: int, wavelength: float, within: float
) -> None:
    assert wide.pairs[pair].wavelength == pytest.approx(wavelength, abs=within)


def test_shift_is_the_rotation_at_every_position(wide: Positions) -> None:
    assert wide.rotation_error < 1e-12


def test_least_squares_finds_the_rotation(wide: Positions) -> None:
    """Pair by pair, 2 × 2, positions 0 to 999, in float32."""
    assert wide.fit.n_positions == 1000
    assert {pair.fitted.dtype for pair in wide.pairs} == {np.dtype(np.float32)}
    assert wide.fit.largest_error <= 1e-6
    assert wide.fit.largest_distance <= 1e-6


def test_rotation_has_its_minus_sign_bottom_left() -> None:
    rotation = positions(4, 1, 0, 1).pairs[0].rotation
    expected = [[math.cos(1), math.sin(1)], [-math.sin(1), math.cos(1)]]
    assert rotation == pytest.approx(np.array(expected))


def test_turn_is_the_same_wherever_it_starts() -> None:
    near, far = positions(64, 1, 3, 37).pairs, positions(64, 1, 103, 37).pairs
    assert [pair.turn for pair in near] == [pair.turn for pair in far]
    for pair in (*near, *far):
        turned = pair.shifted_angle - pair.angle - pair.turn
        assert math.cos(turned) == pytest.approx(1)
        assert math.sin(turned) == pytest.approx(0, abs=1e-9)


def test_dot_product_depends_on_the_gap_alone() -> None:
    found = positions(64, 100, 0, 1)
    assert found.products.largest_variation < 1e-12
    frequencies = np.array([pair.frequency for pair in found.pairs])
    expected = np.cos(np.outer(np.arange(100), frequencies)).sum(1)
    assert found.products.by_gap == pytest.approx(expected)


def test_table_is_sine_and_cosine_in_turn() -> None:
    table = positions(4, 2, 0, 0).table
    assert table.dtype == np.float32
    expected = [[0, 1, 0, 1], [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)]]
    assert table == pytest.approx(np.array(expected))


def test_odd_width_is_refused() -> None:
    with pytest.raises(InputError) as found:
        positions(5, 1, 0, 1)
    assert found.value.field == "d_model"


# LayerNorm


def test_layernorm_goes_through_the_steps_of_the_course() -> None:
    steps = layernorm([2, 4, 6, 8], epsilon=0).layer_norm
    assert step(steps, "mean") == [5]
    assert step(steps, "centred").tolist() == [-3, -1, 1, 3]
    assert step(steps, "variance") == [5]
    assert step(steps, "shifted") == pytest.approx([-1.342, -0.447, 0.447, 1.342], abs=5e-4)


def test_layernorm_scales_and_shifts_as_in_the_lesson() -> None:
    steps = layernorm([2, 4, 6, 8], gamma=[2], beta=[1]).layer_norm
    assert step(steps, "shifted") == pytest.approx([-1.68, 0.11, 1.89, 3.68], abs=5e-3)


def test_layernorm_of_the_exercise_ends_in_the_root_of_three() -> None:
    steps = layernorm([1, 1, 1, 5], epsilon=0).layer_norm
    assert step(steps, "shifted")[-1] == pytest.approx(1.732, abs=2e-3)


def test_layernorm_takes_gamma_and_beta_for_each_feature() -> None:
    steps = layernorm([2, 4, 6, 8], gamma=[0, 1, 2, 3], beta=[1, 2, 3, 4]).layer_norm
    expected = step(steps, "normalized") * [0, 1, 2, 3] + [1, 2, 3, 4]
    assert step(steps, "shifted") == pytest.approx(expected)


@pytest.mark.parametrize("scale", [2.0, 1024.0, 2.0**-10])
def test_layernorm_is_exactly_scale_invariant_without_epsilon(scale: float) -> None:
    """Powers of two, so that the scaled input itself has no rounding."""
    assert layernorm([2, 4, 6, 8.5], epsilon=0, scale=scale).scale_difference == 0


@pytest.mark.parametrize(("scale", "shift"), [(10, 0), (1e-6, 0), (1e6, 0), (1, 100), (10, -7)])
def test_scale_and_shift_change_nothing_but_roundings_without_epsilon(
    scale: float, shift: float
) -> None:
    found = layernorm([2, 4, 6, 8], epsilon=0, scale=scale, shift=shift)
    assert found.scale_difference < 1e-12


def test_epsilon_flattens_small_inputs() -> None:
    """Where the variance is ε, the deviation falls to √(1/2)."""
    found = layernorm([2, 4, 6, 8], epsilon=5e-6).scales
    deviations = {effect.scale: effect.layer_norm_deviation for effect in found}
    assert deviations[1.0] == pytest.approx(1, abs=1e-6)
    assert deviations[1e-3] == pytest.approx(math.sqrt(0.5))
    assert deviations[1e-8] == pytest.approx(0, abs=1e-4)


def test_scale_has_no_effect_without_epsilon() -> None:
    for effect in layernorm([2, 4, 6, 8], epsilon=0).scales:
        assert effect.layer_norm_deviation == pytest.approx(1)
        assert effect.rms_norm_root_mean_square == pytest.approx(1)


def test_rmsnorm_keeps_the_mean() -> None:
    steps = layernorm([2, 4, 6, 8], gamma=[2], epsilon=0).rms_norm
    assert step(steps, "mean square") == [30]
    assert step(steps, "scaled") == pytest.approx(2 * np.array([2, 4, 6, 8]) / math.sqrt(30))


@pytest.mark.parametrize("x", [[3.0], [0.1, 0.1, 0.1], [0.0, 0.0], [1e-200, 2e-200]])
def test_zero_by_zero_is_refused(x: list[float]) -> None:
    with pytest.raises(InputError) as found:
        layernorm(x, epsilon=0)
    assert found.value.field == "epsilon"


def test_equal_features_become_zero_with_epsilon() -> None:
    assert step(layernorm([3, 3, 3]).layer_norm, "shifted").tolist() == [0, 0, 0]


@pytest.mark.parametrize("name", ["gamma", "beta"])
def test_numbers_that_fit_no_feature_are_refused(name: str) -> None:
    with pytest.raises(InputError) as found:
        layernorm([1, 2, 3], **{name: [1.0, 2.0]})
    assert found.value.field == name


# Activations


@pytest.mark.parametrize(("at", "value"), [(1, 0.841), (0, 0), (-1, -0.159)])
def test_gelu_is_that_of_the_lesson(at: float, value: float) -> None:
    assert curve("GELU", at).value == pytest.approx(value, abs=5e-4)


def test_gelu_forms_are_close() -> None:
    found = {c.name: c.values for c in activations(-6, 6, 601, 0).curves}
    gap = np.abs(found["GELU"] - found["GELU (tanh)"]).max()
    assert 0 < gap < 5e-4


def test_small_negative_passes_gelu_and_not_relu() -> None:
    assert curve("ReLU", -0.5).slope == 0
    assert curve("GELU", -0.5).slope > 0.1


@pytest.mark.parametrize("name", ["ReLU", "GELU", "GELU (tanh)", "SiLU"])
@pytest.mark.parametrize("at", [-3.0, -0.3, 0.7, 2.5])
def test_slope_is_the_limit_of_differences(name: str, at: float) -> None:
    h = 1e-5
    difference = (curve(name, at + h).value - curve(name, at - h).value) / (2 * h)
    assert curve(name, at).slope == pytest.approx(difference, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "slope"), [("ReLU", 0), ("GELU", 0.5), ("GELU (tanh)", 0.5), ("SiLU", 0.5)]
)
def test_slope_at_zero(name: str, slope: float) -> None:
    assert curve(name, 0).slope == slope


@pytest.mark.parametrize("x", [-100.0, 100.0])
def test_activations_are_finite_far_out(x: float) -> None:
    for found in activations(-100, 100, 2, x).curves:
        assert found.value == pytest.approx(max(0, x))
        assert found.slope == pytest.approx(float(x > 0))


def test_empty_range_is_refused() -> None:
    with pytest.raises(InputError) as found:
        activations(1, 1, 2, 0)
    assert found.value.field == "high"


# Residuals


def test_twelve_halves_leave_little_without_skips() -> None:
    assert residuals(12, 0.5).depths[-1].without_skips == pytest.approx(0.000244, abs=5e-7)


@pytest.mark.parametrize("factor", [-0.5, 0.0, 0.5, 2.0])
def test_paths_add_up_to_the_product_with_skips(factor: float) -> None:
    found = residuals(12, factor)
    total = math.fsum(path.contribution for path in found.paths)
    assert total == pytest.approx(found.depths[-1].with_skips)
    assert sum(path.paths for path in found.paths) == 2**12


@pytest.mark.parametrize("factor", [-0.5, 0.0, 0.5, 2.0])
def test_direct_path_has_weight_one(factor: float) -> None:
    direct = residuals(48, factor).paths[0]
    assert (direct.layers, direct.paths, direct.contribution) == (0, 1, 1)


def test_measured_gradient_follows_the_formulas() -> None:
    """Each layer is random, so that the length is near f^n, and √(1 + f²)^n with skips."""
    found = residuals(12, 0.5).measured
    assert len(found.without_skips) == len(found.with_skips) == 13
    assert math.log(found.without_skips[-1]) == pytest.approx(12 * math.log(0.5), abs=1)
    assert math.log(found.with_skips[-1]) == pytest.approx(6 * math.log(1.25), abs=1)


def test_measured_stack_is_the_seed_alone() -> None:
    assert residuals(12, 0.5, 3) == residuals(12, 0.5, 3)
    assert residuals(12, 0.5, 3) != residuals(12, 0.5, 4)


def test_layernorm_of_numbers_too_small_to_be_squared_is_refused() -> None:
    """Their squares have lost their last digits: a result would look right and be wrong."""
    with pytest.raises(InputError, match="too close to be squared"):
        layernorm([1e-160, -1e-160], epsilon=0)
    effects = layernorm([1e-140, -1e-140], epsilon=0).scales
    assert [effect.layer_norm_deviation for effect in effects if effect.scale < 1e-6] == [
        None,
        None,
    ]
