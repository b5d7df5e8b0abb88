"""A model that reads tokens of several bytes is traced, checked and explained as any other."""

import numpy as np
import pytest

from model import LoadedModel, Trace, check, explain, trace
from model.checking import sanity
from model.errors import TextError
from model.table.axes import Along
from model.table.stage import Kind
from model.tokenizer import CharacterTokenizer, Piece, nameless, piece_of
from tests.model.byte_pairs import PADDING, BytePairs, byte_pair_model

TEXT = "see the 🙂 k"
ENCODER, SEQ2SEQ = "encoder-only", "encoder-decoder"


@pytest.fixture(scope="module")
def reader() -> LoadedModel:
    return byte_pair_model()


@pytest.fixture(scope="module")
def traced(reader: LoadedModel) -> Trace:
    return trace(reader, TEXT, gradients=True, weight_gradients=True)


# The protocol


def test_tokens_have_labels_that_can_be_seen() -> None:
    labels = [piece.label for piece in BytePairs().read(TEXT)]
    assert labels == ["s", "e", "e", "␣the", "␣", "⟨F0 9F⟩", "⟨99⟩", "⟨82⟩", "␣k"]


def test_tokens_of_one_character_share_its_place() -> None:
    places = [(piece.start, piece.end) for piece in BytePairs().read(TEXT)]
    assert places == [(0, 1), (1, 2), (2, 3), (3, 7), (7, 8), (8, 9), (8, 9), (8, 9), (9, 11)]


def test_tokens_are_written_as_the_text_that_was_read() -> None:
    tokenizer = BytePairs()
    assert tokenizer.write([piece.id for piece in tokenizer.read(TEXT)]) == TEXT


def test_bytes_that_make_no_character_are_marked_in_the_text() -> None:
    half = piece_of(5, " 🙂".encode()[:3])
    assert (half.text, half.label) == (" \ufffd", "␣⟨F0 9F⟩")


def test_id_without_a_name_is_labelled_by_its_number() -> None:
    for tokenizer in (BytePairs(), CharacterTokenizer(("a", "b"))):
        assert tokenizer.piece(700) == nameless(700) == Piece(700, b"", "", "‹700›")


def test_piece_of_the_vocabulary_stands_in_no_text() -> None:
    assert CharacterTokenizer(("a", " ")).piece(1) == Piece(1, b" ", " ", "␣", 0, 0)


def test_character_is_read_as_a_piece() -> None:
    pieces = CharacterTokenizer(("a", "é", "\n")).read("é\na")
    assert list(pieces) == [
        Piece(1, "é".encode(), "é", "é", 0, 1),
        Piece(2, b"\n", "\n", "↵", 1, 2),
        Piece(0, b"a", "a", "a", 2, 3),
    ]
    assert pieces[-1] == pieces[2]
    assert len(pieces) == 3


@pytest.mark.parametrize(
    ("start", "limit", "found"), [("a", 5, [0]), ("", 2, [0, 1]), ("x", 5, [])]
)
def test_characters_are_found_by_how_they_begin(start: str, limit: int, found: list[int]) -> None:
    assert CharacterTokenizer(("a", "b", "c")).find(start, limit) == found


def test_tokens_are_found_by_how_they_begin() -> None:
    tokenizer = BytePairs()
    assert [tokenizer.piece(id).text for id in tokenizer.find(" ", 9)] == [" ", " the", " k"]


# A trace


def test_trace_has_a_position_a_token(traced: Trace) -> None:
    assert [token.label for token in traced.tokens][3:5] == ["␣the", "␣"]
    assert traced.array("ids").tolist() == [token.id for token in traced.tokens]
    assert traced.array("logits").shape == (9, len(BytePairs()) + PADDING)


def test_rows_beyond_the_vocabulary_are_likely_too(traced: Trace) -> None:
    """Nothing keeps a model from giving them a share."""
    everything = {one.id: one.text for one in traced.next(n=traced.model.config.vocab_size)}
    assert [everything[len(BytePairs()) + row] for row in range(PADDING)] == [""] * PADDING
    labels = [piece.label for piece in traced.pieces(Along.VOCABULARY)]
    assert labels[-1] == f"‹{len(labels) - 1}›"


def test_second_implementation_agrees(traced: Trace) -> None:
    for one in check(traced):
        assert one.end_to_end.equal, one.key
        assert one.single_operation.equal, one.key
        assert one.gradient is None or one.gradient.equal, one.key


def test_cell_of_every_stage_is_explained(traced: Trace) -> None:
    for stage in traced.stages:
        last = tuple(size - 1 for size in traced.array(stage.key).shape)
        for gradient in (False, True):
            if not (gradient and stage.kind is Kind.IDS):
                assert explain(traced, stage.key, last, gradient=gradient).equal, stage.key


def test_given_id_is_explained_by_its_token(traced: Trace) -> None:
    assert explain(traced, "ids", (3,)).note == "The token is ' the'."
    assert explain(traced, "ids", (5,)).note == "The token is '\ufffd'."


def test_sanity_checks_change_an_id_and_not_the_text(traced: Trace) -> None:
    """With another last character the tokens before it may be others: "th" and "e" are one."""
    the = trace(traced.model, "a the")
    for one in (*sanity(traced), *sanity(the)):
        assert one.passed, one.finding
    assert {one.name for one in sanity(the)} >= {"A changed last token changes nothing earlier"}


# What each architecture reads


def test_hidden_position_is_a_token() -> None:
    traced = trace(byte_pair_model(architecture=ENCODER), TEXT, hidden=[3])
    assert traced.tokens[3].text == "_"
    assert [piece.text for piece in traced.pieces(Along.HIDDEN)] == [" the"]
    (mask,) = BytePairs().read("_")
    assert traced.pieces(Along.TEXT)[3] == mask._replace(start=3, end=7)
    assert all(one.passed for one in sanity(traced))


def test_target_begins_with_a_line_end() -> None:
    traced = trace(byte_pair_model(architecture=SEQ2SEQ), "th", target="the k")
    assert [token.label for token in traced.target_tokens] == ["↵", "the", "␣k"]
    assert all(one.passed for one in sanity(traced))


def test_model_writes_tokens() -> None:
    """Those that it wrote, though their text would be read as others."""
    traced = trace(byte_pair_model(architecture=SEQ2SEQ), "th")
    written = traced.array("decoder.ids")[1:].tolist()
    assert written == traced.array("logits").argmax(-1)[:-1].tolist()
    assert traced.target == traced.model.tokenizer.write(written)
    assert written != [piece.id for piece in traced.model.tokenizer.read(traced.target)]


def test_length_is_counted_in_tokens(reader: LoadedModel) -> None:
    assert len(trace(reader, " the" * 12).tokens) == reader.config.context_length
    with pytest.raises(TextError, match=r"has 13 tokens.*reads at most 12\. Leave out 1"):
        trace(reader, " the" * 13)


def test_sentences_count_the_tokenizers_unit(reader: LoadedModel) -> None:
    encoder = byte_pair_model(architecture=ENCODER)
    for model, asked, said in (
        (reader, {"text": ""}, "At least one token is needed"),
        (reader, {"text": "the", "gradients": True}, "no token follows the only one"),
        (reader, {"text": "a", "hidden": [0]}, "guesses no hidden tokens"),
        (encoder, {"text": "a the", "hidden": [2]}, "positions 0 to 1"),
        (encoder, {"text": "the", "gradients": True}, "hide a token of the text"),
    ):
        with pytest.raises(TextError, match=said):
            trace(model, asked.pop("text"), **asked)


def test_probabilities_are_a_share_of_every_row(traced: Trace) -> None:
    np.testing.assert_allclose(traced.array("probabilities").sum(-1), 1, rtol=1e-6)
