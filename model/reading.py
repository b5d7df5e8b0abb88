"""What a model reads of a question: from texts to the ids that its given stages hold.

No network runs here, and torch is not needed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from model.config import ModelConfig
from model.errors import TextError
from model.frozen import frozen
from model.ops.op import Array
from model.question import Question
from model.table.axes import Along, Lengths
from model.tokenizer import CHARACTER, LINE_END, MASK, Piece, Tokenizer, placed


class Reader(Protocol):
    """What is known of a model before anything runs."""

    @property
    def id(self) -> str: ...
    @property
    def config(self) -> ModelConfig: ...
    @property
    def tokenizer(self) -> Tokenizer: ...


@dataclass(frozen=True)
class Reading:
    """A question, and what a model of its architecture makes of it before it computes.

    `question` has the texts as they were read. `given` has the ids (n,) of each stage that no
    operation makes, read-only, `asked` the positions whose piece the model is asked for, `pieces`
    what the indices along a text stand for (those along the vocabulary are the tokenizer's),
    `no_loss` why nothing that is known was to be predicted, None where something was.
    """

    question: Question
    given: Mapping[str, Array]
    lengths: Lengths
    asked: Sequence[int]
    pieces: Mapping[Along, Sequence[Piece]]
    no_loss: TextError | None
    notices: tuple[str, ...]


def read(model: Reader, question: Question, written: Sequence[int] | None = None) -> Reading:
    """Make ids of the texts of a question. CR LF and CR become LF, with a notice.

    An encoder-decoder that was given no target needs the ids that it has `written` itself: their
    text alone would not do, because it may be cut into other pieces.

    Raises:
        TextError: a text is empty, longer than the context, or has characters outside the
            vocabulary; or the model has no use for a target, or for hidden positions.
    """
    text, notices = with_line_feeds(question.text)
    question = replace(question, text=text)
    pieces = pieces_of(model, text)
    if question.target is not None and not model.config.writes:
        raise TextError(
            f"{model.id} is {model.config.architecture} and has no target; leave it out, or choose "
            "an encoder-decoder.",
            field="target",
        )
    if question.hidden and not model.config.guesses:
        raise TextError(
            f"{model.id} is {model.config.architecture} and guesses no hidden "
            f"{model.tokenizer.unit}s; leave `hidden` out, or choose an encoder-only model.",
            field="hidden",
        )
    if model.config.guesses:
        return _with_hidden(model, question, pieces, notices)
    if model.config.writes:
        return _with_target(model, question, pieces, notices, written)
    alone = f"no {model.tokenizer.unit} follows the only one; type at least two"
    return Reading(
        question,
        {"ids": _ids(pieces)},
        Lengths(len(pieces)),
        asked=(len(pieces) - 1,),
        pieces={Along.TEXT: pieces},
        no_loss=_no_loss(len(pieces) == 1, alone, "text"),
        notices=notices,
    )


def _ids(pieces: Sequence[Piece]) -> Array:
    return frozen(np.array([piece.id for piece in pieces], dtype=np.int64))


def symbol(tokenizer: Tokenizer, text: str) -> Piece:
    """The one piece of a text that stands for something else, such as the mask."""
    (piece,) = tokenizer.read(text)
    return tokenizer.piece(piece.id)


def _with_hidden(
    model: Reader, question: Question, pieces: Sequence[Piece], notices: tuple[str, ...]
) -> Reading:
    """A text of which some pieces are not shown: of those marked, the truth is known."""
    beyond = [position for position in question.hidden if not 0 <= position < len(pieces)]
    if beyond:
        raise TextError(
            f"There is no position {beyond[0]} to hide; the text has the positions 0 to "
            f"{len(pieces) - 1}.",
            field="hidden",
        )
    mask, unit = symbol(model.tokenizer, MASK), model.tokenizer.unit
    known = [position for position in question.hidden if pieces[position].id != mask.id]
    truths, seen = [pieces[position] for position in known], list(pieces)
    for position, truth in zip(known, truths, strict=True):
        seen[position] = mask._replace(start=truth.start, end=truth.end)
    return Reading(
        question,
        {
            "ids": _ids(seen),
            "hidden": frozen(np.array(known, dtype=np.int64)),
            "targets": _ids(truths),
        },
        Lengths(len(pieces), hidden=len(known)),
        asked=[position for position, piece in enumerate(seen) if piece.id == mask.id],
        pieces={Along.TEXT: seen, Along.HIDDEN: truths},
        no_loss=_no_loss(
            not known,
            f"nothing that is known is hidden; hide a {unit} of the text by its position (a "
            f"typed {MASK} hides what no one knows)",
            "hidden",
        ),
        notices=notices,
    )


def _with_target(
    model: Reader,
    question: Question,
    pieces: Sequence[Piece],
    notices: tuple[str, ...],
    written: Sequence[int] | None,
) -> Reading:
    """A source, and after a line end the target so far."""
    if question.target is not None:
        target = _target_pieces(model, question.target)
        empty = f"the target is empty; give at least one {model.tokenizer.unit}"
    else:
        assert written is not None, "the model has not written its target yet"
        target = placed(map(model.tokenizer.piece, written))
        question = replace(question, target=model.tokenizer.write(written))
        empty = "the model wrote an empty line; give a target of your own"
    line = [symbol(model.tokenizer, LINE_END), *target]
    return Reading(
        question,
        {"encoder.ids": _ids(pieces), "decoder.ids": _ids(line)},
        Lengths(len(pieces), len(line)),
        asked=(len(target),),
        pieces={Along.TEXT: pieces, Along.TARGET: line},
        no_loss=_no_loss(not target, empty, "target"),
        notices=notices,
    )


def _no_loss(nothing: bool, reason: str, field: str) -> TextError | None:
    message = f"There is no loss, so there are no gradients: {reason}."
    return TextError(message, field=field) if nothing else None


def longest_target(model: Reader) -> int | None:
    """The most pieces that a target can have; None where a model has no targets."""
    if not model.config.writes:
        return None
    return model.config.context_length - 1  # the line end that begins it takes a position


def _target_pieces(model: Reader, target: str) -> tuple[Piece, ...]:
    if LINE_END in target or "\r" in target:
        raise TextError(
            "The target has a line end, and a line end begins and ends every target; give the one "
            "line between, without any.",
            field="target",
        )
    return _within(model, target, longest_target(model) or 0, "target")


def pieces_of(model: Reader, text: str) -> tuple[Piece, ...]:
    """The pieces of a text that the model can read: 1 to context_length that it knows.

    Raises:
        TextError: with every reason at once.
    """
    limit = model.config.context_length
    if not text:
        raise TextError(
            f"The text is empty. At least one {model.tokenizer.unit} is needed, at most {limit}.",
            field="text",
        )
    return _within(model, text, limit, "text")


def _within(model: Reader, text: str, limit: int, field: str) -> tuple[Piece, ...]:
    unit = model.tokenizer.unit
    try:
        pieces = model.tokenizer.read(text, field)
    except TextError as error:
        # How many pieces an unreadable text has is known only where each is a character.
        if unit != CHARACTER or len(text) <= limit:
            raise
        message = f"{_too_long(len(text), limit, unit, field)} {error.message}"
        raise TextError(message, field=field, details=error.details) from None
    if len(pieces) > limit:
        raise TextError(_too_long(len(pieces), limit, unit, field), field=field)
    return tuple(pieces)


def _too_long(length: int, limit: int, unit: str, field: str) -> str:
    return (
        f"The {field} has {length} {unit}s, but the model reads at most {limit}. "
        f"Leave out {length - limit}."
    )


def with_line_feeds(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with CR LF and CR as LF, and the notice that says so."""
    converted = text.replace("\r\n", "\n").replace("\r", "\n")
    if converted == text:
        return text, ()
    if len(converted) == len(text):
        counted = f"the text has {len(text)} character{'' if len(text) == 1 else 's'} as before"
    else:
        counted = f"{len(text)} characters became {len(converted)}"
    return converted, (f"Line ends were converted to newlines: {counted}.",)
