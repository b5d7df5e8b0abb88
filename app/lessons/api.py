"""Lessons: questions about the reader's own tensors, and their answers."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from app.lessons import schemas
from app.lessons.asking import answered, asked
from app.lessons.lesson import Lesson
from app.lessons.library import lesson_of, lessons
from app.server.access import Served
from app.server.json import JSON_TYPE, to_json
from app.server.schemas import Request
from app.server.service import Service
from app.site import opening
from model.reading import pieces_of, with_line_feeds

router = APIRouter(prefix="/lessons", tags=["lessons"])
Name = Annotated[
    str, Path(description="a lesson's name, or exercises", examples=["follow-one-input"])
]


@router.get("", responses={200: {"model": schemas.LessonList}})
async def list_lessons(service: Served, _: Annotated[Request, Query()]) -> Response:
    """Every lesson; the exercises have the name `exercises`."""
    listed = [entry(service, lesson) for lesson in lessons()]
    return Response(to_json({"lessons": listed}), media_type=JSON_TYPE)


@router.get("/{name}", responses={200: {"model": schemas.LessonAnswer}})
async def show_lesson(
    service: Served, name: Name, request: Annotated[schemas.LessonRequest, Query()]
) -> Response:
    """One lesson, its questions worded for a text. No answer is in it."""
    lesson = lesson_of(name)
    text = opening_text(service) if request.text is None else request.text
    content = await service.slowly(lambda: to_json(worded(service, lesson, text)))
    return Response(content, media_type=JSON_TYPE)


@router.post("/{name}/answers", responses={200: {"model": schemas.PredictionAnswer}})
async def create_answer(
    service: Served, name: Name, request: schemas.PredictionRequest
) -> Response:
    """The answer to a step, read off the tensors of the text, and whether a prediction is right:
    a number within the step's tolerance, a shape, a cell, a choice."""
    lesson = lesson_of(name)
    content = await service.slowly(
        lambda: to_json(
            answered(
                lesson, service.model, request.text, request.step, request.prediction,
                length=request.length, stage=request.stage,
            )
        )
    )  # fmt: skip
    return Response(content, media_type=JSON_TYPE)


def entry(service: Service, lesson: Lesson) -> dict[str, Any]:
    """What the list says of a lesson."""
    return {
        "name": lesson.name,
        "title": lesson.title,
        "lead": lesson.lead,
        "course": lesson.course,
        "steps": len(lesson.steps),
        "models": lesson.models,
        "missing": [model for model in lesson.models if model not in service.models],
    }


def worded(service: Service, lesson: Lesson, text: str) -> dict[str, Any]:
    """A lesson for one text.

    Raises:
        TextError: the model of its first step cannot read that.
    """
    pieces_of(service.model(lesson.steps[0].model), with_line_feeds(text)[0])
    questions = asked(lesson, service.model, text)
    return entry(service, lesson) | {"text": text, "questions": questions}


def opening_text(service: Service) -> str:
    """The text that the tracer opens with."""
    return opening.text(service.settings, service.model())
