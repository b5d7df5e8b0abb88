"""What an encoder-decoder writes by itself.

Axes: B batch, T position, S source, D d_model, V vocab.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import torch
from torch import Tensor

from model.network.transformer import EncoderDecoder, Transformer
from model.question import Question
from model.reading import Reader, read, symbol
from model.tokenizer import LINE_END


class Writer(Reader, Protocol):
    """A model that can run."""

    @property
    def network(self) -> Transformer: ...


def written(model: Writer, question: Question) -> list[int] | None:
    """The ids of the target that an encoder-decoder writes by itself where a question has none;
    None for any other question.

    Raises:
        TextError: the model cannot read that.
    """
    if question.target is not None or not model.config.writes:
        return None
    assert isinstance(model.network, EncoderDecoder)
    source = read(model, replace(question, target="")).given["encoder.ids"]
    line_end = symbol(model.tokenizer, LINE_END)
    with torch.inference_mode():
        (ids,) = write(model.network, [source.tolist()], line_end.id)
    return ids


def write(
    network: EncoderDecoder, sources: Sequence[Sequence[int]], line_end: int
) -> list[list[int]]:
    """The greedy target of each source, ids to ids: at each step the likeliest character, until
    that is the line end or the context is full. Neither line end is part of a result."""
    source_BS, filled_B11S = padded(sources)
    read_BSD, over = network.read(source_BS, filled_B11S=filled_B11S)
    ids_BT = torch.full((len(sources), 1), line_end)
    ended_B = torch.zeros(len(sources), dtype=torch.bool)
    while ids_BT.shape[1] < network.context_length:
        likeliest_B = network.write(ids_BT, read_BSD, over)[:, -1].argmax(-1)
        ended_B |= likeliest_B == line_end
        if ended_B.all():
            break
        ids_BT = torch.cat([ids_BT, likeliest_B.unsqueeze(1)], dim=1)
    return [_before(line_end, row) for row in ids_BT[:, 1:].tolist()]


def padded(rows: Sequence[Sequence[int]], filler: int = 0) -> tuple[Tensor, Tensor | None]:
    """Rows filled up to the longest, (B, S), and where they were, (B, 1, 1, S); None where nothing
    was."""
    longest = max(map(len, rows))
    ids_BS = torch.tensor([[*row, *[filler] * (longest - len(row))] for row in rows])
    lengths_B1 = torch.tensor([[len(row)] for row in rows])
    if bool((lengths_B1 == longest).all()):
        return ids_BS, None
    filled_BS = torch.arange(longest) >= lengths_B1
    return ids_BS, filled_BS[:, None, None]


def _before(line_end: int, row: list[int]) -> list[int]:
    return row[: row.index(line_end)] if line_end in row else row
