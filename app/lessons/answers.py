"""The functions that answer a lesson's questions, by name; a lesson file calls them.

Each looks at a scene and at the parameters that the file gives. It is of a kind: a number, a shape,
the cells that are right, or the key of an option. A stage is always named by the file.
"""

from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from itertools import pairwise
from typing import Any, NamedTuple, get_type_hints

import numpy as np

from app.lessons.lesson import QuestionKind
from app.lessons.scene import Place, Scene, places
from model.characters import in_one_line
from model.interpreter import apply, backward, gradient_of_mean
from model.ops.attention import Softmax
from model.ops.op import Array
from model.table.stage import Stage
from model.tracing import matching


class StageKey(str):
    """A parameter that names a stage of the scene's model, or a pattern of their keys."""


class Function(NamedTuple):
    """A function by its name, what it answers, and its parameters with their types."""

    name: str
    kind: QuestionKind
    call: Callable[..., Any]
    parameters: dict[str, Parameter]
    stages: tuple[str, ...]
    """The parameters that name stages."""


FUNCTIONS: dict[str, Function] = {}


def answers(kind: QuestionKind) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function under its name."""

    def register(call: Callable[..., Any]) -> Callable[..., Any]:
        name = call.__name__
        assert name not in FUNCTIONS, f"there are two functions {name}"
        _, *parameters = signature(call).parameters.values()
        hints = get_type_hints(call)
        stages = (one.name for one in parameters if "StageKey" in str(hints[one.name]))
        named = {one.name: one for one in parameters}
        FUNCTIONS[name] = Function(name, kind, call, named, tuple(stages))
        return call

    return register


# Shapes


@answers(QuestionKind.SHAPE)
def shape(scene: Scene, stage: StageKey) -> tuple[int, ...]:
    """The shape of a tensor."""
    return tuple(scene.array(stage).shape)


@answers(QuestionKind.NUMBER)
def size(scene: Scene, stage: StageKey, axis: int = 0) -> int:
    """How long one axis of a tensor is."""
    return int(scene.array(stage).shape[axis])


@answers(QuestionKind.NUMBER)
def cells(scene: Scene, stage: StageKey) -> int:
    """How many numbers a tensor has."""
    return int(scene.array(stage).size)


@answers(QuestionKind.NUMBER)
def shape_changes(scene: Scene, path: Sequence[StageKey]) -> int:
    """How often the shape changes on the way from stage to stage."""
    shapes = [scene.array(stage).shape for stage in path]
    return sum(a != b for a, b in pairwise(shapes))


# Statistics of a part of a tensor, or of its gradient


def _statistic(name: str, measure: Callable[[Array], float], doc: str) -> None:
    def of_part(
        scene: Scene, stage: StageKey, at: Sequence[Place] = (), gradient: bool = False
    ) -> float:
        return measure(scene.part(stage, at, gradient=gradient))

    of_part.__name__, of_part.__doc__ = name, doc
    answers(QuestionKind.NUMBER)(of_part)


def _finite(part: Array) -> Array:
    return part[np.isfinite(part)]


_statistic("cell", float, "One number of a tensor.")
_statistic("total", lambda part: float(part.sum()), "The sum of a part.")
_statistic("mean", lambda part: float(part.mean()), "The mean of a part.")
_statistic("deviation", lambda part: float(part.std()), "The standard deviation of a part.")
_statistic(
    "root_mean_square", lambda part: float(np.sqrt(np.square(part).mean())), "That of a part."
)
_statistic("smallest", lambda part: float(_finite(part).min()), "The least finite number.")
_statistic("largest_size", lambda part: float(np.abs(part).max()), "The greatest |number|.")
_statistic("count_masked", lambda part: int(np.isneginf(part).sum()), "How many are −∞.")
_statistic("count_nonzero", lambda part: int((part != 0).sum()), "How many are not 0.")
_statistic("count_zero", lambda part: int((part == 0).sum()), "How many are exactly 0.")
_statistic("count_negative", lambda part: int((part < 0).sum()), "How many are below 0.")
_statistic("share_negative", lambda part: float((part < 0).mean()), "The share below 0.")
_statistic("share_positive", lambda part: float((part > 0).mean()), "The share above 0.")
_statistic("distinct", lambda part: len(np.unique(part)), "How many different numbers.")


@answers(QuestionKind.CHOICE)
def mean_is_zero(scene: Scene, stage: StageKey, at: Sequence[Place], within: float) -> str:
    """Whether the mean of a part is 0: "yes" or "no"."""
    return "yes" if abs(float(scene.part(stage, at).mean())) <= within else "no"


@answers(QuestionKind.NUMBER)
def ratio(
    scene: Scene,
    stage: StageKey,
    against: StageKey,
    at: Sequence[Place] = (),
    gradient: bool = False,
) -> float:
    """How many times as long a part is as the same part of another tensor."""
    one, other = (scene.part(key, at, gradient=gradient) for key in (stage, against))
    return float(np.linalg.norm(one) / np.linalg.norm(other))


@answers(QuestionKind.NUMBER)
def dot_product(
    scene: Scene, stage: StageKey, against: StageKey, at: Sequence[Place] = ()
) -> float:
    """The dot product of a part with the same part of another tensor."""
    one, other = (scene.part(key, at) for key in (stage, against))
    return float((one * other).sum())


@answers(QuestionKind.NUMBER)
def count_differing(
    scene: Scene, stage: StageKey, against: StageKey, at: Sequence[Place] = ()
) -> int:
    """How many cells of a part differ from the same part of another tensor."""
    return int((scene.part(stage, at) != scene.part(against, at)).sum())


@answers(QuestionKind.CELL)
def where_smallest(
    scene: Scene, stage: StageKey, at: Sequence[Place] = (), gradient: bool = False
) -> tuple[tuple[int, ...], ...]:
    """The places, within a part, of its least number; several where they are equal."""
    part = scene.part(stage, at, gradient=gradient)
    return _indices(part == part.min())


@answers(QuestionKind.CELL)
def where_same(
    scene: Scene, stage: StageKey, against: StageKey, at: Sequence[Place] = ()
) -> tuple[tuple[int, ...], ...]:
    """The rows of a part that are equal to those of another tensor, feature by feature."""
    one, other = (scene.part(key, at) for key in (stage, against))
    return _indices(np.all(one == other, axis=-1))


def _indices(chosen: Array) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(map(int, index)) for index in np.argwhere(chosen))


# What a change reaches


@answers(QuestionKind.NUMBER)
def rows_changed_by(scene: Scene, stage: StageKey, character: Place, rows: str = "all") -> int:
    """How many rows of a tensor are not the same, to the last bit, when one character of the text
    (or every one) is replaced; `rows` can be "earlier" or "other" than its position."""
    every = character == "every"
    index = 0 if every else places([character], [len(scene.traced.text)])[0]
    characters = list(scene.traced.text)
    for position in range(len(characters)) if every else [index]:
        characters[position] = _another(scene, characters[position])
    other = scene.with_text("".join(characters))
    changed = np.any(scene.array(stage) != other.array(stage), axis=-1)
    kept = np.ones_like(changed)
    if rows == "earlier":
        kept[index:] = False
    if rows == "other":
        kept[index] = False
    return int((changed & kept).sum())


def _another(scene: Scene, character: str) -> str:
    """A letter that is not this one."""
    tokenizer = scene.model.tokenizer
    known = [tokenizer.piece(id).text for id in range(len(tokenizer))]
    letters = [one for one in known if one.isalpha()] or known
    return next(one for one in reversed(letters) if one != character)


@answers(QuestionKind.NUMBER)
def rows_reached(scene: Scene, stage: StageKey, start: StageKey, row: Place) -> int:
    """How many rows of a stage move when one row of an earlier one does, and nothing else: only
    what lies between the two is computed again, in float64."""
    before = _again(scene, stage, start, scene.recorded[start])
    moved = scene.recorded[start].copy()
    moved[places([row], moved.shape)] += 1
    after = _again(scene, stage, start, moved)
    return int(np.any(before != after, axis=-1).sum())


def _again(scene: Scene, stage: str, start: str, value: Array) -> Array:
    """A stage from another value of an earlier one; all that does not read it stays."""
    known: dict[str, Array] = {}
    changed = {start}
    for one in scene.stages:
        if one.key == start:
            known[one.key] = value
        elif changed.intersection(one.inputs):
            changed.add(one.key)
            known[one.key] = apply(one, known, _weights(scene, one))
        else:
            known[one.key] = scene.recorded[one.key]
        if one.key == stage:
            break
    return known[stage]


def _weights(scene: Scene, stage: Stage) -> dict[str, Array]:
    """A stage's weights in float64; all of them where it has none, for their dtype."""
    keys = [weight.key for weight in stage.weights] or list(scene.model.weights)[:1]
    return {key: scene.model.weights[key].astype(np.float64) for key in keys}


@answers(QuestionKind.NUMBER)
def loss_moved(scene: Scene, stage: StageKey, at: Sequence[Place], by: float) -> float:
    """How much the mean loss grows, a unit, when one cell goes from `by` below to `by` above what
    it is: (ℓ(x + by) − ℓ(x − by)) / 2 by, in float64."""
    return loss_difference(scene, stage, at, by) / (2 * by)


@answers(QuestionKind.NUMBER)
def loss_difference(scene: Scene, stage: StageKey, at: Sequence[Place], by: float) -> float:
    """How much larger the mean loss is with one cell `by` above than `by` below what it is:
    ℓ(x + by) − ℓ(x − by), in float64."""
    last = scene.stages[-1].key
    ends = []
    for step in (by, -by):
        moved = scene.recorded[stage].copy()
        moved[places(at, moved.shape)] += step
        ends.append(float(_again(scene, last, stage, moved).mean()))
    return ends[0] - ends[1]


@answers(QuestionKind.NUMBER)
def row_sum_masked_late(scene: Scene, stage: StageKey, at: Sequence[Place]) -> float:
    """What a row of attention sums to if the softmax comes first and later positions are set to
    0 only then: the mistake. `stage` has the scores before the mask; `at` is head and row."""
    row = scene.part(stage, at)
    weights = Softmax("source positions").forward(row)
    _, position = places(at, scene.array(stage).shape)
    return float(weights[: position + 1].sum())


# What the table says


@answers(QuestionKind.CHOICE)
def first_input(scene: Scene, stage: StageKey) -> str:
    """The key of what a stage is made from, its first input."""
    return scene.stage(stage).inputs[0]


@answers(QuestionKind.NUMBER)
def count_stages(scene: Scene, pattern: StageKey) -> int:
    """How many stages there are whose key matches a pattern."""
    return len(matching(scene.stages, [pattern]))


@answers(QuestionKind.CHOICE)
def character(scene: Scene, at: Place) -> str:
    """The character at a position of the text, as pictures show it."""
    pieces = scene.model.tokenizer.read(scene.traced.text)
    return pieces[places([at], [len(pieces)])[0]].label


@answers(QuestionKind.CHOICE)
def likeliest(scene: Scene, at: Place = "last") -> str:
    """The likeliest character after a position, or of an encoder at it, as pictures show it."""
    guessed = scene.question.hidden
    position = guessed[0] if at == "hidden" else places([at], [len(scene.traced.tokens)])[0]
    (found,) = scene.traced.next(position, 1)
    return scene.model.tokenizer.piece(found.id).label


@answers(QuestionKind.CHOICE)
def source_text(scene: Scene) -> str:
    """What an encoder-decoder reads."""
    return in_one_line(scene.traced.text)


# The gradient along the stream


@answers(QuestionKind.NUMBER)
def share_without_skips(scene: Scene, stage: StageKey) -> float:
    """What is left of the gradient at a place of the stream if none took the residual
    connections, as a share of its length."""
    place = scene.flow[stage]
    return place.without_residuals / place.norm


@answers(QuestionKind.CHOICE)
def gradients_join(scene: Scene, stage: StageKey, above: StageKey) -> str:
    """How the gradient of `stage` is made of the one that skips to the addition `above` and of the
    one that goes through the branch between them: their "sum", "product" or the "larger"."""
    stages = scene.stages
    recorded = {one.key: scene.traced.array(one.key) for one in stages}
    start = gradient_of_mean(recorded[stages[-1].key])
    cut = backward(stages, scene.model.weights, recorded, start, cut={(above, stage)})
    skipping = scene.array(above, gradient=True)
    branch = cut.stages[stage]
    larger = np.where(np.abs(skipping) > np.abs(branch), skipping, branch)
    ways = {"sum": skipping + branch, "product": skipping * branch, "larger": larger}
    whole = scene.array(stage, gradient=True)
    return min(ways, key=lambda way: float(np.abs(ways[way] - whole).max()))


@answers(QuestionKind.CHOICE)
def who_reaches_others(
    scene: Scene, attention: Sequence[StageKey], network: Sequence[StageKey]
) -> str:
    """Which sub-layer, each given as its output and what it reads, carries a change at the middle
    position to others: "attention", "network" or "both"."""
    reaching = [
        name
        for name, (stage, start) in (("attention", attention), ("network", network))
        if rows_reached(scene, stage, start, "middle") > 1
    ]
    return "both" if len(reaching) > 1 else "".join(reaching)
