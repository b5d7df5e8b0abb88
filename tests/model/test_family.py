"""All committed presets: equal in NumPy, forward and backward; and who sees what."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from model import LoadedModel, Trace, check, load, trace
from model.checking import sanity
from model.config import PRESETS
from model.errors import TextError
from model.gradient_flow import gradient_flow
from model.table.axes import Along
from model.table.stage import Kind
from model.tokenizer import MASK
from tests.model.texts import another, before, random_text

CHECKPOINTS = Path(__file__).resolve().parents[2] / "checkpoints"
N_TEXTS = 100
N_GRADIENTS = 10


@pytest.fixture(scope="module", params=PRESETS)
def shipped(request: pytest.FixtureRequest) -> LoadedModel:
    """Each committed checkpoint."""
    return load(CHECKPOINTS / request.param)


def asked(model: LoadedModel, text: str, random: Random) -> dict[str, Any]:
    """What a request of that architecture says beside its text, at random."""
    if model.config.guesses:
        known = [position for position, character in enumerate(text) if character != MASK]
        return {"hidden": random.sample(known, max(1, len(known) // 4))}
    if model.config.writes:
        length = random.randint(1, model.config.context_length - 1)
        characters = model.tokenizer.vocabulary[1:]  # the first is the line end
        return {"target": "".join(random.choices(characters, k=length))}
    return {}


def traces(model: LoadedModel, random: Random, count: int, **more: Any) -> Iterator[Trace]:
    """Random texts of 2 to 64 characters, each with something to predict."""
    for _ in range(count):
        text = random_text(model, random, random.randint(2, model.config.context_length))
        text = text.replace(MASK, "a")
        yield trace(model, text, **asked(model, text, random), **more)


def test_checkpoint_is_the_preset(shipped: LoadedModel) -> None:
    assert shipped.config == PRESETS[shipped.id]
    assert shipped.training is not None
    assert shipped.training.steps > 1000


@pytest.mark.parametrize(
    "name", [name for name, config in PRESETS.items() if config.architecture == "decoder-only"]
)
def test_decoder_reaches_its_validation_loss(name: str) -> None:
    training = load(CHECKPOINTS / name).training
    assert training is not None
    assert training.validation_loss <= 1.60


def test_every_stage_of_random_texts_is_equal_in_numpy(
    shipped: LoadedModel, random: Random
) -> None:
    for traced in traces(shipped, random, N_TEXTS):
        wrong = [
            (one.key, one.end_to_end.scaled, one.single_operation.scaled)
            for one in check(traced)
            if not (one.end_to_end.equal and one.single_operation.equal)
        ]
        assert not wrong, (traced.text, wrong)


def test_gradients_of_random_texts_are_equal_in_numpy(shipped: LoadedModel, random: Random) -> None:
    for traced in traces(shipped, random, N_GRADIENTS, gradients=True):
        differences = {one.key: one.gradient for one in check(traced)}
        for stage in shipped.stages:
            found = differences[stage.key]
            assert (found is None) == (stage.kind is Kind.IDS)
            assert found is None or found.equal, (stage.key, found.scaled)


def test_asking_for_gradients_changes_no_number(shipped: LoadedModel, random: Random) -> None:
    (plain,) = traces(shipped, Random(3), 1)
    (other,) = traces(shipped, Random(3), 1, gradients=True, weight_gradients=True)
    for stage in shipped.stages:
        assert np.array_equal(plain.array(stage.key), other.array(stage.key)), stage.key


def test_gradients_have_the_shapes_of_what_they_are_of(
    shipped: LoadedModel, random: Random
) -> None:
    (traced,) = traces(shipped, random, 1, gradients=True, weight_gradients=True)
    for stage in shipped.stages:
        gradient = traced.gradient(stage.key)
        shape = None if gradient is None else gradient.shape
        assert shape == (None if stage.kind is Kind.IDS else traced.array(stage.key).shape)
    assert traced.weight_gradients is not None
    assert {key: tuple(one.shape) for key, one in traced.weight_gradients.items()} == {
        key: array.shape for key, array in shipped.weights.items()
    }


def test_asking_for_gradients_leaves_the_parameters_alone(
    shipped: LoadedModel, random: Random
) -> None:
    before_it = {key: array.copy() for key, array in shipped.weights.items()}
    list(traces(shipped, random, 2, gradients=True, weight_gradients=True))
    assert all(one.grad is None for one in shipped.network.parameters())
    for key, array in shipped.weights.items():
        assert np.array_equal(array, before_it[key])


def test_text_without_a_loss_has_no_gradients(shipped: LoadedModel) -> None:
    nothing: dict[str, Any] = {"target": ""} if shipped.config.writes else {}
    with pytest.raises(TextError, match="no loss, so there are no gradients"):
        trace(shipped, "a", **nothing, gradients=True)
    with pytest.raises(TextError, match="no loss, so there are no gradients"):
        gradient_flow(trace(shipped, "a", **nothing))


def test_sanity_checks_pass_on_random_texts(shipped: LoadedModel, random: Random) -> None:
    for traced in traces(shipped, random, 5):
        assert [one.finding for one in sanity(traced) if not one.passed] == []


# Who sees whom


def moved(model: LoadedModel, one: Trace, other: Trace, position: int, along: Along) -> list[str]:
    """The stages whose numbers at earlier positions differ."""
    return [
        stage.key
        for stage in model.stages
        if not np.array_equal(
            before(stage, one.array(stage.key), position, along),
            before(stage, other.array(stage.key), position, along),
        )
    ]


def test_later_character_changes_nothing_earlier_in_a_decoder(
    shipped: LoadedModel, random: Random
) -> None:
    for _ in range(20):
        text = random_text(shipped, random, 24).replace(MASK, "a")
        position = random.randrange(1, 24)
        one, other = trace_pair(shipped, text, position)
        earlier = moved(shipped, one, other, position, Along.TEXT)
        assert bool(earlier) == (shipped.config.architecture != "decoder-only")


def trace_pair(model: LoadedModel, text: str, position: int) -> tuple[Trace, Trace]:
    """A text and the same with another character at a position; of one target."""
    same: dict[str, Any] = {"target": "To be"} if model.config.writes else {}
    return trace(model, text, **same), trace(model, another(model, text, position), **same)


@pytest.mark.parametrize("name", [name for name, one in PRESETS.items() if one.writes])
def test_later_character_of_a_target_changes_nothing_earlier(name: str, random: Random) -> None:
    model = load(CHECKPOINTS / name)
    for _ in range(20):
        target = "".join(random.choices(model.tokenizer.vocabulary[1:], k=24))
        at = random.randrange(24)
        changed = "b" if target[at] == "a" else "a"
        one = trace(model, "T b, r nt", target=target)
        other = trace(model, "T b, r nt", target=target[:at] + changed + target[at + 1 :])
        position = at + 1  # the line end stands first
        assert moved(model, one, other, position, Along.TARGET) == []
        assert moved(model, one, other, position + 1, Along.TARGET)


# The gradient highway


def test_without_residuals_less_of_the_gradient_arrives(
    shipped: LoadedModel, random: Random
) -> None:
    (traced,) = traces(shipped, random, 1)
    flow = gradient_flow(traced)
    assert len(flow) >= 2 * shipped.config.n_blocks
    first, last = flow[0], flow[-1]
    assert first.without_residuals < first.norm
    assert last.without_residuals == last.norm


def test_norms_of_the_flow_are_those_of_the_gradients(shipped: LoadedModel) -> None:
    (traced,) = traces(shipped, Random(1), 1, gradients=True)
    for place in gradient_flow(traced):
        gradient = traced.gradient(place.key)
        assert gradient is not None
        norm = np.linalg.norm(gradient.astype(np.float64))
        assert place.norm == pytest.approx(norm, rel=1e-4)
