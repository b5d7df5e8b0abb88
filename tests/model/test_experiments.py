"""The experiments compare like with like, and say what happened."""

import dataclasses
import json
import math
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from model.config import ModelConfig
from model.network.build import build
from model.training.corpus import Corpus
from model.training.experiments import (
    Run,
    StatedRecipe,
    frequency_loss,
    main,
    norm_placement,
    pair_of_positions,
    paired,
    positions,
    run,
    summary,
)
from model.training.objectives import Batch, NextCharacter

SHORT = StatedRecipe(steps=3, batch_size=2, warmup=1)


def ended(kind: str, seed: int, loss: float | None, norm: float | None = 1.0) -> Run:
    diverged_at = 2 if loss is None else None
    return Run({"position": kind}, seed, loss, loss, diverged_at, norm, 0.1)


def timeless(runs: Iterator[Run]) -> list[Run]:
    return [dataclasses.replace(each, seconds=0.0) for each in runs]


def strict(path: Path) -> dict[str, Any]:
    """A result file, which has no NaN or Infinity."""

    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is no JSON")

    content: dict[str, Any] = json.loads(path.read_text("utf-8"), parse_constant=refuse)
    return content


def test_pair_shares_every_weight_but_the_positions(tiny: ModelConfig) -> None:
    pair = {kind: network.state_dict() for kind, network in pair_of_positions(tiny, 3).items()}
    assert pair["learned"].keys() - pair["sinusoidal"].keys() == {"positions.weight"}
    for name, tensor in pair["sinusoidal"].items():
        assert torch.equal(tensor, pair["learned"][name]), name


def test_learned_first_weights_are_those_of_training(tiny: ModelConfig) -> None:
    fresh = build(tiny, torch.Generator().manual_seed(3)).state_dict()
    for name, tensor in pair_of_positions(tiny, 3)["learned"].state_dict().items():
        assert torch.equal(tensor, fresh[name]), name


def test_both_of_a_pair_see_the_same_batches(
    tiny: ModelConfig, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Tensor] = []
    drawn = NextCharacter.batch

    def kept(*arguments: Any) -> Batch:
        found: Batch = drawn(*arguments)
        seen.append(found.targets)
        return found

    monkeypatch.setattr(NextCharacter, "batch", kept)
    list(positions(tiny, corpus, SHORT, [1, 2]))
    first, second, third, _ = (seen[i : i + SHORT.steps] for i in range(0, 12, SHORT.steps))
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(first, third, strict=True))


def test_positions_are_compared_for_every_seed(tiny: ModelConfig, corpus: Corpus) -> None:
    runs = list(positions(tiny, corpus, SHORT, [1, 2]))
    assert [(r.varied["position"], r.seed) for r in runs] == [
        ("learned", 1), ("sinusoidal", 1), ("learned", 2), ("sinusoidal", 2),
    ]  # fmt: skip


def test_same_seed_gives_the_same_run(tiny: ModelConfig, corpus: Corpus) -> None:
    one, two = (timeless(positions(tiny, corpus, SHORT, [1])) for _ in range(2))
    assert one == two


def test_training_learns(tiny: ModelConfig, corpus: Corpus) -> None:
    recipe = StatedRecipe(steps=60, batch_size=8, warmup=6)
    found = next(positions(tiny, corpus, recipe, [1]))
    assert found.validation_loss is not None
    assert found.validation_loss < frequency_loss(corpus)


def test_norm_placement_crosses_depth_warmup_and_wiring(tiny: ModelConfig, corpus: Corpus) -> None:
    runs = list(norm_placement(tiny, corpus, SHORT, [1], depths=[1, 2], warmups=[0, 2]))
    found = [(r.varied["n_blocks"], r.varied["warmup"], r.varied["wiring"]) for r in runs]
    assert found == [(d, w, p) for d in (1, 2) for w in (0, 2) for p in ("post-ln", "pre-ln")]
    assert all(r.largest_gradient_norm is not None for r in runs)


@pytest.mark.parametrize("warmup", [0, 2, 200])
def test_warmup_is_as_long_as_it_says(warmup: int) -> None:
    recipe = StatedRecipe(steps=10, warmup=warmup)
    assert recipe.warm_steps == warmup
    reached = recipe.rate(max(0, warmup - 1))
    assert reached == pytest.approx(recipe.learning_rate)


def test_diverged_run_says_when(tiny: ModelConfig, corpus: Corpus) -> None:
    wild = StatedRecipe(steps=20, batch_size=2, learning_rate=1e3, warmup=0)
    found = next(positions(tiny, corpus, wild, [1]))
    assert (found.validation_loss, found.train_loss) == (None, None)
    assert found.diverged_at is not None
    assert 1 < found.diverged_at <= 20


def test_infinite_weights_end_the_run_at_once(tiny: ModelConfig, corpus: Corpus) -> None:
    network = build(tiny, torch.Generator().manual_seed(1))
    with torch.no_grad():
        network.embedding.weight.fill_(math.inf)
    found = run(network, tiny, corpus, SHORT, {})
    assert (found.diverged_at, found.largest_gradient_norm) == (1, None)


def test_summary_has_mean_and_spread_of_what_converged() -> None:
    runs = [ended("learned", 1, 2.0), ended("learned", 2, 2.4, 7.0), ended("learned", 3, None)]
    (found,) = summary(runs)
    assert found["position"] == "learned"
    assert found["mean"] == pytest.approx(2.2)
    assert found["spread"] == pytest.approx(statistics.stdev([2.0, 2.4]))
    assert (found["runs"], found["diverged"], found["largest_gradient_norm"]) == (2, 1, 7.0)


def test_pairs_are_compared_seed_by_seed() -> None:
    runs = [
        ended("learned", 1, 2.0), ended("sinusoidal", 1, 1.5),
        ended("learned", 2, 2.0), ended("sinusoidal", 2, 2.1),
        ended("learned", 3, 9.0), ended("sinusoidal", 3, None),
    ]  # fmt: skip
    found = paired(runs)
    assert found["learned_minus_sinusoidal"]["mean"] == pytest.approx(0.2)
    assert (found["learned_minus_sinusoidal"]["runs"], found["sinusoidal_better"]) == (2, 1)
    assert found["course"] == {"learned": 2.0978, "sinusoidal": 1.9442, "difference": 0.1536}


def test_frequencies_alone_cost_their_entropy() -> None:
    """Equally frequent characters cost log V."""
    ids = torch.arange(4).repeat(25)
    tokenizer = type("Four", (), {"vocabulary": "abcd"})()
    assert frequency_loss(Corpus(tokenizer, ids, ids, "")) == pytest.approx(math.log(4))


@pytest.mark.parametrize(
    ("words", "n_runs"),
    [
        (["positions", "--seeds", "1"], 2),
        (["norm-placement", "--seeds", "1", "--depths", "1", "--warmups", "0", "1"], 4),
    ],
    ids=["positions", "norm-placement"],
)
def test_command_writes_what_it_measured(
    corpus_file: Path, tmp_path: Path, words: list[str], n_runs: int
) -> None:
    out = tmp_path / "results" / "found.json"
    assert main([*words, "--steps", "2", "--quiet", "--data", str(corpus_file), "--out", str(out)]
                ) == 0  # fmt: skip
    found = strict(out)
    assert found["command"].startswith(f"python -m model.training.experiments {words[0]}")
    assert (len(found["runs"]), found["complete"], found["seeds"]) == (n_runs, True, [1337])
    assert {"python", "torch"} <= found["versions"].keys()
    assert found["recipe"]["steps"] == 2
    assert [path.name for path in out.parent.iterdir()] == ["found.json"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["positions", "--seeds", "0"], "--seeds has 0"),
        (["positions", "--steps", "0"], "--steps has 0"),
        (["positions", "--learning-rate", "nan"], "--learning-rate has nan"),
        (["norm-placement", "--depths", "2", "25"], "--depths has 25"),
        (["norm-placement", "--warmups", "-1"], "--warmups has -1"),
        (["positions", "--data", "nowhere.txt"], "cannot be read"),
    ],
)
def test_wrong_option_is_refused(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(words) == 1
    assert said in capsys.readouterr().err
