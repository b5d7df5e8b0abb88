"""Formulas in a number field: what is read, what is refused, and in which words."""

import math
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.lessons.arithmetic import DEEPEST
from app.lessons.judging import judge
from app.lessons.lesson import QuestionKind
from app.lessons.library import EXERCISES, lesson_of
from app.lessons.notation import PredictionError, number
from tests.app.answers import problem
from tests.app.test_lessons import answer, ask
from tests.app.test_predictions import numbered, step_of_kind

SYMBOLS = {"N": 19, "d": 64, "h": 4, "d_head": 16, "V": 65}


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("12*64^2", 49_152),
        ("12·d²", 49_152),
        ("12 x 64**2", 49_152),
        ("0.9^48", 0.9**48),
        ("N(N-1)/2", 171),
        ("N (N − 1) / 2", 171),
        ("1/N", 1 / 19),
        ("1 / (2N)", 1 / 38),
        ("8d/3", 512 / 3),
        ("d_model × |V|", 4160),
        ("n·D", 1216),
        ("√3", math.sqrt(3)),
        ("3/sqrt(d_k)", 0.75),
        ("e^2/(e + e^2)", math.e / (1 + math.e)),
        ("2π·10000^(1/4)", 20 * math.pi),
        ("ln V", math.log(65)),
        ("-2^2", -4),
        ("2^-1", 0.5),
        ("2^3^2", 512),
        ("10⁻²", 0.01),
        ("1,024 + 1", 1025),
        ("1e-3*2", 0.002),
        ("7 - 2 - 1", 4),
        ("8/4/2", 1),
        ("2e", 2 * math.e),
    ],
)
def test_formula_comes_to_its_value(typed: str, value: float) -> None:
    assert number(typed, SYMBOLS) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("12*q", "'q' is no symbol of this question; the symbols are N, d, h, d_head, V"),
        ("1/2N", "'2N' behind a division can be read in two ways"),
        ("1/(N-19)", "divides by 0"),
        ("0^-1", "divides by 0"),
        ("N(N-1", "a parenthesis is not closed"),
        ("N)", "a parenthesis is closed that was not opened"),
        ("12*", "something is missing behind '*'"),
        ("*12", "'*' stands where a number or a symbol should"),
        ("d 4", "'4' cannot stand behind 'd'"),
        ("12 $ d", "'$' has no meaning here"),
        ("2^99999", "the exponent is 99999, and the largest that is computed is 10,000"),
        ("9^9^9", "the exponent is"),
        ("10^16", "more than 10^15"),
        ("1e400", "more than 10^15"),
        ("(-8)^(1/3)", "-8 has no power 0.333333 among the real numbers"),
        ("√(-1)", "there is no √ of -1"),
        ("exp(1000)", "more than 10^15"),
        ("(" * 40 + "1" + ")" * 40, f"more than {DEEPEST} parts"),
        ("-" * 40 + "1", f"more than {DEEPEST} parts"),
        ("2" + "^1" * 45, f"more than {DEEPEST} parts"),
        ("50 % + 1", "% stands behind a plain number alone"),
        ("__import__('os')", "'_' has no meaning here"),
        ("d.real", "has no meaning here"),
        ("", "something is missing"),
    ],
)
def test_what_cannot_be_read_is_refused_naming_it(typed: str, reason: str) -> None:
    with pytest.raises(PredictionError) as found:
        number(typed, SYMBOLS)
    assert reason in found.value.message


def test_symbol_is_unknown_where_the_question_has_none() -> None:
    with pytest.raises(PredictionError, match=r"'N' is no symbol of this question\."):
        number("N", {})


def test_formula_is_shown_with_what_it_comes_to() -> None:
    step = step_of_kind(QuestionKind.NUMBER, relative=0.005)
    found = judge(step, "12·d²", 49_984, {"d": 64})
    assert (found.right, found.understood) == (False, "12·d² = 49,152")
    assert judge(step, "66 %", 49_984, {}).understood == "0.66"


def test_symbols_of_a_number_are_named_with_the_question(client: TestClient) -> None:
    question = ask(client, "follow-one-input", text="To be")["questions"][6]
    assert question["symbols"] == ["N", "d", "h", "d_head", "d_ff", "V"]
    sent: dict[str, Any] = {"text": "To be", "step": 7, "prediction": "N(N−1)/2"}
    assert answer(client, "follow-one-input", **sent)["right"] is True


def test_exercise_with_sizes_of_its_own_has_symbols_of_its_own(client: TestClient) -> None:
    """24 blocks of width 1024, not the width 64 of the model that reads the text."""
    step = numbered(EXERCISES, "The blocks of GPT-2 Medium")
    question = ask(client, EXERCISES, text="To be")["questions"][step - 1]
    assert question["symbols"] == ["L", "d"]
    sent = {"text": "To be", "step": step, "prediction": "12 L d²/10^6"}
    assert answer(client, EXERCISES, **sent)["right"] is True


def test_symbol_can_be_a_number_that_the_step_tells(client: TestClient) -> None:
    step = numbered("the-modern-block", "What a token costs")
    assert lesson_of("the-modern-block").steps[step - 1].symbols == {"P": "p"}
    sent = {"text": "To be", "step": step, "prediction": "6P"}
    assert answer(client, "the-modern-block", **sent)["right"] is True


def test_formula_of_a_lab_is_computed_by_the_server(client: TestClient) -> None:
    found = client.get("/api/v1/numbers", params={"prediction": "0.5^12"}).json()
    assert found == {"prediction": "0.5^12", "value": 0.5**12}


@pytest.mark.parametrize("typed", ["", "N", "2^99999", "1" * 101, "\ud800"])
def test_formula_of_a_lab_that_cannot_be_read_is_refused(client: TestClient, typed: str) -> None:
    sent = {"prediction": typed.encode("utf-8", "replace").decode()}
    found = problem(client.get("/api/v1/numbers", params=sent), 422)
    assert found.field == "prediction"
