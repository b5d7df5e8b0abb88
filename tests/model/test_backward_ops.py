"""Each operation's backward pass, by hand, against central finite differences in float64."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from model.ops.activations import Gelu, GeluTanh, Relu, Silu
from model.ops.arithmetic import Add, Multiply
from model.ops.attention import MaskLater, MaskNothing, ScaledDotProduct, Softmax, WeightedSum
from model.ops.linear import HeadContributions, HeadLinear, Linear, SumHeads
from model.ops.lookups import Encode, Given, LookUp, LookUpPosition
from model.ops.loss import HiddenLoss, NextTokenLoss
from model.ops.norms import (
    Mean,
    MeanSquare,
    Normalize,
    RmsNormalize,
    Scale,
    ScaleAndShift,
    Variance,
)
from model.ops.op import Array, Gradient, Op, Rows
from model.ops.positions import Rotate, Sinusoids
from tests.model.operations import every_operation

STEP = 1e-5
TOLERANCE = 1e-6
T, S, D, H, K, F, V = 5, 3, 6, 2, 4, 9, 7
"""Sizes that no two axes of one operand share, so that a forgotten transpose shows."""

Make = Callable[[np.random.Generator], tuple[Array, ...]]


def normal(*shapes: tuple[int, ...]) -> Make:
    """Operands of these shapes."""
    return lambda random: tuple(random.normal(size=shape) for shape in shapes)


def masked(random: np.random.Generator) -> tuple[Array, ...]:
    return (np.where(np.tri(T, dtype=np.bool_), random.normal(size=(H, T, T)), -np.inf),)


def logits(random: np.random.Generator) -> tuple[Array, ...]:
    return random.normal(size=(T, V)), random.integers(V, size=T)


def hidden(random: np.random.Generator) -> tuple[Array, ...]:
    (z, _), at = logits(random), np.array([0, 2, 3])
    return z, at, random.integers(V, size=len(at))


def looked_up(random: np.random.Generator) -> tuple[Array, ...]:
    return np.array([2, 0, 2, 5]), random.normal(size=(V, D))


def ids(random: np.random.Generator) -> tuple[Array, ...]:
    return (random.integers(V, size=T),)


def with_scale(*shapes: tuple[int, ...]) -> Make:
    """Operands of which the last, a variance or a mean square, is positive."""

    def make(random: np.random.Generator) -> tuple[Array, ...]:
        return *normal(*shapes)(random), random.uniform(0.5, 2.0, size=T)

    return make


CASES: dict[str, tuple[Op, Make]] = {
    "add": (Add(), normal((T, D), (T, D))),
    "multiply": (Multiply(), normal((T, F), (T, F))),
    "causal mask": (MaskLater(), normal((H, T, T))),
    "scaled dot product": (ScaledDotProduct(), normal((H, T, K), (H, S, K))),
    "softmax": (Softmax("vocabulary"), normal((T, V))),
    "softmax of masked scores": (Softmax("source positions"), masked),
    "weighted sum": (WeightedSum(), normal((H, T, S), (H, S, K))),
    "linear": (Linear(), normal((T, D), (F, D), (F,))),
    "linear without bias": (Linear(), normal((T, D), (F, D))),
    "head linear": (HeadLinear(H), normal((T, D), (H * K, D), (H * K,))),
    "head linear without bias": (HeadLinear(H), normal((T, D), (H * K, D))),
    "head contributions": (HeadContributions(), normal((H, T, K), (F, H * K))),
    "sum of heads": (SumHeads(), normal((H, T, D), (D,))),
    "sum of heads without bias": (SumHeads(), normal((H, T, D))),
    "mean": (Mean(), normal((T, D))),
    "variance": (Variance(), normal((T, D), (T,))),
    "normalize": (Normalize(1e-5), with_scale((T, D), (T,))),
    "normalize with a large ε": (Normalize(0.5), with_scale((T, D), (T,))),
    "scale and shift": (ScaleAndShift(), normal((T, D), (D,), (D,))),
    "mean square": (MeanSquare(), normal((T, D))),
    "divide by the root mean square": (RmsNormalize(1e-5), with_scale((T, D))),
    "the same with a large ε": (RmsNormalize(0.5), with_scale((T, D))),
    "scale": (Scale(), normal((T, D), (D,))),
    "rotate": (Rotate(), normal((H, T, D))),
    "sinusoids": (Sinusoids(D), ids),
    "look up": (LookUp(), looked_up),
    "look up position": (
        LookUpPosition(),
        lambda random: (*ids(random), random.normal(size=(V, D))),
    ),
    "gelu": (Gelu(), normal((T, F))),
    "gelu, tanh form": (GeluTanh(), normal((T, F))),
    "relu": (Relu(), normal((T, F))),
    "silu": (Silu(), normal((T, F))),
    "next-token loss": (NextTokenLoss(), logits),
    "no mask": (MaskNothing(), normal((H, T, S))),
    "loss of hidden characters": (HiddenLoss(), hidden),
}
every_case = pytest.mark.parametrize(("op", "make"), CASES.values(), ids=CASES)


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(4)


def dense(gradient: Gradient, operand: Array) -> Array:
    """A gradient as an array, rows that no one read included."""
    if isinstance(gradient, Rows):
        table = np.zeros_like(operand)
        gradient.add_to(table)
        return table
    assert gradient is not None
    return gradient


def differences(op: Op, dy: Array, operands: tuple[Array, ...], which: int) -> Array:
    """d Σ y ⊙ dy / d operand, cell by cell: (f(x + h) − f(x − h)) / 2h."""

    def scalar(cell: tuple[int, ...], by: float) -> float:
        moved = [operand.copy() for operand in operands]
        moved[which][cell] += by
        y = op.forward(*moved)
        return float(np.sum(np.where(np.isfinite(y), y, 0.0) * dy))

    result = np.zeros_like(operands[which])
    for cell in np.ndindex(result.shape):
        result[cell] = (scalar(cell, STEP) - scalar(cell, -STEP)) / (2 * STEP)
    return result


def backward(
    op: Op, operands: tuple[Array, ...], random: np.random.Generator
) -> tuple[Array, tuple[Gradient, ...]]:
    """A random upstream gradient, and what the operation makes of it."""
    y = op.forward(*operands)
    dy = random.normal(size=y.shape).astype(y.dtype)
    return dy, op.backward(dy, y, *operands)


def floating(operands: tuple[Array, ...]) -> Iterator[int]:
    return (i for i, operand in enumerate(operands) if operand.dtype.kind == "f")


@every_case
def test_backward_equals_finite_differences(
    op: Op, make: Make, random: np.random.Generator
) -> None:
    operands = make(random)
    dy, gradients = backward(op, operands, random)
    for which in floating(operands):
        by_hand = dense(gradients[which], operands[which])
        assert np.abs(by_hand - differences(op, dy, operands, which)).max() <= TOLERANCE


@every_case
def test_backward_gives_one_gradient_an_operand(
    op: Op, make: Make, random: np.random.Generator
) -> None:
    operands = make(random)
    _, gradients = backward(op, operands, random)
    assert len(gradients) == len(operands)
    for gradient, operand in zip(gradients, operands, strict=True):
        assert (gradient is None) == (operand.dtype.kind != "f")


@every_case
def test_backward_keeps_float32_and_shapes(op: Op, make: Make, random: np.random.Generator) -> None:
    single = tuple(
        operand.astype(np.float32) if operand.dtype.kind == "f" else operand
        for operand in make(random)
    )
    _, gradients = backward(op, single, random)
    for which in floating(single):
        gradient = gradients[which]
        values = gradient.values if isinstance(gradient, Rows) else gradient
        assert values is not None
        assert values.dtype == np.float32
        assert dense(gradient, single[which]).shape == single[which].shape


def test_every_operation_has_a_case() -> None:
    """What is given has no derivative."""
    differentiable = {one for one in every_operation() if not issubclass(one, Given)}
    assert {type(op) for op, _ in CASES.values()} == differentiable


def test_masked_scores_receive_exactly_nothing(random: np.random.Generator) -> None:
    (gradient,) = backward(Softmax("source positions"), masked(random), random)[1]
    above = ~np.tri(T, dtype=np.bool_)
    array = dense(gradient, np.zeros((H, T, T)))
    assert np.isfinite(array).all()
    assert not array[:, above].any()
    assert array[:, ~above][:, 1:].all()  # but for the first position, which sees only itself


def test_masking_stops_the_gradient_of_later_positions(random: np.random.Generator) -> None:
    (gradient,) = backward(MaskLater(), normal((H, T, T))(random), random)[1]
    assert not dense(gradient, np.zeros((H, T, T)))[:, ~np.tri(T, dtype=np.bool_)].any()


def test_relu_passes_nothing_at_zero() -> None:
    x = np.array([-1.0, 0.0, 2.0])
    (gradient,) = Relu().backward(np.full(3, 5.0), Relu().forward(x), x)
    assert np.array_equal(dense(gradient, x), [0.0, 0.0, 5.0])


def test_row_looked_up_twice_receives_both_gradients() -> None:
    table = np.zeros((4, 2))
    which = np.array([3, 1, 3])
    dy = np.array([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]])
    none, rows = LookUp().backward(dy, table[which], which, table)
    assert none is None
    assert isinstance(rows, Rows)
    assert rows.index.tolist() == [1, 3]
    assert rows.values.tolist() == [[10.0, 20.0], [101.0, 202.0]]


def test_rows_are_added_to_what_is_there() -> None:
    table = np.ones((3, 2))
    Rows(np.array([2, 0]), np.array([[1.0, 2.0], [3.0, 4.0]])).add_to(table)
    assert table.tolist() == [[4.0, 5.0], [1.0, 1.0], [2.0, 3.0]]


def test_ids_pass_no_gradient_on() -> None:
    with pytest.raises(TypeError, match="no gradient flows through it"):
        Encode().backward(np.zeros(1), np.zeros(1))
