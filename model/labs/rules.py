"""The rules of thumb P ≈ 12 n d² + V d and C ≈ 6 N D, beside what they stand for (module 7.6; the
NumPy chapter, "Parameters and FLOPs").

Symbols: n blocks, d d_model, h d_ff, V vocab_size, N all parameters, D tokens trained on, T the
tokens that are read at once.
"""

from dataclasses import dataclass

from model.config import ModelConfig
from model.counting import Flops, flops, parameters

MOST_TOKENS = 10**14
SOME_TOKENS = 10**9
"""Trained on, where nothing else is said."""
LENGTHS = tuple(4**power for power in range(2, 11))
"""At which the work of attention is set beside that of the matrices: 16 to 1,048,576."""


@dataclass(frozen=True)
class RuleOfThumb:
    """What a rule says, what counting says, and how far the rule is off, as a share of what was
    counted."""

    says: float
    counted: float
    error: float


@dataclass(frozen=True)
class AttentionShare:
    """Of a token's forward work, how much goes into scores and mixing where T tokens are read:
    4·T·d a layer, beside the 2 P of the matrices."""

    length: int
    share: float


@dataclass(frozen=True)
class Doubling:
    """A model or a training run made larger: its parameters, its tokens, 6 N D, and both factors
    over what it was."""

    name: str
    parameters: int
    tokens: int
    compute: float
    times_parameters: float
    times_compute: float


@dataclass(frozen=True)
class Tying:
    """The same model with the embedding as its head and with a head of its own: the second has
    V·d = `difference` more, `share` of its parameters."""

    tied: int
    untied: int
    difference: int
    share: float


@dataclass(frozen=True)
class Rules:
    """Both rules for one model. `compute` is for `tokens` D: 6 N D against three times the forward
    work of every token, in the matrices and in scores and mixing at T = context_length; a float,
    because it has more digits than an integer of 64 bits. `inference_per_token` is 2 N and
    `training_per_token` 6 N. `as_long_as` is the T at which scores and mixing take as much as the
    matrices."""

    tokens: int
    parameters: RuleOfThumb
    compute: RuleOfThumb
    inference_per_token: int
    training_per_token: int
    attention_share: float
    attention: tuple[AttentionShare, ...]
    as_long_as: float
    doublings: tuple[Doubling, ...]
    tying: Tying


def rules(config: ModelConfig, tokens: int = SOME_TOKENS) -> Rules:
    """Both rules of thumb for a model that is trained on so many tokens.

    12 n d² takes h to be 4 d, one stack of blocks and no position vectors, biases or norms; V d is
    one table, as where the head is tied. 6 N D counts look-ups as work and leaves out scores and
    mixing, which is right for wide models and short texts.
    """
    found = flops(config)
    n_parameters = parameters(config)
    rule = 12 * config.n_blocks * config.d_model**2 + config.vocab_size * config.d_model
    return Rules(
        tokens=tokens,
        parameters=_compared(rule, n_parameters),
        compute=_compared(
            6 * n_parameters * tokens,
            3 * (found.forward_per_token + found.attention_per_token) * tokens,
        ),
        inference_per_token=2 * n_parameters,
        training_per_token=6 * n_parameters,
        attention_share=_share(found, found.context_length),
        attention=tuple(AttentionShare(length, _share(found, length)) for length in LENGTHS),
        as_long_as=found.forward_per_token * found.context_length / found.attention_per_token,
        doublings=_doublings(config, tokens),
        tying=_tying(config),
    )


def _compared(says: int, counted: int) -> RuleOfThumb:
    return RuleOfThumb(float(says), float(counted), (says - counted) / counted)


def _share(found: Flops, length: int) -> float:
    mixing = found.attention_per_token * length / found.context_length
    return mixing / (found.forward_per_token + mixing)


def _doublings(config: ModelConfig, tokens: int) -> tuple[Doubling, ...]:
    wide = config.having(d_model=2 * config.d_model, d_ff=2 * config.d_ff)
    deep = config.having(n_blocks=2 * config.n_blocks)
    before = parameters(config)
    changed = (
        ("as set", config, tokens),
        ("twice the tokens D", config, 2 * tokens),
        ("twice the blocks n", deep, tokens),
        ("twice the widths d and h", wide, tokens),
        ("twice the blocks and the tokens", deep, 2 * tokens),
    )
    return tuple(
        Doubling(
            name=name,
            parameters=parameters(other),
            tokens=trained_on,
            compute=float(6 * parameters(other) * trained_on),
            times_parameters=parameters(other) / before,
            times_compute=parameters(other) * trained_on / (before * tokens),
        )
        for name, other, trained_on in changed
    )


def _tying(config: ModelConfig) -> Tying:
    tied, untied = (parameters(config.having(tied_head=choice)) for choice in (True, False))
    return Tying(tied, untied, untied - tied, (untied - tied) / untied)
