"""What a user can get wrong, as exceptions that say how to get it right."""

from collections.abc import Mapping, Sequence
from typing import Any


class InputError(ValueError):
    """A request that cannot be served as it stands.

    The message names the offending value, the limit and the way out. `code` is stable and
    meant for programs, `field` is the request's field, `details` holds what a client may list.
    """

    code = "invalid_input"

    def __init__(
        self,
        message: str,
        *,
        field: str | None = None,
        details: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.details = tuple(details)


class TextError(InputError):
    """A text that the model cannot read: empty, too long, or with characters it does not know."""

    code = "invalid_text"


class UnknownModel(InputError):
    """A model id that is not served."""

    code = "unknown_model"


class UnknownStage(InputError):
    """A stage key or pattern that matches nothing in the model's stage table."""

    code = "unknown_stage"


class UnknownWeight(InputError):
    """A weight's name that the model's checkpoint does not have."""

    code = "unknown_weight"


class CellError(InputError):
    """A cell that a tensor does not have, or that cannot be asked for."""

    code = "invalid_cell"


class PositionError(InputError):
    """A position that a text does not have, or a count that is none."""

    code = "invalid_position"


class BudgetError(InputError):
    """A configuration that is too large to be built here, with the figure and the limit."""

    code = "too_large"


class CheckpointError(InputError):
    """A checkpoint folder that cannot be loaded, with the file and the reason."""

    code = "invalid_checkpoint"


class CorpusError(InputError):
    """A training corpus that cannot be used."""

    code = "invalid_corpus"


class TrainingError(InputError):
    """A training run that cannot start, or that had to stop."""

    code = "training_stopped"


def quoted(value: object, limit: int = 40) -> str:
    """A visitor's value as one safe, short, printable piece of a message.

    Control characters and lone surrogates come out escaped, so that the message can always be
    encoded; anything longer than `limit` characters is cut and its length is given.
    """
    text = value if isinstance(value, str) else repr(value)
    shown = repr(text[:limit])
    return f"{shown}… ({len(text)} characters)" if len(text) > limit else shown
