"""One text through one model, with every tensor kept."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property
from importlib.metadata import entry_points
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from model.checkpoint import LoadedModel
from model.errors import PositionError, UnknownStage, quoted
from model.finiteness import Nonfinite, nonfinite
from model.frozen import frozen
from model.ops.op import Array
from model.question import Question
from model.reading import Reading, read
from model.recorder import Record, Recorder
from model.table.axes import Along
from model.table.stage import Kind, Stage
from model.tokenizer import Piece
from model.writing import written

LIKELIEST = 10
NOT_FINITE = (
    "Not every number here is finite. The first tensor with one that is not is “{}” ({}): {}. "
    "Float32 ends at 3.4e38, and whatever is computed from such a number is rarely finite itself."
)
DISPLAY = "token_tracer.display"
"""The entry points, from a trace to HTML, of packages that can draw one."""


class Token(NamedTuple):
    """One position of a text: its id, the characters it stands for, and the label that pictures
    show."""

    position: int
    id: int
    text: str
    label: str


class Prediction(NamedTuple):
    """One possible next piece and its probability."""

    id: int
    text: str
    probability: float


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """Every stage of one text. Tensors are float32 (ids int64), without a batch axis. Nothing that
    is handed out can change the trace or its model: arrays are read-only views of it, tensors are
    copies."""

    model: LoadedModel
    reading: Reading
    stages: tuple[Stage, ...]
    """The table of what this trace has, in the order in which its tensors were made."""
    tensors: Record
    gradients: Record | None = None
    """d loss / d stage, of the mean loss, for each stage that is not ids; None unless asked for."""
    weight_gradients: Record | None = None
    """d loss / d parameter by the checkpoint's names; a tied one has the sum of its uses."""

    @property
    def question(self) -> Question:
        """What was asked, with line ends as they were read and the target that was written."""
        return self.reading.question

    @property
    def text(self) -> str:
        return self.question.text

    @property
    def target(self) -> str | None:
        """What an encoder-decoder has written so far; None for other models."""
        return self.question.target

    @cached_property
    def notices(self) -> tuple[str, ...]:
        """What is to be said of the reading; and the first tensor with a number that is not finite,
        if there is one."""
        first = next(iter(self.nonfinite.items()), None)
        if first is None:
            return self.reading.notices
        key, found = first
        return (*self.reading.notices, NOT_FINITE.format(self.stage(key).title, key, found))

    @cached_property
    def nonfinite(self) -> Mapping[str, Nonfinite]:
        """By key, in the table's order: what is not finite in each stage that has such numbers
        where its own mask put none."""
        found = {
            stage.key: nonfinite(self.tensors.array(stage.key), self._masked(stage))
            for stage in self.stages
            if stage.kind is not Kind.IDS
        }
        return {key: one for key, one in found.items() if one is not None}

    def _masked(self, stage: Stage) -> Array | None:
        return stage.op.masked(tuple(self.tensors[stage.key].shape)) if stage.op.masks else None

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Each position of the text, as the model reads it."""
        return self._tokens(Along.TEXT)

    @cached_property
    def target_tokens(self) -> tuple[Token, ...]:
        """Each position of the target, its first line end included; empty for other models."""
        return self._tokens(Along.TARGET)

    def _tokens(self, along: Along) -> tuple[Token, ...]:
        pieces = self.reading.pieces.get(along, ())
        return tuple(Token(at, one.id, one.text, one.label) for at, one in enumerate(pieces))

    def pieces(self, along: Along) -> Sequence[Piece]:
        """What the indices of an axis along this stand for, in order."""
        if along is not Along.VOCABULARY:
            return self.reading.pieces[along]
        return [self.model.tokenizer.piece(id) for id in range(self.model.config.vocab_size)]

    def tensor(self, key: str) -> Tensor:
        """A copy of a stage's tensor, its axes as the stage table says.

        Raises:
            UnknownStage: the trace has no such stage.
        """
        self._require(key)
        return self.tensors[key]

    def array(self, key: str) -> Array:
        """The same tensor as a NumPy array (ids as int32), without a copy and read-only."""
        self._require(key)
        array = self.tensors.array(key)
        return frozen(array.astype(np.int32)) if array.dtype == np.int64 else array

    def gradient(self, key: str) -> Array | None:
        """d loss / d stage, of the stage's shape, read-only; None where the trace has none, and
        for ids."""
        self._require(key)
        if self.gradients is None or key not in self.gradients:
            return None
        return self.gradients.array(key)

    @cached_property
    def largest_gradient(self) -> float:
        """The largest finite |gradient| of all stages, by which gradients are measured; 1 where all
        of them are 0."""
        assert self.gradients is not None
        sizes = (np.abs(self.gradients.array(key)) for key in self.gradients)
        return max(float(a.max(initial=0.0, where=np.isfinite(a))) for a in sizes) or 1.0

    def stage(self, key: str) -> Stage:
        """What the stage table says of a key."""
        return stage_of(self.stages, key, self.model.id)

    def __repr__(self) -> str:
        return f"<Trace of {self.text!r} by {self.model.id}: {len(self.tensors)} stages>"

    def _repr_html_(self) -> str | None:
        """What a notebook shows, drawn by the first package that offers to; None where there is
        none, and the notebook takes the line above."""
        for drawing in entry_points(group=DISPLAY):
            return str(drawing.load()(self))
        return None

    def _require(self, key: str) -> None:
        if key not in self.tensors:
            raise UnknownStage(_no_stage(self.stages, key, self.model.id), field="stage")

    def next(self, position: int | None = None, n: int = LIKELIEST) -> tuple[Prediction, ...]:
        """The `n` likeliest pieces, likeliest first: after a position (default: the last), or of an
        encoder at it.

        Raises:
            PositionError: the trace has no such position, or `n` is not positive.
        """
        rows = self.array("probabilities")
        at = len(rows) - 1 if position is None else position
        if not 0 <= at < len(rows):
            raise PositionError(
                f"{at} is no position here: they are counted from 0 to {len(rows) - 1}.",
                field="position",
            )
        if n < 1:
            raise PositionError(f"The {n} likeliest are none; ask for at least 1.", field="n")
        row = rows[at]
        likeliest = np.argsort(-row, kind="stable")[:n]
        piece = self.model.tokenizer.piece
        return tuple(Prediction(int(i), piece(int(i)).text, float(row[i])) for i in likeliest)


def trace(
    model: LoadedModel,
    question: Question | str,
    *,
    target: str | None = None,
    hidden: Iterable[int] = (),
    gradients: bool = False,
    weight_gradients: bool = False,
) -> Trace:
    """Run a text through the model and keep every stage. `target` and `hidden` make a question of
    a bare text; without a target an encoder-decoder writes its own first.

    `gradients` asks for d loss / d stage too, `weight_gradients` for d loss / d parameter; the
    loss is the mean over the pieces that were to be predicted.

    Raises:
        TextError: the model cannot read that, or gradients are asked for and it predicts nothing.
    """
    asked = Question.of(question, target, hidden)
    reading = read(model, asked, written(model, asked))
    if gradients or weight_gradients:
        return _differentiated(model, reading, of_stages=gradients, of_weights=weight_gradients)
    return forward(model, reading)


def forward(model: LoadedModel, reading: Reading) -> Trace:
    """Run what was read through the model and keep every stage."""
    recorder = Recorder(model.stages, model.config, reading.lengths)
    with torch.inference_mode():
        model.network.score(_batch_of_one(reading), recorder.record)
    return Trace(model, reading, model.stages, recorder.finish())


def _batch_of_one(reading: Reading) -> dict[str, Tensor]:
    return {key: torch.tensor(ids[None]) for key, ids in reading.given.items()}


def _differentiated(
    model: LoadedModel, reading: Reading, *, of_stages: bool, of_weights: bool
) -> Trace:
    """The same trace and its gradients, by `torch.autograd.grad`: `backward()` would write into
    the parameters, which all requests share."""
    if reading.no_loss is not None:
        raise reading.no_loss
    recorder = Recorder(model.stages, model.config, reading.lengths)
    floating: dict[str, Tensor] = {}

    def tap(key: str, tensor: Tensor) -> Tensor:
        tensor = recorder(key, tensor)
        if tensor.is_floating_point():
            floating[key] = tensor.requires_grad_()  # computed positions would need none
        return tensor

    network = model.network
    loss = network.score(_batch_of_one(reading), tap).mean()
    stages = floating if of_stages else {}
    parameters = dict(network.named_parameters()) if of_weights else {}
    wanted = [*stages.values(), *parameters.values()]
    found = torch.autograd.grad(loss, wanted, materialize_grads=True)
    by_stage = dict(zip(stages, found[: len(stages)], strict=True))
    by_weight = {
        key: gradient[None]  # a record drops a first axis
        for key, gradient in zip(parameters, found[len(stages) :], strict=True)
    }
    return Trace(
        model,
        reading,
        model.stages,
        recorder.finish(),
        Record(by_stage) if of_stages else None,
        Record(by_weight) if of_weights else None,
    )


def stage_of(stages: Sequence[Stage], key: str, owner: str = "the table") -> Stage:
    """The stage of that exact key; `owner` is what an error calls whose stages they are.

    Raises:
        UnknownStage: the table has none.
    """
    for stage in stages:
        if stage.key == key:
            return stage
    raise UnknownStage(_no_stage(stages, key, owner), field="stage")


def matching(
    stages: Sequence[Stage], patterns: Iterable[str], owner: str = "the table"
) -> tuple[Stage, ...]:
    """The stages whose key matches any of the shell patterns (`*` crosses dots), in table order.

    Raises:
        UnknownStage: a pattern matches nothing.
    """
    chosen = set()
    for pattern in patterns:
        fits = re.compile(translate(pattern)).match
        found = {stage.key for stage in stages if fits(stage.key)}
        if not found:
            raise UnknownStage(_no_stage(stages, pattern, owner), field="stages")
        chosen |= found
    return tuple(stage for stage in stages if stage.key in chosen)


def _no_stage(stages: Sequence[Stage], key: str, owner: str) -> str:
    return (
        f"No stage of {owner} matches {quoted(key)}. It has {len(stages)} stages from "
        f"{stages[0].key} to {stages[-1].key}; the stage table lists them."
    )
