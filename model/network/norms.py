"""Normalization of each position's vector.

Axes: B batch, T position, D d_model.
"""

import torch
from torch import Tensor, nn

from model.config import Norm
from model.network.tap import Tap, no_tap


class LayerNorm(nn.Module):
    """y = (x − μ) / √(σ² + ε) ⊙ γ + β over the features of one position (Ba et al. 2016).

    The same numbers as `torch.nn.LayerNorm` (and the same parameters, `weight` γ and `bias` β),
    computed step by step so that each step can be seen.
    """

    def __init__(self, d_model: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.epsilon = epsilon

    def forward(self, x_BTD: Tensor, tap: Tap = no_tap) -> Tensor:
        mean_BT = tap("mean", x_BTD.mean(-1))
        centred_BTD = x_BTD - mean_BT.unsqueeze(-1)
        variance_BT = tap("variance", centred_BTD.square().mean(-1))
        deviation_BT = (variance_BT + self.epsilon).sqrt()
        normalized_BTD = tap("normalized", centred_BTD / deviation_BT.unsqueeze(-1))
        return tap("output", normalized_BTD * self.weight + self.bias)


class RMSNorm(nn.Module):
    """y = x / √(mean(x²) + ε) ⊙ g over the features of one position (Zhang & Sennrich 2019).

    The mean is not subtracted and nothing is shifted; `weight` is the gain g.
    """

    def __init__(self, d_model: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.epsilon = epsilon

    def forward(self, x_BTD: Tensor, tap: Tap = no_tap) -> Tensor:
        mean_square_BT = tap("mean_square", x_BTD.square().mean(-1))
        root_BT = (mean_square_BT + self.epsilon).sqrt()
        normalized_BTD = tap("normalized", x_BTD / root_BT.unsqueeze(-1))
        return tap("output", normalized_BTD * self.weight)


class NoNorm(nn.Module):
    """x as it is: after the last block of a post-LN model there is nothing left to norm."""

    def forward(self, x_BTD: Tensor, tap: Tap = no_tap) -> Tensor:
        return x_BTD


NORMS = {Norm.LAYER_NORM: LayerNorm, Norm.RMS_NORM: RMSNorm}
