"""Characters to ids and back."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

from model.errors import TextError, code_point, quoted

MASK = "_"
"""Stands for a character that an encoder has to guess; no character of tiny Shakespeare."""
LINE_END = "\n"
"""Begins every target of an encoder-decoder, and ends it."""
GLYPHS = {" ": "␣", "\n": "↵", "\t": "⇥", "\r": "␍"}
LISTED_IN_MESSAGE = 8
LISTED_IN_DETAILS = 100


def glyph(character: str) -> str:
    """A character as a label that can be seen: a space becomes ␣, a line end ↵."""
    return GLYPHS.get(character, character)


@dataclass(frozen=True)
class CharacterTokenizer:
    """One id for each character of `vocabulary`, in its order. Positions count code points."""

    vocabulary: tuple[str, ...]

    @classmethod
    def from_corpus(cls, text: str, *special: str) -> Self:
        """The sorted set of the corpus' characters, then the special symbols."""
        return cls((*sorted(set(text)), *special))

    @cached_property
    def ids(self) -> dict[str, int]:
        return {character: index for index, character in enumerate(self.vocabulary)}

    def encode(self, text: str, field: str = "text") -> list[int]:
        """The id of every character; `field` is what an error calls the text.

        Raises:
            TextError: characters outside the vocabulary, all of them listed.
        """
        ids = self.ids
        try:
            return [ids[character] for character in text]
        except KeyError:
            raise self._refusal(text, field) from None

    def decode(self, ids: list[int]) -> str:
        return "".join(self.vocabulary[i] for i in ids)

    def unknown(self, text: str) -> list[tuple[int, str]]:
        """Position and character of all that the vocabulary lacks."""
        return [(i, character) for i, character in enumerate(text) if character not in self.ids]

    def _refusal(self, text: str, field: str) -> TextError:
        unknown = self.unknown(text)
        return TextError(
            self.unknown_sentence(unknown, field),
            field=field,
            details=[
                {"position": position, "character": character, "code_point": code_point(character)}
                for position, character in unknown[:LISTED_IN_DETAILS]
            ],
        )

    def unknown_sentence(self, unknown: list[tuple[int, str]], field: str) -> str:
        listed = ", ".join(
            f"{quoted(character)} ({code_point(character)}) at position {position}"
            for position, character in unknown[:LISTED_IN_MESSAGE]
        )
        more = len(unknown) - LISTED_IN_MESSAGE
        rest = f" and {more} more" if more > 0 else ""
        noun = "a character" if len(unknown) == 1 else f"{len(unknown)} characters"
        return (
            f"The {field} has {noun} outside the model's {len(self.vocabulary)}: {listed}{rest}. "
            f"Use only {self.described()}."
        )

    def described(self) -> str:
        """The vocabulary in one readable line, runs of letters and digits folded."""
        runs: list[list[str]] = []
        for character in self.vocabulary:
            last = runs[-1][-1] if runs else ""
            if last.isalnum() and character.isalnum() and ord(character) == ord(last) + 1:
                runs[-1].append(character)
            else:
                runs.append([character])
        return " ".join(_named(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _named(character: str) -> str:
    """A character that shows in a sentence: blanks by their name, what cannot be seen by code."""
    name = {" ": "space", "\n": "newline", "\t": "tab"}.get(character)
    return name or (character if character.isprintable() else code_point(character))
