"""The whole model: from ids to the scores of every possible next character.

Axes: B batch, T position, S source, D d_model, V vocab.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from model.tap import Tap, no_tap, prefixed


class TiedHead(nn.Module):
    """Scores against the embedding's own rows: z = x W_Eᵀ, no parameter of its own."""

    def __init__(self, embedding: nn.Embedding) -> None:
        super().__init__()
        self._shared = (embedding,)  # in a tuple, so that it is not registered a second time

    def forward(self, x_BTD: Tensor) -> Tensor:
        (embedding,) = self._shared
        return nn.functional.linear(x_BTD, embedding.weight)


class DecoderOnly(nn.Module):
    """Embeddings plus positions, a stack of causal blocks, and one score a vocabulary entry
    (module 7.6). Stages are tapped in the order of the stage table."""

    mask: Tensor

    def __init__(
        self,
        *,
        embedding: nn.Embedding,
        positions: nn.Module,
        blocks: Sequence[nn.Module],
        final_norm: nn.Module,
        head: nn.Module,
        context_length: int,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.positions = positions
        self.blocks = nn.ModuleList(blocks)
        self.final_norm = final_norm
        self.head = head
        causal = torch.full((context_length, context_length), -torch.inf).triu(1)
        self.register_buffer("mask", causal, persistent=False)

    def forward(self, ids_BT: Tensor, tap: Tap = no_tap) -> Tensor:
        """Ids (B, T), with T from 1 to the context length, to logits (B, T, V)."""
        length = ids_BT.shape[1]
        ids_BT = tap("ids", ids_BT)
        x_BTD = self.positions(tap("embeddings", self.embedding(ids_BT)), tap)
        mask_TS = self.mask[:length, :length]
        for index, block in enumerate(self.blocks):
            x_BTD = block(x_BTD, mask_TS, prefixed(tap, f"blocks.{index}"))
        x_BTD = self.final_norm(x_BTD, prefixed(tap, "final_norm"))
        return tap("logits", self.head(x_BTD))


def predictions(logits_BTV: Tensor, ids_BT: Tensor, tap: Tap) -> None:
    """What the logits say: the probabilities (B, T, V), and −log of the one that each position
    gives to the character that follows it (B, T − 1), in nats."""
    probabilities_BTV = tap("probabilities", logits_BTV.softmax(-1))
    following_BT1 = ids_BT[:, 1:].unsqueeze(-1)
    tap("loss", -probabilities_BTV[:, :-1].gather(-1, following_BT1).squeeze(-1).log())
