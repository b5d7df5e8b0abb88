"""LayerNorm and RMSNorm of one vector, step by step, and what ε does (module 7.3, lesson 56)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from model.errors import InputError
from model.ops.arithmetic import Add
from model.ops.norms import Mean, MeanSquare, Normalize, RmsNormalize, Scale, Variance
from model.ops.op import Array, Op

MOST_FEATURES = 64
LARGEST_FEATURE = 1e6
SMALLEST_SCALE, LARGEST_SCALE = 1e-6, 1e6
LARGEST_EPSILON = 1.0
SMALLEST_SQUARE = float(np.finfo(np.float64).tiny / np.finfo(np.float64).eps)
"""Below it squares lose their last digits, and a norm would show numbers that are wrong."""
SCALES = tuple(10.0**-power for power in range(9))
"""At which the effect of ε is shown."""
COMPANIONS = 3
"""Other tokens of the batch in which layer norm and batch norm are compared."""
COMPANIONS_MEAN, COMPANIONS_DEVIATION = 5.0, 2.5


@dataclass(frozen=True)
class NormStep:
    """One step: its name, symbol, equation in LaTeX and numbers: one for each feature, or where
    it is `shared` a single one for all, as a mean is."""

    name: str
    symbol: str
    equation: str
    values: tuple[float, ...]
    shared: bool = False


@dataclass(frozen=True)
class ScaleEffect:
    """The input times `scale`: the standard deviation of what LayerNorm makes of it, before γ and
    β, and its root mean square after RMSNorm. Both are 1 at ε = 0, and fall once the input is
    about as small as √ε; None where the numbers are too small to be squared."""

    scale: float
    layer_norm_deviation: float | None
    rms_norm_root_mean_square: float | None


@dataclass(frozen=True)
class Contrast:
    """Four tokens, the vector first and then three that stay as they are, (tokens, features), and
    what two norms make of them, without γ and β: layer norm takes mean and variance over the
    features of a token, batch norm over the tokens, feature by feature. How far the other three
    differ from what they are beside the vector neither scaled nor shifted: with layer norm not at
    all."""

    tokens: Array
    over_features: Array
    over_tokens: Array
    others_moved_over_features: float
    others_moved_over_tokens: float


@dataclass(frozen=True)
class LayerNorms:
    """Both norms of scale · x + shift. `scale_difference` is the largest difference between
    LayerNorm's result, before γ and β, and that of x itself: at ε = 0 there is none but rounding,
    and none at all where the scale is a power of two."""

    x: tuple[float, ...]
    epsilon: float
    layer_norm: tuple[NormStep, ...]
    rms_norm: tuple[NormStep, ...]
    scale_difference: float
    scales: tuple[ScaleEffect, ...]
    contrast: Contrast


def layernorm(
    x: Sequence[float],
    *,
    gamma: Sequence[float] = (1.0,),
    beta: Sequence[float] = (0.0,),
    epsilon: float = 1e-5,
    scale: float = 1.0,
    shift: float = 0.0,
) -> LayerNorms:
    """Normalize scale · x + shift; one γ and β for all features, or one each. RMSNorm's gain is γ.

    [2, 4, 6, 8] becomes [−1.342, −0.447, 0.447, 1.342], and with γ = 2 and β = 1
    [−1.68, 0.11, 1.89, 3.68].

    Raises:
        InputError: γ or β does not fit x, or a norm would divide 0 by 0.
    """
    given = np.array(x, dtype=np.float64)
    gains = _fitting("gamma", "γ", gamma, len(given))
    biases = _fitting("beta", "β", beta, len(given))
    vector = scale * given + shift
    for each in (given, vector):
        _refuse_zero_by_zero(each, epsilon)
    moved = _centred(vector, epsilon)[-1] - _centred(given, epsilon)[-1]
    return LayerNorms(
        x=tuple(vector.tolist()),
        epsilon=epsilon,
        layer_norm=_layer_norm(vector, gains, biases, epsilon),
        rms_norm=_rms_norm(vector, gains, epsilon),
        scale_difference=float(np.abs(moved).max()),
        scales=tuple(_effect(vector, factor, epsilon) for factor in SCALES),
        contrast=_contrast(given, vector, epsilon),
    )


def _fitting(field: str, name: str, values: Sequence[float], n_features: int) -> Array:
    if len(values) not in (1, n_features):
        raise InputError(
            f"There are {len(values)} values of {name} and {n_features} features; give one for "
            "all, or one each.",
            field=field,
        )
    return np.broadcast_to(np.array(values, dtype=np.float64), n_features)


def _refuse_zero_by_zero(vector: Array, epsilon: float) -> None:
    # The rounded mean of equal features may differ from them: it is not asked.
    constant = bool(np.all(vector == vector[0]))
    if (constant and epsilon == 0) or not _divisible(vector, epsilon):
        what = "all features are equal" if constant else "the features are too close to be squared"
        raise InputError(
            f"With ε = 0 LayerNorm would divide 0 by 0: {what}. Choose an ε above 0, or other "
            "features.",
            field="epsilon",
        )


def _divisible(vector: Array, epsilon: float) -> bool:
    _, variance, *_ = _statistics(vector)
    return bool(min(variance, np.square(vector).mean()) + epsilon >= SMALLEST_SQUARE)


def _statistics(vector: Array) -> tuple[Array, Array]:
    row = vector[None]
    mean = Mean().forward(row)
    return mean, Variance().forward(row, mean)


def _centred(vector: Array, epsilon: float) -> tuple[Array, Array, Array]:
    """Mean, variance, and the vector with mean 0 and variance 1, up to ε."""
    mean, variance = _statistics(vector)
    return mean, variance, Normalize(epsilon).forward(vector[None], mean, variance)[0]


def _rooted(vector: Array, epsilon: float) -> tuple[Array, Array]:
    """Mean square, and the vector with mean square 1, up to ε."""
    mean_square = MeanSquare().forward(vector[None])
    return mean_square, RmsNormalize(epsilon).forward(vector[None], mean_square)[0]


def _layer_norm(vector: Array, gains: Array, biases: Array, epsilon: float) -> tuple[NormStep, ...]:
    mean, variance, normalized = _centred(vector, epsilon)
    scaled = Scale().forward(normalized, gains)
    return (
        _step("mean", r"\mu", Mean(), ("x",), mean, shared=True),
        NormStep("centred", "c", r"c = x - \mu", tuple((vector - mean).tolist())),
        _step("variance", r"\sigma^2", Variance(), ("x", r"\mu"), variance, shared=True),
        _step("normalized", r"\hat{x}", Normalize(epsilon), ("x", r"\mu", r"\sigma^2"),
              normalized),
        _step("scaled", "s", Scale(), (r"\hat{x}", r"\gamma"), scaled),
        _step("shifted", "y", Add(), ("s", r"\beta"), Add().forward(scaled, biases)),
    )  # fmt: skip


def _rms_norm(vector: Array, gains: Array, epsilon: float) -> tuple[NormStep, ...]:
    mean_square, normalized = _rooted(vector, epsilon)
    scaled = Scale().forward(normalized, gains)
    return (
        _step("mean square", "m", MeanSquare(), ("x",), mean_square, shared=True),
        _step("normalized", r"\hat{x}", RmsNormalize(epsilon), ("x", "m"), normalized),
        _step("scaled", "y", Scale(), (r"\hat{x}", "g"), scaled),
    )


def _step(
    name: str,
    symbol: str,
    op: Op,
    operands: Sequence[str],
    values: Array,
    *,
    shared: bool = False,
) -> NormStep:
    return NormStep(name, symbol, op.equation(symbol, operands), tuple(values.tolist()), shared)


def _contrast(given: Array, vector: Array, epsilon: float) -> Contrast:
    drawn = np.random.default_rng(0).standard_normal((COMPANIONS, len(vector)))
    others = COMPANIONS_MEAN + COMPANIONS_DEVIATION * drawn
    tokens, before = np.vstack([vector, others]), np.vstack([given, others])
    over_features, over_tokens = _by_row(tokens, epsilon), _by_row(tokens.T, epsilon).T
    was_over_features, was_over_tokens = _by_row(before, epsilon), _by_row(before.T, epsilon).T
    return Contrast(
        tokens=tokens,
        over_features=over_features,
        over_tokens=np.ascontiguousarray(over_tokens),
        others_moved_over_features=_largest_of_others(over_features - was_over_features),
        others_moved_over_tokens=_largest_of_others(over_tokens - was_over_tokens),
    )


def _by_row(rows: Array, epsilon: float) -> Array:
    mean = Mean().forward(rows)
    return Normalize(epsilon).forward(rows, mean, Variance().forward(rows, mean))


def _largest_of_others(differences: Array) -> float:
    return float(np.abs(differences[1:]).max())


def _effect(vector: Array, factor: float, epsilon: float) -> ScaleEffect:
    small = vector * factor
    if not _divisible(small, epsilon):
        return ScaleEffect(factor, None, None)
    layered, rooted = _centred(small, epsilon)[-1], _rooted(small, epsilon)[-1]
    return ScaleEffect(factor, float(layered.std()), float(np.sqrt(np.square(rooted).mean())))
