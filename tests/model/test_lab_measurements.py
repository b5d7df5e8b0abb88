"""What the labs show beside the texts' examples: measurements, costs, and batch norm's axis."""

import json

import numpy as np
import pytest

from model.labs.experiment import MOST_SEEDS, RESULTS, experiment
from model.labs.layernorm import layernorm
from model.labs.positions import positions


@pytest.mark.parametrize("name", ["positions", "norm-placement"])
def test_all_seeds_give_the_committed_summary(name: str) -> None:
    committed = json.loads((RESULTS / f"{name}.json").read_text())
    shown = experiment()
    found = shown.positions if name == "positions" else shown.norm_placement
    for group, expected in zip(found.groups, committed["summary"], strict=True):
        assert expected.items() >= group.varied.items()
        assert (group.mean, group.spread) == (expected["mean"], expected["spread"])
        assert len(group.losses) == expected["runs"] + expected["diverged"]
    assert found.command == committed["command"]


def test_difference_is_the_committed_one() -> None:
    committed = json.loads((RESULTS / "positions.json").read_text())
    found = experiment().difference
    assert found.mean == committed["learned_minus_sinusoidal"]["mean"]
    assert found.sinusoidal_better == committed["sinusoidal_better"]


def test_no_experiment_has_more_seeds_than_can_be_asked_for() -> None:
    counted = [len(json.loads(path.read_text())["seeds"]) for path in RESULTS.glob("*.json")]
    assert max(counted) == MOST_SEEDS


def test_one_seed_has_no_spread() -> None:
    found = experiment(1)
    groups = (*found.positions.groups, *found.norm_placement.groups)
    assert {group.spread for group in groups} == {None}
    assert {group.seeds for group in groups} == {(1337,)}
    assert found.difference.runs == 1


def test_module_7s_single_run_stands_beside() -> None:
    course = experiment().course
    assert (course.learned, course.sinusoidal, course.difference) == (2.0978, 1.9442, 0.1536)


def test_learned_table_costs_what_the_course_says() -> None:
    costs = positions(64, 64, 0, 1).costs
    assert (costs.learned_by_formula, costs.learned_from_tensors) == (4096, 4096)
    assert (costs.sinusoidal_by_formula, costs.sinusoidal_from_tensors) == (0, 0)


def test_two_positions_are_encoded_as_in_the_table() -> None:
    found = positions(16, 64, 3, 37)
    assert found.encoded == pytest.approx(found.table[[3, 40]], abs=1e-6)


def test_encoded_positions_may_lie_beyond_the_table() -> None:
    assert positions(16, 2, 3, 37).encoded == pytest.approx(
        positions(16, 64, 3, 37).table[[3, 40]], abs=1e-6
    )


def test_layer_norm_leaves_the_other_tokens_alone() -> None:
    assert layernorm([2, 4, 6, 8], scale=1000).contrast.others_moved_over_features == 0


def test_batch_norm_moves_the_other_tokens() -> None:
    assert layernorm([2, 4, 6, 8], scale=1000).contrast.others_moved_over_tokens > 0.1


def test_contrast_has_mean_0_and_variance_1_along_its_axis() -> None:
    found = layernorm([2, 4, 6, 8], epsilon=0).contrast
    for values, axis in ((found.over_features, 1), (found.over_tokens, 0)):
        assert values.mean(axis) == pytest.approx(0, abs=1e-12)
        assert values.std(axis) == pytest.approx(1)


def test_first_token_of_the_contrast_is_the_vector() -> None:
    found = layernorm([2, 4, 6, 8], scale=10, shift=1)
    assert found.contrast.tokens[0].tolist() == list(found.x)
    normed = next(step.values for step in found.layer_norm if step.name == "normalized")
    assert np.array(found.contrast.over_features)[0] == pytest.approx(np.array(normed))


def test_means_and_variances_are_shared_by_all_features() -> None:
    found = layernorm([3.0, 5.0])
    shared = [step.name for step in (*found.layer_norm, *found.rms_norm) if step.shared]
    assert shared == ["mean", "variance", "mean square"]


@pytest.mark.parametrize(("seeds", "shallow"), [(5, 4), (1, None)])
def test_verdict_on_the_placement_says_who_wins_at_each_depth(
    seeds: int, shallow: int | None
) -> None:
    """F34: post-LN ends lower at 2 and at 6 blocks, with and without warm-up."""
    found = experiment(seeds)
    by_depth = [(one.n_blocks, one.post_minus_pre) for one in found.placed]
    wins = [depth for depth, by in by_depth if by is not None and by < 0 and depth in (2, 6)]
    assert len(by_depth) == len(found.norm_placement.groups) // 2
    assert shallow is None or len(wins) == shallow
    for one in found.placed:
        pair = [
            group for group in found.norm_placement.groups
            if (group.varied["n_blocks"], group.varied["warmup"]) == (one.n_blocks, one.warmup)
        ]  # fmt: skip
        means = {group.varied["wiring"]: group.mean for group in pair}
        assert one.post_minus_pre == means["post-ln"] - means["pre-ln"]
        assert (one.larger_spread is None) == (seeds == 1)


def test_what_was_held_fixed_is_told() -> None:
    found = experiment()
    for one in (found.positions, found.norm_placement):
        assert (one.batch_size, one.clip) == (32, 1.0)
