"""What the tests of the model package share."""

from pathlib import Path

import pytest

from model import LoadedModel
from model.config import PRESETS, ModelConfig
from model.training.corpus import Corpus, split
from tests.model import presets

TINY = ModelConfig(vocab_size=8, context_length=8, d_model=8, n_heads=2, d_ff=16, n_blocks=1)
TINY_TEXT = "the cat has a hat. " * 20


@pytest.fixture(params=sorted(PRESETS))
def config(request: pytest.FixtureRequest) -> ModelConfig:
    """Each preset in turn."""
    return PRESETS[request.param]


@pytest.fixture
def untrained(config: ModelConfig) -> LoadedModel:
    """Each preset with random numbers in every parameter, biases and γ included."""
    return presets.untrained(config)


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
