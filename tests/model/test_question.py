"""What is asked of a model, as one value."""

import pytest

from model import LoadedModel, Question, load, trace
from model.errors import TextError
from model.network.transformer import EncoderDecoder
from model.reading import read
from model.writing import written
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def seq2seq() -> LoadedModel:
    return load(ROOT / "checkpoints" / "shakespeare-seq2seq")


def test_questions_of_the_same_positions_are_the_same() -> None:
    one, other = Question("To be", hidden=(3, 1, 3)), Question("To be", hidden=(1, 3))
    assert one == other
    assert hash(one) == hash(other)


def test_question_of_a_text_takes_what_else_is_said() -> None:
    assert Question.of("T b", "To be", range(2)) == Question("T b", "To be", (0, 1))


def test_question_of_a_question_is_itself() -> None:
    asked = Question("To be", hidden=(1,))
    assert Question.of(asked) is asked


@pytest.mark.parametrize("more", [{"target": ""}, {"hidden": [0]}], ids=repr)
def test_question_takes_no_second_target_or_hidden_positions(more: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="give no others"):
        Question.of(Question("To be"), **more)


@pytest.mark.parametrize("text", [5, b"To be", None], ids=repr)
def test_text_that_is_no_string_is_refused(text: object) -> None:
    with pytest.raises(TextError, match="give a string") as caught:
        Question(text)
    assert caught.value.field == "text"


def test_target_that_is_no_string_is_refused() -> None:
    with pytest.raises(TextError, match="give a string") as caught:
        Question("To be", target=5)
    assert caught.value.field == "target"


def test_trace_keeps_the_question_as_it_was_read(seq2seq: LoadedModel) -> None:
    assert trace(seq2seq, Question("T\r\nb", "To be")).question == Question("T\nb", "To be")


def test_trace_of_a_text_is_that_of_its_question(model: LoadedModel) -> None:
    assert trace(model, "To be").question == trace(model, Question("To be")).question


def test_question_without_a_target_is_read_with_what_the_model_writes(
    seq2seq: LoadedModel,
) -> None:
    asked = Question("Th kng")
    ids = written(seq2seq, asked)
    assert ids
    assert read(seq2seq, asked, ids).question == Question("Th kng", seq2seq.tokenizer.write(ids))
    assert trace(seq2seq, asked).array("decoder.ids")[1:].tolist() == ids


def test_nothing_is_written_where_a_target_is_given(
    seq2seq: LoadedModel, model: LoadedModel
) -> None:
    assert written(seq2seq, Question("T b", "")) is None
    assert written(model, Question("T b")) is None


def test_nothing_is_written_for_a_question_that_cannot_be_read(
    seq2seq: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_: object) -> None:
        raise AssertionError("the network ran")

    monkeypatch.setattr(EncoderDecoder, "read", run)
    with pytest.raises(TextError, match="guesses no hidden"):
        written(seq2seq, Question("T b", hidden=(0,)))


def test_reading_runs_no_network(
    seq2seq: LoadedModel, model: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_: object) -> None:
        raise AssertionError("the network ran")

    for one, question in ((seq2seq, Question("T b", "To be")), (model, Question("To be"))):
        monkeypatch.setattr(type(one.network), "__call__", run)
        assert read(one, question).question == question
