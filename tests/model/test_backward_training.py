"""Proof by use: a model trained in NumPy alone, beside the same model trained in torch."""

from dataclasses import dataclass
from random import Random

import numpy as np
import pytest
import torch

from model.config import ModelConfig
from model.interpreter import backward, gradient_of_mean, run
from tests.model.adamw import AdamW
from tests.model.conftest import TINY_TEXT
from tests.model.exact import TINY_PRESETS, exact_model
from tests.model.texts import given_of

STEPS = 50
RATE = 1e-2
DECAY = 0.05
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Losses:
    """The loss of every step, before its update."""

    numpy: list[float]
    torch: list[float]


def windows(config: ModelConfig) -> list[list[int]]:
    """One window of the text for each step, as ids."""
    vocabulary = sorted(set(TINY_TEXT))
    random = Random(50)
    starts = [random.randrange(len(TINY_TEXT) - config.context_length) for _ in range(STEPS)]
    cuts = [TINY_TEXT[start : start + config.context_length] for start in starts]
    return [[vocabulary.index(character) for character in cut] for cut in cuts]


def in_numpy(config: ModelConfig) -> list[float]:
    model = exact_model(config)
    weights = model.weights
    optimizer = AdamW(weights, rate=RATE, decay=DECAY)
    last = model.stages[-1].key
    losses = []
    for ids in windows(config):
        recorded = run(model.stages, weights, given_of(config, ids))
        losses.append(float(recorded[last].mean()))
        dy = gradient_of_mean(recorded[last])
        optimizer.step(backward(model.stages, weights, recorded, dy).weights)
    return losses


def in_torch(config: ModelConfig) -> list[float]:
    model = exact_model(config)
    optimizer = torch.optim.AdamW(model.network.parameters(), lr=RATE, weight_decay=DECAY)
    losses = []
    for ids in windows(config):
        loss = model.record(given_of(config, ids))[model.stages[-1].key].mean()
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return losses


@pytest.fixture(scope="module", params=TINY_PRESETS)
def losses(request: pytest.FixtureRequest) -> Losses:
    """Both runs of each preset's wiring, from the same weights through the same windows."""
    sizes = {"vocab_size": len(set(TINY_TEXT)), "context_length": 16, "d_model": 8, "d_ff": 16}
    config = TINY_PRESETS[request.param].having(**sizes)
    return Losses(in_numpy(config), in_torch(config))


def test_training_in_numpy_follows_torch(losses: Losses) -> None:
    assert len(losses.numpy) == STEPS
    assert np.abs(np.subtract(losses.numpy, losses.torch)).max() <= TOLERANCE


def test_training_in_numpy_learns(losses: Losses) -> None:
    assert np.mean(losses.numpy[-5:]) < np.mean(losses.numpy[:5]) - 0.2
