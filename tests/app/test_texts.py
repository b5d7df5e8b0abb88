"""What texts the API accepts, and what it answers to the others. Cases of the project's list are
named in the docstrings."""

from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from app.server.schemas import Problem
from model import LoadedModel, trace
from model.config import PRESETS
from model.table.architectures import stages
from model.table.axes import PREDICTED, SOURCE
from tests.app.answers import problem, strict

STAGES = stages(PRESETS["shakespeare"])
LIMIT = PRESETS["shakespeare"].context_length


def traced(client: TestClient, text: str, *patterns: str) -> dict[str, Any]:
    sent = {"text": text, "stages": list(patterns) or ["ids"]}
    response = client.post("/api/v1/traces", json=sent)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = strict(response.content)
    return answer


def ids(client: TestClient, text: str) -> list[int]:
    values: list[int] = traced(client, text)["stages"][0]["values"]
    return values


def refused(client: TestClient, text: str) -> Problem:
    """The refusal, which every call that takes a text must share."""
    found = [
        problem(client.post(f"/api/v1/{path}", json={"text": text, **more}), 422)
        for path, more in (("traces", {}), ("checks", {}), ("figures", {"stage": "ids"}))
    ]
    found.append(problem(client.get("/api/v1/traces", params={"text": text}), 422))
    assert all(each == found[0] for each in found)
    assert (found[0].code, found[0].field) == ("invalid_text", "text")
    return found[0]


def places(found: Problem) -> list[tuple[int, str]]:
    return [(detail["position"], detail["code_point"]) for detail in found.details]


def test_character_outside_the_vocabulary_is_named(client: TestClient) -> None:
    """C06."""
    found = refused(client, "O Romeo 🙂")
    assert places(found) == [(8, "U+1F642")]
    for part in ("🙂", "U+1F642", "position 8"):
        assert part in found.message


def test_only_the_unknown_characters_are_reported(client: TestClient) -> None:
    """C07."""
    found = refused(client, "Act 1, 3")
    assert places(found) == [(4, "U+0031")]
    assert ids(client, "Act , 3")[-1] == 9


def test_unknown_characters_are_all_listed(client: TestClient) -> None:
    text = '<1>"2"\t%_é\u202e\x00\u0301'
    unknown = [(i, f"U+{ord(c):04X}") for i, c in enumerate(text)]
    assert places(refused(client, text)) == unknown


def test_message_names_every_unknown_character_of_a_few(client: TestClient) -> None:
    found = refused(client, "a<b>c\x7f")
    for part in ("'<' (U+003C) at position 1", "'>' (U+003E) at position 3", "U+007F"):
        assert part in found.message
    assert "\x7f" not in found.message


def test_positions_count_code_points(client: TestClient) -> None:
    """C08."""
    found = refused(client, "a" * (LIMIT - 1) + "🙂")
    assert places(found) == [(LIMIT - 1, "U+1F642")]
    assert "at most" not in found.message


def test_spaces_and_newlines_stay(client: TestClient) -> None:
    """C09."""
    assert ids(client, "a") == [39]
    assert ids(client, "a ") == [39, 1]
    assert ids(client, " \n ") == [1, 0, 1]


@pytest.mark.parametrize(
    ("text", "n", "counted"),
    [
        ("\r", 1, "the text has 1 character as before"),
        ("a\r\r\n", 3, "4 characters became 3"),
        ("a\r\n" * 22, 44, "66 characters became 44"),
    ],
)
def test_line_ends_are_counted_as_they_are_traced(
    client: TestClient, text: str, n: int, counted: str
) -> None:
    """F21: a text that is within the context only so is traced."""
    answer = traced(client, text)
    assert len(answer["tokens"]) == n
    assert answer["notices"] == [f"Line ends were converted to newlines: {counted}."]


@pytest.mark.parametrize(
    ("end", "counted"),
    [("\r\n", "14 characters became 13"), ("\r", "the text has 13 characters as before")],
)
def test_line_ends_are_converted_with_a_notice(client: TestClient, end: str, counted: str) -> None:
    """C10, F21."""
    text = f"To be,{end}or not"
    answer = traced(client, text)
    assert answer["text"] == "To be,\nor not"
    assert [token["text"] for token in answer["tokens"]] == list("To be,\nor not")
    (notice,) = answer["notices"]
    assert notice == f"Line ends were converted to newlines: {counted}."


def test_line_ends_count_once_against_the_limit(client: TestClient) -> None:
    assert len(traced(client, "a" * (LIMIT - 1) + "\r\n")["tokens"]) == LIMIT


def test_longest_text_is_traced(client: TestClient) -> None:
    """C11."""
    assert traced(client, "a" * LIMIT)["tokens"][-1]["position"] == LIMIT - 1


def test_longer_text_is_refused_with_both_numbers(client: TestClient) -> None:
    """C11."""
    message = refused(client, "a" * (LIMIT + 1)).message
    assert str(LIMIT + 1) in message
    assert str(LIMIT) in message.replace(str(LIMIT + 1), "")


def test_longer_text_with_unknown_characters_says_both(client: TestClient) -> None:
    message = refused(client, "a" * LIMIT + "é").message
    assert f"{LIMIT + 1} characters" in message
    assert f"U+00E9) at position {LIMIT}" in message


def test_empty_text_is_refused(client: TestClient) -> None:
    """C12."""
    assert "At least one character" in refused(client, "").message


@pytest.mark.parametrize("path", ["traces", "checks", "figures"])
@pytest.mark.parametrize("sent", [{}, {"text": None}, {"text": 1}, {"text": ["a"]}])
def test_text_that_is_none_is_refused(client: TestClient, path: str, sent: dict[str, Any]) -> None:
    """C12."""
    found = problem(client.post(f"/api/v1/{path}", json={"stage": "ids"} | sent), 422)
    assert "text" in [detail["field"] for detail in found.details]


def test_one_character_has_as_many_dimensions_as_two(client: TestClient) -> None:
    """C13."""
    one, two = (traced(client, text, "*")["stages"] for text in ("a", "ab"))
    for stage, short, long in zip(STAGES, one, two, strict=True):
        sizes = [axis.field is None for axis in stage.axes]
        assert len(short["shape"]) == len(long["shape"]) == len(sizes)
        for grows, a, b in zip(sizes, short["shape"], long["shape"], strict=True):
            assert b - a == (1 if grows else 0)


def test_one_character_attends_to_itself_alone(client: TestClient) -> None:
    """C13."""
    for stage in traced(client, "a", "*attn.weights")["stages"]:
        assert stage["values"] == [[[1.0]]] * PRESETS["shakespeare"].n_heads


def test_masked_score_is_null(client: TestClient) -> None:
    """C14."""
    for stage in traced(client, "ab", "*attn.masked_scores")["stages"]:
        for head in stage["values"]:
            assert head[0][1] is None
            assert None not in (head[0][0], *head[1])


def test_markup_is_refused_and_shown_as_it_is(client: TestClient) -> None:
    """C15."""
    found = refused(client, "<script>alert(1)</script>")
    assert "'<' (U+003C) at position 0" in found.message
    assert {detail["character"] for detail in found.details} == set("<>()1/")


def test_entity_is_five_characters(client: TestClient) -> None:
    """C16."""
    answer = traced(client, "&amp;")
    assert answer["stages"][0]["values"] == [4, 39, 51, 54, 11]
    assert [token["text"] for token in answer["tokens"]] == list("&amp;")


def test_entity_is_labelled_with_five_characters(client: TestClient) -> None:
    """C16: Plotly decodes entities in its labels, so a lone & must be sent as one."""
    sent = {"text": "&amp;", "stage": "blocks.0.attn.weights"}
    layout = client.post("/api/v1/figures", json=sent).json()["layout"]
    assert layout["xaxis"]["ticktext"] == ["&amp;", "a", "m", "p", ";"]


def test_longer_text_changes_nothing_earlier(client: TestClient) -> None:
    """C23."""
    short, long = (traced(client, text, "*")["stages"] for text in ("ab", "abc"))
    for stage, a, b in zip(STAGES, short, long, strict=True):
        before, after = (np.array(each["values"], dtype=np.float64) for each in (a, b))
        same = tuple(slice(0, size) for size in before.shape)
        if stage.key.endswith("attn.scores"):
            before, after = np.tril(before), np.tril(after[same])
        elif stage.axes == (PREDICTED,):
            assert before.shape == (1,)
        largest = np.nanmax(np.abs(before), initial=1.0)
        gaps = np.abs(np.nan_to_num(before) - np.nan_to_num(after[same]))
        assert gaps.max() <= 1e-5 * largest, stage.key
        if SOURCE in stage.axes:
            assert np.array_equal(np.isnan(before), np.isnan(after[same]))


def test_answer_is_the_same_each_time(client: TestClient, model: LoadedModel) -> None:
    answers = {
        client.post("/api/v1/traces", json={"text": "To be", "format": "safetensors"}).content
        for _ in range(10)
    }
    assert len(answers) == 1
    assert trace(model, "To be").tokens[0].id == ids(client, "To be")[0]
