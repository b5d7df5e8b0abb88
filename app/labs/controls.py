"""What a lab's page lets one move: each control's ends are the limits of the API's own request."""

from dataclasses import dataclass
from math import floor, log2, log10
from typing import Any, Literal, NamedTuple

from app.server.schemas import Request
from model.config import Choice

ControlKind = Literal["slider", "list", "choice", "switch", "text"]
STEPS = 200
"""Of a slider over a range of real numbers, if nothing else is said."""


@dataclass(frozen=True)
class Move:
    """A parameter that the page moves.

    `least`: its slider goes up in ratios, from this size on (and from it down, if the range has
    negative numbers). `octaves`: it goes up in powers of two and the halves between them, as the
    sizes of models do. `below`, `above`: it stays under, over, another parameter; under a list, it
    is one of its indices. `multiple_of`: it is a multiple of another one. `single`: of the list
    that the API takes, the page gives one number. `start`: where the page begins, if not at the
    API's default.
    """

    name: str
    label: str
    hint: str = ""
    start: Any = None
    step: float | None = None
    least: float | None = None
    octaves: bool = False
    below: str | None = None
    above: str | None = None
    multiple_of: str | None = None
    single: bool = False


class Offered(NamedTuple):
    """A word of a choice, and what people read for it."""

    value: str
    label: str


@dataclass(frozen=True)
class Control:
    """One control of a page. A slider goes from `low` to `high`, by `step` or over the `stops`; a
    list has from `shortest` to `longest` such numbers; a choice is one of `options`; a text is
    typed."""

    name: str
    label: str
    hint: str
    kind: ControlKind
    start: Any
    low: float | None
    high: float | None
    step: float | None
    stops: tuple[float, ...]
    shortest: int | None
    longest: int | None
    options: tuple[Offered, ...]
    below: str | None
    above: str | None
    multiple_of: str | None


def control(request: type[Request], move: Move) -> Control:
    """The control for a parameter of a request."""
    schema = request.model_json_schema()
    field = schema["properties"][move.name]
    if "$ref" in field:  # an enum, described once for all that refer to it
        field = schema["$defs"][field["$ref"].rsplit("/", 1)[1]] | field
    number = field.get("items", field)
    low, high = number.get("minimum"), number.get("maximum")
    whole = number["type"] == "integer"
    if "exclusiveMaximum" in number:
        assert whole
        high = number["exclusiveMaximum"] - 1
    ladder: tuple[float, ...] = ()
    step = None
    if low is not None and high is not None:
        if move.least is not None:
            ladder = stops(low, high, move.least)
        if move.octaves:
            ladder = octaves(low, high)
        step = move.step or number.get("multipleOf") or (1 if whole else (high - low) / STEPS)
    return Control(
        name=move.name,
        label=move.label,
        hint=move.hint,
        kind="slider" if move.single else _kind(field),
        start=_start(field, move),
        low=low,
        high=high,
        step=step,
        stops=ladder,
        shortest=field.get("minItems"),
        longest=field.get("maxItems"),
        options=_options(request, move),
        below=move.below,
        above=move.above,
        multiple_of=move.multiple_of,
    )


def _options(request: type[Request], move: Move) -> tuple[Offered, ...]:
    kind = request.model_fields[move.name].annotation
    if not (isinstance(kind, type) and issubclass(kind, Choice)):
        return ()
    return tuple(Offered(word.value, word.label) for word in kind)


def _start(field: dict[str, Any], move: Move) -> Any:
    start = field["default"] if move.start is None else move.start
    return start[0] if move.single else start


def _kind(field: dict[str, Any]) -> ControlKind:
    if field["type"] == "array":
        return "list"
    if field["type"] == "boolean":
        return "switch"
    if field["type"] == "string" and "enum" not in field:
        return "text"
    return "choice" if "enum" in field else "slider"


def stops(low: float, high: float, least: float) -> tuple[float, ...]:
    """Numbers from low to high with one digit and a power of ten, of at least the size `least`; 0
    and negative ones too where the range has them; and both ends."""
    assert least > 0
    powers = range(floor(log10(least)), floor(log10(max(high, -low))) + 1)
    sizes = [float(f"{digit}e{power}") for power in powers for digit in range(1, 10)]
    found = {0.0, low, high, *sizes, *(-size for size in sizes)}
    kept = (stop for stop in found if abs(stop) >= least or stop in (0, low, high))
    return tuple(sorted(stop for stop in kept if low <= stop <= high))


def octaves(low: float, high: float) -> tuple[float, ...]:
    """1, 2, 3, 4, 6, 8, 12, 16 and so on, as far as they lie between low and high; and both
    ends."""
    powers = [2.0**power for power in range(floor(log2(high)) + 1)]
    found = {low, high, *powers, *(1.5 * power for power in powers[1:])}
    return tuple(sorted(stop for stop in found if low <= stop <= high))
