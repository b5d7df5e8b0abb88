"""The pages of the lessons and of the exercises."""

from typing import Annotated, Any

from fastapi import FastAPI, Header, Request, Response

from app.lessons.api import entry, opening_text
from app.lessons.lesson import Lesson
from app.lessons.library import EXERCISES, lesson_of, lessons
from app.lessons.uses import uses_of
from app.server.access import Served
from app.server.practice import StageLink
from app.server.service import Service, readable
from app.site import opening
from app.site.pages import Pages

Tag = Annotated[str | None, Header()]


def install(app: FastAPI, pages: Pages) -> None:
    """The pages' addresses."""

    @app.get("/lessons", include_in_schema=False)
    async def show_lessons(service: Served, if_none_match: Tag = None) -> Response:
        listed = [entry(service, lesson) for lesson in lessons()]
        return await pages.respond("lessons.html", if_none_match, lessons=listed, here="/lessons")

    @app.get("/lessons/{name}", include_in_schema=False)
    async def show_lesson(
        request: Request,
        service: Served,
        name: str,
        carried: str | None = None,
        if_none_match: Tag = None,
    ) -> Response:
        lesson = lesson_of(name)
        if lesson.name == EXERCISES:
            return Response(status_code=308, headers={"Location": "/exercises"})
        names = [one.name for one in lessons()]
        following = lessons()[names.index(name) + 1 :]
        return await pages.respond(
            "lesson.html",
            if_none_match,
            lesson=lesson,
            following=following[0] if following else None,
            steps=_steps(service, lesson),
            here="/lessons",
            base=str(request.base_url).rstrip("/"),
            **_text(service, lesson, carried),
        )

    @app.get("/exercises", include_in_schema=False)
    async def show_exercises(
        service: Served, carried: str | None = None, if_none_match: Tag = None
    ) -> Response:
        exercises = lesson_of(EXERCISES)
        return await pages.respond(
            "exercises.html",
            if_none_match,
            exercises=exercises,
            steps=_steps(service, exercises),
            here="/exercises",
            **_text(service, exercises, carried),
        )


def _steps(service: Service, lesson: Lesson) -> list[dict[str, Any]]:
    """What each step is about: the sections that teach it, and its stages in a served model."""
    return [
        {
            "title": step.title,
            "address": use.address,
            "sections": use.sections,
            "stages": [
                StageLink(stage.title, model, stage.key)
                for model, stage in use.stages
                if model in service.models
            ],
        }
        for step, use in zip(lesson.steps, uses_of(lesson), strict=True)
    ]


def _text(service: Service, lesson: Lesson, carried: str | None) -> dict[str, Any]:
    """The text that a page opens with, others to choose from, and how long one can be. The text
    that was read in the tracer is taken along where the lesson's model can read it."""
    wanted = lesson.steps[0].model
    model = service.model(wanted if wanted in service.models else None)  # the API says what lacks
    text = opening_text(service)
    limit = model.config.context_length
    boot = {
        "name": lesson.name,
        "text": text if readable(model, text) else opening.text(service.settings, model),
        "carried": carried if carried is not None and readable(model, carried) else None,
        "examples": opening.examples(model),
        "limit": limit,
    }
    return {"boot": boot, "limit": limit}
