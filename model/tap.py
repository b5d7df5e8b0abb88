"""Taps: how a forward pass shows its intermediate tensors.

A module calls `x = tap("key", x)` wherever a stage is made. `no_tap` hands the tensor back;
a `Recorder` keeps it as well. Taps are arguments of one call, so concurrent calls share a model
safely (forward hooks are the model's, and mix concurrent calls up).
"""

from collections.abc import Callable, Sequence

from torch import Tensor

from model.config import ModelConfig
from model.stage import Stage

Tap = Callable[[str, Tensor], Tensor]


def no_tap(key: str, tensor: Tensor) -> Tensor:
    """The tap of a plain forward pass."""
    return tensor


def prefixed(tap: Tap, prefix: str) -> Tap:
    """A tap for a submodule: its leaf keys become `prefix.leaf`."""
    if tap is no_tap:
        return tap
    return lambda key, tensor: tap(f"{prefix}.{key}", tensor)


class Recorder:
    """A tap that keeps every stage, and accepts nothing but what the stage table declares.

    Tensors come with a batch axis of 1, which the record drops. An undeclared, misordered or
    wrongly shaped tensor is our mistake, so it raises AssertionError; `finish` raises it for a
    missing one.
    """

    def __init__(self, stages: Sequence[Stage], config: ModelConfig, n_positions: int) -> None:
        self._expected = iter(
            [(stage.key, (1, *stage.shape(config, n_positions))) for stage in stages]
        )
        self.tensors: dict[str, Tensor] = {}

    def __call__(self, key: str, tensor: Tensor) -> Tensor:
        expected_key, expected_shape = next(self._expected, (None, ()))
        assert key == expected_key, f"tapped {key}, but the table has {expected_key} here"
        assert tensor.shape == expected_shape, (
            f"{key} has shape {tuple(tensor.shape)}, but the table says {expected_shape}"
        )
        self.tensors[key] = tensor[0]
        return tensor

    def finish(self) -> dict[str, Tensor]:
        """The record, once the forward pass is over."""
        missing, _ = next(self._expected, (None, ()))
        assert missing is None, f"the forward pass never tapped {missing}"
        return self.tensors
