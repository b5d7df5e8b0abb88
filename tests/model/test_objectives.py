"""What each architecture learns from: the batches, the held-out part, and what is reported."""

from dataclasses import replace
from random import Random

import pytest
import torch
from torch import nn

from model.config import ModelConfig
from model.errors import CorpusError
from model.network.build import build
from model.tokenizer import MASK
from model.training.corpus import Corpus, split
from model.training.objectives import (
    NOT_ASKED,
    Batch,
    HiddenCharacters,
    NextCharacter,
    Vowels,
    edit_distance,
    mean_loss,
    validation_loss,
    without_vowels,
)

SIZES = {"d_model": 8, "n_heads": 2, "d_ff": 8, "n_blocks": 1, "context_length": 8}
LINES = "the cat\nhas a\nhat\n\nI\noh no\nrats eat\n" * 30


def counted(train: int, validation: int) -> Corpus:
    """A corpus of ids in a row, so that a position can be told from its id."""
    corpus = split(LINES, SIZES["context_length"], b"")
    return replace(corpus, train=torch.arange(train), validation=torch.arange(validation))


def config(corpus: Corpus, architecture: str) -> ModelConfig:
    vocab_size = len(corpus.tokenizer.vocabulary)
    return ModelConfig(vocab_size=vocab_size, architecture=architecture, **SIZES)


def seeded() -> torch.Generator:
    return torch.Generator().manual_seed(1)


@pytest.fixture(scope="module")
def masking() -> HiddenCharacters:
    corpus = split(LINES, SIZES["context_length"], b"", MASK)
    return HiddenCharacters(corpus, config(corpus, "encoder-only"))


@pytest.fixture(scope="module")
def vowels() -> Vowels:
    corpus = split(LINES, SIZES["context_length"], b"")
    return Vowels(corpus, config(corpus, "encoder-decoder"))


# The next character


def test_targets_are_the_following_characters() -> None:
    corpus = counted(100, 28)
    inputs, targets = NextCharacter(corpus, config(corpus, "decoder-only")).batch(16, seeded())
    assert inputs["ids_BT"].shape == targets.shape == (16, 8)
    assert torch.equal(inputs["ids_BT"] + 1, targets)


def test_every_start_is_drawn_and_none_beyond_the_end() -> None:
    corpus = counted(12, 28)
    inputs, targets = NextCharacter(corpus, config(corpus, "decoder-only")).batch(500, seeded())
    assert set(inputs["ids_BT"][:, 0].tolist()) == {0, 1, 2, 3}
    assert int(targets.max()) == 11


def test_validation_covers_each_whole_window_once() -> None:
    """The loss of a model that always predicts the next id alike is the mean over 3 windows."""
    seen: list[torch.Tensor] = []

    class Constant(nn.Module):
        def forward(self, ids_BT: torch.Tensor) -> torch.Tensor:
            seen.append(ids_BT)
            return torch.zeros(*ids_BT.shape, 32)

    corpus = counted(100, 28)
    loss = validation_loss(Constant(), NextCharacter(corpus, config(corpus, "decoder-only")))
    assert loss == pytest.approx(torch.tensor(32.0).log().item())
    assert torch.cat(seen).flatten().tolist() == list(range(24))


# Hidden characters


def test_hidden_characters_are_the_targets_and_nothing_else_is(masking: HiddenCharacters) -> None:
    for _ in range(20):
        inputs, targets = masking.batch(16, seeded())
        hidden = inputs["ids_BT"] == masking.mask_id
        assert torch.equal(hidden, targets != NOT_ASKED)
        assert hidden.any(1).all()


def test_hidden_share_is_about_the_stated_one(masking: HiddenCharacters) -> None:
    generator = seeded()
    batches = [masking.batch(64, generator).targets for _ in range(200)]
    long = torch.cat([targets for targets in batches if targets.shape[1] == 8])
    shares = (long != NOT_ASKED).float().mean()
    assert abs(shares - masking.SHARE - (1 - masking.SHARE) ** 8 / 8) < 0.01


def test_shorter_windows_come_too(masking: HiddenCharacters) -> None:
    generator = seeded()
    lengths = {masking.batch(2, generator).targets.shape[1] for _ in range(100)}
    assert lengths == {4, 5, 6, 7, 8}


def test_held_out_hides_the_same_each_time(masking: HiddenCharacters) -> None:
    once, again = ([batch.targets for batch in masking.held_out()] for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(once, again, strict=True))


def test_guesses_that_are_right_are_counted(masking: HiddenCharacters) -> None:
    """A model that always says `e` is right as often as an `e` is hidden."""
    e = masking.corpus.tokenizer.ids["e"]

    class Always(nn.Module):
        def forward(self, ids_BT: torch.Tensor) -> torch.Tensor:
            logits = torch.zeros(*ids_BT.shape, len(masking.corpus.tokenizer.vocabulary))
            logits[..., e] = 1
            return logits

    targets = torch.cat([batch.targets for batch in masking.held_out()])
    hidden = targets[targets != NOT_ASKED]
    report = masking.report(Always())
    assert report["characters_right"] == int((hidden == e).sum()) / len(hidden)
    assert report["characters"] == len(hidden)


def test_corpus_with_the_mask_symbol_is_refused() -> None:
    with pytest.raises(CorpusError, match="'_' at position 2"):
        split("ab_" * 100, 8, b"", MASK)


# Vowels


def test_source_is_the_line_without_vowels() -> None:
    assert without_vowels("To be, or NOT: Aye") == "T b, r NT: y"


def test_batch_reads_lines_without_vowels_and_writes_them(vowels: Vowels) -> None:
    inputs, targets = vowels.batch(32, seeded())
    decode = vowels.corpus.tokenizer.decode
    for source, target, wanted in zip(
        inputs["source_BS"], inputs["target_BT"], targets, strict=True
    ):
        asked = [int(i) for i in wanted if i != NOT_ASKED]
        line = decode(asked)
        assert line.endswith("\n")
        assert decode(target[: len(asked)].tolist()) == "\n" + line[:-1]
        read = without_vowels(line[:-1])
        assert decode(source[: len(read)].tolist()) == read


def test_lines_without_a_consonant_are_not_learned_from(vowels: Vowels) -> None:
    decode = vowels.corpus.tokenizer.decode
    assert {decode(y) for _, y in vowels.trained} == {"the cat", "has a", "hat", "oh no"}


def test_padding_changes_no_logits(vowels: Vowels) -> None:
    """A short source beside a longer one has the logits that it has alone."""
    network = build(config(vowels.corpus, "encoder-decoder"), seeded())
    short, long = sorted(vowels.trained, key=lambda pair: len(pair[0]))[:: len(vowels.trained) - 1]
    together = network(**vowels._batch([short, long]).inputs)
    alone = network(**vowels._batch([short]).inputs)
    torch.testing.assert_close(together[:1, : alone.shape[1]], alone, rtol=0, atol=1e-5)


def test_report_of_what_is_always_written_wrongly(
    vowels: Vowels, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writing the source back leaves out just the vowels."""
    monkeypatch.setattr("model.training.objectives.write", lambda _, sources, line_end: sources)
    report = vowels.report(build(config(vowels.corpus, "encoder-decoder"), seeded()))
    lines = [vowels.corpus.tokenizer.decode(y) for _, y in vowels.tested]
    kept = sum(len(without_vowels(line)) for line in lines)
    assert report["characters_right"] == pytest.approx(kept / sum(map(len, lines)))
    assert report["lines_right"] == 0
    assert report["lines"] == len(lines)


def test_corpus_without_lines_is_refused() -> None:
    corpus = split("abcdefgh" * 100, 8, b"")
    with pytest.raises(CorpusError, match="learns from lines"):
        Vowels(
            replace(corpus, tokenizer=replace(corpus.tokenizer, vocabulary=(*"abcdefgh", "\n"))),
            config(corpus, "encoder-decoder"),
        )


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("abc", "abc", 0), ("ab", "ba", 2)],
)
def test_edit_distance(a: str, b: str, distance: int) -> None:
    assert edit_distance([*map(ord, a)], [*map(ord, b)]) == distance


def test_edit_distance_is_symmetric(random: Random) -> None:
    for _ in range(100):
        a, b = ([random.randrange(3) for _ in range(random.randrange(9))] for _ in range(2))
        assert edit_distance(a, b) == edit_distance(b, a)


def test_mean_loss_skips_what_is_not_asked() -> None:
    """Only asked positions count, so others' logits change nothing."""
    logits = torch.randn(1, 3, 5, generator=seeded())

    class Fixed(nn.Module):
        def forward(self, ids_BT: torch.Tensor) -> torch.Tensor:
            return logits

    targets = torch.tensor([[2, NOT_ASKED, 4]])
    loss = mean_loss(Fixed(), Batch({"ids_BT": targets}, targets))
    expected = -(logits[0].log_softmax(-1)[[0, 2], [2, 4]]).mean()
    torch.testing.assert_close(loss, expected)
