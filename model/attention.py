"""Multi-head attention, computed step by step (Vaswani et al. 2017, section 3.2).

Axes: B batch, T position, S source, D d_model, H head, K d_head.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn.utils import skip_init

from model.tap import Tap, no_tap

ZERO = torch.zeros(())
"""What scaled queries are added to: scaling as part of an addition is quicker than multiplying by a
Python number, which torch would wrap in a tensor at every use."""


class HeadsToOutput(nn.Module):
    """W_O times the joined heads, plus a bias, as a sum of one contribution a head: head h owns
    K columns of W_O."""

    bias: Tensor

    def __init__(self, d_model: int, n_heads: int, *, biases: bool) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.weight = nn.Parameter(torch.empty(d_model, d_model))
        bias = torch.zeros(d_model)
        if biases:
            self.bias = nn.Parameter(bias)
        else:
            self.register_buffer("bias", bias, persistent=False)

    def forward(self, heads_BHTK: Tensor, tap: Tap = no_tap) -> Tensor:
        """(B, H, T, K) -> (B, T, D)."""
        slices_HKD = self.weight.view(-1, self.n_heads, self.d_head).permute(1, 2, 0)
        contributions_BHTD = tap("contributions", heads_BHTK @ slices_HKD)
        return tap("output", self.bias + contributions_BHTD.sum(1))


class Attention(nn.Module):
    """Scores, mask, softmax, weighted sum; then each head's contribution to the output, and
    their sum. A fused kernel would hide the very numbers that a trace shows."""

    def __init__(self, d_model: int, n_heads: int, *, biases: bool, rotation: nn.Module) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.query = skip_init(nn.Linear, d_model, d_model, bias=biases)
        self.key = skip_init(nn.Linear, d_model, d_model, bias=biases)
        self.value = skip_init(nn.Linear, d_model, d_model, bias=biases)
        self.rotation = rotation
        self.output = HeadsToOutput(d_model, n_heads, biases=biases)
        self.scale = 1.0 / math.sqrt(self.d_head)

    def forward(
        self, x_BTD: Tensor, source_BSD: Tensor, mask_TS: Tensor, tap: Tap = no_tap
    ) -> Tensor:
        """Let each position of x gather from the source positions; `mask_TS` is −∞ where a
        position must not look, else 0. (B, T, D), (B, S, D), (T, S) -> (B, T, D)."""
        q_BHTK = tap("q", self._split(self.query(x_BTD)))
        k_BHSK = tap("k", self._split(self.key(source_BSD)))
        v_BHSK = tap("v", self._split(self.value(source_BSD)))
        q_BHTK, k_BHSK = self.rotation(q_BHTK, k_BHSK, tap)
        scaled_BHTK = torch.add(ZERO, q_BHTK, alpha=self.scale)
        scores_BHTS = tap("scores", scaled_BHTK @ k_BHSK.mT)
        masked_BHTS = tap("masked_scores", scores_BHTS + mask_TS)
        weights_BHTS = tap("weights", masked_BHTS.softmax(-1))
        heads_BHTK = tap("heads", weights_BHTS @ v_BHSK)
        return self.output(heads_BHTK, tap)

    def _split(self, x_BTD: Tensor) -> Tensor:
        """(B, T, D) -> (B, H, T, K)."""
        return x_BTD.view(x_BTD.shape[0], -1, self.n_heads, self.d_head).transpose(1, 2)
