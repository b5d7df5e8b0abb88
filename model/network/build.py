"""From a configuration to modules: the only place in this folder that reads one."""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import torch
from torch import nn

from model.config import Architecture, ModelConfig, Wiring
from model.network.attention import Attention, causal_mask, no_mask
from model.network.blocks import BLOCKS, CrossAttentionBlock
from model.network.embedding import Embedding, TiedHead
from model.network.feed_forward import ACTIVATIONS, NETWORKS
from model.network.linear import Linear
from model.network.norms import NORMS, NoNorm
from model.network.positions import ADDED, TURNED
from model.network.transformer import (
    BlockStack,
    DecoderOnly,
    EncoderDecoder,
    EncoderOnly,
    Transformer,
)


@runtime_checkable
class Initialised(Protocol):
    """A module that draws its first numbers; the others' begin at 0 or 1."""

    def initialise(self, generator: torch.Generator) -> None:
        """Draw them."""


def build(config: ModelConfig, generator: torch.Generator | None = None) -> Transformer:
    """The model of a configuration, its first numbers drawn from `generator` alone; without one
    they are whatever the memory holds, to be loaded over."""
    network = ARCHITECTURES[config.architecture](config)
    if generator is not None:
        for module in network.modules():
            if isinstance(module, Initialised):
                module.initialise(generator)
    return network


def _decoder_only(config: ModelConfig) -> DecoderOnly:
    return DecoderOnly(**_one_stack(config), mask=causal_mask)


def _encoder_only(config: ModelConfig) -> EncoderOnly:
    return EncoderOnly(**_one_stack(config), mask=no_mask)


def _encoder_decoder(config: ModelConfig) -> EncoderDecoder:
    embedding = _embedding(config)
    return EncoderDecoder(
        embedding=embedding,
        encoder=BlockStack(positions=_positions(config), blocks=_blocks(config, _block)),
        decoder=BlockStack(positions=_positions(config), blocks=_blocks(config, _crossing_block)),
        head=_head(config, embedding),
        mask=causal_mask,
        context_length=config.context_length,
    )


ARCHITECTURES: dict[Architecture, Callable[[ModelConfig], Transformer]] = {
    Architecture.DECODER_ONLY: _decoder_only,
    Architecture.ENCODER_ONLY: _encoder_only,
    Architecture.ENCODER_DECODER: _encoder_decoder,
}


def _one_stack(config: ModelConfig) -> dict[str, Any]:
    embedding = _embedding(config)
    return {
        "embedding": embedding,
        "positions": _positions(config),
        "blocks": _blocks(config, _block),
        "final_norm": _norm(config) if config.wiring is Wiring.PRE_LN else NoNorm(),
        "head": _head(config, embedding),
    }


def _deviation(config: ModelConfig) -> float:
    """Of the embeddings. A tied table is also a matrix of scores, which must not begin large."""
    return config.d_model**-0.5 if config.tied_head else 1.0


def _embedding(config: ModelConfig) -> Embedding:
    return Embedding(config.vocab_size, config.d_model, deviation=_deviation(config))


def _positions(config: ModelConfig) -> nn.Module:
    added = ADDED[config.position]
    return added(config.context_length, config.d_model, deviation=_deviation(config))


def _head(config: ModelConfig, embedding: Embedding) -> nn.Module:
    if config.tied_head:
        return TiedHead(embedding)
    return Linear(config.d_model, config.vocab_size, bias=False)


def _blocks(config: ModelConfig, block: Callable[[ModelConfig], nn.Module]) -> list[nn.Module]:
    return [block(config) for _ in range(config.n_blocks)]


def _block(config: ModelConfig) -> nn.Module:
    return BLOCKS[config.wiring](
        attn=_attention(config), attn_norm=_norm(config),
        ffn=_feed_forward(config), ffn_norm=_norm(config),
    )  # fmt: skip


def _crossing_block(config: ModelConfig) -> nn.Module:
    return CrossAttentionBlock(
        attn=_attention(config), attn_norm=_norm(config),
        cross_attn=_attention(config), cross_attn_norm=_norm(config),
        ffn=_feed_forward(config), ffn_norm=_norm(config),
    )  # fmt: skip


def _attention(config: ModelConfig) -> Attention:
    return Attention(
        config.d_model,
        config.n_heads,
        biases=config.biases,
        rotation=TURNED[config.position](config.context_length, config.d_head),
    )


def _norm(config: ModelConfig) -> nn.Module:
    return NORMS[config.norm](config.d_model, config.norm_epsilon)


def _feed_forward(config: ModelConfig) -> nn.Module:
    word = config.feed_forward
    return NETWORKS[word.gated](
        config.d_model, config.d_ff, biases=config.biases, activation=ACTIVATIONS[word]
    )
