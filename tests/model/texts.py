"""Texts to trace, and the part of a tensor that a later character must not reach."""

from collections.abc import Mapping, Sequence
from random import Random

import numpy as np
import torch
from torch import Tensor

from model import LoadedModel
from model.config import ModelConfig
from model.ops.op import Array
from model.table.architectures import stages
from model.table.axes import Along, Lengths
from model.table.stage import Kind, Stage


def lengths_of(config: ModelConfig, text: int) -> Lengths:
    """Lengths of a trace of that architecture, for a text of so many characters."""
    target = max(1, text - 1) if config.architecture == "encoder-decoder" else 0
    hidden = text // 2 if config.architecture == "encoder-only" else 0
    return Lengths(text, target, hidden)


def given_zeros(config: ModelConfig, text: int) -> dict[str, Tensor]:
    """Zeros for the stages that no operation makes, batch axis included."""
    lengths = lengths_of(config, text)
    return {
        stage.key: torch.zeros(1, *stage.shape(config, lengths), dtype=torch.long)
        for stage in stages(config)
        if not stage.inputs
    }


def given_of(config: ModelConfig, ids: Sequence[int]) -> dict[str, Array]:
    """A line of ids as that architecture is given it: an encoder has every third hidden, an
    encoder-decoder reads every second and writes all."""
    whole = np.array(ids)
    if config.guesses:
        hidden = np.arange(len(ids))[::3]
        shown = whole.copy()
        shown[hidden] = 0
        return {"ids": shown, "hidden": hidden, "targets": whole[hidden]}
    if config.writes:
        return {"encoder.ids": whole[::2], "decoder.ids": whole}
    return {"ids": whole}


def lengths_given(given: Mapping[str, Array]) -> Lengths:
    """How long what is given is."""
    counted = {"ids": "text", "encoder.ids": "text", "decoder.ids": "target", "hidden": "hidden"}
    return Lengths(**{counted[key]: len(ids) for key, ids in given.items() if key in counted})


def random_text(model: LoadedModel, random: Random, length: int | None = None) -> str:
    """Characters of the model's vocabulary; as many as the context allows when none is given."""
    length = length or random.randint(1, model.config.context_length)
    return "".join(random.choices(model.tokenizer.vocabulary, k=length))


def another(model: LoadedModel, text: str, position: int) -> str:
    """The same text with another character at one position."""
    vocabulary = model.tokenizer.vocabulary
    other = vocabulary[(vocabulary.index(text[position]) + 1) % len(vocabulary)]
    return text[:position] + other + text[position + 1 :]


def before(stage: Stage, array: Array, position: int, along: Along = Along.TEXT) -> Array:
    """What of a stage's tensor stands at earlier positions than this one, of the text or target.

    Of raw scores only the diagonal and what is left of it counts: right of it a query meets later
    keys. The loss at the position just before reads the character itself.
    """
    cut = array[
        tuple(
            slice(max(0, position - axis.fewer)) if axis.along is along else slice(None)
            for axis in stage.axes
        )
    ]
    both = [axis.along for axis in stage.axes].count(along) == 2
    unmasked = stage.kind is Kind.SCORES and both and not stage.op.masks
    return np.tril(cut) if unmasked else cut
