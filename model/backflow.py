"""How a gradient reaches one cell: what each use of its tensor passes back."""

from collections.abc import Sequence

import numpy as np

from model.ops import Array, Explanation, Factor, Gradient, Rows, Rule, Term, explained, numbers
from model.stage import Stage
from model.tracing import Trace

Use = tuple[Stage, int]
"""A stage that reads a tensor, and as which of its operands."""

MOVE = 1e-6
"""How far a cell is moved to see which cells of a result move with it."""


def explain(traced: Trace, uses: Sequence[Use], index: tuple[int, ...]) -> Explanation:
    """d loss / d cell as a sum of one term a use, its value by the operation's vector-Jacobian
    product in float64. The factor of a term is one cell of the use's own gradient (operand n for
    use n): the one through which most comes back; where nothing does, the largest.
    """
    terms = []
    for n, (reader, operand) in enumerate(uses):
        value, through = _passed_back(traced, reader, operand, index)
        terms.append(Term(reader.key, (Factor(n, through),), value))
    return explained(
        Rule.SUM,
        terms,
        f"np.sum({numbers(term.value for term in terms)})",
        note="Each term is what one stage passes back: the gradient of all its cells times how "
        "much they move with this one. The operand is the cell through which most comes.",
    )


def of_mean(count: int) -> Explanation:
    """d mean / d one of `count` losses: 1 / count."""
    return explained(
        Rule.QUOTIENT,
        [Term("the mean loss by itself", (), 1.0), Term("number of losses", (), float(count))],
        f"1 / {count}",
        note="The scalar that the gradients are of is the mean of these losses.",
    )


def equation(symbol: str, readers: Sequence[Stage]) -> str:
    """The chain rule in LaTeX, L the mean loss."""
    of = rf"\frac{{\partial L}}{{\partial {symbol}}}"
    if not readers:
        return rf"{of}[i] = \frac{{1}}{{n}}, \quad L = \frac{{1}}{{n}} \sum_i {symbol}[i]"
    flows = (
        rf"\left(\frac{{\partial {reader.symbol}}}{{\partial {symbol}}}\right)^{{\top}}"
        rf"\frac{{\partial L}}{{\partial {reader.symbol}}}"
        for reader in readers
    )
    return f"{of} = {' + '.join(flows)}"


def _passed_back(
    traced: Trace, reader: Stage, operand: int, index: tuple[int, ...]
) -> tuple[float, tuple[int, ...]]:
    """What a stage passes back to one cell of one operand, and the cell of its own gradient
    through which most of that comes."""
    recorded = [traced.array(key) for key in reader.inputs]
    weights = [traced.model.weights[weight.key] for weight in reader.weights]
    operands = [_exact(array) for array in (*recorded, *weights)]
    gradient = traced.gradient(reader.key)
    assert gradient is not None, f"{reader.key} passes a gradient back and has none"
    dy, y = _exact(gradient), _exact(traced.array(reader.key))
    with np.errstate(divide="ignore", invalid="ignore"):  # of a probability of 0
        flow = reader.op.backward(dy, y, *operands)[operand]
        value = _entry(flow, index)
        before = reader.op.forward(*operands)
        operands[operand] = operands[operand].copy()
        operands[operand][index] += MOVE
        moved = np.nan_to_num(dy * (reader.op.forward(*operands) - before))
    sizes = np.abs(moved if moved.any() else dy)
    through = np.unravel_index(np.argmax(sizes), sizes.shape)
    return value, tuple(int(place) for place in through)


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
