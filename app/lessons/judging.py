"""A prediction, as it was typed, against the answer."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.lessons.lesson import Kind, Step
from model.config import ModelConfig
from model.errors import InputError, quoted
from model.stage import Lengths, Stage

SEPARATOR = re.compile(r"\s*[×x*,;]\s*|\s+")
THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+")
WHOLE = re.compile(r"[+-]?\d{1,9}")
SIGNS = str.maketrans({"−": "-", "–": "-"})
MOST_AXES = 4
DIGITS = 4
NOTHING = 0.01
"""An answer that is so small a part of the tolerance is a 0 that was computed."""


class PredictionError(InputError):
    """A prediction that cannot be read as what the question asks for."""

    code = "invalid_prediction"


@dataclass(frozen=True)
class Verdict:
    """Whether a prediction is right, how it was understood, and in words how a wrong one differs
    from the answer."""

    right: bool
    understood: str
    difference: str = ""


Judge = Callable[[Step, str, Any, Mapping[str, int]], Verdict]


def judge(step: Step, prediction: str, answer: Any, symbols: Mapping[str, int]) -> Verdict:
    """Hold a prediction against the answer. `symbols` are the sizes that a shape may be written in.

    Raises:
        PredictionError: it is not what the question asks for.
    """
    judges: dict[Kind, Judge] = {
        Kind.NUMBER: _number,
        Kind.SHAPE: _shape,
        Kind.CELL: _cell,
        Kind.CHOICE: _choice,
    }
    return judges[step.kind](step, prediction.strip(), answer, symbols)


def _number(step: Step, typed: str, answer: float, _: Mapping[str, int]) -> Verdict:
    plain = typed.translate(SIGNS)
    plain = plain.replace(",", "") if THOUSANDS.fullmatch(plain) else plain
    try:
        value = float(plain)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise PredictionError(
            f"The prediction {quoted(typed)} is no number; write one such as 0.25 or 1024.",
            field="prediction",
        )
    allowed = max(step.tolerance, step.relative * abs(answer))
    right = abs(value - answer) <= allowed
    return Verdict(right, shown(value), "" if right else _apart(value, answer))


def _apart(value: float, answer: float) -> str:
    if value * answer < 0:
        return "It has the other sign."
    if answer == 0:
        return "It is not 0."
    share = value / answer
    if share == 0 or 0.5 <= share <= 2:
        return "It is too large." if value > answer else "It is too small."
    times = shown(share if share > 1 else 1 / share)
    return f"It is about {times} times too {'large' if share > 1 else 'small'}."


def _shape(step: Step, typed: str, answer: tuple[int, ...], symbols: Mapping[str, int]) -> Verdict:
    words = re.sub(r"\s*[−-]\s*1\b", "−1", typed)
    sizes = tuple(_size(word, typed, symbols) for word in _parts(words, typed))
    if sizes == answer:
        return Verdict(True, shown(sizes))
    if len(sizes) != len(answer):
        difference = f"You named {_axes(len(sizes))}; this tensor has {len(answer)}."
    elif sorted(sizes) == sorted(answer):
        difference = "The right sizes, in another order."
    else:
        wrong = [str(i + 1) for i in range(len(answer)) if sizes[i] != answer[i]]
        difference = f"Axis {' and '.join(wrong)} is of another size."
    return Verdict(False, shown(sizes), difference)


def _axes(count: int) -> str:
    return "1 axis" if count == 1 else f"{count} axes"


def _parts(words: str, typed: str) -> list[str]:
    parts = [word for word in SEPARATOR.split(words.strip("()[] ")) if word]
    if not 1 <= len(parts) <= MOST_AXES:
        raise PredictionError(
            f"The prediction {quoted(typed)} has {len(parts)} parts; give 1 to {MOST_AXES} sizes, "
            "such as 4 × 19 × 19.",
            field="prediction",
        )
    return parts


def _size(word: str, typed: str, symbols: Mapping[str, int]) -> int:
    if WHOLE.fullmatch(word):
        return int(word)
    found = symbols.get(word.replace(" ", ""))
    if found is None:
        raise PredictionError(
            f"The prediction {quoted(typed)} has {quoted(word)}, which is no size; write whole "
            f"numbers, or the symbols {', '.join(symbols)}.",
            field="prediction",
        )
    return found


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


def symbols_of(stages: tuple[Stage, ...], config: ModelConfig, lengths: Lengths) -> dict[str, int]:
    """The symbols that shapes are printed in, and their sizes for these texts."""
    return {
        axis.symbol.replace(" ", ""): axis.size(config, lengths)
        for stage in stages
        for axis in stage.axes
    }


def shown_answer(step: Step, answer: Any) -> str:
    """An answer as a sentence names it."""
    if step.kind is Kind.CHOICE:
        key = right_option(step, answer)
        return next(option.text for option in step.options if option.key == key)
    if step.kind is Kind.CELL:
        return " or ".join(in_words(step, place) for place in answer)
    if step.kind is Kind.NUMBER and 0 < abs(answer) <= step.tolerance * NOTHING:
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
