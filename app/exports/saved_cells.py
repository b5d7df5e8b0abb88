"""Whose arithmetic a saved page carries: of the cells on the ways back from what is predicted.

All of them would take minutes to explain and tens of megabytes to hold.
"""

from collections.abc import Iterator
from typing import Any

from app.tracing.api.cells import cell_answer
from model.arithmetic import Cell, Operand
from model.cells import explain, explain_weight
from model.tracing import Trace

WAYS = 10
"""How many of the likeliest next characters are walked back from."""
LAST = "probabilities"


def carried_cells(traced: Trace) -> dict[str, Any]:
    """The answers of `POST /cells` by the cell's name, as the page writes it in its address."""
    return {_name(cell): cell_answer(traced, cell) for cell in _cells(traced)}


def _cells(traced: Trace) -> Iterator[Cell]:
    """Each way down to a character; beside the first one also every operand that is listed."""
    position = traced.reading.asked[-1] if traced.reading.asked else None
    if position is None:
        return
    for rank, prediction in enumerate(traced.next(position, WAYS)):
        cell = explain(traced, LAST, (position, prediction.id))
        yield cell
        while (onward := _largest(cell)) is not None:
            if rank == 0:
                operands = [factor for term in cell.terms for factor in term.factors]
                yield from (_explained(traced, one) for one in operands)
            cell = _explained(traced, onward)
            yield cell


def _largest(cell: Cell) -> Operand | None:
    """The operand, of a stage, through which most of a number comes; None for a character's id."""
    terms = sorted(cell.terms, key=lambda term: abs(term.value), reverse=True)
    factors = [factor for term in terms for factor in term.factors if factor.stage is not None]
    return factors[0] if factors else None


def _explained(traced: Trace, operand: Operand) -> Cell:
    if operand.weight is not None:
        return explain_weight(traced, operand.weight, operand.index)
    assert operand.stage is not None
    return explain(traced, operand.stage, operand.index)


def _name(cell: Cell) -> str:
    return f"{cell.stage or cell.weight}*{'.'.join(map(str, cell.index))}"
