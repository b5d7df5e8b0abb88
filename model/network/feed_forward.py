"""The feed-forward network of a block: the same small network at every position.

Axes: B batch, T position, D d_model, F d_ff.
"""

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn.utils import skip_init

from model.network.tap import Tap, no_tap


class FeedForward(nn.Module):
    """y = activation(x W_1ᵀ + b_1) W_2ᵀ + b_2 (module 7.4)."""

    def __init__(
        self, d_model: int, d_ff: int, *, biases: bool, activation: Callable[[Tensor], Tensor]
    ) -> None:
        super().__init__()
        self.up = skip_init(nn.Linear, d_model, d_ff, bias=biases)
        self.activation = activation
        self.down = skip_init(nn.Linear, d_ff, d_model, bias=biases)

    def forward(self, x_BTD: Tensor, tap: Tap = no_tap) -> Tensor:
        hidden_BTF = tap("hidden", self.up(x_BTD))
        activation_BTF = tap("activation", self.activation(hidden_BTF))
        return tap("output", self.down(activation_BTF))


class SwiGLU(nn.Module):
    """y = (SiLU(x W_gᵀ) ⊙ x W_uᵀ) W_dᵀ (Shazeer 2020): one projection gates the other."""

    def __init__(self, d_model: int, d_ff: int, *, biases: bool) -> None:
        super().__init__()
        self.gate = skip_init(nn.Linear, d_model, d_ff, bias=biases)
        self.up = skip_init(nn.Linear, d_model, d_ff, bias=biases)
        self.down = skip_init(nn.Linear, d_ff, d_model, bias=biases)

    def forward(self, x_BTD: Tensor, tap: Tap = no_tap) -> Tensor:
        gate_BTF = tap("gate", self.gate(x_BTD))
        opened_BTF = tap("gate_activation", nn.functional.silu(gate_BTF))
        gated_BTF = tap("gated", opened_BTF * tap("up", self.up(x_BTD)))
        return tap("output", self.down(gated_BTF))
