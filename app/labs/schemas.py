"""The requests and answers of the labs; a lab's own limits stand beside it in model/labs."""

from typing import Annotated, Any

from pydantic import Field

from app.server.queries import QueryRequest
from app.server.schemas import Answer
from model.labs import activations, layernorm, masking, positions, residuals


def bounded(low: float, high: float) -> Any:
    """A finite number from low to high."""
    return Field(ge=low, le=high, allow_inf_nan=False)


class MaskingRequest(QueryRequest):
    """One query's scores, and where it stands."""

    scores: list[
        Annotated[float, bounded(-masking.LARGEST_SCORE, masking.LARGEST_SCORE)]
    ] = Field(
        [1.0, 2.0, 3.0], min_length=1, max_length=masking.MOST_SCORES, examples=[[1.0, 2.0, 3.0]],
        description="against each position; repeat the parameter",
    )  # fmt: skip
    position: int = Field(
        1, ge=0, lt=masking.MOST_SCORES, description="the query's own, the last it may see"
    )
    change: Annotated[float, bounded(-masking.LARGEST_SCORE, masking.LARGEST_SCORE)] = Field(
        1.0, description="by how much the later scores grow, to see what leaks"
    )


class MaskedBefore(Answer):
    """−∞ first, then the softmax."""

    masked: list[float | None] = Field(description="null is −∞")
    exponentials: list[float]
    exponentials_sum: float
    weights: list[float]
    total: float


class MaskedAfter(Answer):
    """The softmax first, then zeros: the mistake."""

    softmax: list[float]
    weights: list[float]
    total: float = Field(description="below 1: the later positions took the rest")
    renormalized: list[float | None] = Field(
        description="the weights divided by their total; null where it is 0"
    )


class Leak(Answer):
    """The largest change of a seen weight when the later scores grow; it should be 0."""

    change: float
    before: float
    after: float
    renormalized: float | None


class MaskingAnswer(Answer):
    scores: list[float]
    position: int
    before: MaskedBefore
    after: MaskedAfter
    leak: Leak


class PositionsRequest(QueryRequest):
    """How wide the encoding is, and two positions."""

    d_model: int = Field(
        512, ge=2, le=positions.WIDEST, multiple_of=2, examples=[64], description="an even number"
    )
    n_positions: int = Field(
        64, ge=1, le=positions.MOST_POSITIONS, examples=[16], description="rows of the table"
    )
    position: int = Field(3, ge=0, le=positions.LAST_POSITION, description="the first position")
    shift: int = Field(37, ge=0, le=positions.LARGEST_SHIFT, description="from it to the second")


class Pair(Answer):
    """Features 2i and 2i+1; angles in radians."""

    pair: int
    frequency: float = Field(description="radians a position")
    wavelength: float = Field(description="positions until it comes round")
    angle: float = Field(description="at the first position, from 0 to 2π")
    shifted_angle: float = Field(description="at the second position")
    turn: float = Field(description="frequency · shift")
    rotation: list[list[float]] = Field(description="[[cos, sin], [−sin, cos]] of the turn")
    fitted: list[list[float]] = Field(description="what least squares finds, in float32")


class Fit(Answer):
    """The best 2 × 2 maps from each position to the one `shift` further."""

    n_positions: int
    largest_error: float
    largest_distance: float = Field(description="from the rotations")


class Products(Answer):
    """Dot products of two positions."""

    by_gap: list[float]
    largest_variation: float = Field(description="with where the two stand, at the same gap")


class Costs(Answer):
    """Parameters of positions, where n_positions is the context."""

    learned_by_formula: int
    learned_from_tensors: int
    sinusoidal_by_formula: int
    sinusoidal_from_tensors: int


class PositionsAnswer(Answer):
    d_model: int
    position: int
    shift: int
    table: list[list[float]] = Field(description="n_positions × d_model")
    encoded: list[list[float]] = Field(description="the vectors of the two positions")
    pairs: list[Pair]
    rotation_error: float = Field(description="the largest, over positions 0 to 999")
    fit: Fit
    products: Products
    costs: Costs


class LayerNormRequest(QueryRequest):
    """A vector and the norms' numbers; repeat a parameter to give several."""

    x: list[
        Annotated[float, bounded(-layernorm.LARGEST_FEATURE, layernorm.LARGEST_FEATURE)]
    ] = Field(
        [2.0, 4.0, 6.0, 8.0], min_length=1, max_length=layernorm.MOST_FEATURES,
        examples=[[2.0, 4.0, 6.0, 8.0]], description="the features of one token",
    )  # fmt: skip
    gamma: list[
        Annotated[float, bounded(-layernorm.LARGEST_FEATURE, layernorm.LARGEST_FEATURE)]
    ] = Field(
        [1.0], min_length=1, max_length=layernorm.MOST_FEATURES, examples=[[2.0]],
        description="γ, also RMSNorm's gain: one for all features, or one each",
    )  # fmt: skip
    beta: list[
        Annotated[float, bounded(-layernorm.LARGEST_FEATURE, layernorm.LARGEST_FEATURE)]
    ] = Field(
        [0.0], min_length=1, max_length=layernorm.MOST_FEATURES, examples=[[1.0]],
        description="β: one for all features, or one each",
    )  # fmt: skip
    epsilon: Annotated[float, bounded(0, layernorm.LARGEST_EPSILON)] = Field(
        1e-5, description="ε; 0 is allowed, unless that would divide 0 by 0"
    )
    scale: Annotated[float, bounded(layernorm.SMALLEST_SCALE, layernorm.LARGEST_SCALE)] = Field(
        1.0, description="what x is multiplied by"
    )
    shift: Annotated[float, bounded(-layernorm.LARGEST_FEATURE, layernorm.LARGEST_FEATURE)] = Field(
        0.0, description="what is then added to every feature"
    )


class NormStep(Answer):
    """One step of a norm."""

    name: str
    symbol: str
    equation: str = Field(description="LaTeX")
    values: list[float]
    shared: bool = Field(description="one number for all features, as a mean is")


class ScaleEffect(Answer):
    """The input times a scale: how wide it comes out, 1 if ε has no effect; null where numbers are
    too small to be squared."""

    scale: float
    layer_norm_deviation: float | None
    rms_norm_root_mean_square: float | None


class Contrast(Answer):
    """The vector and three other tokens, a row each, before γ and β."""

    tokens: list[list[float]]
    over_features: list[list[float]] = Field(description="layer norm: each token by itself")
    over_tokens: list[list[float]] = Field(description="batch norm: each feature by itself")
    others_moved_over_features: float = Field(
        description="the largest change of the other tokens that scale and shift make"
    )
    others_moved_over_tokens: float


class LayerNormAnswer(Answer):
    x: list[float] = Field(description="scaled and shifted")
    epsilon: float
    layer_norm: list[NormStep]
    rms_norm: list[NormStep]
    scale_difference: float = Field(
        description="the largest difference that scale and shift make, before γ and β"
    )
    scales: list[ScaleEffect]
    contrast: Contrast


class ActivationsRequest(QueryRequest):
    """A range of inputs, and one input."""

    low: Annotated[float, bounded(-activations.LARGEST_INPUT, activations.LARGEST_INPUT)] = Field(
        -4.0, description="the range's beginning"
    )
    high: Annotated[float, bounded(-activations.LARGEST_INPUT, activations.LARGEST_INPUT)] = Field(
        4.0, description="its end"
    )
    n_points: int = Field(
        161, ge=2, le=activations.MOST_POINTS, examples=[9], description="evenly spaced"
    )
    at: Annotated[float, bounded(-activations.LARGEST_INPUT, activations.LARGEST_INPUT)] = Field(
        1.0, description="the one input"
    )


class Curve(Answer):
    """One activation."""

    name: str
    operation: str
    equation: str = Field(description="LaTeX")
    values: list[float] = Field(description="over the range")
    slopes: list[float]
    value: float = Field(description="at the one input")
    slope: float


class ActivationsAnswer(Answer):
    x: list[float]
    at: float
    curves: list[Curve]


class ResidualsRequest(QueryRequest):
    """A stack of layers."""

    depth: int = Field(12, ge=1, le=residuals.DEEPEST, description="layers")
    factor: Annotated[float, bounded(-residuals.LARGEST_FACTOR, residuals.LARGEST_FACTOR)] = Field(
        0.5, description="a layer's own slope"
    )
    seed: int = Field(0, ge=0, le=2**31 - 1, description="of the measured stack")


class Depth(Answer):
    """After so many layers."""

    depth: int
    without_skips: float
    with_skips: float


class Paths(Answer):
    """All paths through so many of the layers."""

    layers: int
    paths: int
    contribution: float


class Measured(Answer):
    """The gradient's length after each layer, in a stack of random linear layers."""

    width: int
    seed: int
    without_skips: list[float]
    with_skips: list[float]


class ResidualsAnswer(Answer):
    factor: float
    depths: list[Depth]
    paths: list[Paths]
    measured: Measured
