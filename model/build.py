"""From a configuration to modules: the only place where its words become classes."""

import torch
from torch import nn
from torch.nn.utils import skip_init

from model.attention import Attention
from model.blocks import PostNormBlock
from model.config import ModelConfig
from model.feed_forward import FeedForward
from model.norms import LayerNorm
from model.positions import LearnedPositions
from model.transformer import DecoderOnly

INITIAL_DEVIATION = 0.02
"""Standard deviation of fresh weights, as in GPT-2; biases start at 0, γ at 1, β at 0."""


def build(config: ModelConfig, generator: torch.Generator) -> DecoderOnly:
    """A freshly initialised model, its numbers drawn from `generator` alone: the modules are
    made with `skip_init`, because their constructors draw from torch's own."""
    network = DecoderOnly(
        embedding=skip_init(nn.Embedding, config.vocab_size, config.d_model),
        positions=LearnedPositions(config.context_length, config.d_model),
        blocks=[_block(config) for _ in range(config.n_blocks)],
        head=skip_init(nn.Linear, config.d_model, config.vocab_size, bias=False),
        context_length=config.context_length,
    )
    for name, parameter in network.named_parameters():
        if parameter.ndim > 1:
            nn.init.normal_(parameter, std=INITIAL_DEVIATION, generator=generator)
        elif not name.endswith("norm.weight"):
            nn.init.zeros_(parameter)
    return network


def _block(config: ModelConfig) -> PostNormBlock:
    return PostNormBlock(
        attn=Attention(config.d_model, config.n_heads),
        attn_norm=LayerNorm(config.d_model, config.norm_epsilon),
        ffn=FeedForward(config.d_model, config.d_ff, nn.GELU()),
        ffn_norm=LayerNorm(config.d_model, config.norm_epsilon),
    )
