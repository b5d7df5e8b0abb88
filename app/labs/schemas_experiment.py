"""The request and the answer of the lab of measured comparisons."""

from typing import Any

from pydantic import Field

from app.server.queries import QueryRequest
from app.server.schemas import Answer
from model.labs import experiment


class ExperimentRequest(QueryRequest):
    """How much of the measurement is looked at."""

    seeds: int = Field(
        experiment.MOST_SEEDS, ge=1, le=experiment.MOST_SEEDS, description="the first so many"
    )


class Group(Answer):
    """Runs that differ by their seed alone; losses in nats a character, null if diverged."""

    varied: dict[str, str | int]
    seeds: list[int]
    losses: list[float | None]
    mean: float | None
    spread: float | None = Field(description="sample standard deviation; null for one run")
    diverged: int
    largest_gradient_norm: float | None = Field(description="before clipping")


class Comparison(Answer):
    """One experiment."""

    command: str
    steps: int
    learning_rate: float
    batch_size: int = Field(description="windows in a batch")
    clip: float = Field(description="the norm that gradients are clipped to")
    config: dict[str, Any]
    frequency_loss: float = Field(description="of knowing the characters' frequencies alone")
    groups: list[Group]


class Placed(Answer):
    """Post-LN against pre-LN at one depth and warm-up."""

    n_blocks: int
    warmup: int
    post_minus_pre: float | None = Field(description="of the mean losses; null if diverged")
    larger_spread: float | None = Field(description="of the two; null for one run")


class SeedDifference(Answer):
    """Learned minus sinusoidal validation loss, seed by seed."""

    runs: int
    mean: float | None
    spread: float | None
    min: float | None
    max: float | None
    sinusoidal_better: int = Field(description="in so many of the pairs")


class SingleRun(Answer):
    """Module 7.1's own run, as it prints it."""

    learned: float
    sinusoidal: float
    difference: float


class ExperimentAnswer(Answer):
    seeds: int
    positions: Comparison
    difference: SeedDifference
    course: SingleRun
    norm_placement: Comparison
    placed: list[Placed]
