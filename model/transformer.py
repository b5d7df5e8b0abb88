"""The whole model: from ids to the scores of every possible next character.

Axes: B batch, T position, S source, D d_model, V vocab.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from model.tap import Tap, no_tap, prefixed


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
        head: nn.Linear,
        context_length: int,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.positions = positions
        self.blocks = nn.ModuleList(blocks)
        self.head = head
        causal = torch.full((context_length, context_length), -torch.inf).triu(1)
        self.register_buffer("mask", causal, persistent=False)

    def forward(self, ids_BT: Tensor, tap: Tap = no_tap) -> Tensor:
        """Ids (B, T), with T from 1 to the context length, to logits (B, T, V)."""
        length = ids_BT.shape[1]
        ids_BT = tap("ids", ids_BT)
        embedded_BTD = tap("embeddings", self.embedding(ids_BT))
        x_BTD = tap("input", embedded_BTD + tap("positions", self.positions(ids_BT)))
        mask_TS = self.mask[:length, :length]
        for index, block in enumerate(self.blocks):
            x_BTD = block(x_BTD, mask_TS, prefixed(tap, f"blocks.{index}"))
        return tap("logits", self.head(x_BTD))


def predictions(logits_BTV: Tensor, ids_BT: Tensor, tap: Tap) -> None:
    """What the logits say: the probabilities (B, T, V), and −log of the one that each position
    gives to the character that follows it (B, T − 1), in nats."""
    probabilities_BTV = tap("probabilities", logits_BTV.softmax(-1))
    following_BT1 = ids_BT[:, 1:].unsqueeze(-1)
    tap("loss", -probabilities_BTV[:, :-1].gather(-1, following_BT1).squeeze(-1).log())
