"""The lesson files: read, and held against the functions and the stage tables they name."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from inspect import Parameter
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from app.lessons import calculations  # noqa: F401 - its functions register themselves
from app.lessons.answers import FUNCTIONS, Function
from app.lessons.lesson import BY_LABEL, Derivation, Lesson, QuestionKind, Step
from app.server.errors import UnknownLesson
from model.config import PRESETS
from model.errors import quoted
from model.table.architectures import stages

FOLDER = Path(__file__).parent / "data"
EXERCISES = "exercises"
"""The file that is no lesson: its steps are listed on a page of their own."""


class LessonError(ValueError):
    """A lesson file that cannot be used: the file, the step and the reason."""


@lru_cache(maxsize=1)
def library() -> Mapping[str, Lesson]:
    """Every lesson by name, in the order of their files, and the exercises.

    Raises:
        LessonError: one cannot be used.
    """
    return read_all(FOLDER)


def read_all(folder: Path) -> dict[str, Lesson]:
    """The lessons of a folder, by the number their file's name begins with."""
    found = (read_lesson(path) for path in sorted(folder.glob("*.toml")))
    return {lesson.name: lesson for lesson in found}


def lessons() -> tuple[Lesson, ...]:
    """The lessons alone."""
    return tuple(lesson for lesson in library().values() if lesson.name != EXERCISES)


def lesson_of(name: str) -> Lesson:
    """A lesson, or the exercises, by name.

    Raises:
        UnknownLesson: there is none.
    """
    if name not in library():
        raise UnknownLesson(
            f"There is no lesson {quoted(name)}; there are {', '.join(library())}.", field="name"
        )
    return library()[name]


def read_lesson(path: Path) -> Lesson:
    """One file: `1-name.toml` is the lesson `name`.

    Raises:
        LessonError: with the file, the step and the reason.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise LessonError(f"{path.name}: {error}") from None
    default = content.pop("model", None)
    steps = [_read_step(path, i, raw, default) for i, raw in enumerate(content.pop("steps", []), 1)]
    try:
        lesson = Lesson(name=path.stem.partition("-")[2], steps=tuple(steps), **content)
    except (ValidationError, TypeError) as error:
        raise LessonError(f"{path.name}: {_first(error)}") from None
    keys = [step.key for step in steps]
    twice = {key for key in keys if keys.count(key) > 1}
    if twice:
        raise LessonError(f"{path.name}: two steps have the title of {sorted(twice)}")
    return lesson


def _read_step(path: Path, number: int, raw: dict[str, Any], default: str | None) -> Step:
    where = f"{path.name}, step {number} {raw.get('title', '')!r}"
    try:
        step = Step(**{"model": default} | raw)
    except (ValidationError, TypeError) as error:
        raise LessonError(f"{where}: {_first(error)}") from None
    for problem in _problems(step):
        raise LessonError(f"{where}: {problem}")
    return step


def _first(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    found = error.errors()[0]
    return f"{'.'.join(map(str, found['loc']))}: {found['msg']}"


def _problems(step: Step) -> Iterator[str]:
    """What a step names that there is not."""
    for model in sorted(step.models):
        if model not in PRESETS:
            yield f"there is no model {model!r}; there are {', '.join(PRESETS)}"
            return
    for label in step.taught:
        if label not in BY_LABEL:
            yield f"there is no section {label!r}; there are {', '.join(BY_LABEL)}"
    for key in (step.stage, step.before):
        if key is not None:
            yield from _unknown(step.model, key)
    if step.stage is None and (step.before or step.mark or step.picks):
        yield "there is no stage to draw, to mark or to pick"
    for call in step.calls:
        function = FUNCTIONS.get(call.function)
        if function is None:
            yield f"there is no function {call.function!r}; there are {', '.join(FUNCTIONS)}"
            return
        yield from _misused(function, call, call.model or step.model)
    yield from _unfit(step, FUNCTIONS[step.answer.function])


def _unknown(model: str, key: object) -> Iterator[str]:
    known = {stage.key for stage in stages(PRESETS[model])}
    for one in key if isinstance(key, list) else [key]:
        if one not in known and not ("*" in str(one) and str(one)):
            yield f"{model} has no stage {one!r}"


def _misused(function: Function, call: Derivation, model: str) -> Iterator[str]:
    given = call.parameters
    for name in given:
        if name not in function.parameters:
            yield f"{function.name} takes no {name!r}; it takes {', '.join(function.parameters)}"
    for name, parameter in function.parameters.items():
        if name not in given and parameter.default is Parameter.empty:
            yield f"{function.name} needs {name!r}"
    for name in function.stages:
        if name in given:
            yield from _unknown(model, given[name])


def _unfit(step: Step, function: Function) -> Iterator[str]:
    """Whether the answer is of the question's kind; a number can choose an option by its size."""
    by_size = any(option.below is not None for option in step.options)
    wanted = QuestionKind.NUMBER if by_size else step.kind
    if function.kind is not wanted:
        yield f"{function.name} answers with a {function.kind}, and {wanted} is asked for"
    if by_size and any(option.below is None for option in step.options[:-1]):
        yield "every option but the last needs a bound"
    if by_size and step.options[-1].below is not None:
        yield "the last option has no bound"
