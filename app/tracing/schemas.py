"""The answers about traces and models. Tests hold every real answer against these."""

from typing import Any

from pydantic import Field

from app.server.schemas import Answer
from model.equality import RULE


class Section(Answer):
    """A place in a course; url is null where the texts give none."""

    course: str
    number: str
    title: str
    label: str = Field(description="the place in a few words, unique to the section")
    url: str | None
    figure: str | None = Field(description="the address of the interactive figure that is there")


class StageEntry(Answer):
    """What the stage table says of one tensor."""

    key: str
    title: str
    group: str = Field(description="the part of the model it is listed under")
    branch: str | None = Field(
        description="the sub-layer that leaves the residual stream; null on the stream"
    )
    symbol: str
    axes: list[str]
    along: list[str | None] = Field(
        description="whose characters each axis counts: text, target, hidden, vocabulary; or none's"
    )
    symbolic_shape: list[str]
    kind: str
    operation: str
    equation: str = Field(description="LaTeX")
    inputs: list[str]
    weights: list[str]
    sections: list[Section]
    null_means: str | None = Field(
        description='"-inf" where every null is a masked cell; "listed" where `nonfinite` says it'
    )


class StageUse(Answer):
    """A place on this server to try what a stage is about."""

    kind: str = Field(description="lab, lesson, exercise or check")
    title: str
    address: str


class WeightEntry(Answer):
    """A parameter as the checkpoint has it; a matrix is (out, in)."""

    key: str
    symbol: str
    symbol_mathml: str
    symbolic_shape: list[str]


class TableStage(StageEntry):
    """A stage with its equation and symbols as MathML, and its weights' symbols and shapes."""

    mathml: str
    symbol_mathml: str
    parameters: list[WeightEntry]
    practice: list[StageUse] = Field(description="where to try what it is about")


class Mark(Answer):
    """How cells are drawn that are not finite, and what they are called."""

    tint: str
    line: str
    path: str = Field(description="the line, as SVG in a square tile")
    word: str


class KindEntry(Answer):
    """How a kind of stage is drawn."""

    colours: list[str] = Field(description="evenly spaced, linear in sRGB")
    palettes: dict[str, list[str]] = Field(description="the same, by the name of each palette")
    range: str
    limit_at: float = Field(
        description="the share of the finite numbers other than 0 that the colours reach, by size; "
        "cells beyond are marked"
    )
    mask: Mark
    marks: dict[str, Mark] = Field(description="of each of masked, minus_inf, plus_inf and nan")
    tile: int = Field(description="the side of a mark's tile")
    template: dict[str, Any] = Field(description="Plotly, without numbers")


class TableWeight(Answer):
    """A parameter as the checkpoint has it; a matrix is (out, in)."""

    key: str
    title: str
    symbol: str
    symbol_mathml: str
    axes: list[str]
    along: list[str | None] = Field(
        description="whose characters an axis counts: the vocabulary's, or none's"
    )
    symbolic_shape: list[str]
    kind: str = Field(description="how it is drawn, as of a stage")
    used_by: list[str] = Field(description="the stages that use it")
    shape: list[int]
    dtype: str


class StageTable(Answer):
    """The stage table of one model."""

    model: str
    vocabulary: list[str] = Field(description="the character of each id")
    labels: list[str] = Field(
        description="the same as they are shown; U+200B for what does not print"
    )
    names: list[str] = Field(description="the same in words: space, U+200B ZERO WIDTH SPACE")
    stages: list[TableStage]
    weights: list[TableWeight] = Field(description="every parameter, without its numbers")
    kinds: dict[str, KindEntry]


class ModelCard(Answer):
    """Which weights made an answer."""

    id: str
    weights_sha256: str
    weights_dtype: str = Field(description="how the checkpoint stores them; all else is float32")


class Token(Answer):
    """One position of the text or of the target."""

    position: int = Field(description="counted from 0, in code points")
    id: int
    text: str
    label: str = Field(
        description="the character as it is shown: ␣ for a space, ↵ for a newline, U+200B for what "
        "does not print"
    )


class Candidate(Answer):
    """One possible character."""

    id: int
    text: str
    probability: float


class Next(Answer):
    """What may follow a position; of an encoder, what may be hidden at it."""

    position: int
    top: list[Candidate] = Field(description="the ten likeliest, likeliest first")


class Summary(Answer):
    """Over the finite cells; null where there is none."""

    min: float | None
    max: float | None
    mean: float | None
    std: float | None
    nonfinite: int


class Nonfinite(Answer):
    """Which cells are not finite: flat indices, in the order of the axes."""

    masked: list[int] = Field(description="−∞ that the stage's own mask put there")
    minus_inf: list[int] = Field(description="any other −∞")
    plus_inf: list[int]
    nan: list[int]


class TracedStage(StageEntry):
    """A stage of one text: what the table says of it, and its numbers."""

    shape: list[int]
    dtype: str
    summary: Summary
    values: list[Any] = Field(description="nested by axis; null where a number is not finite")
    nonfinite: Nonfinite | None = Field(description='null unless `null_means` is "listed"')
    gradient: list[Any] | None = Field(
        None,
        description="where asked for: d loss / d stage, in the shape of the values; null for ids",
    )
    gradient_nonfinite: Nonfinite | None = Field(
        None, description="which nulls of the gradient are what; null where there are none"
    )


class WeightGradient(Answer):
    """d loss / d parameter; a tied one has the sum of its uses."""

    key: str
    shape: list[int]
    values: list[Any]
    nonfinite: Nonfinite | None


class TraceAnswer(Answer):
    """A trace as JSON."""

    model: ModelCard
    text: str
    target: str | None = Field(description="encoder-decoder: the target that was traced")
    hidden: list[int] = Field(description="encoder-only: the positions asked to be hidden")
    tokens: list[Token] = Field(description="as the model reads them")
    target_tokens: list[Token] = Field(
        description="encoder-decoder: the target's, the line end that begins it first"
    )
    stages: list[TracedStage]
    next: list[Next] = Field(
        description="after the last position; of an encoder, at every hidden one"
    )
    notices: list[str]
    weight_gradients: list[WeightGradient] | None = Field(None, description="where asked for")


class FigureAnswer(Answer):
    """A Plotly figure: `plotly.graph_objects.Figure(answer)`."""

    data: list[dict[str, Any]]
    layout: dict[str, Any]


class Difference(Answer):
    """How far the two are apart."""

    absolute: float | None = Field(
        description="the largest |a − b|; null where a number is not finite, unless it is masked"
    )
    scaled: float | None = Field(
        description="the largest |a − b| on the scale of its row; null as `absolute` is"
    )
    index: list[int] | None = Field(description="where `scaled` is largest; null if empty")
    tolerance: float = Field(description="how large `scaled` may be")
    equal: bool = Field(description=RULE)


class StageCheck(Answer):
    """One stage against the NumPy interpreter."""

    key: str
    end_to_end: Difference = Field(description="computed from the ids on")
    single_operation: Difference = Field(description="computed from its recorded inputs")
    gradient: Difference | None = Field(
        description="where asked for, carried back from the loss through the recorded tensors; "
        "`scaled` is of the largest gradient in the trace; null for ids"
    )


class SanityCheck(Answer):
    """One of lesson 56's checks."""

    name: str
    passed: bool
    finding: str


class Flow(Answer):
    """The size of the gradient at one place of the residual stream."""

    key: str
    norm: float | None = Field(description="Euclidean, over all cells of d loss / d stage")
    without_residuals: float | None = Field(
        description="the same if no gradient took the residual connections"
    )


class FlowAnswer(Answer):
    """The gradient along the residual stream, from the input to the loss."""

    model: ModelCard
    text: str
    target: str | None
    hidden: list[int]
    flow: list[Flow]
    notices: list[str]


class CheckAnswer(Answer):
    """Every stage against the NumPy interpreter."""

    model: ModelCard
    text: str
    target: str | None
    hidden: list[int]
    tolerance: float = Field(
        description="of one operation whose sums are not very long; each difference has its own"
    )
    checks: list[StageCheck]
    sanity: list[SanityCheck]
    notices: list[str]


class Parameter(Answer):
    """One tensor of the checkpoint."""

    key: str
    shape: list[int]
    count: int


class Limits(Answer):
    """What a request may hold."""

    min_characters: int
    max_characters: int
    max_target_characters: int | None = Field(description="encoder-decoder alone")
    max_body_bytes: int


class Term(Answer):
    """One summand of a formula."""

    name: str
    formula: str
    count: int
    multiplied: bool = Field(description="whether vectors are multiplied by it, which takes FLOPs")


class Counted(Answer):
    """A part of a model, counted by formula and from its tensors."""

    name: str
    formula: str = Field(description="in d d_model, h d_ff, V vocab_size, L context_length")
    terms: list[Term]
    each: int = Field(description="what the formula gives")
    times: int = Field(description="how many there are")
    by_formula: int
    from_tensors: int
    tensors: list[str]


class Flops(Answer):
    """Floating-point operations, a multiply-add as two; backward takes twice what forward does."""

    matrix_parameters: int = Field(
        description="P: the matrices of attention, feed-forward and head; no look-up, bias or norm"
    )
    forward_per_token: int = Field(description="2P")
    training_per_token: int = Field(description="6P")
    attention_layers: int
    attention_per_token_and_layer: int = Field(
        description="4·T·d, scores and mixing in a forward pass; not in 2P"
    )
    attention_per_token: int = Field(description="the same for all layers")
    context_length: int = Field(description="the T of the two above")


class ModelEntry(Answer):
    """A served model."""

    id: str
    default: bool
    architecture: str
    mask: str | None = Field(description="encoder-only: what stands for a hidden character")
    config: dict[str, Any]
    parameters: int
    parameter_breakdown: list[Parameter]
    counting: list[Counted]
    flops: Flops
    weights_sha256: str
    weights_dtype: str = Field(description="how the checkpoint stores them")
    training: dict[str, Any] | None
    limits: Limits
    vocabulary: list[str]
    versions: dict[str, str]


class ModelList(Answer):
    models: list[ModelEntry]
