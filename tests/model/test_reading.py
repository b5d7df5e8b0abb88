"""What each architecture reads of a request: hidden characters, targets, and what it refuses."""

from pathlib import Path

import pytest

from model import LoadedModel, load, trace
from model.errors import TextError
from model.question import Question
from model.reading import longest_target, read
from model.table.axes import Along, Lengths
from model.tokenizer import LINE_END, MASK

CHECKPOINTS = Path(__file__).resolve().parents[2] / "checkpoints"


@pytest.fixture(scope="module")
def encoder() -> LoadedModel:
    return load(CHECKPOINTS / "shakespeare-encoder")


@pytest.fixture(scope="module")
def seq2seq() -> LoadedModel:
    return load(CHECKPOINTS / "shakespeare-seq2seq")


def refusal(model: LoadedModel, text: str, **asked: object) -> TextError:
    with pytest.raises(TextError) as caught:
        trace(model, text, **asked)
    return caught.value


# Hidden characters


def test_hidden_character_is_read_as_the_mask_and_is_the_target(encoder: LoadedModel) -> None:
    traced = trace(encoder, "To be", hidden=[1, 4])
    ids = encoder.tokenizer.ids
    assert "".join(token.text for token in traced.tokens) == "T_ b_"
    assert traced.tensor("ids").tolist() == [ids[c] for c in "T_ b_"]
    assert traced.tensor("hidden").tolist() == [1, 4]
    assert traced.tensor("targets").tolist() == [ids["o"], ids["e"]]
    assert [one.text for one in traced.reading.pieces[Along.HIDDEN]] == ["o", "e"]
    assert traced.text == "To be"


def test_typed_mask_is_guessed_but_has_no_loss(encoder: LoadedModel) -> None:
    traced = trace(encoder, "T_ be")
    assert traced.reading.asked == [1]
    assert traced.array("loss").shape == (0,)
    assert len(traced.next(1)) == 10


def test_typed_mask_that_is_hidden_too_is_counted_once(encoder: LoadedModel) -> None:
    reading = read(encoder, Question("T_ be", hidden=(1, 3, 3)))
    assert reading.asked == [1, 3]
    assert reading.lengths == Lengths(5, hidden=1)


def test_text_with_nothing_hidden_is_traced(encoder: LoadedModel) -> None:
    traced = trace(encoder, "To be")
    assert traced.reading.asked == []
    assert traced.array("probabilities").shape == (5, encoder.config.vocab_size)


def test_what_is_hidden_does_not_leak(encoder: LoadedModel) -> None:
    """The model that guesses has not read the character: another one there changes no logits."""
    one, other = (trace(encoder, text, hidden=[1]) for text in ("To be", "Ta be"))
    assert (one.array("logits") == other.array("logits")).all()


@pytest.mark.parametrize("position", [5, -1])
def test_position_outside_the_text_cannot_be_hidden(encoder: LoadedModel, position: int) -> None:
    error = refusal(encoder, "To be", hidden=[position])
    assert error.field == "hidden"
    assert str(position) in error.message
    assert "0 to 4" in error.message


@pytest.mark.parametrize("hidden", [1.5, [1.5], ["1"], [True], "12"], ids=repr)
def test_what_is_no_position_cannot_be_hidden(encoder: LoadedModel, hidden: object) -> None:
    error = refusal(encoder, "To be", hidden=hidden)
    assert error.field == "hidden"
    assert "whole number" in error.message


def test_decoder_refuses_hidden_positions(model: LoadedModel) -> None:
    error = refusal(model, "To be", hidden=[1])
    assert error.field == "hidden"
    assert "decoder-only" in error.message


# Targets


def test_target_begins_with_a_line_end(seq2seq: LoadedModel) -> None:
    traced = trace(seq2seq, "T b", target="To be")
    assert "".join(token.text for token in traced.target_tokens) == LINE_END + "To be"
    assert traced.tensor("decoder.ids").tolist() == seq2seq.tokenizer.encode("\nTo be")
    assert traced.array("logits").shape == (6, seq2seq.config.vocab_size)
    assert traced.array("loss").shape == (5,)
    assert traced.array("decoder.blocks.0.cross_attn.weights").shape == (4, 6, 3)


def test_greedy_target_is_the_likeliest_character_each_time(seq2seq: LoadedModel) -> None:
    traced = trace(seq2seq, "T b, r nt t b")
    assert traced.target is not None
    likeliest = traced.array("logits").argmax(-1).tolist()
    assert seq2seq.tokenizer.decode(likeliest[:-1]) == traced.target
    ended = likeliest[-1] == seq2seq.tokenizer.ids[LINE_END]
    assert ended or len(traced.target) == longest_target(seq2seq)


def test_greedy_target_given_back_makes_the_same_trace(seq2seq: LoadedModel) -> None:
    greedy = trace(seq2seq, "Th kng")
    again = trace(seq2seq, "Th kng", target=greedy.target)
    for stage in seq2seq.stages:
        assert (greedy.array(stage.key) == again.array(stage.key)).all(), stage.key


def test_empty_target_has_one_position_and_no_loss(seq2seq: LoadedModel) -> None:
    traced = trace(seq2seq, "T b", target="")
    assert len(traced.target_tokens) == 1
    assert traced.array("loss").shape == (0,)


def test_empty_line_of_the_models_own_is_said(seq2seq: LoadedModel) -> None:
    """Who gave no target is not told that theirs is empty."""
    assert trace(seq2seq, "T b").target == ""
    assert "the model wrote an empty line" in refusal(seq2seq, "T b", gradients=True).message
    given = refusal(seq2seq, "T b", target="", gradients=True).message
    assert "the target is empty" in given


def test_longest_target_is_traced_and_one_more_refused(seq2seq: LoadedModel) -> None:
    longest = longest_target(seq2seq)
    assert longest == seq2seq.config.context_length - 1
    assert len(trace(seq2seq, "T b", target="a" * longest).target_tokens) == 64
    error = refusal(seq2seq, "T b", target="a" * (longest + 1))
    assert error.field == "target"
    assert "64" in error.message
    assert "63" in error.message


@pytest.mark.parametrize("target", ["To\nbe", "To be\r\n"])
def test_target_of_two_lines_is_refused(seq2seq: LoadedModel, target: str) -> None:
    error = refusal(seq2seq, "T b", target=target)
    assert error.field == "target"
    assert "line end" in error.message


def test_unknown_character_of_the_target_is_named(seq2seq: LoadedModel) -> None:
    error = refusal(seq2seq, "T b", target="To 2e")
    assert error.field == "target"
    assert "The target has a character outside" in error.message
    assert error.details[0]["position"] == 3


def test_only_an_encoder_decoder_has_a_target(model: LoadedModel, encoder: LoadedModel) -> None:
    for one in (model, encoder):
        error = refusal(one, "To be", target="To be")
        assert error.field == "target"
        assert one.id in error.message


def test_mask_is_a_character_of_the_encoder_alone(
    model: LoadedModel, encoder: LoadedModel, seq2seq: LoadedModel
) -> None:
    assert MASK in encoder.tokenizer.ids
    assert MASK not in model.tokenizer.ids
    assert MASK not in seq2seq.tokenizer.ids
