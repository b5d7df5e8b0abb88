"""Sentences that were false or too broad: what stands there now, and what must not come back."""

from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.lessons.judging import judge
from app.lessons.lesson import QuestionKind, Step
from app.lessons.library import lesson_of
from app.server.settings import ROOT
from model import LoadedModel, load, trace
from tests.app.test_lessons import answer, ask
from tests.app.test_predictions import numbered, step_of_kind

TEXT = "To be, or not to be"
PLACES = ("app/lessons", "app/labs", "app/glossary", "model", "templates", "static/js")
FALSE = {
    "one dot product, one score": "the score is divided by √d_head",
    "and their sum is the output": "the bias b_O is added",
    "0, up to a thousandth": "RMSNorm leaves a mean below that for some texts",
    "network that bends one map by itself cannot multiply": "one unit cannot",
    "depends on the angle between query and key": "it depends on both lengths too",
    "known only to the dot products.": "the mask tells of positions too",
    '"Attention sees a set of tokens': "with a mask it does not",
    "What leaves the block": "it is what leaves attention",
    "Each of the columns detects one pattern": "many answer to several",
    "Each sub-layer adds to it": "a sum can shrink",
    "Each further one multiplies again": "a Jacobian can swell it",
    "This is what makes deep post-LN": "it is one reason",
    "over the 0.02 between them": "it could not be read",
    "in training every one whose successor is known": "a window has one more",
    "no way to write one": "when it writes there is nothing to look at",
    "have nothing to do with each other": "no shape ties them",
    "Almost all work is": "scores and mixing are up to 16 % here",
    "still has a slope, so it can learn to open": "the slope can be 0 or negative",
    "The embedding is as large as the vocabulary": "the table is",
    "More heads make more numbers": "of scores they do",
    "N² cells without the diagonal": "N² − N cells are off it",
    "3 / 1.732 above the mean": "it stands 3 above it",
    "after the line end that begins it": "M counts that line end",
    "· input + ": "it is the stream that is added to",
    "position sees all of the source": "a beginner's self-attention has no source",
    "It is too small": "of a number below 0 that is taken for its size",
    "within: 0.00005": "that was 20 % of the answer",
    "loss back to the ids": "whole numbers have no gradient",
}
"""What was said, and why it must not be."""


def written() -> dict[Path, str]:
    """Every file in which a reader's sentences stand."""
    found = (path for place in PLACES for path in (ROOT / place).rglob("*.*"))
    suffixes = {".py", ".toml", ".html", ".js"}
    return {path: path.read_text(encoding="utf-8") for path in found if path.suffix in suffixes}


@pytest.mark.parametrize("sentence", FALSE)
def test_false_sentence_is_said_nowhere(sentence: str) -> None:
    assert [path.name for path, text in written().items() if sentence in text] == []


def step(lesson: str, title: str) -> Step:
    return lesson_of(lesson).steps[numbered(lesson, title) - 1]


def right(step: Step, typed: str, value: float) -> bool:
    return judge(step, typed, value, {"d": 64}).right


@pytest.mark.parametrize("preset", ["shakespeare", "shakespeare-preln"])
def test_score_is_the_dot_product_over_the_root_of_d_head(preset: str) -> None:
    traced = trace(load(ROOT / "checkpoints" / preset), TEXT)
    for block in (0, 1):
        q, k, scores = (
            traced.array(f"blocks.{block}.attn.{part}") for part in ("q", "k", "scores")
        )
        np.testing.assert_allclose(q @ k.swapaxes(-1, -2), 4 * scores, rtol=1e-4, atol=1e-4)
    assert "√d_head = {root}" in step("follow-one-input", "Every query meets every key").say


def test_heads_contributions_are_the_output_but_for_the_bias(model: LoadedModel) -> None:
    traced = trace(model, TEXT)
    for block, length in ((0, 1.12), (1, 1.67)):
        added = traced.array(f"blocks.{block}.attn.contributions").sum(axis=0)
        rest = traced.array(f"blocks.{block}.attn.output") - added
        assert np.linalg.norm(rest, axis=-1) == pytest.approx(length, abs=0.005)


@pytest.mark.parametrize("last", ["D", "R"])
def test_mean_after_rmsnorm_is_told_from_0(client: TestClient, last: str) -> None:
    title = numbered("the-modern-block", "What RMSNorm leaves")
    told = answer(client, "the-modern-block", text=f"To be{last}", step=title, prediction="yes")
    assert (told["right"], told["answer"]) == (False, "no")


@pytest.mark.parametrize("text", ["a", "ab"])
def test_change_in_the_encoder_is_asked_of_three_characters(client: TestClient, text: str) -> None:
    asked = ask(client, "three-architectures", text=text)["questions"]
    refused = asked[numbered("three-architectures", "What a change reaches, in the encoder") - 1]
    assert refused["refusal"] == "This step needs a text of at least 3 characters."


@pytest.mark.parametrize(
    ("lesson", "title", "value", "accepted", "refused"),
    [
        ("inside-a-block", "Count the block", 49_984, ["49,984", "50000"], ["12*d^2", "49,152"]),
        ("inside-a-block", "How low GELU goes", -0.16997, ["-0.17"], ["-0.159", "-0.14", "0"]),
        ("the-gradient-highway", "Units that stay silent", 0.029, ["0.03", "3 %"], ["1", "0.97"]),
        ("exercises", "Two clocks apart", 62.83, ["62.8", "20π"], ["64"]),
    ],
)
def test_near_miss_is_refused(
    lesson: str, title: str, value: float, accepted: list[str], refused: list[str]
) -> None:
    one = step(lesson, title)
    assert all(right(one, typed, value) for typed in accepted)
    assert not any(right(one, typed, value) for typed in refused)


def test_all_silent_is_no_answer_to_which_share_fires(client: TestClient) -> None:
    number = numbered("the-gradient-highway", "Units that stay silent")
    sent = {"text": TEXT, "step": number, "prediction": "0"}
    assert answer(client, "the-gradient-highway", **sent)["right"] is False


@pytest.mark.parametrize(
    ("typed", "difference"),
    [
        ("-0.2", "It lies below the answer."),
        ("-0.1", "It lies above the answer."),
        ("-1.7", "It is about 10 times too far below 0."),
        ("-0.017", "It is about 10 times too close to 0."),
        ("0.17", "It has the other sign."),
        ("0", "It lies above the answer."),
    ],
)
def test_number_below_0_is_compared_by_its_place_and_not_its_size(
    typed: str, difference: str
) -> None:
    found = judge(step_of_kind(QuestionKind.NUMBER, tolerance=0.001), typed, -0.17, {})
    assert found.difference == difference


def test_own_measurement_of_deep_post_ln_is_told(client: TestClient) -> None:
    number = numbered("the-gradient-highway", "What stands on the road")
    told = answer(client, "the-gradient-highway", text=TEXT, step=number)["reveal"]
    assert "largest gradient norm was 12.2 against pre-LN's 1" in told
    assert "2.227 against 2.131" in told
    assert "one reason" in told


def test_share_of_scores_and_mixing_is_told(client: TestClient) -> None:
    number = numbered("the-modern-block", "What a token costs")
    told = answer(client, "the-modern-block", text=TEXT, step=number)["reveal"]
    assert "0.047 of the matrices' forward work" in told
    assert "0.16 for 64 characters" in told


def test_mask_that_comes_late_is_right_again_once_divided(client: TestClient) -> None:
    number = numbered("inside-a-block", "The mask comes first")
    told = answer(client, "inside-a-block", text=TEXT, step=number)["reveal"]
    assert "divided again by what is left, a row comes out right wherever" in told


@pytest.mark.parametrize(
    ("lesson", "title"),
    [
        ("follow-one-input", "A score for every character"),
        ("the-gradient-highway", "The truth pulls, the rest is pushed"),
        ("three-architectures", "A table that is not square"),
        ("the-gradient-highway", "The price of a small step"),
        ("exercises", "Gradient-check a block"),
    ],
)
def test_question_does_not_print_its_own_answer(
    client: TestClient, lesson: str, title: str
) -> None:
    number = numbered(lesson, title)
    question = ask(client, lesson, text=TEXT)["questions"][number - 1]
    told = answer(client, lesson, text=TEXT, step=number)["answer"]
    words = [word.strip(".,:;()") for word in f"{question['say']} {question['ask']}".split()]
    for part in told.replace("column ", "").split(" × "):
        assert part not in words
