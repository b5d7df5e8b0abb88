"""A model of each preset: the trained one where its checkpoint is there, else of random numbers."""

import torch

from model import LoadedModel, Trace, load, trace
from model.config import PRESETS, ModelConfig
from model.network.build import build
from model.tokenizer import LINE_END, MASK, CharacterTokenizer
from tests.conftest import ROOT


def untrained(config: ModelConfig) -> LoadedModel:
    """Random numbers in every parameter, biases and γ included."""
    generator = torch.Generator().manual_seed(1)
    network = build(config, generator).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_(std=0.3, generator=generator)
    letters = [chr(ord("0") + index) for index in range(config.vocab_size - 1)]
    if MASK not in letters:
        letters[-1] = MASK
    vocabulary = (LINE_END, *letters)
    return LoadedModel("untrained", config, CharacterTokenizer(vocabulary), network, "", None)


def of_preset(name: str) -> LoadedModel:
    """The checkpoint of a preset's name, or an untrained model of it."""
    folder = ROOT / "checkpoints" / name
    return load(folder) if folder.is_dir() else untrained(PRESETS[name])


def with_gradients(model: LoadedModel, text: str) -> Trace:
    """A trace with every gradient. An encoder has the second character of three hidden; an
    encoder-decoder writes the text's beginning, as far as that is one line."""
    hidden = range(1, len(text), 3) if model.config.guesses else ()
    line = "".join(character for character in text if character not in (LINE_END, MASK))
    target = line[: len(text) // 2] if model.config.writes else None
    return trace(model, text, target=target, hidden=hidden, gradients=True, weight_gradients=True)
