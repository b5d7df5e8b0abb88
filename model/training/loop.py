"""The training loop. What a model learns is its architecture's objective; see `objectives.py`."""

import math
import platform
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from filelock import FileLock, Timeout
from torch import nn
from tqdm import tqdm

from model import checkpoint
from model.budget import within_budget
from model.checkpoint import LossPoint, TrainingRecord
from model.config import ModelConfig
from model.errors import TrainingError, quoted
from model.network.build import build
from model.training.corpus import Corpus
from model.training.objectives import OBJECTIVES, mean_loss, validation_loss

RUNS = Path("runs")


@dataclass(frozen=True)
class Recipe:
    """How to train. AdamW with a linear warm-up (of a short run at most a tenth) and a cosine down
    to 2 % of the learning rate; the kept weights are an exponential average of the trained ones."""

    steps: int = 12_000
    batch_size: int = 32
    learning_rate: float = 6e-3
    weight_decay: float = 0.05
    warmup: int = 200
    average: float = 0.0
    evaluate_every: int = 500
    seed: int = 1337
    beta1: float = 0.9
    beta2: float = 0.99
    clip: float = 1.0
    final_share: float = 0.02

    @property
    def warm_steps(self) -> int:
        """The steps of warm-up; a run must not end in it, nor go unwatched because of it."""
        return min(self.warmup, self.steps // 10)

    def rate(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        if step < self.warm_steps:
            return self.learning_rate * (step + 1) / self.warm_steps
        done = (step - self.warm_steps) / max(1, self.steps - self.warm_steps)
        cosine = 0.5 * (1 + math.cos(math.pi * min(1.0, done)))
        return self.learning_rate * (self.final_share + (1 - self.final_share) * cosine)


def train(
    config: ModelConfig,
    text: Corpus,
    recipe: Recipe,
    folder: Path,
    *,
    command: str,
    quiet: bool = False,
) -> TrainingRecord:
    """Train a fresh model and keep its best weights, by validation loss, in `folder`.

    Random numbers come from a generator of this run alone. Returns the record that was saved.

    Raises:
        TrainingError: another run holds the folder, it cannot be written, or the loss diverged
            (the last good checkpoint stays).
        CheckpointError: the folder holds a model of another shape.
        BudgetError: the model is too large to be built here.
    """
    within_budget(config)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock", timeout=0):
            for half_written in folder.glob(".saving-*"):
                half_written.unlink()
            checkpoint.refuse_another(folder, config, text.tokenizer)
            return _train(config, text, recipe, folder, command, quiet)
    except Timeout:
        raise TrainingError(
            f"Another run is training in {quoted(str(folder), 200)}. Wait for it, or choose "
            "another folder with --out."
        ) from None
    except OSError as error:
        raise TrainingError(
            f"The folder {quoted(str(folder), 200)} cannot be written: {error.strerror}. "
            "Choose another with --out.",
            field="out",
        ) from None


def _train(
    config: ModelConfig, text: Corpus, recipe: Recipe, folder: Path, command: str, quiet: bool
) -> TrainingRecord:
    objective = OBJECTIVES[config.architecture](text, config)
    generator = torch.Generator().manual_seed(recipe.seed)
    network = build(config, generator)
    optimizer = adamw(network, recipe)
    averaged = build(config, generator)
    averaged.load_state_dict(network.state_dict())
    curve: list[LossPoint] = []
    saved: TrainingRecord | None = None
    started = time.monotonic()
    recent, limit = 0.0, Limit(math.log(config.vocab_size))
    with tqdm(total=recipe.steps, unit="step", disable=quiet) as bar:
        for step in range(recipe.steps):
            for group in optimizer.param_groups:
                group["lr"] = recipe.rate(step)
            loss = mean_loss(network, objective.batch(recipe.batch_size, generator))
            if step == 0:
                limit = limit.above(loss.item())
            _stop_if_diverged(loss.item(), step, recipe, limit, saved)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), recipe.clip)
            optimizer.step()
            # A short run must not be dominated by its random start, so the average warms up too.
            keep = min(recipe.average, (step + 1) / (step + 10))
            with torch.no_grad():
                torch._foreach_lerp_(
                    list(averaged.parameters()), list(network.parameters()), 1 - keep
                )
            recent = loss.item() if step == 0 else 0.98 * recent + 0.02 * loss.item()
            bar.set_postfix_str(_losses(recent, curve), refresh=False)
            bar.update()
            if (step + 1) % recipe.evaluate_every == 0 or step + 1 == recipe.steps:
                held_out = validation_loss(averaged, objective)
                _stop_if_diverged(held_out, step, recipe, limit, saved)
                curve.append(LossPoint(step=step + 1, train=recent, validation=held_out))
                bar.set_postfix_str(_losses(recent, curve))
                if saved is None or held_out < saved.validation_loss:
                    saved = checkpoint.save(
                        folder,
                        config=config,
                        tokenizer=text.tokenizer,
                        network=averaged,
                        record={
                            "command": command,
                            "seed": recipe.seed,
                            "steps": step + 1,
                            "recipe": asdict(recipe),
                            "validation_loss": held_out,
                            "loss_curve": curve,
                            "seconds": round(time.monotonic() - started, 1),
                            "versions": {
                                "python": platform.python_version(),
                                "torch": torch.__version__,
                            },
                            "corpus_sha256": text.sha256,
                        },
                    )
    assert saved is not None, "a run of at least one step evaluates at its end"
    best = checkpoint.load(folder).network
    return checkpoint.amend(folder, saved, held_out=objective.report(best))


def _losses(recent: float, curve: list[LossPoint]) -> str:
    validation = f", validation {curve[-1].validation:.4f}" if curve else ""
    return f"loss {recent:.4f}{validation}"


def adamw(network: nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    """The optimizer of a recipe: matrices and tables decay, biases and norms do not."""
    decayed = [p for p in network.parameters() if p.ndim > 1]
    others = [p for p in network.parameters() if p.ndim <= 1]
    return torch.optim.AdamW(
        [
            {"params": decayed, "weight_decay": recipe.weight_decay},
            {"params": others, "weight_decay": 0.0},
        ],
        betas=(recipe.beta1, recipe.beta2),
        fused=True,
    )


@dataclass(frozen=True)
class Limit:
    """The loss beyond which a run has diverged: three times that of guessing, or, where a model of
    few characters begins above that, half as much again as it began with."""

    guessing: float
    first: float = 0.0

    def above(self, first: float) -> "Limit":
        """The limit of a run that begins with this loss."""
        return Limit(self.guessing, first)

    @property
    def loss(self) -> float:
        """In nats a predicted character."""
        return max(3 * self.guessing, 1.5 * self.first)

    @property
    def meaning(self) -> str:
        """The same in words."""
        by_guessing = self.loss == 3 * self.guessing
        return "three times that of guessing" if by_guessing else "half as much again as the first"


def _stop_if_diverged(
    loss: float, step: int, recipe: Recipe, limit: Limit, saved: TrainingRecord | None
) -> None:
    if math.isfinite(loss) and (step < recipe.warm_steps or loss <= limit.loss):
        return
    kept = f"the checkpoint of step {saved.steps} stays" if saved else "nothing was saved"
    raise TrainingError(
        f"The run diverged at step {step + 1}: loss {loss:.4g}, limit {limit.loss:.2f} "
        f"({limit.meaning}). Lower --learning-rate; {kept}."
    )
