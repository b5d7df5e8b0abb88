"""Predictions: what is read of what is typed, and how it is held against the answer."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from app.lessons.judging import judge
from app.lessons.lesson import QuestionKind, Step
from app.lessons.library import EXERCISES, lesson_of, library
from app.lessons.notation import PredictionError
from tests.app.test_lessons import answer, ask

LESSONS = list(library().values())


def step_of_kind(kind: QuestionKind, **more: Any) -> Step:
    first = next(s for lesson in LESSONS for s in lesson.steps if s.kind is kind)
    return first.model_copy(update={"tolerance": 0.0, "relative": 0.0} | more)


def numbered(lesson: str, title: str) -> int:
    return 1 + [step.title for step in lesson_of(lesson).steps].index(title)


@pytest.mark.parametrize("typed", ["nan", "inf", "1e400", "-", "1 2", "1_0", "٣", "1/0", "%"])
def test_what_is_no_number_is_refused(typed: str) -> None:
    with pytest.raises(PredictionError, match="no number"):
        judge(step_of_kind(QuestionKind.NUMBER), typed, 1.0, {})


@pytest.mark.parametrize("typed", ["0,25", "1,0", "1,7320", "0,732", "1,000.5", "12,34,567"])
def test_comma_that_parts_no_thousands_is_refused_in_words(typed: str) -> None:
    with pytest.raises(PredictionError, match="a point is the decimal sign"):
        judge(step_of_kind(QuestionKind.NUMBER), typed, 1.0, {})


@pytest.mark.parametrize(
    ("typed", "right", "difference"),
    [
        ("4 × 19 × 19", True, ""),
        ("(4, 19, 19)", True, ""),
        ("4x19x19", True, ""),
        ("h × N × N", True, ""),
        ("4 19 19", True, ""),
        ("19 × 19 × 4", False, "The right sizes, in another order."),
        ("19 × 19", False, "You named 2 axes; this tensor has 3."),
        ("4 × 19 × 64", False, "Axis 3 is of another size."),
    ],
)
def test_shape_is_read_as_people_write_it(typed: str, right: bool, difference: str) -> None:
    found = judge(
        step_of_kind(QuestionKind.SHAPE), typed, (4, 19, 19), {"h": 4, "N": 19, "N−1": 18}
    )
    assert (found.right, found.difference) == (right, difference)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("N × d_model", "9 × 64"),
        ("N × 4d", "9 × 256"),
        ("N × 4 · d", "9 × 256"),
        ("n x D", "9 × 64"),
        ("N × |V|", "9 × 65"),
        ("h × N × d/h", "4 × 9 × 16"),
        ("9X64", "9 × 64"),
        ("9 × 4*64", "9 × 256"),
        ("9 * 64", "9 × 64"),
        ("(9, 64)", "9 × 64"),
        ("1,024 × 64", "1024 × 64"),
    ],
)
def test_shape_can_have_products_quotients_and_the_texts_own_names(typed: str, read: str) -> None:
    symbols = {"N": 9, "d": 64, "h": 4, "d_head": 16, "d_ff": 256, "V": 65, "N−1": 8}
    assert judge(step_of_kind(QuestionKind.SHAPE), typed, (1,), symbols).understood == read


@pytest.mark.parametrize("typed", ["N × q", "d4", "4 × N N", "N × 8d/3", "d/0", "N × *d", "N × ²"])
def test_what_is_no_size_is_refused(typed: str) -> None:
    with pytest.raises(PredictionError, match=r"no size|a size is a whole number"):
        judge(step_of_kind(QuestionKind.SHAPE), typed, (9, 64), {"N": 9, "d": 64})


def test_symbols_are_named_with_the_question_and_accepted(client: TestClient) -> None:
    question = ask(client, "follow-one-input", text="To be")["questions"][1]
    assert question["symbols"] == ["N", "d", "h", "d_head", "d_ff", "V", "N−1"]
    for symbol in question["symbols"]:
        answer(client, "follow-one-input", text="To be", step=2, prediction=symbol)


def test_symbols_of_an_exercise_with_lengths_of_its_own_are_those(client: TestClient) -> None:
    step = numbered(EXERCISES, "Three tokens ask five")
    sent = {"text": "To be, or", "step": step, "prediction": "M × N"}
    assert answer(client, EXERCISES, **sent)["right"] is True


def test_one_less_is_a_size() -> None:
    for typed in ("N − 1", "N-1", "18"):
        assert judge(step_of_kind(QuestionKind.SHAPE), typed, (18,), {"N": 19, "N−1": 18}).right


@pytest.mark.parametrize(
    ("typed", "right", "difference"),
    [
        ("49,984", True, ""),
        ("49100", True, ""),
        ("51,984", False, "It lies above the answer."),
        ("0", False, "It lies below the answer."),
        ("−49984", False, "It has the other sign."),
        ("499840", False, "It is about 10 times too large."),
    ],
)
def test_number_is_judged_within_its_tolerance(typed: str, right: bool, difference: str) -> None:
    found = judge(step_of_kind(QuestionKind.NUMBER, relative=0.02), typed, 49_984, {})
    assert (found.right, found.difference) == (right, difference)


@pytest.mark.parametrize(("typed", "value"), [("2/3", 2 / 3), ("66 %", 0.66), ("-1.5e-3", -0.0015)])
def test_number_can_be_a_fraction_or_a_percentage(typed: str, value: float) -> None:
    assert judge(step_of_kind(QuestionKind.NUMBER, tolerance=1e-12), typed, value, {}).right


def test_comma_read_as_thousands_is_told_where_it_may_be_a_decimal_comma() -> None:
    found = judge(step_of_kind(QuestionKind.NUMBER, tolerance=0.002), "1,732", 1.732, {})
    assert "a point is the decimal sign" in found.difference


@pytest.mark.parametrize("computed", [0.0, 7.1e-15, -1.5e-8])
def test_prediction_beside_a_0_up_to_rounding_is_told_just_that(computed: float) -> None:
    for typed in ("1", "-1"):
        found = judge(step_of_kind(QuestionKind.NUMBER, tolerance=1e-5), typed, computed, {})
        assert (found.right, found.difference) == (False, "It is not 0.")


@pytest.mark.parametrize(
    ("title", "right", "wrong"),
    [
        ("LayerNorm by hand", ("1.73", "1.734"), ("1.729", "1.735")),
        ("The blocks of GPT-2 Medium", ("301", "303"), ("300.9", "303.1")),
    ],
)
def test_exercise_is_as_exact_as_the_course(
    client: TestClient, title: str, right: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    step = numbered(EXERCISES, title)
    for typed in right + wrong:
        told = answer(client, EXERCISES, text="To be", step=step, prediction=typed)
        assert told["right"] is (typed in right), typed


def test_number_in_ones_where_millions_are_asked_for_is_told_the_unit(client: TestClient) -> None:
    step = numbered(EXERCISES, "The blocks of GPT-2 Medium")
    told = answer(client, EXERCISES, text="To be", step=step, prediction="302000000")
    assert told["difference"] == "The right number, but the question asks for millions."


def test_tolerance_is_told_with_the_question(client: TestClient) -> None:
    within = [q["within"] for q in ask(client, "inside-a-block")["questions"]]
    assert within[6] == "0.002"
    assert within[11] == "0.5 %"
    assert within[:2] == [None, None]


@pytest.mark.parametrize("text", ["ab", "a king", "Who goes?"])
def test_exercise_and_lesson_change_the_same_position(client: TestClient, text: str) -> None:
    step = numbered(EXERCISES, "Who moves, who thinks")
    exercise = answer(client, EXERCISES, text=text, step=step)["reveal"]
    after = len(text) - (len(text) - 1) // 2
    assert f"reaches {after} of {len(text)} rows" in exercise
    lesson = answer(client, "inside-a-block", text=text, step=10)["reveal"]
    assert f"reaches {after} of {len(text)} positions" in lesson


def test_wrong_choice_is_told_why(client: TestClient) -> None:
    sent = {"text": "To be", "step": 1, "prediction": "input"}
    told = answer(client, "inside-a-block", **sent)
    assert told["difference"] == lesson_of("inside-a-block").steps[0].options[0].why
