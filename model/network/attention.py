"""Multi-head attention, computed step by step (Vaswani et al. 2017, section 3.2).

Axes: B batch, T position, S source, D d_model, H head, K d_head.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import torch
from torch import Tensor, nn

from model.network.linear import Linear, draw_matrix
from model.network.tap import Tap, no_tap

Mask = Callable[[Tensor], Tensor]
"""Scores (B, H, T, S) to the same with −∞ where a position must not look."""


def masking(masked_TS: Tensor) -> Mask:
    """The mask that puts −∞ wherever `masked` is true, whatever stood there. (Adding −∞ would
    make NaN of a score that is +∞; torch takes longer to fill cells in than to choose them.)"""
    seen_TS = ~masked_TS

    def masked(scores_BHTS: Tensor) -> Tensor:
        return torch.where(seen_TS, scores_BHTS, -torch.inf)

    return masked


@lru_cache(maxsize=16)
def causal_mask(length: int) -> Mask:
    """The causal mask of a text of that length: no position sees a later one. Texts of one length
    share theirs, so it is made fit for gradients even where the first of them asks for none."""
    with torch.inference_mode(False):
        return masking(torch.ones(length, length, dtype=torch.bool).triu(1))


def no_mask(length: int) -> Mask:
    """The mask of a text of any length in which every position sees every other."""
    return unmasked


def unmasked(scores_BHTS: Tensor) -> Tensor:
    """The mask that hides nothing."""
    return scores_BHTS


class HeadsToOutput(nn.Module):
    """W_O times the joined heads, plus a bias where there is one, as a sum of one contribution a
    head: head h owns K columns of W_O."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.weight = nn.Parameter(torch.empty(d_model, d_model))

    def initialise(self, generator: torch.Generator) -> None:
        """Draw W_O as any matrix."""
        draw_matrix(self.weight, generator)

    def forward(self, heads_BHTK: Tensor, tap: Tap = no_tap) -> Tensor:
        """(B, H, T, K) -> (B, T, D)."""
        slices_HKD = self.weight.view(-1, self.n_heads, self.d_head).permute(1, 2, 0)
        contributions_BHTD = tap("contributions", heads_BHTK @ slices_HKD)
        return tap("output", self.summed(contributions_BHTD))

    def summed(self, contributions_BHTD: Tensor) -> Tensor:
        """The heads' contributions together: (B, H, T, D) -> (B, T, D)."""
        return contributions_BHTD.sum(1)


class HeadsToOutputWithBias(HeadsToOutput):
    """The same plus b_O."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__(d_model, n_heads)
        self.bias = nn.Parameter(torch.zeros(d_model))

    def summed(self, contributions_BHTD: Tensor) -> Tensor:
        return contributions_BHTD.sum(1) + self.bias


class Attention(nn.Module):
    """A = softmax(mask(Q Kᵀ / √K)), and for each head A V; then each head's contribution to the
    output, and their sum. A fused kernel would hide the very numbers that a trace shows."""

    def __init__(self, d_model: int, n_heads: int, *, biases: bool, rotation: nn.Module) -> None:
        super().__init__()
        self.d_head = d_model // n_heads
        self.query = Linear(d_model, d_model, bias=biases)
        self.key = Linear(d_model, d_model, bias=biases)
        self.value = Linear(d_model, d_model, bias=biases)
        self.rotation = rotation
        to_output = HeadsToOutputWithBias if biases else HeadsToOutput
        self.output = to_output(d_model, n_heads)

    def forward(self, x_BTD: Tensor, source_BSD: Tensor, mask: Mask, tap: Tap = no_tap) -> Tensor:
        """Let each position of x gather from the source positions that the mask leaves it.
        (B, T, D), (B, S, D) -> (B, T, D)."""
        q_BHTK = tap("q", self.by_head(self.query(x_BTD)))
        k_BHSK = tap("k", self.by_head(self.key(source_BSD)))
        v_BHSK = tap("v", self.by_head(self.value(source_BSD)))
        q_BHTK, k_BHSK = self.rotation(q_BHTK, k_BHSK, tap)
        scores_BHTS = tap("scores", q_BHTK @ k_BHSK.mT / math.sqrt(self.d_head))
        masked_BHTS = tap("masked_scores", mask(scores_BHTS))
        weights_BHTS = tap("weights", masked_BHTS.softmax(-1))
        heads_BHTK = tap("heads", weights_BHTS @ v_BHSK)
        return self.output(heads_BHTK, tap)

    def by_head(self, x_BTD: Tensor) -> Tensor:
        """Each vector cut into the heads' shares: (B, T, D) -> (B, H, T, K)."""
        return x_BTD.unflatten(-1, (-1, self.d_head)).transpose(1, 2)
