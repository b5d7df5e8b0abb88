"""What a model learns from a corpus, by architecture: the batches, and what it must predict.

Axes: B batch, T position, S source, V vocab.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from model.config import Architecture, ModelConfig
from model.errors import CorpusError
from model.network.transformer import EncoderDecoder
from model.tokenizer import LINE_END, MASK
from model.training.corpus import Corpus
from model.writing import padded, write

HELD_OUT_BATCH = 128
NOT_ASKED = -100
"""Stands in the targets where no prediction is asked for; torch's cross entropy skips it."""


class Batch(NamedTuple):
    """What the network's forward is given, by name, and the ids to predict at each position."""

    inputs: dict[str, Tensor]
    targets: Tensor


class Objective(ABC):
    """One way of learning from a corpus."""

    special: ClassVar[tuple[str, ...]] = ()
    """Symbols that the vocabulary needs beside the corpus' characters."""

    def __init__(self, corpus: Corpus, config: ModelConfig) -> None:
        self.corpus = corpus
        self.context_length = config.context_length

    @abstractmethod
    def batch(self, size: int, generator: torch.Generator) -> Batch:
        """A random batch of the trained part."""

    @abstractmethod
    def held_out(self) -> Iterator[Batch]:
        """The held-out part, the same batches each time."""

    def report(self, network: nn.Module) -> dict[str, float]:
        """What else there is to say of a trained network, measured on the held-out part."""
        return {}


def mean_loss(network: nn.Module, batch: Batch) -> Tensor:
    """Cross entropy, nats a predicted character."""
    logits_BTV = network(**batch.inputs)
    return cross_entropy(logits_BTV.flatten(0, 1), batch.targets.flatten(), ignore_index=NOT_ASKED)


@torch.no_grad()
def validation_loss(network: nn.Module, objective: Objective) -> float:
    """Mean loss over the held-out part, nats a predicted character."""
    total, count = 0.0, 0
    for batch in objective.held_out():
        asked = int((batch.targets != NOT_ASKED).sum())
        total += mean_loss(network, batch).item() * asked
        count += asked
    return total / count


class NextCharacter(Objective):
    """A decoder's: at every position of a window, the character that follows (module 8.4)."""

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        windows = _windows(self.corpus.train, self.context_length + 1, size, generator)
        return Batch({"ids_BT": windows[:, :-1]}, windows[:, 1:])

    def held_out(self) -> Iterator[Batch]:
        """All windows that do not overlap."""
        length, ids = self.context_length, self.corpus.validation
        n_windows = (len(ids) - 1) // length
        inputs_BT = ids[: n_windows * length].view(n_windows, length).split(HELD_OUT_BATCH)
        targets_BT = ids[1 : n_windows * length + 1].view(n_windows, length).split(HELD_OUT_BATCH)
        for x_BT, y_BT in zip(inputs_BT, targets_BT, strict=True):
            yield Batch({"ids_BT": x_BT}, y_BT)


class HiddenCharacters(Objective):
    """An encoder's: of a window in which some characters are hidden, just those (Devlin et al.
    2018, but a hidden character is always replaced by the mask symbol).

    Half of the batches have shorter windows, because readers type short texts.
    """

    special = (MASK,)
    SHARE = 0.3

    def __init__(self, corpus: Corpus, config: ModelConfig) -> None:
        super().__init__(corpus, config)
        self.mask_id = corpus.tokenizer.ids[MASK]

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        length = self.context_length
        if torch.rand((), generator=generator) < 0.5:
            length = int(torch.randint(min(4, length), length + 1, (), generator=generator))
        return self._hidden(_windows(self.corpus.train, length, size, generator), generator)

    def held_out(self) -> Iterator[Batch]:
        """All windows that do not overlap, the same characters hidden each time."""
        length, ids = self.context_length, self.corpus.validation
        windows_BT = ids[: len(ids) // length * length].view(-1, length)
        generator = torch.Generator().manual_seed(0)
        for ids_BT in windows_BT.split(HELD_OUT_BATCH):
            yield self._hidden(ids_BT, generator)

    def _hidden(self, ids_BT: Tensor, generator: torch.Generator) -> Batch:
        hidden_BT = torch.rand(ids_BT.shape, generator=generator) < self.SHARE
        hidden_BT[:, 0] |= ~hidden_BT.any(1)  # each window asks for something
        return Batch(
            {"ids_BT": ids_BT.masked_fill(hidden_BT, self.mask_id)},
            ids_BT.masked_fill(~hidden_BT, NOT_ASKED),
        )

    @torch.no_grad()
    def report(self, network: nn.Module) -> dict[str, float]:
        """The share of hidden characters whose likeliest guess is right."""
        right = asked = 0
        for inputs, targets_BT in self.held_out():
            guesses_BT = network(**inputs).argmax(-1)
            right += int((guesses_BT == targets_BT).sum())
            asked += int((targets_BT != NOT_ASKED).sum())
        return {"characters_right": right / asked, "characters": asked}


class Vowels(Objective):
    """An encoder-decoder's: a line without its vowels in, the line itself out."""

    VOWELS = "AEIOUaeiou"

    def __init__(self, corpus: Corpus, config: ModelConfig) -> None:
        super().__init__(corpus, config)
        if LINE_END not in corpus.tokenizer.ids:
            raise CorpusError(
                "The corpus has no line ends; an encoder-decoder learns from lines of 1 to "
                f"{self.context_length - 1} characters. Break it into lines.",
                field="data",
            )
        self.line_end = corpus.tokenizer.ids[LINE_END]
        self.trained = self._pairs(corpus.train)
        self.tested = self._pairs(corpus.validation)
        if not self.trained or not self.tested:
            raise CorpusError(
                f"The corpus has no lines of 1 to {self.context_length - 1} characters with a "
                "consonant in both of its parts; an encoder-decoder learns from lines.",
                field="data",
            )
        if all(source == line for source, line in self.trained):
            raise CorpusError(
                f"The corpus has no vowel ({self.VOWELS}) in any line to learn from; an "
                "encoder-decoder learns to put vowels back. Train another preset on it.",
                field="data",
            )

    def _pairs(self, ids: Tensor) -> list[tuple[list[int], list[int]]]:
        """Source and target of every line that fits the context and has more than vowels."""
        tokenizer = self.corpus.tokenizer
        lines = tokenizer.decode(ids.tolist()).split(LINE_END)[1:-1]  # those at the ends are cut
        fitting = [line for line in lines if len(line) < self.context_length]
        pairs = [(without_vowels(line), line) for line in fitting]
        return [(tokenizer.encode(x), tokenizer.encode(y)) for x, y in pairs if x]

    def batch(self, size: int, generator: torch.Generator) -> Batch:
        chosen = torch.randint(len(self.trained), (size,), generator=generator)
        return self._batch([self.trained[i] for i in chosen])

    def held_out(self) -> Iterator[Batch]:
        for start in range(0, len(self.tested), HELD_OUT_BATCH):
            yield self._batch(self.tested[start : start + HELD_OUT_BATCH])

    def _batch(self, pairs: Sequence[tuple[list[int], list[int]]]) -> Batch:
        source_BS, filled_B11S = padded([x for x, _ in pairs])
        target_BT, _ = padded([[self.line_end, *y] for _, y in pairs])
        following_BT, _ = padded([[*y, self.line_end] for _, y in pairs], NOT_ASKED)
        inputs = {"source_BS": source_BS, "target_BT": target_BT}
        if filled_B11S is not None:
            inputs["filled_B11S"] = filled_B11S
        return Batch(inputs, following_BT)

    @torch.no_grad()
    def report(self, network: nn.Module) -> dict[str, float]:
        """What it writes greedily: the share of lines that are right, and of characters, which is
        1 − the edit distance to the line over the line's length, over all lines."""
        assert isinstance(network, EncoderDecoder)
        right = edits = characters = 0
        for start in range(0, len(self.tested), HELD_OUT_BATCH):
            pairs = self.tested[start : start + HELD_OUT_BATCH]
            written = write(network, [x for x, _ in pairs], self.line_end)
            for ours, (_, line) in zip(written, pairs, strict=True):
                right += ours == line
                edits += edit_distance(ours, line)
                characters += len(line)
        return {
            "characters_right": 1 - edits / characters,
            "lines_right": right / len(self.tested),
            "lines": len(self.tested),
        }


OBJECTIVES: dict[Architecture, type[Objective]] = {
    Architecture.DECODER_ONLY: NextCharacter,
    Architecture.ENCODER_ONLY: HiddenCharacters,
    Architecture.ENCODER_DECODER: Vowels,
}


def without_vowels(line: str) -> str:
    """The line as an encoder-decoder reads it."""
    return line.translate(dict.fromkeys(map(ord, Vowels.VOWELS)))


def edit_distance(a: Sequence[int], b: Sequence[int]) -> int:
    """The fewest insertions, deletions and replacements that make `b` of `a` (Levenshtein)."""
    b_array = np.array(b)
    row = np.arange(len(b) + 1)
    for count, item in enumerate(a, 1):
        replaced = row[:-1] + (b_array != item)
        best = np.concatenate([[count], np.minimum(replaced, row[1:] + 1)])
        # An insertion continues the best one to its left, one dearer a step.
        row = np.minimum.accumulate(best - np.arange(len(best))) + np.arange(len(best))
    return int(row[-1])


def _windows(ids: Tensor, length: int, size: int, generator: torch.Generator) -> Tensor:
    """Random windows of that many characters: (B, length)."""
    starts_B1 = torch.randint(len(ids) - length + 1, (size, 1), generator=generator)
    return ids[starts_B1 + torch.arange(length)]
