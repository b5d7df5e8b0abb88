"""The stage table run backward in NumPy, against torch's gradients and finite differences."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import numpy as np
import pytest
import torch

from model.config import PRESETS, ModelConfig
from model.interpreter import (
    Gradients,
    apply,
    backward,
    gradient_of_mean,
    residual_connections,
    run,
)
from model.ops.arithmetic import Add
from model.ops.lookups import LookUp
from model.ops.norms import MeanSquare
from model.ops.op import Array
from model.table.architectures import stages
from model.table.stage import Kind, Stage
from tests.model.exact import TINY, TINY_PRESETS, ExactModel, arrays, exact_model
from tests.model.texts import given_of

STEP = 1e-5
FINITE_DIFFERENCES = 1e-6
AGAINST_TORCH = 1e-9
LENGTHS = (2, 3, 17, 64)

DECODERS = {
    name: config for name, config in TINY_PRESETS.items() if config.architecture == "decoder-only"
}
every_decoder = pytest.mark.parametrize("wiring", DECODERS.values(), ids=DECODERS)
UNREAD = {"probabilities"}
"""What no stage reads, so that nothing flows back to it."""
every_wiring = pytest.mark.parametrize("wiring", TINY_PRESETS.values(), ids=TINY_PRESETS)


@pytest.fixture
def random() -> Random:
    return Random(20261204)


@pytest.fixture
def model(config: ModelConfig) -> ExactModel:
    """Each preset in float64, every parameter random."""
    return exact_model(config, deviation=0.3)


def random_given(config: ModelConfig, random: Random, length: int) -> dict[str, Array]:
    return given_of(config, random.choices(range(config.vocab_size), k=length))


def from_loss(model: ExactModel, recorded: Mapping[str, Array]) -> Gradients:
    """The gradients of the mean loss."""
    last = recorded[model.stages[-1].key]
    return backward(model.stages, model.weights, recorded, gradient_of_mean(last))


def ran(model: ExactModel, given: Mapping[str, Array]) -> dict[str, Array]:
    return run(model.stages, model.weights, given)


def torch_gradients(
    model: ExactModel, given: Mapping[str, Array]
) -> tuple[dict[str, Array], Gradients]:
    """What torch recorded, and its gradients of the mean loss; zero where nothing flows."""
    recorded = model.record(given)
    parameters = dict(model.network.named_parameters())
    floating = {key: one for key, one in recorded.items() if one.is_floating_point()}
    wanted = [*floating.values(), *parameters.values()]
    loss = recorded[model.stages[-1].key].mean()
    found = [one.numpy() for one in torch.autograd.grad(loss, wanted, materialize_grads=True)]
    of_stages = {key: one[0] for key, one in zip(floating, found, strict=False)}
    of_weights = dict(zip(parameters, found[len(floating) :], strict=True))
    return arrays(recorded), Gradients(of_stages, of_weights)


def largest(gradients: Mapping[str, Array]) -> float:
    return max(float(np.abs(one).max()) for one in gradients.values())


def unequal(ours: Mapping[str, Array], theirs: Mapping[str, Array], scale: float) -> list[str]:
    """The keys of what differs by more than the tolerance of its own largest entry, or, if those
    are tiny, of a thousandth of `scale`."""
    return [
        key
        for key, one in theirs.items()
        if np.abs(ours[key] - one).max() > AGAINST_TORCH * max(np.abs(one).max(), 1e-3 * scale)
    ]


# Against torch


def test_gradients_of_every_stage_and_weight_equal_those_of_torch(
    model: ExactModel, random: Random
) -> None:
    for length in LENGTHS:
        recorded, theirs = torch_gradients(model, random_given(model.config, random, length))
        ours = from_loss(model, recorded)
        scale = largest(theirs.stages)
        read = {key: one for key, one in theirs.stages.items() if key not in UNREAD}
        assert ours.stages.keys() == read.keys()
        assert ours.weights.keys() == theirs.weights.keys()
        assert unequal(ours.stages, read, scale) == []
        assert unequal(ours.weights, theirs.weights, scale) == []


def test_one_wrong_number_is_found(model: ExactModel, random: Random) -> None:
    """The comparison above can fail: in every stage and weight, and it says in which."""
    _, theirs = torch_gradients(model, random_given(model.config, random, 9))
    scale = largest(theirs.stages)
    for gradients in theirs:
        for key, one in gradients.items():
            wrong = one.copy()
            wrong.flat[0] += 1e-8 * max(scale, np.abs(one).max())
            assert unequal(gradients | {key: wrong}, gradients, scale) == [key]


def test_gradients_in_float32_are_near_those_in_float64(model: ExactModel, random: Random) -> None:
    recorded, exact = torch_gradients(model, random_given(model.config, random, 33))
    single = {key: one.astype(np.float32) for key, one in model.weights.items()}
    again = run(model.stages, single, {key: recorded[key] for key in given(model)})
    ours = backward(model.stages, single, again, gradient_of_mean(again[model.stages[-1].key]))
    assert {one.dtype for gradients in ours for one in gradients.values()} == {np.dtype("float32")}
    for gradients, theirs in zip(ours, exact, strict=True):
        for key, one in theirs.items():
            if key in UNREAD:
                assert not one.any()
                continue
            assert np.abs(gradients[key] - one).max() <= 1e-5 * largest(theirs), key


# Against finite differences


def rerun(
    model_stages: tuple[Stage, ...],
    weights: Mapping[str, Array],
    recorded: Mapping[str, Array],
    fixed: set[str],
) -> float:
    """The mean loss with the stages in `fixed` as recorded and all others made afresh."""
    results = {key: recorded[key] for key in fixed}
    for stage in model_stages:
        if stage.key not in fixed:
            results[stage.key] = apply(stage, results, weights)
    return float(results[model_stages[-1].key].mean())


def given(model: ExactModel) -> set[str]:
    return {stage.key for stage in model.stages if stage.kind is Kind.IDS}


@every_wiring
def test_gradients_of_all_parameters_equal_finite_differences(
    wiring: ModelConfig, random: Random
) -> None:
    model = exact_model(wiring, deviation=0.5)
    recorded = ran(model, random_given(wiring, random, 5))
    by_hand = from_loss(model, recorded).weights
    weights = model.weights

    def loss(parameter: Array, cell: tuple[int, ...], value: float) -> float:
        before, parameter[cell] = parameter[cell], value
        result = rerun(model.stages, weights, recorded, given(model))
        parameter[cell] = before
        return result

    for key, parameter in weights.items():
        for cell in np.ndindex(parameter.shape):
            middle = float(parameter[cell])
            above, below = (loss(parameter, cell, middle + by) for by in (STEP, -STEP))
            slope = (above - below) / (2 * STEP)
            assert abs(by_hand[key][cell] - slope) <= FINITE_DIFFERENCES, (key, cell)


@every_wiring
def test_gradients_of_the_input_equal_finite_differences(
    wiring: ModelConfig, random: Random
) -> None:
    model = exact_model(wiring, deviation=0.5)
    recorded = ran(model, random_given(wiring, random, 5))
    by_hand = from_loss(model, recorded).stages
    for stage in model.stages:
        if not isinstance(stage.op, LookUp):
            continue
        fixed = given(model) | {stage.key}
        for cell in np.ndindex(recorded[stage.key].shape):
            losses = []
            for by in (STEP, -STEP):
                moved = recorded[stage.key].copy()
                moved[cell] += by
                edited = recorded | {stage.key: moved}
                losses.append(rerun(model.stages, model.weights, edited, fixed))
            slope = (losses[0] - losses[1]) / (2 * STEP)
            assert abs(by_hand[stage.key][cell] - slope) <= FINITE_DIFFERENCES, (stage.key, cell)


# What flows where


def test_every_stage_but_the_ids_and_the_unread_has_a_gradient(
    model: ExactModel, random: Random
) -> None:
    gradients = from_loss(model, ran(model, random_given(model.config, random, 5)))
    assert gradients.stages.keys() == {s.key for s in model.stages} - given(model) - UNREAD


@every_decoder
def test_masked_scores_receive_exactly_nothing(wiring: ModelConfig, random: Random) -> None:
    model = exact_model(wiring, deviation=0.5)
    recorded = ran(model, random_given(wiring, random, 6))
    gradients = from_loss(model, recorded).stages
    (key,) = [stage.key for stage in model.stages if stage.op.masks]
    hidden = np.isneginf(recorded[key])
    assert np.isfinite(gradients[key]).all()
    assert not gradients[key][hidden].any()
    assert gradients[key][~hidden].any()


@every_decoder
def test_last_position_receives_nothing_from_the_loss(wiring: ModelConfig, random: Random) -> None:
    """It has no target, and no other position sees it."""
    model = exact_model(wiring, deviation=0.5)
    gradients = from_loss(model, ran(model, random_given(wiring, random, 5))).stages
    assert not gradients["logits"][-1].any()
    assert not gradients["embeddings"][-1].any()
    assert gradients["embeddings"][-2].any()


def test_rms_norm_equals_the_formula_of_the_chapter() -> None:
    """x̄_i = r z̄_i − x_i r³ c / d, with z̄ = g ⊙ ȳ, r the inverse root mean square, c = z̄ · x."""
    config = PRESETS["shakespeare-modern"]
    table = stages(config)
    first = next(index for index, one in enumerate(table) if isinstance(one.op, MeanSquare))
    norm = table[first : first + 3]
    read, (gain,) = norm[0].inputs[0], norm[-1].weights
    generator = np.random.default_rng(3)
    x, dy = generator.normal(size=(2, 5, config.d_model))
    weights = {gain.key: generator.normal(size=config.d_model)}
    recorded = {read: x}
    for stage in norm:
        recorded[stage.key] = apply(stage, recorded, weights)

    z = dy * weights[gain.key]
    r = ((x**2).mean(axis=-1, keepdims=True) + config.norm_epsilon) ** -0.5
    c = (z * x).sum(axis=-1, keepdims=True)
    chapter = r * z - x * r**3 * c / config.d_model

    gradients = backward(norm, weights, recorded, dy)
    assert np.abs(gradients.stages[read] - chapter).max() <= 1e-14


def shared_embedding() -> tuple[ExactModel, dict[str, Array], Gradients, list[int]]:
    """A tied model, a text with a character twice and others never, and the gradients."""
    model = exact_model(TINY_PRESETS["shakespeare-preln"], deviation=0.5)
    ids = [3, 1, 3, 5]
    recorded = ran(model, given_of(model.config, ids))
    return model, recorded, from_loss(model, recorded), ids


def test_tied_weight_receives_the_gradients_of_both_uses() -> None:
    _, recorded, gradients, ids = shared_embedding()
    output_side = gradients.stages["logits"].T @ recorded["final_norm.output"]
    input_side = np.zeros_like(output_side)
    for position, row in enumerate(ids):
        input_side[row] += gradients.stages["embeddings"][position]
    both = gradients.weights["embedding.weight"]
    assert np.abs(both - (output_side + input_side)).max() <= 1e-15
    assert np.abs(input_side).max() > 1e-3
    assert np.abs(output_side).max() > 1e-3


def test_characters_that_did_not_occur_receive_the_head_s_gradient_alone() -> None:
    _, recorded, gradients, ids = shared_embedding()
    output_side = gradients.stages["logits"].T @ recorded["final_norm.output"]
    absent = [row for row in range(TINY["vocab_size"]) if row not in ids]
    both = gradients.weights["embedding.weight"]
    assert np.array_equal(both[absent], output_side[absent])


def test_untied_embedding_receives_only_the_rows_that_occurred() -> None:
    model = exact_model(TINY_PRESETS["shakespeare"], deviation=0.5)
    gradients = from_loss(model, ran(model, given_of(model.config, [3, 1, 3, 5]))).weights
    assert set(np.nonzero(gradients["embedding.weight"].any(axis=1))[0]) == {1, 3}  # 5 is last
    assert gradients["head.weight"].any(axis=1).all()


def test_positions_beyond_the_text_receive_nothing() -> None:
    model = exact_model(TINY_PRESETS["shakespeare"], deviation=0.5)
    recorded = ran(model, given_of(model.config, [3, 1, 4]))
    gradient = from_loss(model, recorded).weights["positions.weight"]
    assert gradient.any(axis=1).tolist() == [True, True, False, False, False, False]


def test_mean_of_nothing_has_no_gradient() -> None:
    with pytest.raises(AssertionError, match="a text without a target has no gradient"):
        gradient_of_mean(np.zeros(0))


# Without the residual connections


def test_residual_connections_skip_every_sub_layer(config: ModelConfig) -> None:
    """Each addition on the stream has one, but embeddings + positions is no skip."""
    table = {stage.key: stage for stage in stages(config)}
    additions = {key for key, stage in table.items() if isinstance(stage.op, Add)}
    found = residual_connections(tuple(table.values()))
    assert {adder for adder, _ in found} == {one for one in additions if one.endswith("_residual")}
    assert len(found) == len({adder for adder, _ in found})
    for adder, skipped in found:
        assert table[skipped].branch is None
        (other,) = set(table[adder].inputs) - {skipped}
        assert table[other].branch is not None


def test_order_of_an_addition_does_not_hide_its_residual_connection(config: ModelConfig) -> None:
    table = stages(config)
    turned = tuple(replace(stage, inputs=stage.inputs[::-1]) for stage in table)
    assert residual_connections(turned) == residual_connections(table)


def test_gradient_without_residuals_passes_every_sub_layer(
    model: ExactModel, random: Random
) -> None:
    """What reaches x in x + f(x) is then what torch says flows through f alone."""
    table = {stage.key: stage for stage in model.stages}
    recorded = model.record(random_given(model.config, random, 9))
    cut = residual_connections(model.stages)
    seen = arrays(recorded)
    dy = gradient_of_mean(seen[model.stages[-1].key])
    gradients = backward(model.stages, model.weights, seen, dy, cut=cut).stages
    for adder, skipped in cut:
        (branch,) = set(table[adder].inputs) - {skipped}
        (flow,) = torch.autograd.grad(
            recorded[branch],
            recorded[skipped],
            torch.from_numpy(gradients[adder])[None],
            retain_graph=True,
        )
        theirs = {skipped: flow.numpy()[0]}
        assert unequal(gradients, theirs, largest(theirs)) == []


def test_residual_connections_carry_the_gradient_of_a_fresh_model(random: Random) -> None:
    """The highway: through twelve fresh pre-LN blocks the gradient arrives; without the skips
    hardly anything does."""
    config = TINY_PRESETS["shakespeare-preln"].having(n_blocks=12, d_model=8)
    model = exact_model(config)
    recorded = ran(model, random_given(config, random, 6))
    dy = gradient_of_mean(recorded[model.stages[-1].key])
    norms = []
    for cut in (frozenset(), residual_connections(model.stages)):
        gradients = backward(model.stages, model.weights, recorded, dy, cut=cut).stages
        norms.append(float(np.linalg.norm(gradients["embeddings"])))
    assert norms[0] > 0.1
    assert norms[1] < 1e-3 * norms[0]
