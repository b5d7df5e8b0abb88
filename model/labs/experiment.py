"""The measured comparisons, as they were committed: over as many of their seeds as one likes.

The runs are those of `model/training/results`, which `python -m model.training.experiments` wrote
(module 7.1, lesson 56); means and spreads are made of them here, as that command makes them.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from model.training.experiments import Run, paired, summary

RESULTS = Path(__file__).resolve().parent.parent / "training" / "results"
MOST_SEEDS = 5
"""Of the experiment that has the most; the other one has three."""


@dataclass(frozen=True)
class Group:
    """The runs that differ by their seed alone: what was varied, each run's validation loss in
    nats a character (None if it diverged), their mean and spread (the sample standard deviation;
    None for one run), and the largest norm of the whole gradient before clipping."""

    varied: dict[str, str | int]
    seeds: tuple[int, ...]
    losses: tuple[float | None, ...]
    mean: float | None
    spread: float | None
    diverged: int
    largest_gradient_norm: float | None


@dataclass(frozen=True)
class Comparison:
    """One experiment: the command that made it, what was held fixed in every run (steps, learning
    rate, windows in a batch, the norm that gradients are clipped to), the model that it starts
    from, and the loss of knowing the characters' frequencies alone."""

    command: str
    steps: int
    learning_rate: float
    batch_size: int
    clip: float
    config: dict[str, Any]
    frequency_loss: float
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class Placed:
    """Post-LN against pre-LN at one depth and warm-up: the difference of the mean losses, post
    minus pre (None where all runs of one diverged), and the larger of the two spreads (None for one
    run), beyond which the difference counts as one."""

    n_blocks: int
    warmup: int
    post_minus_pre: float | None
    larger_spread: float | None


@dataclass(frozen=True)
class SeedDifference:
    """Learned minus sinusoidal validation loss, seed by seed; and in how many of the `runs` pairs
    the sinusoidal one was better."""

    runs: int
    mean: float | None
    spread: float | None
    min: float | None
    max: float | None
    sinusoidal_better: int


@dataclass(frozen=True)
class SingleRun:
    """Module 7.1's own single run, as it prints it."""

    learned: float
    sinusoidal: float
    difference: float


@dataclass(frozen=True)
class Experiments:
    """Both experiments, over their first `seeds` seeds or as many as they have."""

    seeds: int
    positions: Comparison
    difference: SeedDifference
    course: SingleRun
    norm_placement: Comparison
    placed: tuple[Placed, ...]


def experiment(seeds: int = MOST_SEEDS) -> Experiments:
    """Learned against sinusoidal positions, and post-LN against pre-LN.

    Over all five seeds sinusoidal positions are better by 0.042 ± 0.009, and in each pair; the
    text's single run says 0.1536.
    """
    by_position = _first(_result("positions"), seeds)
    found = paired(by_position)
    statistics = found["learned_minus_sinusoidal"]
    placement = _comparison(_result("norm-placement"), _first(_result("norm-placement"), seeds))
    return Experiments(
        seeds=seeds,
        positions=_comparison(_result("positions"), by_position),
        difference=SeedDifference(**statistics, sinusoidal_better=found["sinusoidal_better"]),
        course=SingleRun(**found["course"]),
        norm_placement=placement,
        placed=_placed(placement.groups),
    )


@lru_cache(maxsize=2)
def _result(name: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return result


def _first(result: dict[str, Any], seeds: int) -> list[Run]:
    used = result["seeds"][:seeds]
    return [Run(**each) for each in result["runs"] if each["seed"] in used]


def _comparison(result: dict[str, Any], runs: list[Run]) -> Comparison:
    return Comparison(
        command=result["command"],
        steps=result["recipe"]["steps"],
        learning_rate=result["recipe"]["learning_rate"],
        batch_size=result["recipe"]["batch_size"],
        clip=result["recipe"]["clip"],
        config=dict(result["config"]),  # the one that is kept stays as it is
        frequency_loss=result["frequency_loss"],
        groups=tuple(_group(described, runs) for described in summary(runs)),
    )


def _placed(groups: tuple[Group, ...]) -> tuple[Placed, ...]:
    """Each depth and warm-up once, in their order."""
    by_setting: dict[tuple[int, int], dict[str, Group]] = {}
    for group in groups:
        setting = int(group.varied["n_blocks"]), int(group.varied["warmup"])
        by_setting.setdefault(setting, {})[str(group.varied["wiring"])] = group
    found = []
    for (n_blocks, warmup), pair in by_setting.items():
        post, pre = pair["post-ln"], pair["pre-ln"]
        apart = None if post.mean is None or pre.mean is None else post.mean - pre.mean
        spreads = [one.spread for one in (post, pre) if one.spread is not None]
        found.append(Placed(n_blocks, warmup, apart, max(spreads, default=None)))
    return tuple(found)


def _group(described: dict[str, Any], runs: list[Run]) -> Group:
    same = [run for run in runs if run.varied.items() <= described.items()]
    return Group(
        varied=dict(same[0].varied),
        seeds=tuple(run.seed for run in same),
        losses=tuple(run.validation_loss for run in same),
        mean=described["mean"],
        spread=described["spread"],
        diverged=described["diverged"],
        largest_gradient_norm=described["largest_gradient_norm"],
    )
