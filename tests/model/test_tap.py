"""The recorder accepts what the stage table declares, in its order and shapes, and nothing else."""

from collections.abc import Callable
from itertools import pairwise

import pytest
import torch
from torch import Tensor

from model import LoadedModel, trace
from model.config import ModelConfig
from model.network.tap import no_tap, prefixed
from model.recorder import Recorder
from model.table.architectures import stages
from tests.model.texts import given_zeros, lengths_of

LENGTH = 5


def declared(config: ModelConfig) -> dict[str, Tensor]:
    """A tensor of the declared shape for each stage, batch axis included."""
    return {
        s.key: torch.zeros(1, *s.shape(config, lengths_of(config, LENGTH))) for s in stages(config)
    }


def recorded(config: ModelConfig, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    recorder = Recorder(stages(config), config, lengths_of(config, LENGTH))
    for key, tensor in tensors.items():
        recorder(key, tensor)
    return dict(recorder.finish())


def test_declared_tensors_are_kept_without_their_batch_axis(config: ModelConfig) -> None:
    kept = recorded(config, declared(config))
    assert {key: tuple(tensor.shape) for key, tensor in kept.items()} == {
        stage.key: stage.shape(config, lengths_of(config, LENGTH)) for stage in stages(config)
    }


def test_recorder_hands_the_tensor_back(config: ModelConfig) -> None:
    recorder = Recorder(stages(config), config, lengths_of(config, LENGTH))
    key, tensor = next(iter(declared(config).items()))
    assert recorder(key, tensor) is tensor


def test_undeclared_tensor_raises(config: ModelConfig) -> None:
    tensors = declared(config) | {"surplus": torch.zeros(1, LENGTH)}
    with pytest.raises(AssertionError, match="surplus"):
        recorded(config, tensors)


def test_undeclared_tensor_in_between_raises(config: ModelConfig) -> None:
    first, *rest = declared(config).items()
    with pytest.raises(AssertionError, match="surplus"):
        recorded(config, dict([first, ("surplus", torch.zeros(1, LENGTH)), *rest]))


def test_missing_tensor_raises_wherever_it_is(config: ModelConfig) -> None:
    for key in declared(config):
        tensors = declared(config)
        del tensors[key]
        with pytest.raises(AssertionError, match=key):
            recorded(config, tensors)


def test_misordered_tensors_raise_wherever_they_are(config: ModelConfig) -> None:
    tensors = declared(config)
    for first, second in pairwise(tensors):
        swapped = [{first: second, second: first}.get(key, key) for key in tensors]
        with pytest.raises(AssertionError, match=second):
            recorded(config, {key: tensors[key] for key in swapped})


def test_tensor_tapped_twice_raises(config: ModelConfig) -> None:
    recorder = Recorder(stages(config), config, lengths_of(config, LENGTH))
    key, tensor = next(iter(declared(config).items()))
    recorder(key, tensor)
    with pytest.raises(AssertionError, match=key):
        recorder(key, tensor)


SPOILED: dict[str, Callable[[Tensor], Tensor]] = {
    "one position more": lambda x: torch.cat([x, x[:, :1]], 1),
    "no batch axis": lambda x: x[0],
    "two texts": lambda x: torch.cat([x, x]),
    "an axis more": lambda x: x[..., None],
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_wrongly_shaped_tensor_raises_wherever_it_is(
    config: ModelConfig, spoil: Callable[[Tensor], Tensor]
) -> None:
    for key, tensor in declared(config).items():
        with pytest.raises(AssertionError, match=key):
            recorded(config, declared(config) | {key: spoil(tensor)})


def test_model_that_forgets_a_tap_raises(untrained: LoadedModel) -> None:
    """From the model's side: a forward pass without its predictions is noticed."""
    config = untrained.config
    recorder = Recorder(stages(config), config, lengths_of(config, LENGTH))
    given = given_zeros(config, LENGTH)
    ids = [key for key in given if key.endswith("ids")]
    untrained.network(*(given[key] for key in ids), recorder)
    with pytest.raises(AssertionError, match="probabilities"):
        recorder.finish()


def test_model_with_a_block_too_many_raises(untrained: LoadedModel) -> None:
    fewer = untrained.config.having(n_blocks=untrained.config.n_blocks - 1)
    recorder = Recorder(stages(fewer), fewer, lengths_of(fewer, LENGTH))
    with pytest.raises(AssertionError, match=r"blocks\."):
        untrained.network.score(given_zeros(fewer, LENGTH), recorder)


def test_trace_of_a_mismatched_table_raises(untrained: LoadedModel) -> None:
    """The table is asked for the text's length, so a model that answered for another is found."""
    config = untrained.config
    recorder = Recorder(stages(config), config, lengths_of(config, LENGTH + 1))
    with pytest.raises(AssertionError, match="ids"):
        untrained.network.score(given_zeros(config, LENGTH), recorder)


def test_no_tap_returns_the_tensor_itself() -> None:
    tensor = torch.zeros(1)
    assert no_tap("any", tensor) is tensor


def test_prefixed_tap_adds_the_module_path() -> None:
    seen: list[str] = []

    def note(key: str, tensor: Tensor) -> Tensor:
        seen.append(key)
        return tensor

    prefixed(prefixed(note, "blocks.0"), "attn")("weights", torch.zeros(1))
    assert seen == ["blocks.0.attn.weights"]


def test_traces_do_not_share_memory(untrained: LoadedModel) -> None:
    """A trace is not overwritten by the next one (C20)."""
    text = untrained.tokenizer.vocabulary[0] * LENGTH
    first = trace(untrained, text)
    before = {key: tensor.clone() for key, tensor in first.tensors.items()}
    trace(untrained, untrained.tokenizer.vocabulary[1] * LENGTH)
    assert all(torch.equal(before[key], tensor) for key, tensor in first.tensors.items())
