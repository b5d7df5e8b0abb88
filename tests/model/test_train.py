"""A training run: what it keeps, what it repeats, and when it stops (C33, C41, C42)."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from filelock import FileLock

from model import load
from model.checkpoint import TRAINING, WEIGHTS, TrainingRecord
from model.config import ModelConfig
from model.errors import CheckpointError, TrainingError
from model.training.corpus import Corpus
from model.training.loop import Recipe, train

SHORT = Recipe(steps=20, batch_size=4, learning_rate=1e-2, evaluate_every=5)
FAR_TOO_HIGH = replace(SHORT, steps=200, learning_rate=1000.0, warmup=200, evaluate_every=500)
Start = Callable[..., TrainingRecord]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "tiny"


@pytest.fixture
def start(tiny: ModelConfig, corpus: Corpus, folder: Path) -> Start:
    """Train the tiny model: by the short recipe and into `folder`, unless told otherwise."""

    def run(recipe: Recipe = SHORT, into: Path = folder, **changes: object) -> TrainingRecord:
        config = tiny.having(**changes)
        return train(config, corpus, recipe, into, command="train", quiet=True)

    return run


def refusal(start: Start, recipe: Recipe = SHORT) -> str:
    with pytest.raises(TrainingError) as caught:
        start(recipe)
    return caught.value.message


# What is kept


def test_trained_checkpoint_loads_with_its_record(start: Start, folder: Path) -> None:
    record = start()
    loaded = load(folder)
    assert loaded.training == record
    assert loaded.weights_sha256 == record.weights_sha256


def test_training_lowers_the_loss(start: Start, tiny: ModelConfig) -> None:
    assert start(replace(SHORT, steps=100)).validation_loss < 0.8 * math.log(tiny.vocab_size)


def test_best_weights_by_validation_are_kept(start: Start) -> None:
    record = start(replace(SHORT, steps=60))
    best = min(record.loss_curve, key=lambda point: point.validation)
    assert (record.steps, record.validation_loss) == (best.step, best.validation)


def test_record_says_how_to_do_it_again(start: Start, corpus: Corpus) -> None:
    record = start()
    assert (record.command, record.seed) == ("train", SHORT.seed)
    assert record.corpus_sha256 == corpus.sha256
    assert Recipe(**record.recipe) == SHORT  # type: ignore[arg-type]
    assert record.versions["torch"] == torch.__version__


def test_last_step_is_evaluated_though_no_interval_ends_there(start: Start) -> None:
    assert start(replace(SHORT, steps=3, evaluate_every=500)).steps == 3


def test_averaged_weights_of_a_short_run_are_not_its_random_start(
    start: Start, tiny: ModelConfig
) -> None:
    record = start(replace(SHORT, steps=100, average=0.999))
    assert record.validation_loss < 0.9 * math.log(tiny.vocab_size)


# Random numbers, C33


def test_same_seed_gives_the_same_weights(start: Start, tmp_path: Path) -> None:
    """Whatever torch's own generator stands at."""
    torch.manual_seed(1)
    one = start(SHORT, tmp_path / "one")
    torch.manual_seed(2)
    other = start(SHORT, tmp_path / "other")
    assert one.weights_sha256 == other.weights_sha256
    assert one.loss_curve == other.loss_curve


def test_another_seed_gives_other_weights(start: Start, tmp_path: Path) -> None:
    one = start(SHORT, tmp_path / "one")
    other = start(replace(SHORT, seed=7), tmp_path / "other")
    assert one.weights_sha256 != other.weights_sha256


def test_training_leaves_torchs_generator_alone(start: Start) -> None:
    before = torch.get_rng_state()
    start()
    assert torch.equal(torch.get_rng_state(), before)


# A run that diverges, C42


def test_diverged_run_stops_with_its_step(start: Start) -> None:
    message = refusal(start, FAR_TOO_HIGH)
    assert "diverged at step" in message
    step = int(message.split("step ")[1].split(":")[0])
    assert 1 <= step <= FAR_TOO_HIGH.steps


def test_diverged_run_leaves_the_previous_checkpoint(start: Start, folder: Path) -> None:
    record = start()
    refusal(start, FAR_TOO_HIGH)
    assert load(folder).training == record


def test_diverged_run_names_the_checkpoint_that_stays(start: Start, folder: Path) -> None:
    """What it saved before it diverged loads, and its record is valid JSON."""
    message = refusal(start, replace(FAR_TOO_HIGH, evaluate_every=1))
    kept = load(folder).training
    assert kept is not None
    assert f"the checkpoint of step {kept.steps} stays" in message
    json.loads((folder / TRAINING).read_text(), parse_constant=pytest.fail)


def test_diverged_run_that_saved_nothing_says_so(start: Start, folder: Path) -> None:
    assert "nothing was saved" in refusal(start, FAR_TOO_HIGH)
    assert not (folder / WEIGHTS).exists()


def test_loss_that_is_not_a_number_stops_the_run(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In warm-up too."""
    monkeypatch.setattr(
        "model.training.loop.mean_loss",
        lambda *_: torch.tensor(torch.nan, requires_grad=True),
    )
    assert "diverged at step 1" in refusal(start, replace(SHORT, warmup=2))


# One run a folder, C41


def test_folder_in_use_is_refused(start: Start, folder: Path) -> None:
    folder.mkdir(parents=True)
    with FileLock(folder / ".lock"):
        message = refusal(start)
    assert "Another run is training" in message
    assert "--out" in message
    assert not (folder / WEIGHTS).exists()


def test_folder_is_free_after_a_run(start: Start) -> None:
    assert start().weights_sha256 == start().weights_sha256


def test_folder_is_free_after_a_diverged_run(start: Start) -> None:
    refusal(start, FAR_TOO_HIGH)
    assert start().steps


# The folder


def test_half_written_leftovers_are_cleaned(start: Start, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / ".saving-abc").write_bytes(b"half")
    start()
    assert list(folder.glob(".saving-*")) == []


def test_folder_of_another_model_is_refused_before_the_first_step(
    start: Start, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = start()
    monkeypatch.setattr("model.training.loop.mean_loss", lambda *_: pytest.fail("a step was taken"))
    with pytest.raises(CheckpointError, match=r"config\.json differs"):
        start(n_blocks=2)
    assert load(folder).training == record


def test_folder_that_cannot_be_made_is_refused(start: Start, folder: Path) -> None:
    folder.parent.mkdir()
    folder.touch()
    assert "cannot be written" in refusal(start)


# The learning rate


def test_rate_warms_up_peaks_and_ends_at_its_share() -> None:
    recipe = Recipe(steps=1000, warmup=10, learning_rate=1.0)
    rates = [recipe.rate(step) for step in range(1000)]
    assert rates[0] == pytest.approx(0.1)
    assert rates[9] == max(rates) == 1.0
    assert rates[9:] == sorted(rates[9:], reverse=True)
    assert recipe.rate(1000) == pytest.approx(0.02)


def test_warm_up_is_at_most_a_tenth_of_the_run() -> None:
    """Else a short run would end in it, and its divergence would go unseen."""
    recipe = Recipe(steps=200, warmup=200, learning_rate=1.0)
    assert recipe.warm_steps == 20
    assert recipe.rate(19) == 1.0


@pytest.mark.parametrize("steps", [1, 2, 9, 10, 11])
def test_shortest_runs_have_a_rate_at_every_step(steps: int) -> None:
    recipe = Recipe(steps=steps)
    assert all(0 < recipe.rate(step) <= recipe.learning_rate for step in range(steps))
