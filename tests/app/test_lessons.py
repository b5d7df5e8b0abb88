"""Lessons: each step opens, is answered from the reader's own text, and tells right from wrong."""

import re
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.lessons.answers import FUNCTIONS
from app.lessons.judging import shown
from app.lessons.lesson import Lesson
from app.lessons.library import (
    EXERCISES,
    FOLDER,
    LessonError,
    lesson_of,
    lessons,
    library,
    read_lesson,
)
from app.lessons.scene import stretched
from app.lessons.schemas import LessonStep
from app.server.errors import UnknownLesson
from app.server.settings import ROOT
from model import LoadedModel, trace
from tests.app.answers import problem, strict
from tests.app.conftest import Serve

API = "/api/v1/lessons"
PLURAL_OF_ONE = re.compile(r"\b1 (different )?(characters|positions|rows|cells|losses|ids)\b")
TEXTS = {
    "short": "abc",
    "lines": "ROMEO:\nO, she doth teach the torches",
    "longest": "Now is the winter of our discontent\nMade glorious summer by this",
}
LESSONS = list(library().values())
every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
every_text = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


def ask(client: TestClient, lesson: str, **query: str) -> Any:
    response = client.get(f"{API}/{lesson}", params=query)
    assert response.status_code == 200, response.text
    return strict(response.content)


def answer(client: TestClient, lesson: str, **body: Any) -> Any:
    response = client.post(f"{API}/{lesson}/answers", json=body)
    assert response.status_code == 200, response.text
    return strict(response.content)


def picked(question: dict[str, Any]) -> dict[str, Any]:
    """What a reader picks where a step lets them."""
    choices: dict[str, Any] = {"length": 11, "stage": "logits"}
    return {name: choices[name] for name in question["picks"]}


def predictions(question: dict[str, Any], told: str) -> tuple[str, str]:
    """A right and a wrong prediction, made from the answer as it is shown."""
    if question["kind"] == "choice":
        keys = {option["text"]: option["key"] for option in question["options"]}
        return keys[told], next(key for text, key in keys.items() if text != told)
    if question["kind"] == "cell":
        (first, *others) = re.findall(r"\d+", told.split(" or ")[0])
        return ", ".join([first, *others]), ", ".join([str(int(first) + 100), *others])
    if question["kind"] == "shape":
        return told, f"{told} × 2"
    told = told.removesuffix(", up to rounding")
    number = float(told.replace("−", "-").replace(",", ""))
    return told, str(3 * number + 7)


# Every step, on every text


@every_text
@every_lesson
def test_every_step_is_answered_and_a_wrong_prediction_told_from_a_right_one(
    client: TestClient, lesson: Lesson, text: str
) -> None:
    for question in ask(client, lesson.name, text=text)["questions"]:
        where = (lesson.name, question["number"])
        assert question["refusal"] is None, where
        asked = {"text": text, "step": question["number"]} | picked(question)
        told = answer(client, lesson.name, **asked)
        assert told["right"] is None
        assert told["answer"].removesuffix(", up to rounding") in told["reveal"], where
        right, wrong = predictions(question, told["answer"])
        assert answer(client, lesson.name, **asked, prediction=right)["right"] is True, where
        assert answer(client, lesson.name, **asked, prediction=wrong)["right"] is False, where


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_lesson_has_eight_to_fifteen_steps(lesson: Lesson) -> None:
    assert 8 <= len(lesson.steps) <= 15


def test_lessons_look_at_every_preset_that_is_committed(client: TestClient) -> None:
    served = {model["id"] for model in client.get("/api/v1/models").json()["models"]}
    assert {model for lesson in lessons() for model in lesson.models} == served


@every_lesson
def test_no_answer_is_sent_with_the_question(client: TestClient, lesson: Lesson) -> None:
    for question in ask(client, lesson.name)["questions"]:
        assert question.keys() == LessonStep.model_fields.keys()
        assert not {"answer", "reveal", "misconception", "mark"} & question.keys()
        assert all(option.keys() == {"key", "text"} for option in question["options"])


@every_lesson
def test_no_file_states_an_answer(lesson: Lesson) -> None:
    """What a text changes is computed: each reveal names the answer, or a fact with it."""
    for step in lesson.steps:
        assert "{" in step.reveal, step.title


def test_sentences_count_one_thing_in_the_singular(client: TestClient) -> None:
    for lesson in LESSONS:
        for question in ask(client, lesson.name, text="a")["questions"]:
            sent = {"text": "a", "step": question["number"]} | picked(question)
            sent |= {"length": 1} if "length" in sent else {}
            said = question["say"] + question["ask"]
            if question["refusal"] is None:
                said += answer(client, lesson.name, **sent)["reveal"]
            assert not re.search(PLURAL_OF_ONE, said), (lesson.name, said)


@every_lesson
def test_links_of_steps_lead_to_pages_and_steps_there_are(lesson: Lesson) -> None:
    for step in lesson.steps:
        for link in step.see:
            path, _, query = link.address.partition("?")
            kind, _, name = path.strip("/").partition("/")
            assert kind in ("", "lessons", "labs")
            if kind == "lessons":
                number = int(query.removeprefix("step=") or 1)
                assert number <= len(lesson_of(name).steps)
                if query:
                    assert link.name == f"{lesson_of(name).title}, step {number}"


def test_every_function_answers_something() -> None:
    called = {call.function for lesson in LESSONS for step in lesson.steps for call in step.calls}
    assert FUNCTIONS.keys() == called


# The answer is the trace's


def test_shape_is_that_of_the_readers_text(client: TestClient, model: LoadedModel) -> None:
    text = TEXTS["lines"]
    told = answer(client, "follow-one-input", text=text, step=6)
    assert told["answer"] == shown(tuple(trace(model, text).array(told["stage"]).shape))


def test_number_is_that_of_the_readers_text(client: TestClient, model: LoadedModel) -> None:
    text = TEXTS["lines"]
    told = answer(client, "follow-one-input", text=text, step=13)
    following = trace(model, text).next(n=1)[0].text
    assert f"likeliest character is {following}" in told["reveal"].replace("␣", " ")


@pytest.mark.parametrize("length", [1, 5, 64])
def test_shape_for_a_picked_length_is_that_of_such_a_text(
    client: TestClient, model: LoadedModel, length: int
) -> None:
    for stage in model.stages:
        told = answer(
            client, "follow-one-input", text="To be", step=15, length=length, stage=stage.key,
            prediction=" × ".join(stage.symbolic_shape),
        )  # fmt: skip
        text = stretched("To be", length)
        assert told["reading"]["text"] == text
        assert told["answer"] == shown(tuple(trace(model, text).array(stage.key).shape))
        assert told["right"] is True


def test_text_without_any_vowel_less_letter_is_still_asked(client: TestClient) -> None:
    for question in ask(client, "three-architectures", text="eau")["questions"]:
        assert question["refusal"] is None


def test_step_that_a_short_text_cannot_show_says_so(client: TestClient) -> None:
    questions = ask(client, "the-gradient-highway", text="a")["questions"]
    refused = [question["number"] for question in questions if question["refusal"]]
    assert refused
    sent = {"text": "a", "step": refused[0]}
    found = problem(client.post(f"{API}/the-gradient-highway/answers", json=sent), 422)
    assert found.message == questions[refused[0] - 1]["refusal"]


def test_lesson_whose_model_is_not_served_says_so(serve: Serve, tmp_path: Path) -> None:
    copytree(ROOT / "checkpoints" / "shakespeare", tmp_path / "shakespeare")
    client = serve(checkpoints=tmp_path)
    listed = {entry["name"]: entry for entry in client.get(API).json()["lessons"]}
    assert listed["follow-one-input"]["missing"] == []
    assert listed["inside-a-block"]["missing"] == ["shakespeare-preln"]
    problem(client.get(f"{API}/inside-a-block"), 404)
    assert client.get("/lessons/inside-a-block").status_code == 200  # and says what is missing
    refused = [q["number"] for q in ask(client, "three-architectures")["questions"] if q["refusal"]]
    assert len(refused) > 8


# What cannot be asked


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": "é"}, "text"),
        ({"text": "a" * 65}, "text"),
        ({"step": 0}, "step"),
        ({"step": 16}, "step"),
        ({"step": "1"}, "step"),
        ({"prediction": "many"}, "prediction"),
        ({"prediction": "4 × 4 × 4 × 4 × 4"}, "prediction"),
        ({"prediction": ""}, "prediction"),
        ({"prediction": "\ud800"}, "prediction"),
        ({"prediction": "9" * 101}, "prediction"),
        ({"prediction": 19}, "prediction"),
        ({"length": 5}, "length"),
        ({"stage": "logits"}, "stage"),
        ({"step": 14}, "length"),
        ({"step": 14, "length": 0}, "length"),
        ({"step": 14, "length": 65}, "length"),
        ({"step": 15, "length": 5}, "stage"),
        ({"step": 15, "length": 5, "stage": "nothing"}, "stage"),
        ({"nothing": 1}, "nothing"),
    ],
    ids=str,
)
def test_bad_request_is_refused_naming_the_field(
    client: TestClient, body: dict[str, Any], field: str
) -> None:
    sent = {"text": "To be", "step": 1} | body
    content = str(sent).replace("'", '"').replace("\\\\", "\\")
    response = client.post(
        f"{API}/follow-one-input/answers",
        content=content,
        headers={"Content-Type": "application/json"},
    )
    assert problem(response, 422).field == field


def test_unknown_field_is_refused_in_the_list_too(client: TestClient) -> None:
    assert problem(client.get(f"{API}?x=1"), 422).field == "x"


def test_unknown_lesson_is_not_found(client: TestClient) -> None:
    assert problem(client.get(f"{API}/nothing"), 404).code == "unknown_lesson"
    assert problem(client.post(f"{API}/x/answers", json={"text": "a", "step": 1}), 404)
    with pytest.raises(UnknownLesson, match="follow-one-input"):
        lesson_of("nothing")


# Lesson files that name what there is not


GOOD = (FOLDER / "2-inside-a-block.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('stage = "blocks.0.attn.q"\nsay', 'stage = "blocks.0.attn.z"\nsay', "blocks.0.attn.z"),
        ('"first_input"', '"last_input"', "no function 'last_input'"),
        ('model = "shakespeare-preln"', 'model = "shakespear"', "no model 'shakespear'"),
        ('"first_input", stage = "blocks.0.attn.q"', '"first_input", stage = "x"', "stage 'x'"),
        ('"first_input", stage', '"first_input", place', "takes no 'place'"),
        ('kind = "choice"\nanswer = { function = "first_input"', 'kind = "choice"\nanswer = { '
         'function = "shape"', "answers with a shape"),
        ("From {answer}.", "From {anwser}.", "anwser"),
        ('say = "The line', 'tell = "The line', "say: Field required"),
        ('kind = "choice"', 'kind = "choice"\nhint = "no"', "hint: Extra inputs"),
    ],
    ids=lambda value: value[:20],
)  # fmt: skip
def test_file_that_names_what_there_is_not_is_refused_naming_file_and_step(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    path = tmp_path / "7-broken.toml"
    assert old in GOOD
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(LessonError) as found:
        read_lesson(path)
    assert str(found.value).startswith("7-broken.toml, step 1 'What attention reads': ")
    assert reason in str(found.value)


def test_file_that_is_no_toml_is_refused_naming_it(tmp_path: Path) -> None:
    path = tmp_path / "7-broken.toml"
    path.write_text("title = ", encoding="utf-8")
    with pytest.raises(LessonError, match=r"7-broken\.toml: "):
        read_lesson(path)


def test_files_are_packaged() -> None:
    assert {path.suffix for path in FOLDER.iterdir()} == {".toml"}
    assert '"app.lessons" = ["data/*.toml"]' in (ROOT / "pyproject.toml").read_text()
    assert len(lessons()) == 5
    assert EXERCISES in library()
