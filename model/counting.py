"""Parameters and FLOPs of a model: by formula, and from the tensors, side by side.

Symbols: d d_model, h d_ff, V vocab_size, L context_length, n n_blocks, T the characters read.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from model.config import Architecture, ModelConfig, Norm, Position, Wiring
from model.table.architectures import weights_of

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Summand:
    """One summand of a part's formula: its words, its symbols, its value. `multiplied` tells the
    matrices that vectors go through from what is looked up or used element by element."""

    name: str
    formula: str
    count: int
    multiplied: bool = False


@dataclass(frozen=True)
class Part:
    """A part of the model that occurs `times`; each time it has the sum of `terms` parameters.
    `path` is a pattern of its tensors' names in the checkpoint."""

    name: str
    terms: tuple[Summand, ...]
    times: int
    path: str

    @property
    def formula(self) -> str:
        return " + ".join(term.formula for term in self.terms) or "0"

    @property
    def each(self) -> int:
        return sum(term.count for term in self.terms)

    @property
    def parameters(self) -> int:
        return self.each * self.times

    @property
    def matrix_parameters(self) -> int:
        return sum(term.count for term in self.terms if term.multiplied) * self.times


@dataclass(frozen=True)
class Item:
    """A part counted twice: by its formula, which gives `each` of `times` occurrences, and as the
    sum of the sizes of its `tensors`, named as in the checkpoint."""

    name: str
    formula: str
    terms: tuple[Summand, ...]
    each: int
    times: int
    by_formula: int
    from_tensors: int
    tensors: tuple[str, ...]


STACKS = {
    Architecture.DECODER_ONLY: 1,
    Architecture.ENCODER_ONLY: 1,
    Architecture.ENCODER_DECODER: 2,
}
"""Stacks of n blocks, each with its own positions and, where pre-LN, its own final norm."""
CROSS_ATTENTIONS = {
    Architecture.DECODER_ONLY: 0,
    Architecture.ENCODER_ONLY: 0,
    Architecture.ENCODER_DECODER: 1,
}
"""Cross-attentions (with a norm each) for each of n blocks: those of the decoder stack."""


def parts(config: ModelConfig) -> tuple[Part, ...]:
    """Every part of the model that has parameters, in the order of the forward pass; what the
    choices leave out has no part, except a tied head, which has 0 parameters of its own."""
    n_stacks, n_cross = STACKS[config.architecture], CROSS_ATTENTIONS[config.architecture]
    n, d, vocabulary = config.n_blocks, config.d_model, config.vocab_size
    norm = _norm(config)
    table = Summand("a vector a position", "L·d", config.context_length * d)
    found = [
        Part("token embedding", (Summand("a vector a token", "V·d", vocabulary * d),), 1,
             r"embedding\."),
        Part("positions", (table,) if config.position is Position.LEARNED else (), n_stacks,
             r"(.*\.)?positions\."),
        Part("attention", _attention(config), n * n_stacks, r"(.*\.)?blocks\.\d+\.attn\."),
        Part("cross-attention", _attention(config), n * n_cross,
             r"(.*\.)?blocks\.\d+\.cross_attn\."),
        Part("feed-forward", _feed_forward(config), n * n_stacks, r"(.*\.)?blocks\.\d+\.ffn\."),
        Part("norms of the blocks", norm, n * (2 * n_stacks + n_cross),
             r"(.*\.)?blocks\.\d+\.\w*norm\."),
        Part("final norm", norm, n_stacks if config.wiring is Wiring.PRE_LN else 0,
             r"(.*\.)?final_norm\."),
    ]  # fmt: skip
    head = () if config.tied_head else (Summand("a row a token", "V·d", vocabulary * d, True),)
    return (
        *(part for part in found if part.parameters),
        Part("head", head, 1, r"head\."),
    )


def _attention(config: ModelConfig) -> tuple[Summand, ...]:
    d = config.d_model
    biases = (Summand("their biases", "4·d", 4 * d),) if config.biases else ()
    return Summand("matrices of q, k, v and the output", "4·d²", 4 * d * d, True), *biases


def _feed_forward(config: ModelConfig) -> tuple[Summand, ...]:
    d, h = config.d_model, config.d_ff
    if config.feed_forward.gated:
        matrices = Summand("matrices gate, up and down", "3·d·h", 3 * d * h, True)
        biases = Summand("their biases", "2·h + d", 2 * h + d)
    else:
        matrices = Summand("matrices up and down", "2·d·h", 2 * d * h, True)
        biases = Summand("their biases", "h + d", h + d)
    return (matrices, biases) if config.biases else (matrices,)


def _layer_norm(d: int) -> tuple[Summand, ...]:
    return Summand("scale γ", "d", d), Summand("shift β", "d", d)


def _rms_norm(d: int) -> tuple[Summand, ...]:
    return (Summand("gain g", "d", d),)


NORMS = {Norm.LAYER_NORM: _layer_norm, Norm.RMS_NORM: _rms_norm}


def _norm(config: ModelConfig) -> tuple[Summand, ...]:
    return NORMS[config.norm](config.d_model)


def parameters(config: ModelConfig) -> int:
    """All parameters, by the formulas."""
    return sum(part.parameters for part in parts(config))


def block_parameters(config: ModelConfig) -> int:
    """One block of an encoder or a decoder without cross-attention: attention, feed-forward and
    two norms. About 12 d² where h = 4 d (module 7.6)."""
    terms = (*_attention(config), *_feed_forward(config), *_norm(config), *_norm(config))
    return sum(term.count for term in terms)


def block_matrices(config: ModelConfig) -> int:
    """Its matrices alone: 4 d² + 2 d h, with SwiGLU 4 d² + 3 d h."""
    terms = (*_attention(config), *_feed_forward(config))
    return sum(term.count for term in terms if term.multiplied)


def declared(config: ModelConfig) -> dict[str, Shape]:
    """The shape of every tensor that the stage table takes from a checkpoint, by its name."""
    return {key: weight.shape(config) for key, weight in weights_of(config).items()}


def itemised(config: ModelConfig, tensors: Mapping[str, Shape] | None = None) -> tuple[Item, ...]:
    """Each part by formula and from the tensors, by their names; the tensors are those that the
    stage table declares where none are given. Every tensor belongs to one part."""
    tensors = declared(config) if tensors is None else tensors
    items = []
    unclaimed = set(tensors)
    for part in parts(config):
        names = tuple(name for name in tensors if re.match(part.path, name))
        assert unclaimed.issuperset(names), f"{part.name} counts a tensor a second time"
        unclaimed.difference_update(names)
        items.append(_item(part, {name: tensors[name] for name in names}))
    assert not unclaimed, f"no part counts {sorted(unclaimed)}"
    return tuple(items)


def _item(part: Part, tensors: Mapping[str, Shape]) -> Item:
    return Item(
        name=part.name,
        formula=part.formula,
        terms=part.terms,
        each=part.each,
        times=part.times,
        by_formula=part.parameters,
        from_tensors=sum(math.prod(shape) for shape in tensors.values()),
        tensors=tuple(tensors),
    )


@dataclass(frozen=True)
class Flops:
    """Floating-point operations, a multiply-add counted as two.

    `matrix_parameters` P are the entries of the matrices that a position's vector is multiplied
    by: q, k, v, output; up, down (and gate); and the head, the tied one too, because the embedding
    is multiplied there. Not in P: the look-ups of tokens and positions, biases, norms. A token of
    an encoder-decoder is one of the source and one of the target, which both stacks together read.

    `attention_per_token` is the rest, scores and mixing, for one token in a text of
    `context_length` characters: 4·T·d for each attention, as the table of scores is computed
    whole, the masked half too. In training it too takes three times that.
    """

    matrix_parameters: int
    forward_per_token: int
    training_per_token: int
    attention_layers: int
    attention_per_token_and_layer: int
    attention_per_token: int
    context_length: int


def flops(config: ModelConfig, context_length: int | None = None) -> Flops:
    """2P a token forward and 6P in training, the backward pass being twice the forward one; and
    4·T·d a token and attention layer (the NumPy chapter, "Parameters and FLOPs").

    T is `context_length`, the model's own where none is given.
    """
    length = config.context_length if context_length is None else context_length
    matrices = sum(part.matrix_parameters for part in parts(config))
    if config.tied_head:
        matrices += config.vocab_size * config.d_model
    attentions = STACKS[config.architecture] + CROSS_ATTENTIONS[config.architecture]
    layers = config.n_blocks * attentions
    a_layer = 4 * length * config.d_model
    return Flops(
        matrix_parameters=matrices,
        forward_per_token=2 * matrices,
        training_per_token=6 * matrices,
        attention_layers=layers,
        attention_per_token_and_layer=a_layer,
        attention_per_token=layers * a_layer,
        context_length=length,
    )
