"""The peer: the same weights through PyTorch's fused operations, with nothing shown on the way.

Written independently of the package, as modules, which is how a model is usually written and what
a tracing library wraps. Parameters are named as in the checkpoint.

Axes: B batch, T position, S source, D d_model, H head, K d_head, F d_ff, V vocab.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional

from model.config import ModelConfig

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu-tanh": partial(functional.gelu, approximate="tanh"),
}


class LearnedPositions(nn.Module):
    """A trained vector is added for each position."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(config.context_length, config.d_model))

    def forward(self, x_BTD: Tensor) -> Tensor:
        return x_BTD + self.weight[: x_BTD.shape[1]]


class SinusoidalPositions(nn.Module):
    """A fixed vector of sines and cosines is added for each position."""

    table: Tensor

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        turns = _turns(config.context_length, config.d_model)
        table = torch.stack([turns.imag, turns.real], dim=-1).flatten(1)
        self.register_buffer("table", table, persistent=False)

    def forward(self, x_BTD: Tensor) -> Tensor:
        return x_BTD + self.table[: x_BTD.shape[1]]


class Attention(nn.Module):
    """Multi-head attention by the fused kernel."""

    def __init__(self, config: ModelConfig, *, causal: bool) -> None:
        super().__init__()
        self.n_heads = config.n_heads
        self.causal = causal
        self.query, self.key, self.value, self.output = (
            nn.Linear(config.d_model, config.d_model, bias=config.biases) for _ in range(4)
        )

    def forward(self, x_BTD: Tensor, source_BSD: Tensor) -> Tensor:
        y_BHTK = functional.scaled_dot_product_attention(
            self.placed(self.query(x_BTD)),
            self.placed(self.key(source_BSD)),
            self.heads(self.value(source_BSD)),
            is_causal=self.causal,
        )
        return self.output(y_BHTK.transpose(1, 2).flatten(2))

    def heads(self, x_BTD: Tensor) -> Tensor:
        batch, length, _ = x_BTD.shape
        return x_BTD.view(batch, length, self.n_heads, -1).transpose(1, 2)

    placed = heads


class RotaryAttention(Attention):
    """Pairs of features of queries and keys as complex numbers, turned by one multiplication."""

    turns: Tensor

    def __init__(self, config: ModelConfig, *, causal: bool) -> None:
        super().__init__(config, causal=causal)
        turns = _turns(config.context_length, config.d_head)
        self.register_buffer("turns", turns, persistent=False)

    def placed(self, x_BTD: Tensor) -> Tensor:
        x_BHTK = self.heads(x_BTD)
        pairs = torch.view_as_complex(x_BHTK.unflatten(-1, (-1, 2)))
        return torch.view_as_real(pairs * self.turns[: x_BHTK.shape[2]]).flatten(-2)


class FeedForward(nn.Module):
    """Two linear layers with an activation between."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.up = nn.Linear(config.d_model, config.d_ff, bias=config.biases)
        self.activation = ACTIVATIONS[config.feed_forward]
        self.down = nn.Linear(config.d_ff, config.d_model, bias=config.biases)

    def forward(self, x_BTD: Tensor) -> Tensor:
        return self.down(self.activation(self.up(x_BTD)))


class SwiGLU(nn.Module):
    """Two linear layers side by side, one gating the other, and a third."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.gate = nn.Linear(config.d_model, config.d_ff, bias=config.biases)
        self.up = nn.Linear(config.d_model, config.d_ff, bias=config.biases)
        self.down = nn.Linear(config.d_ff, config.d_model, bias=config.biases)

    def forward(self, x_BTD: Tensor) -> Tensor:
        return self.down(functional.silu(self.gate(x_BTD)) * self.up(x_BTD))


class PostNormBlock(nn.Module):
    """Each sub-layer is added, then normed."""

    def __init__(self, config: ModelConfig, *, causal: bool) -> None:
        super().__init__()
        self.attn = _attention(config, causal=causal)
        self.attn_norm = _norm(config)
        self.ffn = _feed_forward(config)
        self.ffn_norm = _norm(config)

    def forward(self, x_BTD: Tensor) -> Tensor:
        x_BTD = self.attn_norm(x_BTD + self.attn(x_BTD, x_BTD))
        return self.ffn_norm(x_BTD + self.ffn(x_BTD))


class PreNormBlock(PostNormBlock):
    """Each sub-layer reads a normed copy."""

    def forward(self, x_BTD: Tensor) -> Tensor:
        read_BTD = self.attn_norm(x_BTD)
        x_BTD = x_BTD + self.attn(read_BTD, read_BTD)
        return x_BTD + self.ffn(self.ffn_norm(x_BTD))


class CrossBlock(PostNormBlock):
    """A post-norm block that looks at another stack between its two sub-layers."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config, causal=True)
        self.cross_attn = _attention(config, causal=False)
        self.cross_attn_norm = _norm(config)

    def forward(self, x_BTD: Tensor, read_BSD: Tensor) -> Tensor:
        x_BTD = self.attn_norm(x_BTD + self.attn(x_BTD, x_BTD))
        x_BTD = self.cross_attn_norm(x_BTD + self.cross_attn(x_BTD, read_BSD))
        return self.ffn_norm(x_BTD + self.ffn(x_BTD))


class Stack(nn.Module):
    """Positions, then blocks."""

    def __init__(self, config: ModelConfig, blocks: Iterable[nn.Module]) -> None:
        super().__init__()
        self.positions = _positions(config)
        self.blocks = nn.ModuleList(blocks)

    def forward(self, x_BTD: Tensor, *read: Tensor) -> Tensor:
        x_BTD = self.positions(x_BTD)
        for block in self.blocks:
            x_BTD = block(x_BTD, *read)
        return x_BTD


class OneStack(Stack):
    """A decoder or an encoder alone, from ids to logits."""

    def __init__(self, config: ModelConfig) -> None:
        block = PreNormBlock if config.wiring == "pre-ln" else PostNormBlock
        causal = config.architecture == "decoder-only"
        super().__init__(config, (block(config, causal=causal) for _ in range(config.n_blocks)))
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.final_norm = _norm(config) if config.wiring == "pre-ln" else nn.Identity()
        self.head = nn.Linear(config.d_model, config.vocab_size, bias=False)

    def forward(self, ids_BT: Tensor) -> Tensor:
        return self.head(self.final_norm(super().forward(self.embedding(ids_BT))))


class EncoderDecoder(nn.Module):
    """Two stacks, from the ids of source and target to the target's logits."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        count = range(config.n_blocks)
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.encoder = Stack(config, (PostNormBlock(config, causal=False) for _ in count))
        self.decoder = Stack(config, (CrossBlock(config) for _ in count))
        self.head = nn.Linear(config.d_model, config.vocab_size, bias=False)

    def forward(self, source_BS: Tensor, target_BT: Tensor) -> Tensor:
        read_BSD = self.encoder(self.embedding(source_BS))
        return self.head(self.decoder(self.embedding(target_BT), read_BSD))


def plain_model(weights: Mapping[str, Tensor], config: ModelConfig) -> nn.Module:
    """The modules with the checkpoint's weights, ready for inference; a tied head has the
    embedding's."""
    network = EncoderDecoder(config) if config.writes else OneStack(config)
    network.load_state_dict({"head.weight": weights["embedding.weight"], **weights})
    return network.requires_grad_(False).eval()


def _turns(n_positions: int, width: int) -> Tensor:
    """exp(i · pos · 10000^(−2j / width)): (T, width / 2)."""
    frequencies = 10_000.0 ** -(torch.arange(0, width, 2).double() / width)
    angles = torch.outer(torch.arange(n_positions).double(), frequencies)
    return torch.polar(torch.ones_like(angles), angles).to(torch.complex64)


def _positions(config: ModelConfig) -> nn.Module:
    made = {"learned": LearnedPositions, "sinusoidal": SinusoidalPositions, "rotary": nn.Identity}
    return made[config.position](config)


def _attention(config: ModelConfig, *, causal: bool) -> Attention:
    made = RotaryAttention if config.position == "rotary" else Attention
    return made(config, causal=causal)


def _norm(config: ModelConfig) -> nn.Module:
    made = {"layer-norm": nn.LayerNorm, "rms-norm": nn.RMSNorm}
    return made[config.norm](config.d_model, eps=config.norm_epsilon)


def _feed_forward(config: ModelConfig) -> nn.Module:
    return SwiGLU(config) if config.feed_forward == "swiglu" else FeedForward(config)
