"""F07, F08: every character can be seen, named, and told from every other."""

import sys
import unicodedata

import pytest

from model.characters import SIGNS, glyph, in_one_line, in_words, name, plain
from model.errors import TextError
from model.tokenizer import CharacterTokenizer, piece_of

LABELS = {
    " ": "␣", "\n": "↵", "\t": "⇥", "\r": "␍", "a": "a", "é": "é", "字": "字", "🙂": "🙂", "א": "א",
    "\u200b": "U+200B", "\u202e": "U+202E", "\u00a0": "U+00A0", "\u2028": "U+2028",
    "\ufe0f": "U+FE0F", "\x07": "U+0007", "\u3000": "U+3000", "\U000e0041": "U+E0041",
    "\ue000": "U+E000", "\u2800": "U+2800", "\u3164": "U+3164", "\udc00": "U+DC00",
    "␣": "U+2423", "↵": "U+21B5", "⇥": "U+21E5", "␍": "U+240D", "\u0301": "◌\u0301",
}  # fmt: skip


@pytest.mark.parametrize("character", LABELS, ids=ascii)
def test_label_can_be_seen(character: str) -> None:
    assert glyph(character) == LABELS[character]
    assert piece_of(0, character.encode("utf-8", "surrogatepass")).label in (
        LABELS[character],
        "⟨ED B0 80⟩",  # no UTF-8, so bytes
    )


def test_labels_of_all_characters_differ_and_print() -> None:
    seen: dict[str, str] = {}
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        label = glyph(character)
        assert seen.setdefault(label, character) == character
        first = label[-1] if label[0] == "◌" else label[0]
        assert unicodedata.category(first)[0] in "LNPSM", ascii(character)
        if unicodedata.category(character)[0] in "CZ" and character not in SIGNS:
            assert label == f"U+{number:04X}"


@pytest.mark.parametrize(
    ("character", "words"),
    [
        (" ", "space"),
        ("\n", "newline"),
        ("a", "a"),
        ("\u200b", "U+200B ZERO WIDTH SPACE"),
        ("␣", "U+2423 OPEN BOX"),
        ("\x07", "U+0007 BELL"),
        ("\x01", "U+0001 CONTROL"),
        ("\ue000", "U+E000 PRIVATE USE"),
    ],
    ids=ascii,
)
def test_name_is_there_where_one_asks(character: str, words: str) -> None:
    assert in_words(character) == words


def test_every_character_has_a_name() -> None:
    assert all(name(chr(number)) for number in range(sys.maxunicode + 1))


def test_what_does_not_print_stands_in_brackets_amid_others() -> None:
    assert piece_of(0, "a\u200b b".encode()).label == "a⟨U+200B⟩␣b"
    assert in_one_line("a\u200b b\nc") == "a⟨U+200B⟩ b↵c"


@pytest.mark.parametrize(
    ("character", "typed"),
    [
        ("’", "'"), ("‘", "'"), ("–", "-"), ("—", "-"), ("−", "-"), ("“", '"'), ("”", '"'),
        ("…", "..."), ("\u00a0", " "), ("\u202f", " "), ("\u200b", ""), ("\ufeff", ""), ("ﬁ", "fi"),
        ("Ａ", "A"), ("\u2028", "\n"), ("a", None), ("é", None), (" ", None), ("🙂", None),
    ],
    ids=ascii,
)  # fmt: skip
def test_plain_character_is_what_was_meant(character: str, typed: str | None) -> None:
    assert plain(character) == typed


def refusal(vocabulary: str, text: str) -> TextError:
    with pytest.raises(TextError) as caught:
        CharacterTokenizer(tuple(vocabulary)).encode(text)
    return caught.value


def test_refused_characters_are_named_with_what_to_type_instead() -> None:
    found = refusal("'-\" Tiso", "’Tis – “so”")
    for part in (
        "RIGHT SINGLE QUOTATION MARK '’' (U+2019) at position 0",
        "EN DASH '–' (U+2013) at position 5",
        "LEFT DOUBLE QUOTATION MARK '“' (U+201C) at position 7",
        """Type "'" for '’', '-' for '–', '"' for '“', '"' for '”'. Use only""",
    ):
        assert part in found.message
    assert [one["instead"] for one in found.details] == ["'", "-", '"', '"']
    assert found.details[1]["name"] == "EN DASH"


def test_character_of_no_width_is_to_be_left_out() -> None:
    found = refusal("ab", "a\u200bb")
    assert r"ZERO WIDTH SPACE '\u200b' (U+200B) at position 1. Leave out '\u200b'." in found.message
    assert found.details[0]["instead"] == ""


def test_what_the_vocabulary_lacks_too_is_not_offered() -> None:
    found = refusal("'a.", "“a…–")
    assert "Type '...' for '…'. Use only" in found.message
    assert [one["instead"] for one in found.details] == [None, "...", None]
