"""What is asked of a model."""

import operator
from collections.abc import Iterable
from dataclasses import dataclass

from model.errors import TextError, quoted


@dataclass(frozen=True)
class Question:
    """A text, and what else one says of it: the `target` that an encoder-decoder is to have written
    so far (None leaves the writing to the model), the `hidden` positions that an encoder must
    guess, beside those typed as `_`. Positions count from 0 and are kept in order, each once.

    Raises:
        TextError: the text or the target is no string, or a position no whole number.
    """

    text: str
    target: str | None = None
    hidden: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise TextError(
                f"The text is {quoted(self.text)}; give a string of characters.", field="text"
            )
        if not isinstance(self.target, str | None):
            raise TextError(f"The target is {quoted(self.target)}; give a string.", field="target")
        object.__setattr__(self, "hidden", _whole(self.hidden))

    @staticmethod
    def of(
        asked: "Question | str", target: str | None = None, hidden: Iterable[int] = ()
    ) -> "Question":
        """The question itself, or that of a text, which takes what else is said of it.

        Raises:
            TypeError: a question has its own target and hidden positions, and is given others.
        """
        if not isinstance(asked, Question):
            return Question(asked, target, _whole(hidden))
        if target is not None or hidden != ():
            raise TypeError("the question has its target and its hidden positions; give no others")
        return asked


def _whole(hidden: Iterable[int]) -> tuple[int, ...]:
    """The positions in order, each once; NumPy's and torch's whole numbers count."""
    positions = set()
    for position in hidden if isinstance(hidden, Iterable) else [hidden]:
        try:
            if isinstance(position, bool):
                raise TypeError
            positions.add(operator.index(position))
        except TypeError:
            raise TextError(
                f"The position {quoted(position)} to hide is no whole number; give those.",
                field="hidden",
            ) from None
    return tuple(sorted(positions))
