"""Texts to trace, and the part of a tensor that a later character must not reach."""

from random import Random

import numpy as np

from model import LoadedModel
from model.ops import Array
from model.stage import POSITION, PREDICTED, SOURCE, Kind, Stage


def random_text(model: LoadedModel, random: Random, length: int | None = None) -> str:
    """Characters of the model's vocabulary; as many as the context allows when none is given."""
    length = length or random.randint(1, model.config.context_length)
    return "".join(random.choices(model.tokenizer.vocabulary, k=length))


def another(model: LoadedModel, text: str, position: int) -> str:
    """The same text with another character at one position."""
    vocabulary = model.tokenizer.vocabulary
    other = vocabulary[(vocabulary.index(text[position]) + 1) % len(vocabulary)]
    return text[:position] + other + text[position + 1 :]


def before(stage: Stage, array: Array, position: int) -> Array:
    """What of a stage's tensor stands at earlier positions than this one.

    Of raw scores only the diagonal and what is left of it counts: right of it a query meets later
    keys. The loss at the position just before reads the character itself.
    """
    counts = {POSITION: position, SOURCE: position, PREDICTED: max(0, position - 1)}
    cut = array[tuple(slice(counts.get(axis)) for axis in stage.axes)]
    unmasked = stage.kind is Kind.SCORES and not stage.op.masks
    return np.tril(cut) if unmasked else cut
