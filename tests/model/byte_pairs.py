"""A small byte-pair tokenizer, as real models have: its pieces are bytes, not characters."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import torch

from model.checkpoint import LoadedModel
from model.config import ModelConfig
from model.network.build import build
from model.tokenizer import Piece, nameless, piece_of, placed

MERGES = ((b"t", b"h"), (b"th", b"e"), (b" ", b"the"), (b" ", b"k"), ("🙂".encode()[:1], b"\x9f"))
"""In the order in which they were learned; the last is the first half of an emoji."""


@dataclass(frozen=True)
class BytePairs:
    """Sennrich et al. 2016, on bytes: neighbours are joined, the earliest learned pair first."""

    unit = "token"

    @cached_property
    def contents(self) -> tuple[bytes, ...]:
        return (*(bytes([one]) for one in range(256)), *(left + right for left, right in MERGES))

    def __len__(self) -> int:
        return len(self.contents)

    def read(self, text: str, field: str = "text") -> Sequence[Piece]:
        contents = [bytes([one]) for one in text.encode()]
        while joinable := set(pairwise(contents)).intersection(MERGES):
            pair = min(joinable, key=MERGES.index)
            contents = joined(contents, pair)
        return placed(self.piece(self.contents.index(content)) for content in contents)

    def write(self, ids: Sequence[int]) -> str:
        return b"".join(self.piece(id).content for id in ids).decode("utf-8", "replace")

    def piece(self, id: int) -> Piece:
        return piece_of(id, self.contents[id]) if 0 <= id < len(self) else nameless(id)

    def find(self, start: str, limit: int) -> Sequence[int]:
        found = [id for id in range(len(self)) if self.piece(id).text.startswith(start)]
        return found[:limit]


def joined(contents: Sequence[bytes], pair: tuple[bytes, bytes]) -> list[bytes]:
    """The same with that pair of neighbours as one, wherever it stands."""
    result: list[bytes] = []
    for content in contents:
        if result and (result[-1], content) == pair:
            result[-1] += content
        else:
            result.append(content)
    return result


PADDING = 3
"""Rows of the embedding that no id of the tokenizer names."""


def byte_pair_model(**changes: object) -> LoadedModel:
    """A small untrained model that reads byte pairs."""
    tokenizer = BytePairs()
    sizes = {"context_length": 12, "d_model": 8, "n_heads": 2, "d_ff": 16, "n_blocks": 1}
    config = ModelConfig(vocab_size=len(tokenizer) + PADDING, **sizes | changes)
    network = build(config, torch.Generator().manual_seed(3)).eval()
    return LoadedModel("byte-pairs", config, tokenizer, network, "", None)
