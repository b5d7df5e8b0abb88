"""A prediction, as it was typed, against the answer."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.lessons.lesson import QuestionKind, Step
from app.lessons.notation import PredictionError, is_plain, number, sizes
from model.errors import quoted

SEPARATOR = re.compile(r"\s*[×x*,;]\s*|\s+")
WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
COUNTED = {"millions": 1e6}
DIGITS = 4
NOTHING = 0.01
"""An answer that is so small a part of the tolerance is a 0 that was computed."""
LEAST_WITH_COMMA = 1000
ROUNDED = 1 + 1e-9
"""A number typed just as far off as is allowed is right: 1.73 for 1.732 within 0.002."""


@dataclass(frozen=True)
class Verdict:
    """Whether a prediction is right, how it was understood, and in words how a wrong one differs
    from the answer."""

    right: bool
    understood: str
    difference: str = ""


Judge = Callable[[Step, str, Any, Mapping[str, int]], Verdict]


def judge(step: Step, prediction: str, answer: Any, symbols: Mapping[str, int]) -> Verdict:
    """Hold a prediction against the answer. `symbols` are what a shape or a number may be written
    in, and their sizes.

    Raises:
        PredictionError: it is not what the question asks for.
    """
    judges: dict[QuestionKind, Judge] = {
        QuestionKind.NUMBER: _number,
        QuestionKind.SHAPE: _shape,
        QuestionKind.CELL: _cell,
        QuestionKind.CHOICE: _choice,
    }
    return judges[step.kind](step, prediction.strip(), answer, symbols)


def _number(step: Step, typed: str, answer: float, symbols: Mapping[str, int]) -> Verdict:
    value = number(typed, symbols)
    percent = typed.endswith("%")
    understood = shown(value) if is_plain(typed) or percent else f"{typed} = {shown(value)}"
    if _is_right(step, value, answer):
        return Verdict(True, understood)
    difference = _apart(step, value, answer)
    if typed.count(",") == 1 and abs(answer) < LEAST_WITH_COMMA:
        difference += " (The comma was read as one between thousands; a point is the decimal sign.)"
    return Verdict(False, understood, difference)


def _is_right(step: Step, value: float, answer: float) -> bool:
    return abs(value - answer) <= allowed(step, answer) * ROUNDED


def allowed(step: Step, answer: float) -> float:
    """How far from the answer a number is still right."""
    return max(step.tolerance, step.relative * abs(answer))


def _apart(step: Step, value: float, answer: float) -> str:
    if _is_nothing(step, answer):
        return "It is not 0."
    if step.counts_in and _is_right(step, value / COUNTED[step.counts_in], answer):
        return f"The right number, but the question asks for {step.counts_in}."
    if value * answer < 0:
        return "It has the other sign."
    share = value / answer
    if share == 0 or 0.5 <= share <= 2:
        return "It lies above the answer." if value > answer else "It lies below the answer."
    times = f"It is about {shown(share if share > 1 else 1 / share)} times too"
    if answer < 0:
        return f"{times} {'far below' if share > 1 else 'close to'} 0."
    return f"{times} {'large' if share > 1 else 'small'}."


def _is_nothing(step: Step, answer: float) -> bool:
    """Whether an answer is 0, or a 0 that was computed."""
    return abs(answer) <= step.tolerance * NOTHING


def _shape(step: Step, typed: str, answer: tuple[int, ...], symbols: Mapping[str, int]) -> Verdict:
    given = sizes(typed, symbols)
    if given == answer:
        return Verdict(True, shown(given))
    if len(given) != len(answer):
        difference = f"You named {_axes(len(given))}; this tensor has {len(answer)}."
    elif sorted(given) == sorted(answer):
        difference = "The right sizes, in another order."
    else:
        wrong = [str(i + 1) for i in range(len(answer)) if given[i] != answer[i]]
        difference = f"Axis {' and '.join(wrong)} is of another size."
    return Verdict(False, shown(given), difference)


def _axes(count: int) -> str:
    return "1 axis" if count == 1 else f"{count} axes"


def _cell(
    step: Step, typed: str, answer: tuple[tuple[int, ...], ...], _: Mapping[str, int]
) -> Verdict:
    parts = [part for part in SEPARATOR.split(typed) if part]
    if len(parts) != len(step.axes) or not all(map(WHOLE.fullmatch, parts)):
        raise PredictionError(
            f"The prediction {quoted(typed)} is no cell; give a whole number, counted from 0, for "
            f"{' and '.join(step.axes)}.",
            field="prediction",
        )
    place = tuple(map(int, parts))
    wrong = [name for name, a, b in zip(step.axes, place, answer[0], strict=True) if a != b]
    understood = in_words(step, place)
    if place in answer:
        return Verdict(True, understood)
    return Verdict(False, understood, f"It is another {' and another '.join(wrong)}.")


def _choice(step: Step, typed: str, answer: Any, _: Mapping[str, int]) -> Verdict:
    options = {option.key: option for option in step.options}
    if typed not in options:
        raise PredictionError(
            f"The prediction {quoted(typed)} is none of the options: {', '.join(options)}.",
            field="prediction",
        )
    chosen, right = options[typed], right_option(step, answer)
    if typed == right:
        return Verdict(True, chosen.text)
    return Verdict(False, chosen.text, chosen.why or "")


def right_option(step: Step, answer: Any) -> str:
    """The key of the option that an answer means."""
    if isinstance(answer, str):
        keys = [option.key for option in step.options]
        assert answer in keys, f"{answer} is no option of the step {step.title}: {keys}"
        return answer
    for option in step.options:
        if option.below is None or answer < option.below:
            return option.key
    raise AssertionError(f"no option of the step {step.title} is for {answer}")


def in_words(step: Step, place: tuple[int, ...]) -> str:
    """A cell: "row 3, column 0"."""
    return ", ".join(f"{name} {index}" for name, index in zip(step.axes, place, strict=True))


def within(step: Step) -> str | None:
    """How far from the answer a number is still right, in words."""
    far = [f"{shown(step.relative * 100)} %"] if step.relative else []
    far += [f"{step.tolerance:.6f}".rstrip("0").rstrip(".")] if step.tolerance else []
    return " or ".join(far) or None


def shown_answer(step: Step, answer: Any) -> str:
    """An answer as a sentence names it."""
    if step.kind is QuestionKind.CHOICE:
        key = right_option(step, answer)
        return next(option.text for option in step.options if option.key == key)
    if step.kind is QuestionKind.CELL:
        return " or ".join(in_words(step, place) for place in answer)
    if step.kind is QuestionKind.NUMBER and answer != 0 and _is_nothing(step, answer):
        return "0, up to rounding"
    return shown(answer)


def shown(value: Any) -> str:
    """A value as sentences name it: counts in full, other numbers to four digits, shapes with ×."""
    if isinstance(value, tuple):
        return " × ".join(str(size) for size in value)
    if isinstance(value, str):
        return value
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}".replace("-", "−")
    if abs(value) >= 1e4:
        return f"{value:,.0f}".replace("-", "−")
    if abs(value) < 1e-4:
        return f"{value:.2e}".replace("e-0", "e-").replace("-", "−")
    return f"{value:.{DIGITS}g}".replace("-", "−")
