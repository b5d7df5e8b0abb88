"""One text through one model, with every tensor kept."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from model.checkpoint import LoadedModel
from model.errors import TextError, UnknownStage, quoted
from model.ops import Array
from model.stage import Stage
from model.tap import Record, Recorder
from model.tokenizer import glyph
from model.transformer import predictions

LIKELIEST = 10


class Token(NamedTuple):
    """One position of the text: its id, its character, and the label that pictures show."""

    position: int
    id: int
    text: str
    label: str


class Prediction(NamedTuple):
    """One possible next character and its probability."""

    id: int
    text: str
    probability: float


@dataclass(frozen=True, eq=False)
class Trace:
    """Every stage of one text. Tensors are float32 (ids int64), without a batch axis, and share
    memory with nothing but each other; do not write into them."""

    model: LoadedModel
    text: str
    tensors: Record
    notices: tuple[str, ...]

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Each position of the text."""
        ids = self.tensors["ids"].tolist()
        rows = zip(range(len(ids)), ids, self.text, map(glyph, self.text), strict=True)
        return tuple(map(Token._make, rows))

    def tensor(self, key: str) -> Tensor:
        """A stage's tensor, its axes as the stage table says.

        Raises:
            UnknownStage: the model has no such stage.
        """
        self._require(key)
        return self.tensors[key]

    def array(self, key: str) -> Array:
        """The same tensor as a NumPy array (ids as int32)."""
        self._require(key)
        array = self.tensors.array(key)
        return array.astype(np.int32) if array.dtype == np.int64 else array

    def stage(self, key: str) -> Stage:
        """What the stage table says of a key."""
        return stage_of(self.model, key)

    def _require(self, key: str) -> None:
        if key not in self.tensors:
            raise UnknownStage(_no_stage(self.model, key), field="stage")

    def next(self, position: int | None = None, n: int = LIKELIEST) -> tuple[Prediction, ...]:
        """The `n` likeliest characters after a position (default: the last), likeliest first."""
        row = self.array("probabilities")[-1 if position is None else position]
        likeliest = np.argsort(-row, kind="stable")[:n]
        vocabulary = self.model.tokenizer.vocabulary
        return tuple(Prediction(int(i), vocabulary[i], float(row[i])) for i in likeliest)


def trace(model: LoadedModel, text: str) -> Trace:
    """Run `text` through the model and keep every stage. CR LF and CR become LF, with a notice.

    Raises:
        TextError: the text is empty, longer than the context, or has characters outside the
            vocabulary.
    """
    if not isinstance(text, str):
        raise TextError(f"The text is {quoted(text)}; give a string of characters.", field="text")
    text, notices = with_line_feeds(text)
    ids = encode(model, text)
    ids_BT = torch.from_numpy(np.array([ids], dtype=np.int64))  # 4 times as quick as torch.tensor
    recorder = Recorder(model.config, len(ids))
    with torch.inference_mode():
        predictions(model.network(ids_BT, recorder), ids_BT, recorder)
    return Trace(model, text, recorder.finish(), notices)


def encode(model: LoadedModel, text: str) -> list[int]:
    """The ids of a text that the model can read: 1 to context_length known characters.

    Raises:
        TextError: with every reason at once.
    """
    limit = model.config.context_length
    if not text:
        raise TextError(
            f"The text is empty. At least one character is needed, at most {limit}.", field="text"
        )
    if len(text) <= limit:
        return model.tokenizer.encode(text)
    message = (
        f"The text has {len(text)} characters, but the model reads at most {limit}. "
        f"Leave out {len(text) - limit}."
    )
    try:
        model.tokenizer.encode(text)
    except TextError as error:  # both reasons at once, with the same list
        raise TextError(f"{message} {error.message}", field="text", details=error.details) from None
    raise TextError(message, field="text")


def with_line_feeds(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with CR LF and CR as LF, and the notice that says so."""
    converted = text.replace("\r\n", "\n").replace("\r", "\n")
    if converted == text:
        return text, ()
    return converted, (
        f"Line ends were converted to newlines: {len(text)} characters became {len(converted)}.",
    )


def stage_of(model: LoadedModel, key: str) -> Stage:
    """The stage of that exact key.

    Raises:
        UnknownStage: the model has none.
    """
    for stage in model.stages:
        if stage.key == key:
            return stage
    raise UnknownStage(_no_stage(model, key), field="stage")


def matching(model: LoadedModel, patterns: Iterable[str]) -> tuple[Stage, ...]:
    """The stages whose key matches any of the shell patterns (`*` crosses dots), in table order.

    Raises:
        UnknownStage: a pattern matches nothing.
    """
    chosen = set()
    for pattern in patterns:
        fits = re.compile(translate(pattern)).match
        found = {stage.key for stage in model.stages if fits(stage.key)}
        if not found:
            raise UnknownStage(_no_stage(model, pattern), field="stages")
        chosen |= found
    return tuple(stage for stage in model.stages if stage.key in chosen)


def _no_stage(model: LoadedModel, key: str) -> str:
    return (
        f"No stage of {model.id} matches {quoted(key)}. It has {len(model.stages)} stages from "
        f"{model.stages[0].key} to {model.stages[-1].key}; the stage table lists them."
    )
