"""What the tests of the model package share."""

from pathlib import Path

import pytest
import torch

from model import LoadedModel
from model.build import build
from model.config import PRESETS, ModelConfig
from model.corpus import Corpus, split
from model.tokenizer import LINE_END, CharacterTokenizer

TINY = ModelConfig(vocab_size=8, context_length=8, d_model=8, n_heads=2, d_ff=16, n_blocks=1)
TINY_TEXT = "the cat has a hat. " * 20


@pytest.fixture(params=sorted(PRESETS))
def config(request: pytest.FixtureRequest) -> ModelConfig:
    """Each preset in turn."""
    return PRESETS[request.param]


@pytest.fixture
def untrained(config: ModelConfig) -> LoadedModel:
    """Each preset with random numbers in every parameter, biases and γ included."""
    generator = torch.Generator().manual_seed(1)
    network = build(config, generator).requires_grad_(False).eval()
    for parameter in network.parameters():
        parameter.normal_(std=0.3, generator=generator)
    letters = [chr(ord("0") + index) for index in range(config.vocab_size - 1)]  # "_" among them
    vocabulary = (LINE_END, *letters)
    return LoadedModel("untrained", config, CharacterTokenizer(vocabulary), network, "", None)


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    """A corpus that trains in a second: few characters, short windows."""
    return split(TINY_TEXT, TINY.context_length, TINY_TEXT.encode())


@pytest.fixture(scope="session")
def tiny(corpus: Corpus) -> ModelConfig:
    """A model that fits that corpus."""
    return ModelConfig(
        **TINY.model_dump() | {"vocab_size": len(corpus.tokenizer.vocabulary)},
    )


@pytest.fixture
def corpus_file(tmp_path: Path) -> Path:
    """A corpus long enough for the presets' windows."""
    path = tmp_path / "corpus.txt"
    lines = "\n".join([TINY_TEXT.strip()[:50]] * 30)
    path.write_text(TINY_TEXT * 3 + lines + "\n", encoding="utf-8")
    return path
