"""Each operation explains every cell of its result: the terms join to it, the operands are where
the factors say, and the line of NumPy gives the same number."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from model.ops.arithmetic import Add
from model.ops.attention import ScaledDotProduct, Softmax, WeightedSum
from model.ops.explanation import Explanation, Rule, Term, explained, folded, number
from model.ops.linear import HeadContributions, HeadLinear, Linear, SumHeads
from model.ops.lookups import Encode, EncodeTarget, Given, HiddenIds, HiddenPositions
from model.ops.loss import HiddenLoss, NextTokenLoss
from model.ops.norms import Mean, MeanSquare, Variance
from model.ops.op import Array, Op
from model.ops.positions import Rotate
from model.table.feed_forward import ACTIVATIONS
from tests.model.test_backward_ops import CASES, D, H, K, S

TOLERANCE = 1e-6
"""Φ's area in NumPy is a sum of a thousand trapezoids; all else is exact to rounding."""


LONGEST_SUMS: dict[type[Op], int] = {
    Linear: D, HeadLinear: D, HeadContributions: K, SumHeads: H,
    ScaledDotProduct: K, WeightedSum: S, Softmax: 0, Rotate: 2,
    Mean: D, Variance: D, MeanSquare: D,
}  # fmt: skip
"""By the sizes of the cases; a softmax's and a loss's is its row, and all others make a cell of
single numbers."""


@dataclass(frozen=True)
class Explained:
    """One cell of an operation's result."""

    index: tuple[int, ...]
    shown: float
    operands: tuple[Array, ...]
    explanation: Explanation


def every_cell(op: Op, operands: tuple[Array, ...]) -> Iterator[Explained]:
    y = op.forward(*operands)
    for index in np.ndindex(y.shape):
        yield Explained(index, float(y[index]), operands, op.explain(index, y, *operands))


def executed(code: str) -> float:
    """A line's value, with nothing but NumPy at hand."""
    assert "\n" not in code
    return float(eval(code, {"np": np, "__builtins__": {}}))  # noqa: S307


def near(a: float, b: float) -> bool:
    return a == b or abs(a - b) <= TOLERANCE * max(1.0, abs(a))


CELLS = {
    name: list(every_cell(op, make(np.random.default_rng(4)))) for name, (op, make) in CASES.items()
}
every_operation = pytest.mark.parametrize("cells", CELLS.values(), ids=CELLS)


@every_operation
def test_total_is_the_cell(cells: list[Explained]) -> None:
    for cell in cells:
        assert near(cell.explanation.total, cell.shown), cell.index


@every_operation
def test_terms_join_to_the_total_by_the_rule(cells: list[Explained]) -> None:
    for cell in cells:
        found = cell.explanation
        assert found.rule.total([term.value for term in found.terms]) == found.total


@pytest.mark.parametrize("name", CASES)
def test_longest_sum_is_as_long_as_the_shapes_say(name: str) -> None:
    op, make = CASES[name]
    expected = next((n for of, n in LONGEST_SUMS.items() if isinstance(op, of)), 1)
    operands = make(np.random.default_rng(4))
    if isinstance(op, (Softmax, NextTokenLoss, HiddenLoss)):
        expected = operands[0].shape[-1]
    if isinstance(op, SumHeads):
        expected += len(operands) - 1  # the bias
    assert op.longest_sum(*operands) == expected


@every_operation
def test_every_cell_has_a_term(cells: list[Explained]) -> None:
    for cell in cells:
        assert cell.explanation.terms
        assert (cell.explanation.rule is Rule.MASK) == (cell.shown == -np.inf)


@every_operation
def test_line_of_numpy_gives_the_cell(cells: list[Explained]) -> None:
    for cell in cells:
        assert near(executed(cell.explanation.code), cell.shown), cell.explanation.code


@every_operation
def test_factors_are_cells_of_the_operands(cells: list[Explained]) -> None:
    for cell in cells:
        for term in cell.explanation.terms:
            for factor in term.factors:
                operand = cell.operands[factor.operand]
                assert len(factor.index) == operand.ndim
                at = zip(factor.index, operand.shape, strict=True)
                assert all(0 <= place < size for place, size in at)


@every_operation
def test_cell_depends_on_no_other_cell_than_the_factors(cells: list[Explained]) -> None:
    """With all other numbers changed, the same terms give the same total."""
    cell = cells[len(cells) // 2]
    found = cell.explanation
    kept = [np.zeros(operand.shape, dtype=np.bool_) for operand in cell.operands]
    for term in found.terms:
        for factor in term.factors:
            kept[factor.operand][factor.index] = True
    changed = tuple(
        np.where(keep | (operand.dtype.kind != "f"), operand, 99.0).astype(operand.dtype)
        for keep, operand in zip(kept, cell.operands, strict=True)
    )
    op, _ = CASES[next(name for name, known in CELLS.items() if known is cells)]
    assert near(float(op.forward(*changed)[cell.index]), found.total)


@pytest.mark.parametrize("op", [Encode(), EncodeTarget(), HiddenPositions(), HiddenIds()])
def test_given_integer_is_copied(op: Given) -> None:
    found = op.explain((1,), np.array([3, 5]))
    assert (found.rule, found.total, found.code) == (Rule.COPY, 5, "5")
    assert found.terms[0].label == f"{op.result} 1"


def test_operation_without_an_explanation_cannot_be_made() -> None:
    class Forgotten(Add):
        explain: ClassVar[Any] = Op.explain

    with pytest.raises(TypeError, match="explain"):
        Forgotten()


# What the terms are


def explain(name: str, index: tuple[int, ...]) -> Explanation:
    return next(cell.explanation for cell in CELLS[name] if cell.index == index)


def labels(explanation: Explanation) -> list[str]:
    return [term.label for term in explanation.terms]


def steps(name: str, index: tuple[int, ...]) -> dict[str, float]:
    """The numbers between, as a reader sees them: by their labels."""
    return {step.label: step.value for step in explain(name, index).steps}


def test_softmax_has_own_exponential_first_and_all_of_its_row() -> None:
    found = explain("softmax of masked scores", (1, 2, 1))
    assert [term.factors[0].index[-1] for term in found.terms] == [1, 0, 2, 3, 4]
    assert all(term.factors[0].index[:-1] == (1, 2) for term in found.terms)
    assert [step.label for step in found.steps] == ["maximum of the row", "sum of the exponentials"]
    assert found.steps[1].value == pytest.approx(sum(term.value for term in found.terms))
    assert max(term.value for term in found.terms) == 1.0


def test_softmax_gives_masked_cells_nothing() -> None:
    found = explain("softmax of masked scores", (1, 2, 3))
    assert found.total == 0.0
    assert found.terms[0].value == 0.0
    assert "np.exp(-np.inf - " in found.code


def test_mask_names_itself_and_why() -> None:
    found = explain("causal mask", (0, 1, 2))
    assert (found.total, found.code, labels(found)) == (-np.inf, "-np.inf", ["causal mask"])
    assert found.note == "Position 1 must not see position 2, which comes later."


def test_score_is_divided_by_the_root_of_d_head() -> None:
    found = explain("scaled dot product", (1, 0, 2))
    *_, divisor = found.terms
    q = CELLS["scaled dot product"][0].operands[0]
    assert divisor.value**2 == pytest.approx(q.shape[-1])
    assert divisor.factors == ()


@pytest.mark.parametrize("name", ["linear", "head linear", "sum of heads"])
def test_bias_is_a_term_of_its_own(name: str) -> None:
    found = CELLS[name][-1].explanation
    without = CELLS[f"{name} without bias"][-1].explanation
    assert labels(found) == [*labels(without), f"bias {{{1 if name == 'sum of heads' else 2}}}"]


@pytest.mark.parametrize("name", ["mean", "variance", "mean square"])
def test_mean_divides_by_the_number_of_features(name: str) -> None:
    found = CELLS[name][0].explanation
    assert found.terms[-1].value == len(found.terms) - 1
    assert labels(found)[-1] == "number of features"


def test_normalized_is_the_distance_from_the_mean_over_the_deviation() -> None:
    assert labels(CELLS["normalize"][0].explanation) == [
        "{0}",
        "−{1}",
        "√({2} + ε), with ε = 1e-05",
    ]


def test_rotation_reads_both_features_of_its_pair() -> None:
    for k in (0, 1):
        found = explain("rotate", (0, 1, k))
        assert [term.factors[0].index for term in found.terms] == [(0, 1, 0), (0, 1, 1)]
        assert found.steps[0].value == pytest.approx(1.0)


@pytest.mark.parametrize("k", range(D))
def test_steps_of_a_rotation_are_its_angle_cosine_and_sine(k: int) -> None:
    theta = 2 / 10_000 ** ((k - k % 2) / D)
    assert steps("rotate", (1, 2, k)) == {
        "θ, in radians": pytest.approx(theta),
        "cos θ": pytest.approx(math.cos(theta)),
        "sin θ": pytest.approx(math.sin(theta)),
    }


@pytest.mark.parametrize("k", range(D))
def test_step_of_a_sinusoid_is_the_angle_that_it_is_of(k: int) -> None:
    theta = 2 / 10_000 ** ((k - k % 2) / D)
    assert steps("sinusoids", (2, k)) == {"angle, in radians": pytest.approx(theta)}


def test_step_of_a_score_is_the_dot_product_before_it_is_divided() -> None:
    q, k = CELLS["scaled dot product"][0].operands
    products = {"sum of the products": pytest.approx(float(q[1, 0] @ k[1, 2]))}
    assert steps("scaled dot product", (1, 0, 2)) == products


def test_steps_of_a_softmax_are_those_of_its_row() -> None:
    row = CELLS["softmax"][0].operands[0][2]
    assert steps("softmax", (2, 1)) == {
        "maximum of the row": row.max(),
        "sum of the exponentials": pytest.approx(np.exp(row - row.max()).sum()),
    }


def test_step_of_the_tanh_form_is_what_the_tanh_is_of() -> None:
    x = CELLS["gelu, tanh form"][0].operands[0][1, 2]
    inside = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    expected = {"u = √(2/π) ({0} + 0.044715 ({0})³)": pytest.approx(inside)}
    assert steps("gelu, tanh form", (1, 2)) == expected


def test_step_of_the_normalized_is_the_distance_from_the_mean() -> None:
    x, mean, _ = CELLS["normalize"][0].operands
    assert steps("normalize", (1, 2)) == {"{0} − {1}": pytest.approx(x[1, 2] - mean[1])}


def test_step_of_a_mean_is_the_sum_that_is_divided() -> None:
    for name, power in (("mean", 1), ("mean square", 2)):
        (x,) = CELLS[name][0].operands
        assert steps(name, (1,)) == {"sum": pytest.approx((x[1] ** power).sum())}


def test_loss_of_a_probability_that_rounds_to_zero_is_the_distance_of_two_logits() -> None:
    found = NextTokenLoss().explain((0,), np.zeros(1), np.array([[5000.0, 0.0]]), np.array([0, 1]))
    assert found.total == 5000.0
    assert executed(found.code) == 5000.0
    assert [term.value for term in found.terms] == [1.0, 0.0, -5000.0]


@pytest.mark.parametrize("x", [0.0, -0.1, 3.0, -8.0, 40.0, -40.0])
@pytest.mark.parametrize("op", ACTIVATIONS.values())
def test_activation_of_any_size_is_explained(op: Op, x: float) -> None:
    operand = np.array([x])
    found = op.explain((0,), op.forward(operand), operand)
    assert near(found.total, float(op.forward(operand)[0]))
    assert near(executed(found.code), found.total)


def test_float32_reads_back_exactly() -> None:
    values = np.random.default_rng(5).normal(size=100).astype(np.float32)
    assert [np.float32(eval(number(value))) for value in values] == list(values)  # noqa: S307


@pytest.mark.parametrize(
    ("value", "text"), [(np.inf, "np.inf"), (-np.inf, "-np.inf"), (np.nan, "np.nan"), (3, "3")]
)
def test_number_that_python_cannot_write_is_numpys(value: float, text: str) -> None:
    assert number(value) == text


# Long sums


@pytest.fixture
def long() -> Explanation:
    terms = [Term(f"{n}", (), (-1.0) ** n * n) for n in range(20)]
    return explained(Rule.SUM, terms, "")


def test_long_sum_is_folded_largest_first(long: Explanation) -> None:
    found = folded(long, 3)
    assert labels(found) == ["19", "18", "17", "17 more terms, none larger"]
    assert found.folded == 17
    assert found.total == long.total
    assert found.rule.total([term.value for term in found.terms]) == pytest.approx(long.total)


@pytest.mark.parametrize("largest", [19, 20, 100])
def test_fold_of_one_term_is_left_alone(long: Explanation, largest: int) -> None:
    assert folded(long, largest) is long


@pytest.mark.parametrize("name", ["linear", "scaled dot product", "softmax", "mean", "variance"])
def test_folded_terms_join_to_the_same_total(name: str) -> None:
    for cell in CELLS[name]:
        found = folded(cell.explanation, 1)
        assert found.folded > 0
        values = [term.value for term in found.terms]
        assert found.rule.total(values) == pytest.approx(found.total, abs=1e-12)


def test_folded_share_keeps_its_own_term_first() -> None:
    for cell in CELLS["softmax"]:
        assert folded(cell.explanation, 1).terms[0] == cell.explanation.terms[0]


def test_folded_quotient_keeps_its_divisor_last() -> None:
    for cell in CELLS["mean"]:
        assert folded(cell.explanation, 1).terms[-1] == cell.explanation.terms[-1]


def test_product_is_never_folded() -> None:
    found = CELLS["multiply"][0].explanation
    assert folded(found, 1) is found
