"""Whether a cell's explanation notices that the number shown is not what it comes to."""

import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from model import LoadedModel, Trace, explain, trace
from model.config import PRESETS
from model.table.stage import Kind
from tests.model.presets import of_preset, with_gradients
from tests.model.tampering import of_wrong, perturbed
from tests.model.texts import random_text


@pytest.fixture(scope="module")
def plain(model: LoadedModel) -> Trace:
    return trace(model, "To be, or not to be")


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_wrong_number_is_not_equal(name: str) -> None:
    """A little beyond what is allowed on the scale of its row, in every stage and its gradient."""
    random, model = Random(8), of_preset(name)
    traced = with_gradients(model, random_text(model, random, 11))
    assert traced.gradients is not None
    largest = max(float(gradient.abs().max()) for gradient in traced.gradients.values())
    for stage in traced.model.stages:
        if stage.kind is Kind.IDS:
            continue
        place = tuple(random.choice(np.argwhere(np.isfinite(traced.array(stage.key)))).tolist())
        row = traced.array(stage.key)[place[:-1]]
        by = 2e-5 * max(1.0, float(np.abs(row[np.isfinite(row)]).max()))
        assert not explain(perturbed(traced, stage.key, place, by), stage.key, place).equal
        gradients = of_wrong(traced.gradients, stage.key, place, 2e-5 * largest)
        wrong = replace(traced, gradients=gradients)
        assert not explain(wrong, stage.key, place, gradient=True).equal, stage.key


def test_large_row_excuses_no_other(plain: Trace) -> None:
    """The scale of a cell is its row's, whatever else the stage holds."""
    key = "blocks.0.ffn.hidden"
    wrong = perturbed(perturbed(plain, key, (3, 1), 1e6), key, (4, 1), 1e-3)
    assert not explain(wrong, key, (4, 1)).equal
    assert explain(wrong, key, (4, 2)).equal


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_cell_that_is_not_finite_equals_nothing(plain: Trace, value: float) -> None:
    """Not even itself: the addition below has the same number for its total."""
    result, (left, _) = "input", plain.stage("input").inputs
    wrong = perturbed(perturbed(plain, left, (1, 2), value), result, (1, 2), value)
    cell = explain(wrong, result, (1, 2))
    assert str(cell.total) == str(cell.value) == str(value)
    assert not cell.equal
    assert cell.difference == math.inf
