"""Train a preset: `python -m model.training PRESET --data FILE`."""

import argparse
import math
import shlex
import sys
from dataclasses import asdict
from pathlib import Path

import torch

from model.config import PRESETS
from model.errors import InputError, TrainingError
from model.training import corpus
from model.training.loop import RUNS, Recipe, train
from model.training.objectives import OBJECTIVES


def parser() -> argparse.ArgumentParser:
    """The command line; its defaults are the recipe's."""
    usual = Recipe()
    result = argparse.ArgumentParser(
        prog="python -m model.training",
        description="Train a preset on a text and keep its best weights.",
    )
    result.add_argument("preset", choices=sorted(PRESETS))
    result.add_argument(
        "--data", type=Path, help="a UTF-8 text; default: tiny Shakespeare, fetched once"
    )
    result.add_argument("--out", type=Path, help="the checkpoint folder (default: runs/PRESET)")
    for name, kind, meaning in (
        ("steps", int, "batches to train on"),
        ("batch_size", int, "windows in a batch"),
        ("learning_rate", float, "the highest, after the warm-up"),
        ("weight_decay", float, "of matrices and tables"),
        ("warmup", int, "steps until the highest learning rate"),
        ("average", float, "how much of the running average of the weights a step keeps; 0: none"),
        ("evaluate_every", int, "steps between two validations"),
        ("seed", int, "of the first weights and the batches"),
    ):
        result.add_argument(
            f"--{name.replace('_', '-')}", type=kind, default=getattr(usual, name),
            metavar=name[0].upper(), help=f"{meaning} (default: %(default)s)",
        )  # fmt: skip
    result.add_argument("--quiet", action="store_true", help="no progress bar")
    return result


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    given = parser().parse_args(arguments)
    words = sys.argv[1:] if arguments is None else arguments
    chosen = {name: getattr(given, name) for name in asdict(Recipe()) if hasattr(given, name)}
    folder = given.out or RUNS / given.preset
    try:
        recipe = Recipe(**chosen)
        _check(recipe)
        preset = PRESETS[given.preset]
        data = given.data or corpus.download(corpus.cache_folder())
        special = OBJECTIVES[preset.architecture].special
        text = corpus.read(data, preset.context_length, *special)
        config = preset.having(vocab_size=len(text.tokenizer.vocabulary))
        command = shlex.join(["python", "-m", "model.training", *words])
        record = train(config, text, recipe, folder, command=command, quiet=given.quiet)
    except InputError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"stopped; what {folder} holds is the last checkpoint saved", file=sys.stderr)
        return 130
    print(f"{folder}: validation loss {record.validation_loss:.4f} nats a character "
          f"at step {record.steps}, {record.seconds:.0f} s")  # fmt: skip
    return 0


def _check(recipe: Recipe) -> None:
    limits = {
        "steps": (1, math.inf), "batch_size": (1, math.inf), "learning_rate": (0, math.inf),
        "weight_decay": (0, math.inf), "warmup": (1, math.inf), "average": (0, 0.99999),
        "evaluate_every": (1, math.inf), "seed": (0, 2**63 - 1),
    }  # fmt: skip
    for name, (low, high) in limits.items():
        value = getattr(recipe, name)
        if not low <= value <= high or not math.isfinite(value):
            option = f"--{name.replace('_', '-')}"
            allowed = f"at least {low}" if high == math.inf else f"from {low} to {high}"
            raise TrainingError(f"{option} is {value}; it must be {allowed}.", field=name)


if __name__ == "__main__":
    torch.set_num_threads(1)
    raise SystemExit(main())
