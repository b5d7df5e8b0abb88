"""A trace with a table of its own, not its model's: each answer about it follows that table. Here
one stage reads the same tensor as both of its operands, twice over."""

import numpy as np
import pytest
import torch

from model import Trace, check, explain, explain_weight
from model.config import PRESETS
from model.errors import UnknownStage
from model.gradient_flow import gradient_flow
from model.ops.arithmetic import Add, Multiply
from model.ops.lookups import Encode, LookUp
from model.ops.op import Array, Gradient, Op
from model.question import Question
from model.reading import read
from model.recorder import Record
from model.table.architectures import EMBEDDING
from model.table.axes import D_MODEL, POSITION
from model.table.stage import Kind, Stage, Weight
from model.tracing import matching
from tests.model.presets import untrained

TEXT = "abca"


def made(key: str, op: Op, *inputs: str, weights: tuple[Weight, ...] = ()) -> Stage:
    axes = (POSITION, D_MODEL) if inputs else (POSITION,)
    kind = Kind.SIGNED if inputs else Kind.IDS
    return Stage(key, key, key, axes, kind, op, "", (), "", None, inputs, weights)


TABLE = (
    made("ids", Encode()),
    made("x", LookUp(), "ids", weights=(EMBEDDING,)),
    made("doubled", Add(), "x", "x"),
    made("squared", Multiply(), "doubled", "doubled"),
)
"""squared = (x + x)², whose mean has the gradient 8x / n with respect to x."""


@pytest.fixture(scope="module")
def traced() -> Trace:
    """As torch computes the table, gradients included."""
    model = untrained(PRESETS["shakespeare"])
    reading = read(model, Question(TEXT))
    weight = model.network.state_dict()[EMBEDDING.key].clone().requires_grad_()
    ids = torch.tensor(reading.given["ids"][None])
    x = weight[ids]
    doubled = x + x
    squared = doubled * doubled
    made = {"x": x, "doubled": doubled, "squared": squared}
    *found, of_weight = torch.autograd.grad(squared.mean(), [*made.values(), weight])
    return Trace(
        model,
        reading,
        TABLE,
        Record({"ids": ids, **{key: one.detach() for key, one in made.items()}}),
        Record(dict(zip(made, found, strict=True))),
        Record({EMBEDDING.key: of_weight[None]}),
    )


@pytest.mark.parametrize("key", ["doubled", "squared"])
def test_value_of_a_tensor_read_twice_is_explained(traced: Trace, key: str) -> None:
    cell = explain(traced, key, (1, 2))
    assert [operand.stage for term in cell.terms for operand in term.factors] == [
        traced.stage(key).inputs[0]
    ] * 2
    assert cell.total == pytest.approx(cell.value, rel=1e-6)
    assert cell.equal


@pytest.mark.parametrize("key", ["x", "doubled"])
def test_gradient_of_a_tensor_read_twice_is_explained(traced: Trace, key: str) -> None:
    cell = explain(traced, key, (1, 2), gradient=True)
    (reader,) = {operand.stage for term in cell.terms for operand in term.factors}
    assert cell.used_by == (reader,)
    assert [step.label for step in cell.steps] == [reader, reader]
    assert cell.equation.count("top") == 1
    assert cell.value != 0
    assert cell.total == pytest.approx(cell.value, rel=1e-6)
    assert cell.equal


def test_gradient_of_a_tensor_read_twice_is_what_calculus_says(traced: Trace) -> None:
    x, gradient = traced.array("x"), traced.gradient("x")
    assert gradient is not None
    np.testing.assert_allclose(gradient, 8 * x / x.size, rtol=1e-6)


class Leaning(Add):
    """y = a + 2b, whose operands differ in what they pass back."""

    def forward(self, *operands: Array) -> Array:
        a, b = operands
        return a + 2 * b

    def backward(self, dy: Array, y: Array, *operands: Array) -> tuple[Gradient, ...]:
        return dy, 2 * dy


def test_each_reading_of_a_tensor_passes_back_its_own_share(traced: Trace) -> None:
    x, ones = torch.from_numpy(traced.array("x").copy())[None], torch.ones(1, 4, 64)
    table = (*TABLE[:2], made("leaning", Leaning(), "x", "x"))
    values = Record({"x": x, "leaning": 3 * x})
    leaning = Trace(
        traced.model, traced.reading, table, values, Record({"x": 3 * ones, "leaning": ones})
    )
    cell = explain(leaning, "x", (1, 2), gradient=True)
    assert [step.value for step in cell.steps] == [1.0, 2.0]
    assert (cell.value, cell.total) == (3.0, 3.0)


def test_gradient_of_a_weight_follows_the_traces_table(traced: Trace) -> None:
    """In the model's own table other stages use it."""
    row = int(traced.array("ids")[0])
    cell = explain_weight(traced, EMBEDDING.key, (row, 3), gradient=True)
    assert cell.used_by == ("x",)
    assert cell.total == pytest.approx(cell.value, rel=1e-6)


def test_second_implementation_adds_both_readings(traced: Trace) -> None:
    checks = check(traced)
    assert [one.key for one in checks] == [stage.key for stage in TABLE]
    for one in checks:
        assert one.end_to_end.equal, one.key
        assert one.single_operation.equal, one.key
    gradients = [one.gradient for one in checks if one.gradient is not None]
    assert len(gradients) == len(TABLE) - 1
    assert all(one.equal for one in gradients)


def test_sum_of_a_tensor_with_itself_is_no_residual_connection(traced: Trace) -> None:
    assert gradient_flow(traced) == ()


def test_stage_of_the_model_alone_is_unknown_to_the_trace(traced: Trace) -> None:
    for unknown in (traced.stage, traced.array, lambda key: matching(traced.stages, [key])):
        with pytest.raises(UnknownStage, match="4 stages from ids to squared"):
            unknown("logits")
