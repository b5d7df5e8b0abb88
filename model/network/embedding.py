"""Ids to vectors, and vectors to the scores of every id.

Axes: B batch, T position, D d_model, V vocab.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional


class Embedding(nn.Module):
    """x[t] = W_E[ids[t]]: one trained vector for each entry of the vocabulary."""

    def __init__(self, vocab_size: int, d_model: int, *, deviation: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocab_size, d_model))
        self.deviation = deviation

    def initialise(self, generator: torch.Generator) -> None:
        """Draw from N(0, deviation²)."""
        nn.init.normal_(self.weight, std=self.deviation, generator=generator)

    def forward(self, ids_BT: Tensor) -> Tensor:
        return functional.embedding(ids_BT, self.weight)


class TiedHead(nn.Module):
    """z = x W_Eᵀ: scores against the embedding's own rows, no parameter of its own."""

    def __init__(self, embedding: Embedding) -> None:
        super().__init__()
        self._shared = (embedding,)  # in a tuple, so that it is not registered a second time

    def forward(self, x_BTD: Tensor) -> Tensor:
        (embedding,) = self._shared
        return functional.linear(x_BTD, embedding.weight)
