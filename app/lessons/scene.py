"""What a question looks at: a model, what it reads of the reader's text, and its trace."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from app.lessons.lesson import Read
from model.checkpoint import LoadedModel
from model.config import ModelConfig
from model.errors import InputError
from model.gradient_flow import Flow, gradient_flow
from model.ops.op import Array
from model.question import Question
from model.reading import longest_target, with_line_feeds
from model.table.stage import Stage
from model.tokenizer import LINE_END, MASK
from model.tracing import Trace, trace
from model.training.objectives import without_vowels

Place = int | str
"""An index along an axis; or first, middle, last or last but one."""


@dataclass(frozen=True)
class Scene:
    """A trace that is made when it is first asked for, with gradients where those are."""

    model: LoadedModel
    question: Question

    @property
    def config(self) -> ModelConfig:
        return self.model.config

    @cached_property
    def traced(self) -> Trace:
        return trace(self.model, self.question)

    @cached_property
    def differentiated(self) -> Trace:
        return trace(self.model, self.question, gradients=True)

    @cached_property
    def flow(self) -> dict[str, Flow]:
        return {place.key: place for place in gradient_flow(self.traced)}

    @cached_property
    def recorded(self) -> dict[str, Array]:
        """Every stage, in float64 where it is no integer, to be computed with."""
        arrays = {stage.key: self.traced.array(stage.key) for stage in self.stages}
        return {k: a if a.dtype.kind == "i" else a.astype(np.float64) for k, a in arrays.items()}

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The table of the trace."""
        return self.traced.stages

    def stage(self, key: str) -> Stage:
        return self.traced.stage(key)

    def array(self, key: str, *, gradient: bool = False) -> Array:
        """A stage's tensor, or the gradient of the mean loss with respect to it."""
        if not gradient:
            return self.traced.array(key)
        found = self.differentiated.gradient(key)
        assert found is not None, f"{key} has no gradient"
        return found

    def part(self, key: str, at: Sequence[Place], *, gradient: bool = False) -> Array:
        """A tensor's part at these places of its first axes, in float64."""
        array = self.array(key, gradient=gradient)
        return array[places(at, array.shape)].astype(np.float64)

    def with_text(self, text: str) -> "Scene":
        """The same of another text."""
        return replace(self, question=replace(self.question, text=text))


def staged(model: LoadedModel, text: str, read: Read) -> Scene:
    """What a model makes of the reader's text. Line ends become newlines, and for an
    encoder-decoder, which reads and writes one line, spaces."""
    text, _ = with_line_feeds(text)
    if read is Read.ONE_HIDDEN:
        return Scene(model, Question(text, hidden=_one_of(text)))
    if read is Read.VOWELS_LEFT_OUT:
        line = text.replace(LINE_END, " ")
        target = line[: longest_target(model)]
        return Scene(model, Question(without_vowels(line) or line, target))
    return Scene(model, Question(text))


def _one_of(text: str) -> tuple[int, ...]:
    """The position nearest the middle whose character is known."""
    known = [position for position, character in enumerate(text) if character != MASK]
    return (min(known, key=lambda position: abs(position - len(text) // 2)),) if known else ()


def stretched(text: str, length: int) -> str:
    """A text of that length: the reader's, over and over, cut."""
    text, _ = with_line_feeds(text)
    return (text * (length // max(1, len(text)) + 1))[:length]


def places(at: Sequence[Place], shape: Sequence[int]) -> tuple[int, ...]:
    """Places as indices into a tensor of this shape; one beyond the end is the last, and of two
    in the middle the first is meant, which has another after it."""
    return tuple(_index(place, size) for place, size in zip(at, shape, strict=False))


def _index(place: Place, size: int) -> int:
    if size == 0:
        raise InputError(
            "This tensor is empty for so short a text; type at least two characters.", field="text"
        )
    named = {
        "first": 0,
        "middle": (size - 1) // 2,
        "last": size - 1,
        "last but one": max(0, size - 2),
    }
    index = named[place] if isinstance(place, str) else place
    return min(index, size - 1)
