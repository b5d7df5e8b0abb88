"""Normalization of each position's vector.

Axes: B batch, T position, D d_model.
"""

import torch
from torch import Tensor, nn

from model.network.tap import Tap, no_tap

ONE = torch.ones(())
"""1 as a tensor: torch would wrap a Python number in one at every use, which takes longer than
adding it."""


class _Norm(nn.Module):
    """What both norms have: the gain `weight`, ε, and the vector that averages features."""

    average: Tensor

    def __init__(self, d_model: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.epsilon = epsilon
        self.register_buffer("average", torch.full((d_model,), 1 / d_model), persistent=False)

    def inverse_root(self, x_BT: Tensor) -> Tensor:
        """1 / √(x + ε)."""
        return torch.add(x_BT, ONE, alpha=self.epsilon).rsqrt_()


class LayerNorm(_Norm):
    """y = (x − μ) / √(σ² + ε) ⊙ γ + β over the features of one position (Ba et al. 2016).

    The same numbers as `torch.nn.LayerNorm` (and the same parameters, `weight` γ and `bias` β),
    computed step by step so that each step can be seen.
    """

    def __init__(self, d_model: int, epsilon: float) -> None:
        super().__init__(d_model, epsilon)
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x_BTD: Tensor, tap: Tap = no_tap) -> Tensor:
        average_D = self.average
        mean_BT = tap("mean", x_BTD @ average_D)
        centred_BTD = x_BTD - mean_BT.unsqueeze(-1)
        variance_BT = tap("variance", (centred_BTD * centred_BTD) @ average_D)
        inverse_BT = self.inverse_root(variance_BT)
        normalized_BTD = tap("normalized", centred_BTD * inverse_BT.unsqueeze(-1))
        return tap("output", torch.addcmul(self.bias, normalized_BTD, self.weight))


class RMSNorm(_Norm):
    """y = x / √(mean(x²) + ε) ⊙ g over the features of one position (Zhang & Sennrich 2019).

    The mean is not subtracted and nothing is shifted; `weight` is the gain g.
    """

    def forward(self, x_BTD: Tensor, tap: Tap = no_tap) -> Tensor:
        mean_square_BT = tap("mean_square", (x_BTD * x_BTD) @ self.average)
        inverse_BT = self.inverse_root(mean_square_BT)
        normalized_BTD = tap("normalized", x_BTD * inverse_BT.unsqueeze(-1))
        return tap("output", normalized_BTD * self.weight)


class NoNorm(nn.Module):
    """x as it is: after the last block of a post-LN model there is nothing left to norm."""

    def forward(self, x_BTD: Tensor, tap: Tap = no_tap) -> Tensor:
        return x_BTD
