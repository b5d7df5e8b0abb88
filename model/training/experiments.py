"""The measured comparisons of the texts, over several seeds: `python -m model.training.experiments`
and `positions` or `norm-placement`.

`positions` repeats module 7.1's comparison of learned and sinusoidal positions; `norm-placement`
asks how post-LN and pre-LN fare as the stack deepens, with and without a warm-up. Each writes one
JSON file with the command, the recipe, every run and a summary.
"""

import argparse
import json
import math
import os
import platform
import shlex
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from tqdm import tqdm

from model.config import PRESETS, ModelConfig, Position, Wiring
from model.errors import InputError, TrainingError
from model.network.build import build
from model.training import corpus
from model.training.corpus import Corpus
from model.training.loop import RUNS, Recipe, adamw
from model.training.objectives import NextCharacter, mean_loss, validation_loss

COURSE = {Position.LEARNED: 2.0978, Position.SINUSOIDAL: 1.9442}
"""Module 7.1's single run: validation loss after 600 steps, in nats a character."""
DEPTHS = (2, 6, 12)
WARMUPS = (0, 200)
NARROW = {"d_model": 32, "d_ff": 128, "context_length": 32}
"""Small enough that twelve blocks train in minutes."""


@dataclass(frozen=True)
class StatedRecipe(Recipe):
    """A recipe whose warm-up is as long as it says, however short the run."""

    @property
    def warm_steps(self) -> int:
        return self.warmup


# The text states the steps, the seed and the batches; the rest is this project's recipe, with the
# plain weights at the end, as only an average over longer runs helps.
POSITIONS_RECIPE = StatedRecipe(steps=600, warmup=60)
PLACEMENT_RECIPE = StatedRecipe(steps=600)


@dataclass(frozen=True)
class Run:
    """One training run: what was varied, the losses at its end in nats a character (None if it
    diverged, at step `diverged_at`), and the largest finite norm of the whole gradient before
    clipping."""

    varied: dict[str, str | int]
    seed: int
    validation_loss: float | None
    train_loss: float | None
    diverged_at: int | None
    largest_gradient_norm: float | None
    seconds: float


def run(
    network: nn.Module,
    config: ModelConfig,
    text: Corpus,
    recipe: Recipe,
    varied: dict[str, str | int],
) -> Run:
    """Train a network on the batches of the recipe's seed, which no weight shares.

    A run has diverged when a loss or a gradient is not finite, or when after its warm-up the loss
    is more than three times that of guessing; it stops there. `train_loss` is the mean over the
    last 50 steps.
    """
    objective = NextCharacter(text, config)
    batches = torch.Generator().manual_seed(recipe.seed)
    optimizer = adamw(network, recipe)
    limit = 3 * math.log(config.vocab_size)
    losses: list[float] = []
    largest: float | None = None
    started = time.monotonic()

    def ended(held_out: float | None, diverged_at: int | None) -> Run:
        recent = statistics.fmean(losses[-50:]) if diverged_at is None else None
        seconds = round(time.monotonic() - started, 1)
        return Run(varied, recipe.seed, held_out, recent, diverged_at, largest, seconds)

    for step in range(recipe.steps):
        for group in optimizer.param_groups:
            group["lr"] = recipe.rate(step)
        loss = mean_loss(network, objective.batch(recipe.batch_size, batches))
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(network.parameters(), recipe.clip).item()
        if math.isfinite(norm):
            largest = max(norm, largest or norm)
        if not math.isfinite(norm + losses[-1]) or (
            step >= recipe.warm_steps and losses[-1] > limit
        ):
            return ended(None, step + 1)
        optimizer.step()
    held_out = validation_loss(network, objective)
    return ended(held_out, None) if math.isfinite(held_out) else ended(None, recipe.steps)


def pair_of_positions(config: ModelConfig, seed: int) -> dict[str, nn.Module]:
    """A network with learned positions and one with sinusoidal ones, whose other first weights are
    the same."""
    generator = torch.Generator().manual_seed(seed)
    made: dict[str, nn.Module] = {
        kind: build(config.having(position=kind), generator) for kind in COURSE
    }
    shared = made[Position.SINUSOIDAL].state_dict().keys()
    learned: dict[str, Tensor] = made[Position.LEARNED].state_dict()
    made[Position.SINUSOIDAL].load_state_dict({key: learned[key] for key in shared})
    return made


def positions(
    config: ModelConfig, text: Corpus, recipe: Recipe, seeds: Sequence[int]
) -> Iterator[Run]:
    """Learned against sinusoidal positions, on the same first weights and batches for each seed."""
    for seed in seeds:
        seeded = _seeded(recipe, seed)
        for kind, network in pair_of_positions(config, seed).items():
            yield run(network, config, text, seeded, {"position": kind})


def norm_placement(
    config: ModelConfig,
    text: Corpus,
    recipe: Recipe,
    seeds: Sequence[int],
    depths: Sequence[int] = DEPTHS,
    warmups: Sequence[int] = WARMUPS,
) -> Iterator[Run]:
    """Post-LN against pre-LN, at every depth and warm-up, on the same batches for each seed."""
    for seed in seeds:
        for depth in depths:
            for warmup in warmups:
                for wiring in Wiring:
                    varied: dict[str, str | int] = {"wiring": wiring, "n_blocks": depth}
                    shaped = config.having(**varied)
                    network = build(shaped, torch.Generator().manual_seed(seed))
                    warmed = StatedRecipe(**asdict(_seeded(recipe, seed)) | {"warmup": warmup})
                    yield run(network, shaped, text, warmed, {**varied, "warmup": warmup})


def _seeded(recipe: Recipe, seed: int) -> Recipe:
    return StatedRecipe(**asdict(recipe) | {"seed": seed})


def summary(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """For each thing that was varied: mean and spread (the sample standard deviation; None for one
    run) of the validation loss, how many runs diverged, and the largest gradient norm of all."""
    groups: dict[tuple[tuple[str, str | int], ...], list[Run]] = {}
    for each in runs:
        groups.setdefault(tuple(each.varied.items()), []).append(each)
    return [
        {
            **dict(varied),
            **_statistics([r.validation_loss for r in same if r.validation_loss is not None]),
            "diverged": sum(r.diverged_at is not None for r in same),
            "largest_gradient_norm": max(
                (r.largest_gradient_norm for r in same if r.largest_gradient_norm is not None),
                default=None,
            ),
        }
        for varied, same in groups.items()
    ]


def paired(runs: Sequence[Run]) -> dict[str, Any]:
    """Learned minus sinusoidal validation loss, seed by seed, beside the course's single run."""
    by_kind: dict[str, dict[int, float]] = {kind: {} for kind in COURSE}
    for each in runs:
        if each.validation_loss is not None:
            by_kind[str(each.varied["position"])][each.seed] = each.validation_loss
    learned, sinusoidal = by_kind[Position.LEARNED], by_kind[Position.SINUSOIDAL]
    gaps = [learned[seed] - sinusoidal[seed] for seed in learned if seed in sinusoidal]
    return {
        "learned_minus_sinusoidal": _statistics(gaps),
        "sinusoidal_better": sum(gap > 0 for gap in gaps),
        "course": {
            **COURSE,
            "difference": round(COURSE[Position.LEARNED] - COURSE[Position.SINUSOIDAL], 4),
        },
    }


def _statistics(values: Sequence[float]) -> dict[str, float | int | None]:
    return {
        "runs": len(values),
        "mean": statistics.fmean(values) if values else None,
        "spread": statistics.stdev(values) if len(values) > 1 else None,
        "min": min(values, default=None),
        "max": max(values, default=None),
    }


def frequency_loss(text: Corpus) -> float:
    """The loss on the held-out text of knowing how frequent each character of the trained text is,
    and nothing else: a run that ends above it has learned nothing."""
    n_characters = len(text.tokenizer.vocabulary)
    counts = torch.bincount(text.train, minlength=n_characters).double() + 1
    return float(-(counts / counts.sum()).log()[text.validation].mean())


def write(path: Path, result: dict[str, Any]) -> None:
    """Let a result appear whole, or not at all; it has no NaN or Infinity."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    content = json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False)
    part.write_text(content + "\n", encoding="utf-8")
    os.replace(part, path)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(
        prog="python -m model.training.experiments",
        description="Train small models side by side, over several seeds, and write what came out.",
    )
    experiments = result.add_subparsers(dest="experiment", required=True)
    for name, meaning, recipe, seeds in (
        ("positions", "learned against sinusoidal positions", POSITIONS_RECIPE, 5),
        ("norm-placement", "post-LN against pre-LN, over depth and warm-up", PLACEMENT_RECIPE, 3),
    ):
        each = experiments.add_parser(name, help=meaning, description=meaning)
        each.add_argument("--data", type=Path,
                          help="a UTF-8 text; default: tiny Shakespeare, fetched once")  # fmt: skip
        each.add_argument("--out", type=Path, help=f"the JSON file (default: {RUNS}/{name}.json)")
        each.add_argument("--seeds", type=int, default=seeds, metavar="N",
                          help="how many, counted from 1337 (default: %(default)s)")  # fmt: skip
        each.add_argument("--steps", type=int, default=recipe.steps, metavar="S",
                          help="batches to train on (default: %(default)s)")  # fmt: skip
        each.add_argument("--learning-rate", type=float, default=recipe.learning_rate, metavar="L",
                          help="the highest (default: %(default)s)")  # fmt: skip
        each.add_argument("--quiet", action="store_true", help="no progress bar")
        each.set_defaults(recipe=recipe)
    placement = experiments.choices["norm-placement"]
    placement.add_argument("--depths", type=int, nargs="+", default=DEPTHS, metavar="D",
                           help="blocks, 1 to 24 (default: %(default)s)")  # fmt: skip
    placement.add_argument("--warmups", type=int, nargs="+", default=WARMUPS, metavar="W",
                           help="steps (default: %(default)s)")  # fmt: skip
    return result


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    given = parser().parse_args(arguments)
    words = sys.argv[1:] if arguments is None else arguments
    try:
        _measure(given, shlex.join(["python", "-m", "model.training.experiments", *words]))
    except InputError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the runs that had ended are kept", file=sys.stderr)
        return 130
    return 0


def _measure(given: argparse.Namespace, command: str) -> None:
    _check(given)
    out = given.out or RUNS / f"{given.experiment}.json"
    chosen = {"steps": given.steps, "learning_rate": given.learning_rate}
    recipe = StatedRecipe(**asdict(given.recipe) | chosen)
    seeds = range(recipe.seed, recipe.seed + given.seeds)
    preset = PRESETS["shakespeare"]
    text = corpus.read(given.data or corpus.download(corpus.cache_folder()), preset.context_length)
    config = preset.having(vocab_size=len(text.tokenizer.vocabulary))
    if given.experiment == "positions":
        n_runs, runs = len(COURSE) * len(seeds), positions(config, text, recipe, seeds)
    else:
        config = config.having(**NARROW)
        n_runs = 2 * len(seeds) * len(given.depths) * len(given.warmups)
        runs = norm_placement(config, text, recipe, seeds, given.depths, given.warmups)
    ended: list[Run] = []
    for each in tqdm(runs, total=n_runs, unit="run", disable=given.quiet):
        ended.append(each)
        write(out, {
            "experiment": given.experiment,
            "command": command,
            "versions": {"python": platform.python_version(), "torch": torch.__version__},
            "corpus_sha256": text.sha256,
            "config": config.model_dump(),
            "recipe": asdict(recipe),
            "seeds": list(seeds),
            "complete": len(ended) == n_runs,
            "frequency_loss": frequency_loss(text),
            "summary": summary(ended),
            **(paired(ended) if given.experiment == "positions" else {}),
            "runs": [asdict(run) for run in ended],
        })  # fmt: skip
    print(f"{out}: {len(ended)} runs, {sum(run.seconds for run in ended):.0f} s")


def _check(given: argparse.Namespace) -> None:
    numbers = {
        "seeds": (1, 1000, [given.seeds]),
        "steps": (1, math.inf, [given.steps]),
        "learning_rate": (0, math.inf, [given.learning_rate]),
        "depths": (1, 24, getattr(given, "depths", [])),
        "warmups": (0, math.inf, getattr(given, "warmups", [])),
    }
    for name, (low, high, values) in numbers.items():
        for value in values:
            if not low <= value <= high or not math.isfinite(value):
                option = f"--{name.replace('_', '-')}"
                allowed = f"at least {low}" if high == math.inf else f"from {low} to {high}"
                raise TrainingError(f"{option} has {value}; it must be {allowed}.", field=name)


if __name__ == "__main__":
    torch.set_num_threads(1)
    raise SystemExit(main())
