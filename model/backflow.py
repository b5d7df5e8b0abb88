"""How a gradient reaches one cell: what each use of its tensor passes back."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from model.ops.explanation import Explanation, Factor, Rule, Step, Term, explained, numbers, summed
from model.ops.op import Array, Gradient, Rows
from model.table.stage import Stage
from model.tracing import Trace

Use = tuple[Stage, int]
"""A stage that reads a tensor, and as which of its operands; one that reads it twice is used
twice."""

MOVE = 1e-6
"""How far a cell is moved to see which cells of a result move with it."""


DERIVATIVES = (
    "Each term is the gradient of one cell that is made from this one, times that cell’s "
    "derivative: how much it moves for each unit that this one moves. ℓ̄ is the mean loss."
)
NOTHING_BACK = "“{}” is made from this tensor too, but the loss is not made from that."


class Path(NamedTuple):
    """One cell of a use's result that moves with the cell in question: its place, its gradient, and
    its derivative, d that cell / d the cell in question."""

    place: tuple[int, ...]
    gradient: float
    derivative: float


def explain(
    traced: Trace, uses: Sequence[Use], index: tuple[int, ...], deaf: Sequence[str] = ()
) -> Explanation:
    """d loss / d cell by the chain rule: over the cells that each use makes from it, the sum of
    gradient times derivative, in float64. The factor of a term is that cell of the use's own
    gradient (operand n for use n); its label names the tensors themselves, the one in question
    after those of all uses. A use of which no cell moves has one term, its largest; `steps` say how
    much each use passes back in all. `deaf` are the titles of stages that read the tensor too, and
    that the loss is not made from.
    """
    terms, steps, gradients, derivatives = [], [], [], []
    for n, (reader, operand) in enumerate(uses):
        paths = _paths(traced, reader, operand, index)
        for path in paths:
            label = f"∂{{{n}}}/∂{{{len(uses)}}} = {path.derivative:.9g}"
            terms.append(Term(label, (Factor(n, path.place),), path.gradient * path.derivative))
        gradients += [path.gradient for path in paths]
        derivatives += [path.derivative for path in paths]
        passed = summed(path.gradient * path.derivative for path in paths)
        steps.append(Step(reader.key, passed))
    return explained(
        Rule.SUM,
        terms,
        f"np.dot({numbers(gradients)}, {numbers(derivatives)})",
        steps=steps,
        says="the sum of each gradient times its derivative, over all cells made from this one",
        note=" ".join([DERIVATIVES, *(NOTHING_BACK.format(title) for title in deaf)]),
    )


def of_mean(count: int) -> Explanation:
    """d mean / d one of `count` losses: 1 / count."""
    return explained(
        Rule.QUOTIENT,
        [Term("the mean loss by itself", (), 1.0), Term("number of losses", (), float(count))],
        f"1 / {count}",
        says="1 divided by the number of losses",
        note="The scalar that the gradients are of is the mean of these losses.",
    )


def unread() -> Explanation:
    """d loss / d cell of a tensor that nothing reads on the way to the loss: 0."""
    return explained(
        Rule.COPY,
        [Term("no stage reads this tensor", (), 0.0)],
        "0.0",
        note="The loss is computed without this tensor, which no other reads either. So no cell of "
        "it has a say in the loss, and its gradient is 0 everywhere.",
    )


def equation(symbol: str, readers: Sequence[Stage], *, is_loss: bool) -> str:
    """The chain rule in LaTeX, ℓ̄ the mean loss."""
    of = rf"\frac{{\partial \bar{{\ell}}}}{{\partial {symbol}}}"
    if is_loss:
        return (
            rf"{of}[i] = \frac{{1}}{{n}}, \quad \bar{{\ell}} = \frac{{1}}{{n}} \sum_i {symbol}[i]"
        )
    if not readers:
        return f"{of} = 0"
    flows = (
        rf"\left(\frac{{\partial {reader.symbol}}}{{\partial {symbol}}}\right)^{{\top}}"
        rf"\frac{{\partial \bar{{\ell}}}}{{\partial {reader.symbol}}}"
        for reader in readers
    )
    return f"{of} = {' + '.join(flows)}"


def _paths(traced: Trace, reader: Stage, operand: int, index: tuple[int, ...]) -> tuple[Path, ...]:
    """The cells of a stage that move with one cell of one of its operands. Which they are is seen
    by moving it a little; each one's derivative is exact, by the vector-Jacobian product of that
    cell alone."""
    recorded = [traced.array(key) for key in reader.inputs]
    weights = [traced.model.weights[weight.key] for weight in reader.weights]
    operands = [_exact(array) for array in (*recorded, *weights)]
    gradient = traced.gradient(reader.key)
    assert gradient is not None, f"{reader.key} passes a gradient back and has none"
    dy, y = _exact(gradient), _exact(traced.array(reader.key))

    def derivative(cell: tuple[int, ...]) -> float:
        alone = np.zeros_like(dy)
        alone[cell] = 1.0
        return _entry(reader.op.backward(alone, y, *operands)[operand], index)

    with np.errstate(all="ignore"):  # of what is not finite
        before = reader.op.forward(*operands)
        other = list(operands)
        other[operand] = operands[operand].copy()
        other[operand][index] += MOVE
        moved = np.argwhere(np.nan_to_num(reader.op.forward(*other) - before))
        if not len(moved):  # too little to be seen: NaN reaches whatever is made from the cell
            other[operand][index] = np.nan
            moved = np.argwhere(np.isnan(reader.op.forward(*other)) & ~np.isnan(before))
        if not len(moved):
            moved = np.array([np.unravel_index(np.argmax(np.abs(dy)), dy.shape)])
        cells = [tuple(map(int, cell)) for cell in moved]
        return tuple(Path(cell, float(dy[cell]), derivative(cell)) for cell in cells)


def _exact(array: Array) -> Array:
    """In float64; integers as they are."""
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def _entry(gradient: Gradient, index: tuple[int, ...]) -> float:
    """One entry of a gradient, of whose rows only those that were read are kept."""
    assert gradient is not None
    if not isinstance(gradient, Rows):
        return float(gradient[index])
    row, *rest = index
    (found,) = np.nonzero(gradient.index == row)
    return float(gradient.values[(found[0], *rest)]) if len(found) else 0.0
