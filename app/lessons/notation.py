"""Numbers and shapes as people write them."""

import math
import re
from collections.abc import Mapping
from fractions import Fraction

from app.lessons.arithmetic import Unreadable, symbol, value
from model.config import ModelConfig
from model.errors import InputError, quoted
from model.table.axes import Lengths
from model.table.stage import Stage

SIGNS = str.maketrans({"−": "-", "–": "-"})
DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,3})?", re.IGNORECASE)
COMMA_APART = re.compile(r"[0-9]?\s*,\s*[0-9]")
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+")
SEPARATORS = (r"[×xX]", r"[,;]", r"\*", r"\s+")
"""What stands between sizes; the first that occurs does, so that 9 × 4*64 has two."""
FACTOR = re.compile(r"\s*([*·/]?)\s*([0-9]{1,9}|[^\W\d]\w*(?:−1)?|\|V\|)")
LESS_ONE = re.compile(r"\s*[−–-]\s*1\b")
MOST_AXES = 4


class PredictionError(InputError):
    """A prediction that cannot be read as what the question asks for."""

    code = "invalid_prediction"


def number(typed: str, symbols: Mapping[str, float] | None = None) -> float:
    """A number as it is typed: 0.25, 1e-5, 49,984, 2/3, 66 %, or a formula with the question's
    symbols, 12·d². A point is the decimal sign, and commas stand only between groups of three
    digits of a whole number.

    Raises:
        PredictionError: it is none.
    """
    plain = typed.translate(SIGNS)
    if plain.endswith("%") and is_plain(plain[:-1]):
        return _decimal(plain[:-1].strip()) / 100
    try:
        return value(plain, symbols or {})
    except Unreadable as error:
        raise PredictionError(_refusal(typed, str(error)), field="prediction") from None


def _refusal(typed: str, reason: str) -> str:
    if COMMA_APART.search(typed):
        return (
            f"The prediction {quoted(typed)} cannot be read: a point is the decimal sign, as in "
            "0.25, and commas stand only between groups of three digits of a whole number, as in "
            "49,984."
        )
    if "%" in typed:
        reason = "% stands behind a plain number alone, as in 66 %"
    return (
        f"The prediction {quoted(typed)} is no number: {reason}. Write a number such as 0.25 or "
        "1024, or a formula such as 3*2^10."
    )


def is_plain(typed: str) -> bool:
    """Whether it is a number as it stands, with nothing to compute."""
    return math.isfinite(_decimal(typed.translate(SIGNS).strip()))


def _decimal(plain: str) -> float:
    plain = plain.replace(",", "") if THOUSANDS.fullmatch(plain) else plain
    return float(plain) if DECIMAL.fullmatch(plain) else math.nan


def symbols_of(stages: tuple[Stage, ...], config: ModelConfig, lengths: Lengths) -> dict[str, int]:
    """The symbols that shapes are printed in, and their sizes for these texts."""
    return {
        axis.symbol.replace(" ", ""): axis.size(config, lengths)
        for stage in stages
        for axis in stage.axes
    }


def sizes(typed: str, symbols: Mapping[str, int]) -> tuple[int, ...]:
    """A shape as it is typed: 4 × 19, h × N, N x 4d, (9, 64).

    Raises:
        PredictionError: it is none.
    """
    words = LESS_ONE.sub("−1", typed).strip("()[] ")
    between = next((one for one in SEPARATORS if re.search(one, words)), SEPARATORS[0])
    parts = [part for part in map(str.strip, re.split(between, words)) if part]
    if not 1 <= len(parts) <= MOST_AXES:
        raise PredictionError(
            f"The prediction {quoted(typed)} has {len(parts)} parts; give 1 to {MOST_AXES} sizes, "
            "such as 4 × 19 × 19.",
            field="prediction",
        )
    return tuple(_size(part, typed, symbols) for part in parts)


def _size(part: str, typed: str, symbols: Mapping[str, int]) -> int:
    """One size: a product or a quotient of whole numbers and symbols, such as 4d or d/h."""
    plain = part.replace(",", "") if THOUSANDS.fullmatch(part) else part
    size: Fraction | None = Fraction(1)
    at, before = 0, ""
    while size is not None and at < len(plain):
        found = FACTOR.match(plain, at)
        if found is None:
            size = None
        else:
            size = _times(size, before, found, symbols)
            at, before = found.end(), found[2]
    if size is None:
        raise PredictionError(
            f"The prediction {quoted(typed)} has {quoted(part)}, which is no size; write whole "
            f"numbers, or the symbols {', '.join(symbols)}.",
            field="prediction",
        )
    if size.denominator != 1:
        raise PredictionError(
            f"The prediction {quoted(typed)} has {quoted(part)}, which is {float(size):.4g}: a "
            "size is a whole number.",
            field="prediction",
        )
    return int(size)


def _times(
    size: Fraction, before: str, found: re.Match[str], symbols: Mapping[str, int]
) -> Fraction | None:
    """A size with one more factor; None where that cannot stand there."""
    sign, factor = found.groups()
    beside = not before or (before.isdecimal() and not factor.isdecimal())  # 4d, but not d 4
    value = int(factor) if factor.isdecimal() else symbol(factor, symbols)
    if value is None or (not sign and not beside) or (sign and not before):
        return None
    if sign == "/":
        return size / value if value else None
    return size * value
