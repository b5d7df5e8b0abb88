"""Where a character stands: a vector added to its embedding, or a turn of its queries and keys.

Axes: B batch, T position, S source, D d_model, H head, K d_head.
"""

from abc import abstractmethod
from collections.abc import Callable

import torch
from torch import Tensor, nn

from model.config import Position
from model.network.tap import Tap, no_tap

BASE = 10_000.0


def angles(n_positions: int, width: int) -> Tensor:
    """pos · ω_i with ω_i = BASE^(−2i / width): (T, width / 2), float64 (module 7.1)."""
    frequencies = BASE ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    return torch.arange(n_positions, dtype=torch.float64)[:, None] * frequencies


class AddedPositions(nn.Module):
    """x = embedding + vector of the position. What is drawn has the embeddings' `deviation`."""

    def forward(self, embedded_BTD: Tensor, tap: Tap = no_tap) -> Tensor:
        positions_TD = self.vectors(embedded_BTD.shape[1])
        positions_BTD = tap("positions", positions_TD.expand_as(embedded_BTD))
        return tap("input", embedded_BTD + positions_BTD)

    @abstractmethod
    def vectors(self, n_positions: int) -> Tensor:
        """The vectors of positions 0 to T − 1, the same for every text: (T, D)."""


class LearnedPositions(AddedPositions):
    """One trained vector for each position up to the context length (module 7.1)."""

    def __init__(self, context_length: int, d_model: int, *, deviation: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(context_length, d_model))
        self.deviation = deviation

    def initialise(self, generator: torch.Generator) -> None:
        """Draw from N(0, deviation²), as the embedding that they are added to."""
        nn.init.normal_(self.weight, std=self.deviation, generator=generator)

    def vectors(self, n_positions: int) -> Tensor:
        return self.weight[:n_positions]


class SinusoidalPositions(AddedPositions):
    """sin(pos ω_i) and cos(pos ω_i) in turn: nothing to train (Vaswani et al. 2017)."""

    table: Tensor

    def __init__(self, context_length: int, d_model: int, *, deviation: float) -> None:
        super().__init__()
        turned = angles(context_length, d_model)
        table = torch.stack([turned.sin(), turned.cos()], dim=-1).flatten(-2).float()
        self.register_buffer("table", table, persistent=False)

    def vectors(self, n_positions: int) -> Tensor:
        return self.table[:n_positions]


class NoAddedPositions(nn.Module):
    """The embeddings as they are, for models whose attention knows the positions."""

    def __init__(self, context_length: int, d_model: int, *, deviation: float) -> None:
        super().__init__()

    def forward(self, embedded_BTD: Tensor, tap: Tap = no_tap) -> Tensor:
        return embedded_BTD


class Rotation(nn.Module):
    """Turn each pair (2i, 2i+1) of a query's and a key's features by pos · ω_i (Su et al. 2021),
    so that [1, 0, 0, 0] at position 1 becomes [0.5403, 0.8415, 0, 0] for d_head 4."""

    cos: Tensor
    sin: Tensor

    def __init__(self, context_length: int, d_head: int) -> None:
        super().__init__()
        turned = angles(context_length, d_head)
        self.register_buffer("cos", turned.cos().float(), persistent=False)
        self.register_buffer("sin", turned.sin().float(), persistent=False)

    def forward(self, q_BHTK: Tensor, k_BHSK: Tensor, tap: Tap = no_tap) -> tuple[Tensor, Tensor]:
        q_BHTK = tap("q_rotated", self.turned(q_BHTK))
        return q_BHTK, tap("k_rotated", self.turned(k_BHSK))

    def turned(self, x_BHTK: Tensor) -> Tensor:
        """Every position's pairs, each by its own angle."""
        length = x_BHTK.shape[-2]
        cos, sin = self.cos[:length], self.sin[:length]
        even, odd = x_BHTK.unflatten(-1, (-1, 2)).unbind(-1)
        return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


class NoRotation(nn.Module):
    """Queries and keys as they are."""

    def __init__(self, context_length: int, d_head: int) -> None:
        super().__init__()

    def forward(self, q_BHTK: Tensor, k_BHSK: Tensor, tap: Tap = no_tap) -> tuple[Tensor, Tensor]:
        return q_BHTK, k_BHSK


ADDED: dict[Position, Callable[..., nn.Module]] = {
    Position.LEARNED: LearnedPositions,
    Position.SINUSOIDAL: SinusoidalPositions,
    Position.ROTARY: NoAddedPositions,
}
"""What becomes of the embeddings."""
TURNED: dict[Position, Callable[[int, int], nn.Module]] = {
    Position.LEARNED: NoRotation,
    Position.SINUSOIDAL: NoRotation,
    Position.ROTARY: Rotation,
}
"""What becomes of queries and keys."""
