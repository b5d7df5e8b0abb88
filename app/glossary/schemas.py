"""The glossary's answer. Symbols, equations and notation are LaTeX."""

from pydantic import Field

from app.server.schemas import Answer, Request


class GlossaryRequest(Request):
    """Nothing can be asked of it: it is one answer, with all words."""


class GlossaryReference(Answer):
    """Another entry: `title` does not repeat the group that it is listed under."""

    anchor: str = Field(description="its id in the page /glossary")
    title: str
    group: str


class GlossaryPlace(Answer):
    """Where the tracer shows a stage: the first of its pattern in one model."""

    model: str
    stage: str


class GlossaryForm(Answer):
    """One way in which models make a stage."""

    symbols: list[str] = Field(description="each block's, where they differ")
    operation: str
    equation: str = Field(description="of the first block")
    axes: list[str]
    symbolic_shape: list[str]
    kind: str
    places: list[GlossaryPlace]


class GlossaryStage(Answer):
    """A stage of one or more models."""

    anchor: str
    pattern: str = Field(description="its keys, with * for the number of the block")
    title: str
    group: str
    sections: list[GlossaryReference]
    forms: list[GlossaryForm]


class GlossarySize(Answer):
    """How long an axis is in some of the models, of all of them if `models` is empty."""

    value: int
    models: list[str]


class GlossaryCount(Answer):
    """One of the things that an axis of this name counts."""

    symbol: str
    meaning: str
    sizes: list[GlossarySize] = Field(description="empty where the text decides it")


class GlossaryAxis(Answer):
    """An axis, with the stages that have it."""

    anchor: str
    name: str
    counts: list[GlossaryCount]
    stages: list[GlossaryReference]


class GlossaryWeight(Answer):
    """A weight by the pattern of its key."""

    pattern: str
    symbolic_shape: list[str]


class GlossarySymbol(Answer):
    """What a symbol stands for: stages, or weights that the stages are made with."""

    anchor: str
    symbol: str
    weights: list[GlossaryWeight]
    stages: list[GlossaryReference]


class GlossaryWord(Answer):
    """A kind, a section or an operation, with its stages."""

    anchor: str
    name: str
    meaning: str | None
    url: str | None
    stages: list[GlossaryReference]


class GlossaryNotation(Answer):
    """How one thing is written, and called in code; a text that gives it no letter has none."""

    meaning: str
    code: list[str]
    here: list[str]
    module_7: list[str]
    lesson_56: list[str]
    chapter: list[str]


class GlossaryAnswer(Answer):
    """All words, and the notation of the course texts."""

    models: list[str]
    axes: list[GlossaryAxis]
    kinds: list[GlossaryWord]
    sections: list[GlossaryWord]
    symbols: list[GlossarySymbol]
    operations: list[GlossaryWord]
    stages: list[GlossaryStage]
    notation: list[GlossaryNotation]
