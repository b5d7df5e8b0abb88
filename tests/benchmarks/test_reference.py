"""The benchmark's peers compute the same model, and its table says what was measured."""

from collections.abc import Callable, Mapping

import pytest
import torch
from torch import Tensor

from model import LoadedModel, trace
from model.config import ModelConfig
from tests.benchmarks.cpu import AGREEMENT
from tests.benchmarks.reference import plain_forward, plain_model
from tests.benchmarks.rounds import Rounds, interleaved
from tests.benchmarks.table import Bound, Goal, Line, table
from tests.benchmarks.texts import texts

Peer = Callable[[Tensor, Mapping[str, Tensor], ModelConfig], Tensor]
PEERS: dict[str, Peer] = {
    "functions": plain_forward,
    "modules": lambda ids_BT, weights, config: plain_model(weights, config)(ids_BT),
}


@pytest.mark.parametrize("peer", PEERS.values(), ids=PEERS)
@pytest.mark.parametrize("length", [1, 2, 64])
def test_peer_agrees_with_the_traced_logits(model: LoadedModel, peer: Peer, length: int) -> None:
    text = texts(length)[0]
    ids_BT = torch.tensor([model.tokenizer.encode(text)])
    with torch.inference_mode():
        logits_BTV = peer(ids_BT, model.network.state_dict(), model.config)
    shown_TV = trace(model, text).tensor("logits")
    torch.testing.assert_close(logits_BTV[0], shown_TV, rtol=0, atol=AGREEMENT)


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
