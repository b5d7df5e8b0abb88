"""Multi-head attention, computed step by step (Vaswani et al. 2017, section 3.2).

Axes: B batch, T position, S source, D d_model, H head, K d_head.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import skip_init

from model.network.tap import Tap, no_tap

ZERO = torch.zeros(())
"""What scaled queries are added to: scaling as part of an addition is quicker than multiplying by a
Python number, which torch would wrap in a tensor at every use."""

Mask = Callable[[Tensor], Tensor]
"""Scores (B, H, T, S) to the same with −∞ where a position must not look."""

Projections = Callable[[Tensor, Tensor], Sequence[Tensor]]
"""Of x (B, T, D) the queries (B, H, T, K), of the source (B, S, D) keys and values (B, H, S, K)."""


def adding(mask_TS: Tensor) -> Mask:
    """The mask that adds −∞ where it is −∞, and 0 elsewhere."""
    return partial(torch.add, mask_TS)


def unmasked(scores_BHTS: Tensor) -> Tensor:
    """The mask that hides nothing, and costs nothing."""
    return scores_BHTS


class CausalMask(nn.Module):
    """Hides what comes later: −∞ above the diagonal, else 0."""

    added: Tensor

    def __init__(self, context_length: int) -> None:
        super().__init__()
        added_TT = torch.full((context_length, context_length), -torch.inf).triu(1)
        self.register_buffer("added", added_TT, persistent=False)

    def forward(self, length: int) -> Mask:
        """The mask of a text of that length."""
        return adding(self.added[:length, :length])


class NoMask(nn.Module):
    """Every position sees every other."""

    def forward(self, length: int) -> Mask:
        return unmasked


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

    joined_weight: Tensor
    joined_bias: Tensor | None

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
        self.project: Projections = self._one_by_one

    def forward(self, x_BTD: Tensor, source_BSD: Tensor, mask: Mask, tap: Tap = no_tap) -> Tensor:
        """Let each position of x gather from the source positions that the mask leaves it.
        (B, T, D), (B, S, D) -> (B, T, D)."""
        q_BHTK, k_BHSK, v_BHSK = self.project(x_BTD, source_BSD)
        q_BHTK = tap("q", q_BHTK)
        k_BHSK = tap("k", k_BHSK)
        v_BHSK = tap("v", v_BHSK)
        q_BHTK, k_BHSK = self.rotation(q_BHTK, k_BHSK, tap)
        scaled_BHTK = torch.add(ZERO, q_BHTK, alpha=self.scale)
        scores_BHTS = tap("scores", scaled_BHTK @ k_BHSK.mT)
        masked_BHTS = tap("masked_scores", mask(scores_BHTS))
        weights_BHTS = tap("weights", masked_BHTS.softmax(-1))
        heads_BHTK = tap("heads", weights_BHTS @ v_BHSK)
        return self.output(heads_BHTK, tap)

    def _one_by_one(self, x_BTD: Tensor, source_BSD: Tensor) -> Sequence[Tensor]:
        return (
            self._split(self.query(x_BTD)),
            self._split(self.key(source_BSD)),
            self._split(self.value(source_BSD)),
        )

    def join(self, *, to_itself: bool) -> None:
        """Multiply once where there were three matrices, or two where the source is another
        stream. For inference: no derivative reaches the parameters, which become views of the
        joined matrix."""
        parts = (self.query, self.key, self.value) if to_itself else (self.key, self.value)
        weight_XD = _side_by_side([part.weight for part in parts])
        bias_X = None if self.key.bias is None else _side_by_side([part.bias for part in parts])
        self.register_buffer("joined_weight", weight_XD, persistent=False)
        self.register_buffer("joined_bias", bias_X, persistent=False)
        self.project = self._all_joined if to_itself else self._source_joined

    def _all_joined(self, x_BTD: Tensor, source_BSD: Tensor) -> Sequence[Tensor]:
        return self._joined(x_BTD)

    def _source_joined(self, x_BTD: Tensor, source_BSD: Tensor) -> Sequence[Tensor]:
        return (self._split(self.query(x_BTD)), *self._joined(source_BSD))

    def _joined(self, x_BTD: Tensor) -> Sequence[Tensor]:
        joined_BTX = functional.linear(x_BTD, self.joined_weight, self.joined_bias)
        return self._split(joined_BTX).split(self.n_heads, 1)

    def _split(self, x_BTX: Tensor) -> Tensor:
        """Vectors of one or more widths D into heads: (B, T, X) -> (B, X / K, T, K)."""
        return x_BTX.view(x_BTX.shape[0], x_BTX.shape[1], -1, self.d_head).transpose(1, 2)


def _side_by_side(parameters: Sequence[Tensor]) -> Tensor:
    """One tensor of all their rows, which they become views of."""
    joined = torch.cat([parameter.data for parameter in parameters])
    sizes = [len(parameter) for parameter in parameters]
    for parameter, rows in zip(parameters, joined.split(sizes), strict=True):
        parameter.data = rows
    return joined
