"""F06: a corpus that lacks what a preset's task needs gives a model, or one plain sentence."""

from pathlib import Path
from random import Random

import pytest

from model import load, trace
from model.config import PRESETS
from model.training.__main__ import main

QUICK = ["--steps", "1", "--batch-size", "2", "--quiet"]
ENCODER, SEQ2SEQ = "shakespeare-encoder", "shakespeare-seq2seq"


def lines(letters: str, length: int = 30) -> str:
    """A hundred lines of letters drawn from these."""
    draw = Random(1)
    return "\n".join("".join(draw.choices(letters, k=length)) for _ in range(100))


CORPORA = {
    "one long line of ACGT": "".join(Random(1).choices("ACGT", k=3000)),
    "no vowels": lines("bcdfgh "),
    "no consonants": lines("aeiou"),
    "one line": "the cat sat on a mat " * 100 + "\n",
    "no line ends": "the cat has a hat. " * 120,
    "two characters": "ab" * 1000,
    "one character": "a" * 2000,
    "line ends alone": "\n" * 2000,
    "spaces": " " * 2000,
    "empty lines": "the cat\n\n\n" * 200,
    "the mask": "the_cat has\n" * 200,
    "lines that are too long": ("x" * 70 + "a\n") * 60,
    "its only line ends at the end": "the cat has a hat. " * 120 + "\nabc\n",
    "nothing": "",
    "characters that do not print": "a\u200b\u202eb␣ \n" * 200,
}
NO_LINES = "has no line ends; an encoder-decoder learns from lines of 1 to 63 characters"
NO_FIT = "has no lines of 1 to 63 characters with a consonant in both of its parts"
REFUSED = {
    **{("nothing", preset): "need at least 641" for preset in PRESETS},
    ("the mask", ENCODER): "has '_' at position 3",
    ("no vowels", SEQ2SEQ): "has no vowel (AEIOUaeiou)",
    **{
        (name, SEQ2SEQ): NO_LINES
        for name in (
            "one long line of ACGT", "no line ends", "two characters", "one character", "spaces",
        )
    },
    **{
        (name, SEQ2SEQ): NO_FIT
        for name in (
            "no consonants", "one line", "line ends alone", "lines that are too long",
            "its only line ends at the end",
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("preset", sorted(PRESETS))
@pytest.mark.parametrize("name", CORPORA)
def test_odd_corpus_makes_a_model_or_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], preset: str, name: str
) -> None:
    data, out = tmp_path / "corpus.txt", tmp_path / "out"
    data.write_text(CORPORA[name], encoding="utf-8", newline="")
    code = main([preset, "--data", str(data), "--out", str(out), *QUICK])
    printed = capsys.readouterr()
    if (said := REFUSED.get((name, preset))) is not None:
        assert (code, printed.out) == (1, "")
        assert said in printed.err
        assert printed.err.startswith("error: The corpus ")
        assert printed.err.endswith(".\n")
        assert printed.err.count("\n") == 1
    else:
        assert (code, printed.err) == (0, "")
        made = load(out)
        assert trace(made, made.tokenizer.piece(0).text).tokens[0].id == 0
