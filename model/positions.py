"""Where a character stands, as a vector.

Axes: B batch, T position, D d_model.
"""

import torch
from torch import Tensor, nn


class LearnedPositions(nn.Module):
    """One trained vector for each position up to the context length (module 7.1)."""

    def __init__(self, context_length: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(context_length, d_model))

    def forward(self, ids_BT: Tensor) -> Tensor:
        """The vectors of positions 0 to T − 1, the same for every text: (B, T) -> (B, T, D)."""
        batch, length = ids_BT.shape
        return self.weight[:length].expand(batch, -1, -1)
