"""What the lessons' steps and the exercises are about, for those who come from a stage or a
section."""

from app.lessons.answers import FUNCTIONS
from app.lessons.lesson import Lesson, Step
from app.lessons.library import EXERCISES, library
from app.server.practice import Places, Use, UseKind


def uses() -> tuple[Use, ...]:
    """Each step of the lessons, then each exercise."""
    return tuple(use for lesson in library().values() for use in uses_of(lesson))


def uses_of(lesson: Lesson) -> tuple[Use, ...]:
    """Each step of one lesson, or each exercise."""
    return tuple(_use(lesson, number, step) for number, step in enumerate(lesson.steps, 1))


def _use(lesson: Lesson, number: int, step: Step) -> Use:
    if lesson.name == EXERCISES:
        kind, title, address = UseKind.EXERCISE, step.title, f"/exercises#{step.key}"
    else:
        kind, title = UseKind.LESSON, f"{lesson.title} {number}: {step.title}"
        address = f"/lessons/{lesson.name}?step={number}"
    return Use(kind, title, address, step.sections, *_places(step))


def _places(step: Step) -> tuple[Places, Places]:
    """The stage that a step stands at, and those that it draws first or that its answer and its
    sentences look at."""
    stands = () if step.stage is None else ((step.model, step.stage),)
    drawn = () if step.before is None else ((step.model, step.before),)
    looked = (
        (call.model or step.model, key)
        for call in step.calls
        for name in FUNCTIONS[call.function].stages
        if isinstance(key := call.parameters.get(name), str)
    )
    return stands, (*drawn, *looked)
