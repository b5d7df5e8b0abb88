"""What a reveal says is right for every text, and what is "often thought" is wrong.

Each step is held against many texts: one that ends in each of the 65 characters, and of every
length that is a corner. What the reveal claims is typed as a prediction and must be right; what
follows from the misconception is typed too and must be wrong.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest

from app.lessons import calculations
from app.lessons.answers import FUNCTIONS
from app.lessons.asking import Reader, symbols_in
from app.lessons.judging import allowed, judge
from app.lessons.lesson import Lesson, QuestionKind, Step
from app.lessons.library import library
from app.lessons.notation import number
from app.lessons.scene import stretched
from model import LoadedModel, load
from tests.conftest import ROOT

BEGINNING = "Now, my co"
LENGTHS = (1, 2, 3, 64)


@dataclass(frozen=True)
class Told:
    """One step, asked of one text."""

    step: Step
    reader: Reader
    answer: Any

    @property
    def text(self) -> str:
        return self.reader.text

    @cached_property
    def symbols(self) -> dict[str, int]:
        return symbols_in(self.reader, self.step, self.reader.of_step(self.step))

    def fact(self, name: str) -> Any:
        return self.reader.call(self.step, self.step.facts[name])

    def right(self, prediction: str) -> bool:
        return judge(self.step, prediction, self.answer, self.symbols).right


Claim = str | Callable[[Told], bool] | None
"""A prediction that is right for every text; what holds of the answer; or nothing that does not
follow from the answer alone."""

CLAIMS: dict[str, dict[str, Claim]] = {
    "follow-one-input": {
        "characters-become-ids": "N",
        "each-id-looks-up-a-vector": "N × d",
        "where-a-character-stands": "0",
        "added-not-appended": "N × d",
        "four-heads-four-smaller-vectors": "h × N × d_head",
        "every-query-meets-every-key": "h × N × N",
        "nobody-looks-ahead": "N(N-1)/2",
        "the-first-row-of-every-head": "1",
        "back-to-the-width-of-the-stream": "N × d",
        "add-then-normalise": "1",
        "wide-for-a-moment": "N × d_ff",
        "a-score-for-every-character": "N × V",
        "not-one-prediction-but-many": "N",
        "your-length-attention": "h × N × N",
        "any-tensor-any-length": "N × d_ff",
    },
    "inside-a-block": {
        "what-attention-reads": "blocks.0.attn_norm.output",
        "which-way-layernorm-averages": "N",
        "a-clean-row": "0",
        "changing-the-future": "0",
        "too-large-for-a-softmax": lambda told: told.right(f"{told.fact('product')!r}/√d_head"),
        "the-mask-comes-first": "less",
        "attention-is-added-not-put-in-place": lambda told: told.right(
            f"{told.fact('stream')!r} + {told.fact('brought')!r}"
        ),
        "the-shapes-must-match": "N × d",
        "room-to-think": "N × d_ff",
        "who-hears-whom": "1",
        "how-low-gelu-goes": "-0.17",
        "count-the-block": "4*d^2 + 2*d*d_ff + 9*d + d_ff",
        "where-most-of-it-lies": "2/3",
        "the-stream-is-never-normalised": None,
    },
    "the-modern-block": {
        "no-position-is-added": "embeddings",
        "one-statistic-instead-of-two": "N",
        "what-rmsnorm-leaves": "no",
        "turning-keeps-lengths": "1",
        "position-0-stands-still": lambda told: told.answer == ((0,),),
        "what-attention-leaves-behind": lambda told: told.right(
            f"{told.fact('stream')!r} + {told.fact('brought')!r}"
        ),
        "the-narrower-of-two-widths": "N × d_ff",
        "a-gate-times-a-value": lambda told: told.right(
            f"{told.fact('gate')!r} * {told.fact('up')!r}"
        ),
        "no-gate-is-quite-shut": "0",
        "three-matrices-for-the-price-of-two": "3*d*d_ff",
        "the-head-that-is-not-there": "0",
        "what-a-token-costs": "6P",
    },
    "the-gradient-highway": {
        "where-it-begins": "N − 1",
        "the-truth-pulls-the-rest-is-pushed": lambda told: (
            told.answer == ((told.fact("second"),),) and told.fact("negative") == 1
        ),
        "a-row-in-balance": "0",
        "nothing-from-the-last-position": "0",
        "addition-copies": "1",
        "both-ways-at-once": "sum",
        "if-the-skips-were-closed": None,
        "twelve-layers-of-one-half": "0.5^12",
        "what-stands-on-the-road": "blocks.0.ffn_norm.output",
        "units-that-stay-silent": lambda told: told.answer + allowed(told.step, told.answer) < 0.5,
        "which-way-the-loss-goes": lambda told: told.answer * told.fact("gradient") > 0,
        "the-price-of-a-small-step": lambda told: told.right(f"0.02 * {told.fact('gradient')!r}"),
    },
    "three-architectures": {
        "a-decoder-s-first-row": "1",
        "an-encoder-s-first-row": "N",
        "no-triangle": "0",
        "rows-still-sum-to-1": "1",
        "what-a-change-reaches-in-the-decoder": "0",
        "what-a-change-reaches-in-the-encoder": lambda told: told.answer > 0,
        "what-the-encoder-is-asked": "m",
        "two-stacks": "M",
        "who-asks-who-answers": "encoder.blocks.1.ffn_norm.output",
        "a-table-that-is-not-square": "h × M × N",
        "no-mask-across": "0",
        "three-sub-layers": "3",
    },
    "exercises": {
        "steps-that-change-the-shape": "2",
        "layernorm-by-hand": "√3",
        "scale-and-shift-learned": "2 * 3/√5 + 1",
        "the-blocks-of-gpt-2-medium": "12 L d^2 / 10^6",
        "a-turn-that-does-not-know-where-it-starts": "0",
        "forty-eight-layers": "0.9^48",
        "two-clocks-apart": "2π * 10000^(2i/d)",
        "a-masked-row": "e^2/(e^1 + e^2)",
        "three-tokens-ask-five": "M × N",
        "who-moves-who-thinks": "attention",
        "rmsnorm-backward": "√(2/25) - 3 * √(2/25)^3 * 3/d",
        "a-block-with-swiglu": "4d^2 + 3d*h",
        "why-swiglu-is-larger": "3/2",
        "gradient-check-a-block": lambda told: told.right(f"0.002 * {told.fact('gradient')!r}"),
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def models() -> dict[str, LoadedModel]:
    """The committed checkpoints that lessons look at."""
    needed = {name for lesson in library().values() for name in lesson.models}
    return {name: load(ROOT / "checkpoints" / name) for name in needed}


@pytest.fixture(scope="module")
def readers(models: dict[str, LoadedModel]) -> list[Reader]:
    """One for each text, so that all steps share its traces."""
    tokenizer = models["shakespeare"].tokenizer
    known = [tokenizer.piece(id).text for id in range(len(tokenizer))]
    assert len(known) == 65
    texts = [BEGINNING + last for last in known]
    texts += [
        stretched(BEGINNING, length - 1) + last for length in LENGTHS for last in ("\n", "e", "R")
    ]
    return [Reader(models.__getitem__, text) for text in texts]


@pytest.fixture(scope="module")
def told(readers: list[Reader]) -> dict[str, list[Told]]:
    """Every step that can be asked of a text, of every text, by lesson."""
    return {name: list(_told(lesson, readers)) for name, lesson in library().items()}


def _told(lesson: Lesson, readers: list[Reader]) -> Iterator[Told]:
    for step in lesson.steps:
        fixed = FUNCTIONS[step.answer.function].call.__module__ == calculations.__name__
        once = readers[0].call(step, step.answer) if fixed else None
        for reader in readers:
            if len(reader.text) >= step.least:
                yield Told(step, reader, once if fixed else reader.call(step, step.answer))


every_lesson = pytest.mark.parametrize("lesson", library().values(), ids=lambda lesson: lesson.name)


@every_lesson
def test_reveal_is_right_for_every_text(lesson: Lesson, told: dict[str, list[Told]]) -> None:
    claims = CLAIMS[lesson.name]
    assert claims.keys() == {step.key for step in lesson.steps}
    for one in told[lesson.name]:
        claim = claims[one.step.key]
        holds = claim(one) if callable(claim) else claim is None or one.right(claim)
        assert holds, (one.step.title, one.text, one.answer)


@every_lesson
def test_what_is_often_thought_is_wrong_for_every_text(
    lesson: Lesson, told: dict[str, list[Told]]
) -> None:
    """But where a corner makes it the very answer: of one character, N × N is N × 1."""
    for one in told[lesson.name]:
        for mistake in one.step.mistakes:
            if not _is_the_answer(one, mistake):
                assert not one.right(mistake), (one.step.title, one.text, one.answer, mistake)


def _is_the_answer(one: Told, mistake: str) -> bool:
    """Whether a mistake comes to the answer itself and not only near it."""
    if len(one.text) not in LENGTHS:
        return False
    exact = one.step.model_copy(update={"tolerance": 1e-9, "relative": 0.0})
    return judge(exact, mistake, one.answer, one.symbols).right


@every_lesson
def test_mistakes_can_be_read(lesson: Lesson, readers: list[Reader]) -> None:
    """A mistake with a misprint in it would be told apart from nothing."""
    for step in lesson.steps:
        one = Told(step, readers[0], readers[0].call(step, step.answer))
        for mistake in step.mistakes:
            if step.kind is QuestionKind.NUMBER:
                number(mistake, one.symbols)
            else:
                one.right(mistake)
