"""What a model reads of a request: from characters to the ids that its given stages hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from model.config import ModelConfig
from model.errors import TextError
from model.ops.op import Array
from model.question import Question
from model.table.axes import Along, Lengths
from model.tokenizer import LINE_END, MASK, CharacterTokenizer


class Reader(Protocol):
    """What is known of a model before anything runs."""

    @property
    def id(self) -> str: ...
    @property
    def config(self) -> ModelConfig: ...
    @property
    def tokenizer(self) -> CharacterTokenizer: ...


@dataclass(frozen=True)
class Reading:
    """A question, and what a model of its architecture makes of it before it computes.

    `question` has the texts as they were read. `given` has the ids (n,) of each stage that no
    operation makes, `asked` the positions whose character the model is asked for, `characters` what
    the indices of an axis stand for, `no_loss` why nothing that is known was to be predicted, None
    where something was.
    """

    question: Question
    given: Mapping[str, Array]
    lengths: Lengths
    asked: Sequence[int]
    characters: Mapping[Along, Sequence[str]]
    no_loss: TextError | None
    notices: tuple[str, ...]


def read(model: Reader, question: Question, *, written: bool = False) -> Reading:
    """Make ids of the texts of a question. CR LF and CR become LF, with a notice.

    An encoder-decoder's question has its target here; `written` says that it is the model's own.

    Raises:
        TextError: a text is empty, longer than the context, or has characters outside the
            vocabulary; or the model has no use for a target, or for hidden positions.
    """
    text, notices = with_line_feeds(question.text)
    question = replace(question, text=text)
    ids = encode(model, text)
    if question.target is not None and not model.config.writes:
        raise TextError(
            f"{model.id} is {model.config.architecture} and has no target; leave it out, or choose "
            "an encoder-decoder.",
            field="target",
        )
    if question.hidden and not model.config.guesses:
        raise TextError(
            f"{model.id} is {model.config.architecture} and guesses no hidden characters; leave "
            "`hidden` out, or choose an encoder-only model.",
            field="hidden",
        )
    if model.config.guesses:
        return _with_hidden(model, question, ids, notices)
    if model.config.writes:
        return _with_target(model, question, ids, notices, written=written)
    return Reading(
        question,
        {"ids": np.array(ids)},
        Lengths(len(ids)),
        asked=(len(ids) - 1,),
        characters={Along.TEXT: text, Along.VOCABULARY: model.tokenizer.vocabulary},
        no_loss=_no_loss(
            len(ids) == 1, "no character follows the only one; type at least two", "text"
        ),
        notices=notices,
    )


def _with_hidden(
    model: Reader, question: Question, ids: list[int], notices: tuple[str, ...]
) -> Reading:
    """A text of which some characters are not shown: of those marked, the truth is known."""
    text, hidden = question.text, question.hidden
    beyond = [position for position in hidden if not 0 <= position < len(text)]
    if beyond:
        raise TextError(
            f"There is no position {beyond[0]} to hide; the text has the positions 0 to "
            f"{len(text) - 1}.",
            field="hidden",
        )
    known = [position for position in hidden if text[position] != MASK]
    seen, shown = list(text), ids.copy()
    for position in known:
        seen[position] = MASK
        shown[position] = model.tokenizer.ids[MASK]
    given = {"ids": shown, "hidden": known, "targets": [ids[position] for position in known]}
    return Reading(
        question,
        {key: np.array(numbers, dtype=np.int64) for key, numbers in given.items()},
        Lengths(len(ids), hidden=len(known)),
        asked=[position for position, character in enumerate(seen) if character == MASK],
        characters={
            Along.TEXT: "".join(seen),
            Along.HIDDEN: [text[position] for position in known],
            Along.VOCABULARY: model.tokenizer.vocabulary,
        },
        no_loss=_no_loss(
            not known,
            "nothing that is known is hidden; hide a character of the text by its position (a "
            f"typed {MASK} hides what no one knows)",
            "hidden",
        ),
        notices=notices,
    )


def _with_target(
    model: Reader, question: Question, ids: list[int], notices: tuple[str, ...], *, written: bool
) -> Reading:
    """A source, and after a line end the target so far."""
    target = question.target
    assert target is not None, "the model has not written its target yet"
    line_end = model.tokenizer.ids[LINE_END]
    target_ids = _encoded_target(model, target)
    given = {"encoder.ids": np.array(ids), "decoder.ids": np.array([line_end, *target_ids])}
    empty = (
        "the model wrote an empty line; give a target of your own"
        if written
        else "the target is empty; give at least one character"
    )
    return Reading(
        question,
        given,
        Lengths(len(ids), len(target_ids) + 1),
        asked=(len(target_ids),),
        characters={
            Along.TEXT: question.text,
            Along.TARGET: LINE_END + target,
            Along.VOCABULARY: model.tokenizer.vocabulary,
        },
        no_loss=_no_loss(not target_ids, empty, "target"),
        notices=notices,
    )


def _no_loss(nothing: bool, reason: str, field: str) -> TextError | None:
    message = f"There is no loss, so there are no gradients: {reason}."
    return TextError(message, field=field) if nothing else None


def longest_target(model: Reader) -> int | None:
    """The most characters that a target can have; None where a model has no targets."""
    if not model.config.writes:
        return None
    return model.config.context_length - 1  # the line end that begins it takes a position


def _encoded_target(model: Reader, target: str) -> list[int]:
    if LINE_END in target or "\r" in target:
        raise TextError(
            "The target has a line end, and a line end begins and ends every target; give the one "
            "line between, without any.",
            field="target",
        )
    return _within(model, target, longest_target(model) or 0, "target")


def encode(model: Reader, text: str) -> list[int]:
    """The ids of a text that the model can read: 1 to context_length known characters.

    Raises:
        TextError: with every reason at once.
    """
    limit = model.config.context_length
    if not text:
        raise TextError(
            f"The text is empty. At least one character is needed, at most {limit}.", field="text"
        )
    return _within(model, text, limit, "text")


def _within(model: Reader, text: str, limit: int, field: str) -> list[int]:
    if len(text) <= limit:
        return model.tokenizer.encode(text, field)
    message = (
        f"The {field} has {len(text)} characters, but the model reads at most {limit}. "
        f"Leave out {len(text) - limit}."
    )
    try:
        model.tokenizer.encode(text, field)
    except TextError as error:  # both reasons at once, with the same list
        raise TextError(f"{message} {error.message}", field=field, details=error.details) from None
    raise TextError(message, field=field)


def with_line_feeds(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with CR LF and CR as LF, and the notice that says so."""
    converted = text.replace("\r\n", "\n").replace("\r", "\n")
    if converted == text:
        return text, ()
    return converted, (
        f"Line ends were converted to newlines: {len(text)} characters became {len(converted)}.",
    )
