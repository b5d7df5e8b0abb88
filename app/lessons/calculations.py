"""Functions that answer without a text: from a model's sizes, or from the labs' own vectors."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from app.lessons.answers import answers
from app.lessons.lesson import QuestionKind
from app.lessons.scene import Scene
from model.config import ModelConfig
from model.counting import block_matrices, block_parameters, flops, parts
from model.labs.activations import activations
from model.labs.experiment import Group, experiment
from model.labs.layernorm import layernorm
from model.labs.masking import masking
from model.labs.positions import positions
from model.labs.residuals import residuals
from model.ops.norms import MeanSquare, RmsNormalize
from model.table.axes import Along, Lengths

Sizes = Mapping[str, object]
"""What is to be different from the scene's model: entries of its configuration."""


def sized(scene: Scene, sizes: Sizes | None) -> ModelConfig:
    """The model's configuration with other sizes."""
    return ModelConfig(**scene.config.model_dump() | dict(sizes or {}))


@answers(QuestionKind.NUMBER)
def config_entry(scene: Scene, name: str) -> int:
    """A size of the model."""
    return int(getattr(scene.config, name))


@answers(QuestionKind.NUMBER)
def root_of(scene: Scene, name: str) -> float:
    """The square root of a size of the model."""
    return math.sqrt(config_entry(scene, name))


@answers(QuestionKind.NUMBER)
def count_parameters(scene: Scene, part: str = "", each: bool = False) -> int:
    """The model's parameters, or those of one part of it; `each` where it occurs once."""
    counted = [one for one in parts(scene.config) if part in ("", one.name)]
    return sum(one.each if each else one.parameters for one in counted)


@answers(QuestionKind.NUMBER)
def in_a_block(scene: Scene, sizes: Sizes | None = None) -> int:
    """All parameters of one block."""
    return block_parameters(sized(scene, sizes))


@answers(QuestionKind.NUMBER)
def in_matrices_of_a_block(scene: Scene, sizes: Sizes | None = None) -> int:
    """Those of its matrices."""
    return block_matrices(sized(scene, sizes))


@answers(QuestionKind.NUMBER)
def rule_of_thumb(scene: Scene, sizes: Sizes | None = None) -> int:
    """12 L d², the matrices of all blocks where h = 4 d."""
    config = sized(scene, sizes)
    return 12 * config.n_blocks * config.d_model**2


@answers(QuestionKind.NUMBER)
def rule_of_thumb_in_millions(scene: Scene, sizes: Sizes | None = None) -> int:
    """The same, to the nearest million."""
    return round(rule_of_thumb(scene, sizes) / 1e6)


@answers(QuestionKind.NUMBER)
def block_share(scene: Scene, part: str) -> float:
    """What share of a block's parameters one of its parts has."""
    return float(count_parameters(scene, part, each=True) / in_a_block(scene))


@answers(QuestionKind.NUMBER)
def matrices_over_rule(scene: Scene) -> float:
    """The matrices of a block over 12 d²."""
    return float(in_matrices_of_a_block(scene) / (12 * scene.config.d_model**2))


@answers(QuestionKind.NUMBER)
def gated_over_plain(scene: Scene) -> float:
    """A SwiGLU feed-forward's matrices over a two-layer one's of the same hidden width."""
    plain = {"feed_forward": "gelu", "biases": False}
    feed_forward = [
        next(one.each for one in parts(sized(scene, sizes)) if one.name == "feed-forward")
        for sizes in (plain | {"feed_forward": "swiglu"}, plain)
    ]
    return feed_forward[0] / feed_forward[1]


@answers(QuestionKind.NUMBER)
def matrix_entries(scene: Scene) -> int:
    """P: the entries of the matrices that each token's vector goes through."""
    return flops(scene.config).matrix_parameters


@answers(QuestionKind.NUMBER)
def flops_per_token(scene: Scene, training: bool = False) -> int:
    """2 P a token forward, 6 P in training."""
    counted = flops(scene.config)
    return counted.training_per_token if training else counted.forward_per_token


@answers(QuestionKind.NUMBER)
def attention_over_matrices(scene: Scene, longest: bool = False) -> float:
    """Scores and mixing, 4·T·d a token and attention, over the 2 P of the matrices; T is the
    text's length, or the longest that the model can read. To three decimals."""
    length = None if longest else len(scene.traced.text)
    counted = flops(scene.config, length)
    return round(counted.attention_per_token / counted.forward_per_token, 3)


@answers(QuestionKind.NUMBER)
def largest_gradient_norm(scene: Scene, wiring: str, n_blocks: int) -> float:
    """The largest in our own runs of that wiring and depth without a warm-up."""
    return round(_without_warmup(wiring, n_blocks).largest_gradient_norm or math.nan, 1)


@answers(QuestionKind.NUMBER)
def validation_loss(scene: Scene, wiring: str, n_blocks: int) -> float:
    """Where those runs ended, on average."""
    return _without_warmup(wiring, n_blocks).mean or math.nan


def _without_warmup(wiring: str, n_blocks: int) -> Group:
    varied = {"wiring": wiring, "n_blocks": n_blocks, "warmup": 0}
    return next(one for one in experiment().norm_placement.groups if one.varied == varied)


@answers(QuestionKind.SHAPE)
def shape_for(scene: Scene, axes: Sequence[str], text: int = 1, target: int = 0) -> tuple[int, ...]:
    """A shape by its axes' names, for texts of these lengths."""
    lengths = Lengths(text, target)
    by_name = {
        str(axis.symbol): axis.size(scene.config, lengths)
        for stage in scene.stages
        for axis in stage.axes
        if axis.along is not Along.HIDDEN
    }
    return tuple(by_name[name] for name in axes)


@answers(QuestionKind.NUMBER)
def normed(
    scene: Scene,
    x: Sequence[float],
    entry: int,
    gamma: float = 1,
    beta: float = 0,
    epsilon: float = 0,
) -> float:
    """An entry of LayerNorm of a vector, γ and β applied, to three decimals, as the course has
    it."""
    steps = layernorm(x, gamma=[gamma], beta=[beta], epsilon=epsilon).layer_norm
    return round(float(steps[-1].values[entry]), 3)


@answers(QuestionKind.NUMBER)
def rms_normed_backward(
    scene: Scene, x: Sequence[float], gradient: Sequence[float], entry: int
) -> float:
    """An entry of d scalar / d x of RMSNorm without a gain: r z̄ − x r³ c / d."""
    row, upstream = np.array([x], dtype=np.float64), np.array([gradient], dtype=np.float64)
    squares = MeanSquare().forward(row)
    normalize = RmsNormalize(0)
    result = normalize.forward(row, squares)
    direct, of_squares = normalize.backward(upstream, result, row, squares)
    assert isinstance(direct, np.ndarray)
    assert isinstance(of_squares, np.ndarray)
    (through,) = MeanSquare().backward(of_squares, squares, row)
    assert isinstance(through, np.ndarray)
    return float((direct + through)[0, entry])


@answers(QuestionKind.NUMBER)
def masked_weight(scene: Scene, scores: Sequence[float], position: int, entry: int) -> float:
    """An attention weight of a row of scores whose query sees those up to its position."""
    return float(masking(scores, position).before.weights[entry])


@answers(QuestionKind.NUMBER)
def gradient_left(scene: Scene, factor: float, depth: int, skips: bool = False) -> float:
    """What is left of a gradient of 1 after layers of that slope."""
    left = residuals(depth, factor).depths[-1]
    return left.with_skips if skips else left.without_skips


@answers(QuestionKind.NUMBER)
def direct_path(scene: Scene, factor: float, depth: int) -> float:
    """What the path through no layer brings."""
    return residuals(depth, factor).paths[0].contribution


@answers(QuestionKind.NUMBER)
def turns_differ(scene: Scene, first: int, second: int, shift: int, d_model: int) -> float:
    """The largest difference between the turns that a shift makes from two positions, taken from
    the hands themselves, in radians."""
    turns = [
        np.array([pair.shifted_angle - pair.angle for pair in moved.pairs])
        for moved in (positions(d_model, 1, start, shift) for start in (first, second))
    ]
    apart = np.remainder(turns[0] - turns[1] + np.pi, 2 * np.pi) - np.pi
    return float(np.abs(apart).max())


@answers(QuestionKind.NUMBER)
def wavelength(scene: Scene, pair: int, d_model: int) -> float:
    """After how many positions a pair of features repeats."""
    return positions(d_model, 1, 0, 0).pairs[pair].wavelength


@answers(QuestionKind.NUMBER)
def activation_at(scene: Scene, name: str, at: float) -> float:
    """An activation of one number."""
    return next(c.value for c in activations(-1, 1, 2, at).curves if c.name == name)
