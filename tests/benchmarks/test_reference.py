"""The benchmark's peers compute the same model, and its table says what was measured."""

from functools import partial

import pytest
import torch

from model import LoadedModel
from model.config import PRESETS
from model.network.build import build
from model.tokenizer import MASK, CharacterTokenizer
from tests.benchmarks.cpu import check_agreement
from tests.benchmarks.functions import plain_forward
from tests.benchmarks.reference import plain_model
from tests.benchmarks.rounds import Rounds, interleaved
from tests.benchmarks.table import Bound, Goal, Line, table
from tests.benchmarks.texts import SPEECH, texts

every_length = pytest.mark.parametrize("length", [1, 2, 64])


def untrained(name: str) -> LoadedModel:
    """A preset as it would start training, with noise on every parameter, biases and γ included."""
    config = PRESETS[name]
    generator = torch.Generator().manual_seed(1)
    network = build(config, generator).requires_grad_(False).eval()
    for parameter in network.parameters():
        parameter += 0.2 * torch.randn(parameter.shape, generator=generator)
    characters = [*sorted({*SPEECH, MASK}), *map(chr, range(0x3B1, 0x400))]
    tokenizer = CharacterTokenizer(tuple(characters[: config.vocab_size]))
    return LoadedModel(name, config, tokenizer, network, "", None)


@every_length
def test_functions_agree_with_the_traced_logits(model: LoadedModel, length: int) -> None:
    weights = model.network.state_dict()
    peer = partial(plain_forward, weights=weights, config=model.config)
    check_agreement(peer, model, texts(length)[0])


@every_length
@pytest.mark.parametrize("name", PRESETS)
def test_modules_agree_with_the_traced_logits(name: str, length: int) -> None:
    model = untrained(name)
    peer = plain_model(model.network.state_dict(), model.config)
    check_agreement(peer, model, texts(length)[0])


@pytest.mark.parametrize("name", PRESETS)
def test_disagreeing_peer_is_found(name: str) -> None:
    """Every parameter matters, or the comparison would let a wrong peer pass; but for the keys'
    bias, which adds the same to all scores of a row."""
    model = untrained(name)
    weights = model.network.state_dict()
    for key in (key for key in weights if not key.endswith("key.bias")):
        spoiled = plain_model(weights | {key: -weights[key]}, model.config)
        with pytest.raises(AssertionError):
            check_agreement(spoiled, model, texts(64)[0])


def test_texts_are_different_and_of_the_length_asked_for() -> None:
    windows = texts(64)
    assert {len(window) for window in windows} == {64}
    assert len(set(windows)) == len(windows)


@pytest.mark.parametrize(
    ("goal", "value", "verdict"),
    [
        (Goal(1.6), 1.6, "met"),
        (Goal(1.6), 1.61, "NOT MET"),
        (Goal(0.3, Bound.AT_LEAST), 0.3, "met"),
        (Goal(0.3, Bound.AT_LEAST), 0.29, "NOT MET"),
        (None, 7.0, ""),
    ],
)
def test_verdict_follows_the_goal(goal: Goal | None, value: float, verdict: str) -> None:
    assert Line("a figure", value, goal).verdict == verdict


def test_table_is_aligned_and_shows_goal_and_verdict() -> None:
    lines = [
        Line("one", 1.5, Goal(1.6, aim=1.4)),
        Line("another", 20.25, Goal(30, Bound.AT_LEAST)),
        Line("untold", 3.0),
    ]
    assert table(lines).splitlines() == [
        "one       1.500  ≤ 1.6 (aim 1.4)  met",
        "another  20.250  ≥ 30             NOT MET",
        "untold    3.000",
    ]


def test_ratio_is_the_median_over_rounds() -> None:
    rounds = Rounds({"mine": [2.0, 9.0, 40.0], "peer": [1.0, 3.0, 10.0]})
    assert rounds.ratio("mine", "peer") == 3.0


def test_rounds_take_turns_in_going_first() -> None:
    calls: list[str] = []
    works = {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}
    interleaved(works, clock=lambda: 0.0, rounds=2, calls=1)
    assert "".join(calls) == "ab" + "ab" + "ba"
