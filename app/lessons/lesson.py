"""What a lesson is: an ordered list of steps, each a place, a question and a reveal."""

import re
from enum import StrEnum
from string import Formatter
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from model.table.sections import EVERY, Section

GIVEN = {"n", "text"}
"""What every sentence may name: how many characters the text has, and the text."""
REVEALED = {"answer", "length", "tensor"}
"""What only a reveal may name: the answer, and what the reader picked."""
BY_LABEL = {section.label: section for section in EVERY}


class Part(BaseModel):
    """A part of a lesson file; an unknown key is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class QuestionKind(StrEnum):
    """What a prediction is: a number, a shape, a place in a tensor, or one of a few options."""

    NUMBER = "number"
    SHAPE = "shape"
    CELL = "cell"
    CHOICE = "choice"


class Read(StrEnum):
    """What the model of a step makes of the reader's text: it reads it as it is; with the middle
    character hidden (an encoder); or without its vowels, the text being the target (an
    encoder-decoder)."""

    AS_IT_IS = "as it is"
    ONE_HIDDEN = "one hidden"
    VOWELS_LEFT_OUT = "vowels left out"


class Derivation(BaseModel):
    """A function of answers.py by its name, and its parameters; `model` where it is to look at
    another model than the step's."""

    model_config = ConfigDict(frozen=True, extra="allow")

    function: str
    model: str | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        return dict(self.model_extra or {})


class Option(Part):
    """One of the choices. Where the answer is a number, the right option is the first that it is
    `below`; the last has no bound. `why` is said to those who chose it and were wrong."""

    key: str
    text: str
    below: float | None = None
    why: str | None = None


class Link(Part):
    """Where something can be seen."""

    name: str
    address: Annotated[str, Field(pattern="^/")]


class Step(Part):
    """One step. `taught` names the sections that teach it besides those of its stage. `stage` is
    its place in the `model`; `before` a stage whose tensor is drawn while the question is open,
    which may be the same one where its picture gives nothing away. `mark` is the cell outlined with
    the reveal. `least` is the fewest characters of a text that it can be asked of. `counts_in` is
    what a number counts, where that is not ones. `facts` are numbers that the sentences name in
    braces. `symbols` are those that a number may be written in, with their sizes or the facts that
    have them; without any, the sizes of shapes. `mistakes` are predictions that follow from the
    misconception, and must be told wrong."""

    title: str
    taught: tuple[str, ...] = ()
    model: str = ""  # the lesson's, filled in when it is read
    stage: str | None = None
    before: str | None = None
    head: int | None = None
    mark: tuple[int | str, ...] = ()
    gradient: bool = False
    read: Read = Read.AS_IT_IS
    least: int = Field(1, ge=1)
    picks: tuple[Literal["length", "stage"], ...] = ()
    say: str
    ask: str
    kind: QuestionKind
    answer: Derivation
    axes: tuple[str, ...] = ()
    symbols: dict[str, int | str] | None = None
    tolerance: float = Field(0, ge=0)
    relative: float = Field(0, ge=0)
    counts_in: Literal["millions"] | None = None
    options: tuple[Option, ...] = ()
    facts: dict[str, Derivation] = {}
    misconception: str | None = None
    mistakes: tuple[str, ...] = ()
    reveal: str
    equation: str | None = None
    source: str | None = None
    see: tuple[Link, ...] = ()

    @property
    def key(self) -> str:
        """A name that stays when steps are moved."""
        return re.sub(r"\W+", "-", self.title.lower()).strip("-")

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections that `taught` names."""
        return tuple(BY_LABEL[label] for label in self.taught)

    @property
    def calls(self) -> tuple[Derivation, ...]:
        return (self.answer, *self.facts.values())

    @property
    def models(self) -> set[str]:
        return {self.model} | {call.model for call in self.calls if call.model is not None}

    @model_validator(mode="after")
    def fits_together(self) -> "Step":
        if (self.kind is QuestionKind.CHOICE) != bool(self.options):
            raise ValueError("a choice has options, and nothing else has")
        if (self.kind is QuestionKind.CELL) != bool(self.axes):
            raise ValueError("a cell has axes, and nothing else has")
        early = self.facts.keys() | GIVEN
        for name, sentence, known in (
            ("say", self.say, early),
            ("ask", self.ask, early),
            ("reveal", self.reveal, early | REVEALED),
        ):
            unknown = named(sentence) - known
            if unknown:
                raise ValueError(
                    f"{name} speaks of {sorted(unknown)}, which is no fact of the step"
                )
        by_fact = {size for size in (self.symbols or {}).values() if isinstance(size, str)}
        if by_fact - self.facts.keys():
            raise ValueError(f"symbols have the sizes {sorted(by_fact)}, which are no facts")
        if self.symbols is not None and self.kind is not QuestionKind.NUMBER:
            raise ValueError("a number alone has symbols of its own")
        unused = self.facts.keys() - named(self.say + self.ask + self.reveal) - by_fact
        if unused:
            raise ValueError(f"no sentence speaks of the facts {sorted(unused)}")
        return self


class Lesson(Part):
    """One lesson, or the exercises. `name` is that of its file, and of its address."""

    name: str
    title: str
    lead: str
    course: str
    steps: tuple[Step, ...]

    @property
    def models(self) -> list[str]:
        """The models that it needs, in the order it meets them."""
        return list(dict.fromkeys(name for step in self.steps for name in sorted(step.models)))


def named(sentence: str) -> set[str]:
    """What a sentence names in braces."""
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}
