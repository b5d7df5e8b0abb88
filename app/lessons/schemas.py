"""The requests and answers of the lessons."""

from pydantic import Field

from app.server.schemas import Answer, Request
from app.tracing.requests import EXAMPLE_TEXT
from model.budget import LONGEST_CONTEXT


class LessonRequest(Request):
    """Whose text a lesson is about."""

    text: str | None = Field(
        None,
        description="1 to context_length characters; default: the text that the page opens with",
        examples=[EXAMPLE_TEXT],
    )


class PredictionRequest(Request):
    """A prediction for one step of a lesson."""

    text: str = Field(description="the reader's own", examples=[EXAMPLE_TEXT])
    step: int = Field(ge=1, le=99, strict=True, description="counted from 1", examples=[2])
    prediction: str | None = Field(
        None,
        max_length=100,
        description="as the step's kind asks: 0.25 or 12*d^2; 4 × 19 × 19 or h × N × N; a cell's "
        "indices 3, 0; an option's key. null only asks for the answer",
        examples=["N × d"],
    )
    length: int | None = Field(
        None,
        ge=1,
        le=LONGEST_CONTEXT,
        strict=True,
        description="where the step lets a reader pick one: the text is repeated or cut to it",
    )
    stage: str | None = Field(
        None, max_length=100, description="where the step lets a reader pick one: a stage key"
    )


class NumberRequest(Request):
    """A number as it is typed."""

    prediction: str = Field(max_length=100, description="or a formula", examples=["12*64^2"])


class NumberAnswer(Answer):
    prediction: str
    value: float


class LessonEntry(Answer):
    """One lesson in the list."""

    name: str
    title: str
    lead: str
    course: str = Field(description="the text that it follows")
    steps: int
    models: list[str] = Field(description="those it looks at")
    missing: list[str] = Field(description="those of them that this server does not have")


class LessonList(Answer):
    lessons: list[LessonEntry]


class LessonReading(Answer):
    """What a step's model reads: the fields of a trace request."""

    text: str
    target: str | None
    hidden: list[int]


class LessonOption(Answer):
    key: str
    text: str


class LessonLink(Answer):
    name: str
    address: str


class LessonStep(Answer):
    """One step as it is asked; its answer comes with a prediction."""

    number: int
    key: str = Field(description="stays when steps are moved")
    title: str
    model: str
    stage: str | None = Field(description="its place in the model; null where it has none")
    before: str | None = Field(description="a stage to look at while the question is open")
    head: int | None
    gradient: bool = Field(description="whether the gradient of the mean loss is meant")
    reading: LessonReading
    picks: list[str] = Field(description="what the reader chooses: length, stage")
    say: str
    ask: str
    kind: str = Field(description="number, shape, cell or choice")
    axes: list[str] = Field(description="of a cell")
    symbols: list[str] = Field(description="those that a shape or a number can be written in")
    within: str | None = Field(description="how far off a number is still right")
    options: list[LessonOption] = Field(description="of a choice")
    source: str | None = Field(description="of an exercise: where it is set")
    see: list[LessonLink]
    refusal: str | None = Field(description="why it cannot be asked of this text")


class LessonAnswer(LessonEntry):
    """A lesson for one text, without its answers."""

    name: str
    text: str
    questions: list[LessonStep]


class PredictionAnswer(Answer):
    """What a step's answer is, computed from the text's tensors, and what became of the
    prediction."""

    lesson: str
    step: int
    model: str
    stage: str | None
    reading: LessonReading
    right: bool | None = Field(description="null where nothing was predicted")
    prediction: str | None = Field(description="as it was understood")
    difference: str = Field(description="how a wrong one differs, in words")
    answer: str
    reveal: str
    misconception: str | None
    mathml: str | None
    mark: list[int] | None = Field(description="the cell of the stage that it is about")
    notices: list[str]
