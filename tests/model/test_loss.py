"""The loss is computed from the logits: finite and right wherever they are finite, its gradient
too."""

import math
from random import Random

import numpy as np
import pytest
import torch

from model import LoadedModel, Trace, trace
from model.cells import explain
from model.checking import check
from model.config import PRESETS
from model.ops.explanation import Rule
from model.ops.loss import HiddenLoss, NextTokenLoss
from model.ops.op import Array
from tests.model.presets import of_preset, with_gradients
from tests.model.tampering import scaled
from tests.model.texts import random_text

FACTORS = (1, 10, 100, 1000)
TEXTS = 3
RELATIVE = 1e-5
ROUNDING = 2.0**-22
"""Two last digits of float32's 1, which the sum of the exponentials is at least: a loss nearer to 0
than that cannot be told from it."""
STEP = 1e-4


@pytest.fixture(params=sorted(PRESETS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def with_larger_logits(name: str, factor: float) -> LoadedModel:
    """A preset whose logits are so many times as large: by its head, or where that is tied by the
    last norm's parameters."""
    model = of_preset(name)
    last = {stage.key: stage for stage in model.stages}
    source = last["logits"].inputs[0] if model.config.tied_head else "logits"
    return scaled(model, {weight.key: factor for weight in last[source].weights})


def rows_and_targets(traced: Trace) -> tuple[Array, Array]:
    """The rows of logits that are judged, in order, and the id that each should have given."""
    loss = traced.stage("loss")
    _, *asked = (traced.array(key) for key in loss.inputs)
    if isinstance(loss.op, HiddenLoss):
        return asked[0], asked[1]
    (ids,) = asked
    return np.arange(len(ids) - 1), ids[1:]


def exact_loss(logits: Array, targets: Array) -> Array:
    """Float64 cross-entropy by torch: (N, V), (N,) -> (N,)."""
    return torch.nn.functional.cross_entropy(
        torch.from_numpy(logits.astype(np.float64)),
        torch.from_numpy(targets.astype(np.int64)),
        reduction="none",
    ).numpy()


def furthest(traced: Trace) -> float:
    """How far the losses are from float64's, where 1 is as far as they may be."""
    rows, targets = rows_and_targets(traced)
    exact = exact_loss(traced.array("logits")[rows], targets)
    shown = traced.array("loss")
    assert np.isfinite(shown).all()
    return float((np.abs(shown - exact) / (RELATIVE * exact + ROUNDING)).max(initial=0.0))


def exact_gradient(traced: Trace) -> Array:
    """(p − one-hot) / count in float64, 0 in rows that are not judged."""
    rows, targets = rows_and_targets(traced)
    logits = traced.array("logits").astype(np.float64)
    gradient = np.zeros_like(logits)
    gradient[rows] = torch.from_numpy(logits[rows]).softmax(-1).numpy()
    gradient[rows, targets] -= 1
    return gradient / len(rows)


def texts(model: LoadedModel, random: Random, count: int) -> list[str]:
    """Random ones, which begin with letters so that every architecture has something to predict."""
    return ["Tobe" + random_text(model, random, random.randint(1, 60)) for _ in range(count)]


@pytest.mark.parametrize("factor", FACTORS)
def test_loss_is_cross_entropy_of_the_recorded_logits(
    name: str, factor: int, random: Random
) -> None:
    model = with_larger_logits(name, factor)
    for text in texts(model, random, TEXTS):
        assert furthest(with_gradients(model, text)) <= 1, text


@pytest.mark.parametrize("factor", FACTORS)
def test_gradient_of_the_logits_is_p_less_the_truth_over_the_count(
    name: str, factor: int, random: Random
) -> None:
    model = with_larger_logits(name, factor)
    for text in texts(model, random, TEXTS):
        traced = with_gradients(model, text)
        shown = traced.gradient("logits")
        assert shown is not None
        assert np.abs(shown - exact_gradient(traced)).max() <= 1e-6, text


@pytest.mark.parametrize("factor", FACTORS)
def test_gradient_of_the_logits_is_the_difference_quotient_of_the_loss(
    name: str, factor: int, random: Random
) -> None:
    """In float64, through the loss alone, along random directions."""
    model = with_larger_logits(name, factor)
    for text in texts(model, random, TEXTS):
        traced = with_gradients(model, text)
        rows, targets = rows_and_targets(traced)
        logits, shown = traced.array("logits").astype(np.float64), traced.gradient("logits")
        assert shown is not None
        for _ in range(5):
            moved = np.random.default_rng(random.randrange(1000)).normal(size=logits.shape) * STEP
            ends = (exact_loss((logits + s * moved)[rows], targets).mean() for s in (1, -1))
            quotient = (next(ends) - next(ends)) / (2 * STEP)
            assert abs(quotient - float((shown * moved).sum()) / STEP) <= 1e-5, text


# F01 of the list of cases, and another of the kind


@pytest.mark.parametrize(("factor", "text"), [(50, "To be, or not"), (1000, "zzzzQQQ3$&")])
def test_loss_where_the_probability_rounds_to_zero_is_finite(factor: int, text: str) -> None:
    traced = with_gradients(with_larger_logits("shakespeare", factor), text)
    rows, targets = rows_and_targets(traced)
    assert (traced.array("probabilities")[rows, targets] == 0).any()
    assert furthest(traced) <= 1
    for stage in traced.stages:
        gradient = traced.gradient(stage.key)
        assert gradient is None or np.isfinite(gradient).all(), stage.key
    found = {one.key: one for one in check(traced)}["loss"]
    assert found.single_operation.equal
    assert found.gradient is not None
    assert found.gradient.equal


@pytest.mark.parametrize("target", [0, 1])
def test_loss_of_logits_as_large_as_ten_thousand_is_exact(target: int) -> None:
    logits = np.array([[1e4, -1e4, 9_999.5]], dtype=np.float32)
    found = NextTokenLoss().forward(np.repeat(logits, 2, axis=0), np.array([0, target]))
    assert found.dtype == np.float32
    assert found[0] == pytest.approx(exact_loss(logits, np.array([target]))[0], rel=RELATIVE)


# Its arithmetic


@pytest.mark.parametrize("factor", [1, 1000])
def test_terms_of_a_loss_are_the_exponentials_and_the_targets_logit(name: str, factor: int) -> None:
    traced = with_gradients(with_larger_logits(name, factor), "Tobeornot" * 2)
    rows, targets = rows_and_targets(traced)
    cell = explain(traced, "loss", (1,), largest=None)
    *exponentials, own = cell.terms
    row = traced.array("logits")[rows[1]].astype(np.float64)
    assert cell.rule is Rule.LOG_SUM
    assert len(exponentials) == traced.model.config.vocab_size
    added = math.fsum(term.value for term in exponentials)
    assert math.log(added) - own.value == cell.total
    assert own.value == row[targets[1]] - row.max()
    assert own.factors[0].index == (rows[1], targets[1])
    assert cell.equal


def test_folded_terms_of_a_loss_keep_the_targets_logit_last() -> None:
    traced = with_gradients(of_preset("shakespeare"), "To be")
    whole, short = (explain(traced, "loss", (2,), largest=n) for n in (None, 4))
    assert short.terms[-1] == whole.terms[-1]
    assert short.folded == traced.model.config.vocab_size - 4
    assert short.rule.total([term.value for term in short.terms]) == pytest.approx(short.total)


# What nothing reads


def test_probabilities_have_the_gradient_zero_and_its_cell_says_why(name: str) -> None:
    traced = with_gradients(of_preset(name), "Tobeornot")
    gradient = traced.gradient("probabilities")
    assert gradient is not None
    assert not gradient.any()
    cell = explain(traced, "probabilities", (1, 2), gradient=True)
    assert (cell.value, cell.total, cell.code, cell.used_by) == (0.0, 0.0, "0.0", ())
    assert cell.equal
    assert cell.note is not None
    assert "its gradient is 0 everywhere" in cell.note
    assert cell.equation == r"\frac{\partial \bar{\ell}}{\partial p} = 0"


def test_gradient_of_a_logit_comes_from_the_loss_of_its_own_row_however_small() -> None:
    traced = with_gradients(with_larger_logits("shakespeare", 50), "To be, or not")
    gradient = traced.gradient("logits")
    assert gradient is not None
    smallest = int(np.argmin(np.where(gradient[3] > 0, gradient[3], np.inf)))
    (term,) = explain(traced, "logits", (3, smallest), gradient=True).terms
    (factor,) = term.factors
    assert (factor.stage, factor.index) == ("loss", (3,))


def test_loss_is_read_by_no_stage_and_reads_the_logits(name: str) -> None:
    loss = trace(of_preset(name), "To").stage("loss")
    assert loss.inputs[0] == "logits"
