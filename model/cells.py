"""Where one number comes from: the arithmetic of a cell of a stage or a weight, or of its
gradient.

The operations explain themselves; here their operands get names, so that each can be asked in
turn, down to the weights and the pieces of the text.
"""

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from model import backflow
from model.arithmetic import Cell, CellStep, CellTerm, Operand, Symbol
from model.equality import Difference, cell_difference, tolerance
from model.errors import CellError, quoted
from model.finiteness import word_of
from model.ops.explanation import Explanation, Rule, Term, explained, folded, named, number
from model.ops.op import Array
from model.parameters import parameter_of
from model.table.axes import Axis
from model.table.stage import Stage
from model.table.symbols import plain
from model.tracing import Trace

LISTED = 8
"""How many terms of a long sum are listed where no one asks for more."""


class _Tensor(NamedTuple):
    """A tensor of a trace, with the names that its cells carry."""

    stage: str | None
    weight: str | None
    gradient: bool
    array: Array
    letter: str
    title: str
    axes: tuple[Axis, ...]
    masked: Array | None = None

    @property
    def symbol(self) -> str:
        """As plain text."""
        return f"∂ℓ̄/∂{plain(self.letter)}" if self.gradient else plain(self.letter)

    def cell(self, index: tuple[int, ...]) -> str:
        """The symbol and where the cell stands, a head counted from 1: "A⁽²⁾[head 3, 6, 4]"."""
        places = (axis.place(i) for axis, i in zip(self.axes, index, strict=True))
        return f"{self.symbol}[{', '.join(places)}]"

    def counted(self, index: tuple[int, ...]) -> str | None:
        """Where the name of a cell counts otherwise than its index: "head 3 is index 2"."""
        told = [
            f"{axis.place(i)} is index {i}"
            for axis, i in zip(self.axes, index, strict=True)
            if axis.first
        ]
        return ", ".join(told) or None

    @property
    def name(self) -> str:
        key = self.stage or self.weight or ""
        return f"the gradient of {key}" if self.gradient else key

    def operand(self, index: tuple[int, ...]) -> Operand:
        value = self.array[index].item()
        return Operand(
            self.stage, self.weight, self.gradient, index, value, self.cell(index), self.word(index)
        )

    def word(self, index: tuple[int, ...]) -> str | None:
        """What one of its numbers is called, if it is not finite."""
        hidden = self.masked is not None and bool(self.masked[index])
        return word_of(self.array[index].item(), masked=hidden)


def explain(
    traced: Trace,
    key: str,
    index: Sequence[int],
    *,
    gradient: bool = False,
    largest: int | None = LISTED,
) -> Cell:
    """The arithmetic of one cell of a stage, counted from 0 along each axis; or, with `gradient`,
    of d loss / d that cell. Of a long sum the `largest` terms are listed, or all with None.

    Raises:
        UnknownStage: the trace has no such stage.
        CellError: the tensor has no such cell, or no gradient.
    """
    stage = traced.stage(key)
    uses = [
        (reader, operand)
        for reader in traced.stages
        for operand, read in enumerate(reader.inputs)
        if read == key
    ]
    used_by = _keys(uses)
    if gradient:
        shown = _gradient_of_stage(traced, key)
        place = _placed(traced, index, shown)
        return _passed_back(traced, shown, _stage(traced, key), place, uses, largest)
    shown = _stage(traced, key)
    place = _placed(traced, index, shown)
    operands = [_stage(traced, each) for each in stage.inputs]
    operands += [_weight(traced, weight.key) for weight in stage.weights]
    with np.errstate(all="ignore"):  # of what is not finite too
        explanation = stage.op.explain(place, shown.array, *(one.array for one in operands))
    if not operands:
        explanation = replace(explanation, note=_given(traced, stage, place))
    found = cell_difference(
        shown.array,
        place,
        explanation.total,
        tolerance(stage.op.longest_sum(*(one.array for one in operands))),
        masked=explanation.rule is Rule.MASK,
    )
    return _cell(shown, place, stage.equation, explanation, found, operands, largest, used_by)


def explain_weight(
    traced: Trace,
    key: str,
    index: Sequence[int],
    *,
    gradient: bool = False,
    largest: int | None = LISTED,
) -> Cell:
    """The same for a cell of a parameter, indexed as the checkpoint has it: no operation makes it,
    but the gradient that training would follow comes from every stage that uses it.

    Raises:
        UnknownWeight: the model has no such parameter.
        CellError: the tensor has no such cell, or the trace no gradients.
    """
    weight = parameter_of(traced.model, key).weight
    uses = [
        (reader, operand)
        for reader in traced.stages
        for operand, read in enumerate(reader.weights, start=len(reader.inputs))
        if read.key == key
    ]
    used_by = _keys(uses)
    if gradient:
        shown = _gradient_of_weight(traced, key)
        place = _placed(traced, index, shown)
        return _passed_back(traced, shown, _weight(traced, key), place, uses, largest)
    shown = _weight(traced, key)
    place = _placed(traced, index, shown)
    value = float(shown.array[place])
    trained = explained(
        Rule.TRAINED,
        [Term("learned in training", (), value)],
        number(value),
        says="what training made of it: no operation makes a weight",
        note="No operation makes a weight. Training did, a step at a time, and it is the same for "
        "every text.",
    )
    sizes = r" \times ".join(map(str, shown.array.shape))
    equation = rf"{weight.symbol} \in \mathbb{{R}}^{{{sizes}}}"
    found = cell_difference(shown.array, place, trained.total, tolerance())
    return _cell(shown, place, equation, trained, found, (), largest, used_by)


def _passed_back(
    traced: Trace,
    shown: _Tensor,
    of: _Tensor,
    place: tuple[int, ...],
    uses: Sequence[backflow.Use],
    largest: int | None,
) -> Cell:
    """A cell of the gradient `of` a tensor: the sum of what each use of it passes back. Nothing
    uses the loss, whose mean is taken; and of what else is used by nothing, no cell has a say in
    it."""
    used_by = _keys(uses)
    is_loss = shown.stage == traced.stages[-1].key
    leading = _leading_to_the_loss(traced)
    deaf = tuple(dict.fromkeys(reader.title for reader, _ in uses if reader.key not in leading))
    uses = [use for use in uses if use[0].key in leading]
    operands = [_gradient_of_stage(traced, reader.key) for reader, _ in uses]
    names = [*(_stage(traced, reader.key) for reader, _ in uses), of]
    if uses:
        explanation = backflow.explain(traced, uses, place, deaf)
    elif is_loss:
        explanation = backflow.of_mean(shown.array.size)
    else:
        explanation = backflow.unread()
    found = cell_difference(
        shown.array,
        place,
        explanation.total,
        tolerance(len(explanation.terms)),
        scale=traced.largest_gradient,
    )
    readers = tuple(dict.fromkeys(reader for reader, _ in uses))
    equation = backflow.equation(of.letter, readers, is_loss=is_loss)
    return _cell(shown, place, equation, explanation, found, operands, largest, used_by, names)


def _leading_to_the_loss(traced: Trace) -> set[str]:
    """The stages that the loss is made from, itself included."""
    leading = {traced.stages[-1].key}
    for stage in reversed(traced.stages):
        if stage.key in leading:
            leading.update(stage.inputs)
    return leading


def _keys(uses: Sequence[backflow.Use]) -> tuple[str, ...]:
    """Who uses a tensor, each once: a stage may read it as several of its operands."""
    return tuple(dict.fromkeys(reader.key for reader, _ in uses))


def _cell(
    shown: _Tensor,
    place: tuple[int, ...],
    equation: str,
    explanation: Explanation,
    found: Difference,
    operands: Sequence[_Tensor],
    largest: int | None,
    used_by: tuple[str, ...],
    names: Sequence[_Tensor] | None = None,
) -> Cell:
    """An explanation beside the number that it explains, its operands named: in its words by
    `names`, where those are not the operands themselves."""
    names = operands if names is None else names
    explanation = named(explanation, names)
    if largest is not None:
        if largest < 1:
            raise CellError(
                f"The {largest} largest terms are none; ask for at least 1, or for all with None.",
                field="largest",
            )
        explanation = folded(explanation, largest)
    by_mask = explanation.rule is Rule.MASK
    return Cell(
        stage=shown.stage,
        weight=shown.weight,
        gradient=shown.gradient,
        index=place,
        name=shown.cell(place),
        counted=shown.counted(place),
        value=shown.array[place].item(),
        word=shown.word(place),
        equation=equation,
        rule=explanation.rule,
        joined=explanation.says,
        symbols=tuple(dict.fromkeys(Symbol(one.symbol, one.title) for one in names)),
        terms=tuple(
            CellTerm(
                term.label,
                tuple(operands[one.operand].operand(one.index) for one in term.factors),
                term.value,
                word_of(term.value, masked=by_mask),
            )
            for term in explanation.terms
        ),
        folded=explanation.folded,
        steps=tuple(
            CellStep(step.label, step.value, word_of(step.value)) for step in explanation.steps
        ),
        total=explanation.total,
        total_word=word_of(explanation.total, masked=by_mask),
        difference=found.absolute,
        equal=found.equal,
        code=explanation.code,
        note=explanation.note,
        used_by=used_by,
    )


def _stage(traced: Trace, key: str) -> _Tensor:
    stage, array = traced.stage(key), traced.array(key)
    return _Tensor(
        key, None, False, array, stage.symbol, stage.title, stage.axes, stage.op.masked(array.shape)
    )


def _weight(traced: Trace, key: str) -> _Tensor:
    parameter = parameter_of(traced.model, key)
    weight, array = parameter.weight, traced.model.weights[key]
    return _Tensor(None, key, False, array, weight.symbol, parameter.title, weight.axes)


def _gradient_of_stage(traced: Trace, key: str) -> _Tensor:
    _require(traced.gradients is not None)
    gradient = traced.gradient(key)
    if gradient is None:
        raise CellError(
            f"{key} holds ids, and ids have no gradient; ask for the cell itself.",
            field="gradient",
        )
    return _stage(traced, key)._replace(gradient=True, array=gradient, masked=None)


def _gradient_of_weight(traced: Trace, key: str) -> _Tensor:
    _require(traced.gradients is not None and traced.weight_gradients is not None)
    assert traced.weight_gradients is not None
    array = traced.weight_gradients.array(key)
    return _weight(traced, key)._replace(gradient=True, array=array)


def _require(traced_with_gradients: bool) -> None:
    if not traced_with_gradients:
        raise CellError(
            "The trace has no gradients; trace with gradients=True, and for a weight's with "
            "weight_gradients=True too.",
            field="gradient",
        )


def _placed(traced: Trace, index: Sequence[int], shown: _Tensor) -> tuple[int, ...]:
    """The index of a cell that is there.

    Raises:
        CellError: it is not, with what would be.
    """
    shape = shown.array.shape
    if not shown.array.size:
        assert traced.reading.no_loss is not None, f"{shown.name} is empty, yet there is a loss"
        raise CellError(
            f"{shown.name} is empty here, so it has no cell. {traced.reading.no_loss.message}",
            field="index",
        )
    try:
        place = tuple(operator.index(one) for one in index)
    except TypeError:
        place = ()
    whole = len(place) == len(shape) and not any(isinstance(one, bool) for one in index)
    if whole and all(0 <= i < n for i, n in zip(place, shape, strict=True)):
        return place
    limits = ", ".join(
        f"{axis.name} 0 to {n - 1}" for axis, n in zip(shown.axes, shape, strict=True)
    )
    count = "one whole number" if len(shape) == 1 else f"{len(shape)} whole numbers"
    raise CellError(
        f"{quoted(index)} is no cell of {shown.name}; give a list of {count}: {limits}.",
        field="index",
    )


def _given(traced: Trace, stage: Stage, place: tuple[int, ...]) -> str:
    """Which piece a given integer stands for."""
    (axis,), (i,) = stage.axes, place
    assert axis.along is not None
    piece = traced.reading.pieces[axis.along][i]
    return f"The {traced.model.tokenizer.unit} is {quoted(piece.text or piece.label)}."
