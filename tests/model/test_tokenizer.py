"""Characters to ids and back, and the sentences about them."""

import pytest

from model.characters import glyph
from model.errors import TextError
from model.tokenizer import CharacterTokenizer


def test_vocabulary_is_the_sorted_set_of_the_corpus() -> None:
    assert CharacterTokenizer.from_corpus("banana\n").vocabulary == ("\n", "a", "b", "n")


def test_ids_are_the_order_of_the_vocabulary() -> None:
    tokenizer = CharacterTokenizer(("b", "a"))
    assert tokenizer.encode("ab") == [1, 0]
    assert tokenizer.decode([1, 0]) == "ab"


def test_long_list_of_unknown_characters_is_cut() -> None:
    with pytest.raises(TextError) as caught:
        CharacterTokenizer(("a",)).encode("é" * 500)
    assert "and 492 more" in caught.value.message
    assert len(caught.value.details) == 100


@pytest.mark.parametrize(
    ("vocabulary", "described"),
    [
        ("abc", "a-c"),
        ("\n abz", "newline space a-b z"),
        ("\nf", "newline f"),
        (" f", "space f"),
        ("\tA", "tab A"),
        ("\x07a", "U+0007 a"),
        ("019:;", "0-1 9 : ;"),
    ],
    ids=repr,
)
def test_vocabulary_is_described_in_one_line(vocabulary: str, described: str) -> None:
    assert CharacterTokenizer(tuple(vocabulary)).described() == described


@pytest.mark.parametrize(("character", "label"), [(" ", "␣"), ("\n", "↵"), ("\t", "⇥"), ("a", "a")])
def test_blank_has_a_visible_label(character: str, label: str) -> None:
    assert glyph(character) == label
