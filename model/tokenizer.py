"""Texts to the ids of their pieces and back."""

import re
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import ClassVar, NamedTuple, Protocol, Self, overload

from model.characters import IN_WORDS, code_point, glyph, name, plain, prints, within
from model.errors import TextError, quoted

MASK = "_"
"""Stands for a character that an encoder has to guess; no character of tiny Shakespeare."""
LINE_END = "\n"
"""Begins every target of an encoder-decoder, and ends it."""
LISTED_IN_MESSAGE = 8
LISTED_IN_DETAILS = 100
CHARACTER = "character"
"""The unit of a tokenizer whose pieces are single characters."""
NO_CHARACTER = re.compile("([\udc80-\udcff]+)")
"""Bytes that make no character, as Python's surrogateescape puts them into a text."""


class Piece(NamedTuple):
    """What one id stands for, and where it stands in a text.

    `content` are its bytes and `text` the same as characters, with U+FFFD for bytes that make none
    by themselves: an emoji may take several pieces. `label` is what pictures show. The piece covers
    the text's characters from `start` to before `end`; pieces of one character share its place, and
    a piece that stands in no text has 0 for both.
    """

    id: int
    content: bytes
    text: str
    label: str
    start: int = 0
    end: int = 0


class Tokenizer(Protocol):
    """How a model's texts are cut into pieces. Its vocabulary is asked, never listed: a real one
    has a hundred thousand pieces."""

    @property
    def unit(self) -> str:
        """What sentences call a piece: "character" or "token"."""

    def __len__(self) -> int:
        """How many ids have a name, from 0; an embedding may have more rows than that."""

    def read(self, text: str, field: str = "text") -> Sequence[Piece]:
        """The pieces of a text in order; `field` is what an error calls the text.

        Raises:
            TextError: the vocabulary lacks some of its characters.
        """

    def write(self, ids: Sequence[int]) -> str:
        """The text of these ids: their bytes joined, and then decoded."""

    def piece(self, id: int) -> Piece:
        """What an id stands for, in no text; one without a name is labelled by its number."""

    def find(self, start: str, limit: int) -> Sequence[int]:
        """The first ids, at most `limit`, whose text begins with `start`."""


def piece_of(id: int, content: bytes) -> Piece:
    """The piece of these bytes: every blank in its label can be seen, ⟨U+200B⟩ amid others, and
    bytes that make no character stand there in hexadecimal, ⟨F0 9F⟩."""
    escaped = content.decode("utf-8", "surrogateescape")
    label = "".join(
        _in_hexadecimal(part)
        if NO_CHARACTER.match(part)
        else "".join(map(glyph if part == escaped and len(part) == 1 else within, part))
        for part in NO_CHARACTER.split(escaped)
    )
    return Piece(id, content, content.decode("utf-8", "replace"), label)


def placed(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """The same where they stand in the text that they make together."""
    decoder = getincrementaldecoder("utf-8")("replace")
    found, start = [], 0
    for piece in pieces:
        whole = start + len(decoder.decode(piece.content))
        begun = len(decoder.getstate()[0]) > 0  # bytes of a character that is not whole yet
        found.append(piece._replace(start=start, end=whole + begun))
        start = whole
    return tuple(found)


def nameless(id: int) -> Piece:
    """The piece of an id that stands for nothing, such as a row that only fills an embedding up."""
    return Piece(id, b"", "", f"‹{id}›")


def _in_hexadecimal(escaped: str) -> str:
    return f"⟨{escaped.encode('utf-8', 'surrogateescape').hex(' ').upper()}⟩"


@dataclass(frozen=True)
class CharacterTokenizer:
    """One id for each character of `vocabulary`, in its order. Positions count code points."""

    vocabulary: tuple[str, ...]
    unit: ClassVar[str] = CHARACTER

    @classmethod
    def from_corpus(cls, text: str, *special: str) -> Self:
        """The sorted set of the corpus' characters, then the special symbols."""
        return cls((*sorted(set(text)), *special))

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {character: index for index, character in enumerate(self.vocabulary)}

    @property
    def ids(self) -> Mapping[str, int]:
        """The id of each character; to be read only."""
        return MappingProxyType(self._ids)

    def encode(self, text: str, field: str = "text") -> list[int]:
        """The id of every character; `field` is what an error calls the text.

        Raises:
            TextError: characters outside the vocabulary, all of them listed.
        """
        ids = self._ids
        try:
            return [ids[character] for character in text]
        except KeyError:
            raise self._refusal(text, field) from None

    def decode(self, ids: Iterable[int]) -> str:
        return "".join(self.vocabulary[i] for i in ids)

    def __len__(self) -> int:
        return len(self.vocabulary)

    @cached_property
    def _pieces(self) -> tuple[Piece, ...]:
        return tuple(
            Piece(id, character.encode("utf-8", "surrogatepass"), character, glyph(character))
            for id, character in enumerate(self.vocabulary)
        )

    def read(self, text: str, field: str = "text") -> Sequence[Piece]:
        """A piece a character. Raises TextError as `encode` does."""
        return _Characters(self._pieces, self.encode(text, field))

    def write(self, ids: Sequence[int]) -> str:
        return self.decode(ids)

    def piece(self, id: int) -> Piece:
        return self._pieces[id] if 0 <= id < len(self._pieces) else nameless(id)

    def find(self, start: str, limit: int) -> list[int]:
        fits = (id for id, one in enumerate(self.vocabulary) if one.startswith(start))
        return list(islice(fits, limit))

    def unknown(self, text: str) -> list[tuple[int, str]]:
        """Position and character of all that the vocabulary lacks."""
        return [(i, character) for i, character in enumerate(text) if character not in self._ids]

    def _refusal(self, text: str, field: str) -> TextError:
        unknown = self.unknown(text)
        return TextError(
            self.unknown_sentence(unknown, field),
            field=field,
            details=[
                {
                    "position": position,
                    "character": character,
                    "code_point": code_point(character),
                    "name": name(character),
                    "instead": self.instead_of(character),
                }
                for position, character in unknown[:LISTED_IN_DETAILS]
            ],
        )

    def unknown_sentence(self, unknown: list[tuple[int, str]], field: str) -> str:
        listed = ", ".join(
            f"{name(one)} {quoted(one)} ({code_point(one)}) at position {position}"
            for position, one in unknown[:LISTED_IN_MESSAGE]
        )
        more = len(unknown) - LISTED_IN_MESSAGE
        rest = f" and {more} more" if more > 0 else ""
        noun = "a character" if len(unknown) == 1 else f"{len(unknown)} characters"
        return (
            f"The {field} has {noun} outside the model's {len(self.vocabulary)}: {listed}{rest}. "
            f"{self._offered(character for _, character in unknown)}Use only {self.described()}."
        )

    def instead_of(self, character: str) -> str | None:
        """What can be typed for a character that the vocabulary lacks, all of it in the vocabulary;
        nothing, "", where it is best left out; None where there is nothing to offer."""
        offer = plain(character)
        return offer if offer is not None and set(offer) <= self._ids.keys() else None

    def _offered(self, unknown: Iterable[str]) -> str:
        offers = {character: self.instead_of(character) for character in unknown}
        typed = [
            f"{quoted(offer)} for {quoted(character)}"
            for character, offer in offers.items()
            if offer
        ]
        left = [quoted(character) for character, offer in offers.items() if offer == ""]
        return "".join(
            f"{verb} {', '.join(what[:LISTED_IN_MESSAGE])}. "
            for verb, what in (("Type", typed), ("Leave out", left))
            if what
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


class _Characters(Sequence[Piece]):
    """The pieces of a text of characters, made when they are asked for: of a text that turns out
    too long only their number is."""

    def __init__(self, known: Sequence[Piece], ids: Sequence[int]) -> None:
        self._known = known
        self._ids = ids

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[Piece]:
        columns = zip(*map(self._known.__getitem__, self._ids), strict=True)
        named = tuple(columns)[:4]  # ids, contents, texts, labels; each stands at its own place
        places = range(len(self._ids)), range(1, len(self._ids) + 1)
        return map(Piece._make, zip(*named, *places, strict=True))

    @overload
    def __getitem__(self, at: int) -> Piece: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Piece]: ...
    def __getitem__(self, at: int | slice) -> Piece | Sequence[Piece]:
        return tuple(self)[at]


def _named(character: str) -> str:
    """A character that shows in a sentence: blanks by their name, what cannot be seen by code."""
    word = IN_WORDS.get(character)
    return word or (character if prints(character) else code_point(character))
