"""Taps: how a forward pass shows its intermediate tensors.

A module calls `x = tap("key", x)` wherever a stage is made. `no_tap` hands the tensor back; a
recorder keeps it as well. Taps are arguments of one call, so concurrent calls share a model
safely (forward hooks are the model's, and mix concurrent calls up).
"""

from collections.abc import Callable

from torch import Tensor

Tap = Callable[[str, Tensor], Tensor]


def no_tap(key: str, tensor: Tensor) -> Tensor:
    """The tap of a plain forward pass."""
    return tensor


def prefixed(tap: Tap, prefix: str) -> Tap:
    """A tap for a submodule: its leaf keys become `prefix.leaf`."""
    if tap is no_tap:
        return tap
    outer = getattr(tap, "__self__", None)
    if isinstance(outer, _Prefixed):  # one call from the leaf to the tap, however deep the leaf
        tap, prefix = outer.tap, f"{outer.prefix}.{prefix}"
    return _Prefixed(tap, prefix).pass_on


class _Prefixed:
    """A tap and what it puts before each key."""

    __slots__ = ("prefix", "tap")

    def __init__(self, tap: Tap, prefix: str) -> None:
        self.tap = tap
        self.prefix = prefix

    def pass_on(self, key: str, tensor: Tensor) -> Tensor:
        return self.tap(f"{self.prefix}.{key}", tensor)
