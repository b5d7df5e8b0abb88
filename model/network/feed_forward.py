"""The feed-forward network of a block: the same small network at every position.

Axes: B batch, T position, D d_model, F d_ff.
"""

from collections.abc import Callable
from functools import partial

from torch import Tensor, nn
from torch.nn import functional

from model.config import FeedForward
from model.network.linear import Linear
from model.network.tap import Tap, no_tap

Activation = Callable[[Tensor], Tensor]


class PlainFeedForward(nn.Module):
    """y = activation(x W_1ᵀ + b_1) W_2ᵀ + b_2 (Vaswani et al. 2017; module 7.4)."""

    def __init__(self, d_model: int, d_ff: int, *, biases: bool, activation: Activation) -> None:
        super().__init__()
        self.up = Linear(d_model, d_ff, bias=biases)
        self.activation = activation
        self.down = Linear(d_ff, d_model, bias=biases)

    def forward(self, x_BTD: Tensor, tap: Tap = no_tap) -> Tensor:
        hidden_BTF = tap("hidden", self.up(x_BTD))
        activation_BTF = tap("activation", self.activation(hidden_BTF))
        return tap("output", self.down(activation_BTF))


class GatedFeedForward(nn.Module):
    """y = (activation(x W_gᵀ) ⊙ x W_uᵀ) W_dᵀ, with biases where a model has them: one projection
    gates the other (Shazeer 2020)."""

    def __init__(self, d_model: int, d_ff: int, *, biases: bool, activation: Activation) -> None:
        super().__init__()
        self.gate = Linear(d_model, d_ff, bias=biases)
        self.activation = activation
        self.up = Linear(d_model, d_ff, bias=biases)
        self.down = Linear(d_ff, d_model, bias=biases)

    def forward(self, x_BTD: Tensor, tap: Tap = no_tap) -> Tensor:
        gate_BTF = tap("gate", self.gate(x_BTD))
        activation_BTF = tap("gate_activation", self.activation(gate_BTF))
        up_BTF = tap("up", self.up(x_BTD))
        gated_BTF = tap("gated", activation_BTF * up_BTF)
        return tap("output", self.down(gated_BTF))


ACTIVATIONS: dict[FeedForward, Activation] = {
    FeedForward.RELU: functional.relu,
    FeedForward.GELU: functional.gelu,
    FeedForward.GELU_TANH: partial(functional.gelu, approximate="tanh"),
    FeedForward.SWIGLU: functional.silu,
}
NETWORKS = {False: PlainFeedForward, True: GatedFeedForward}
"""By whether the word is a gated one."""
