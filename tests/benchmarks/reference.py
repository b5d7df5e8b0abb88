"""The peer: the same weights through PyTorch's fused operations, with nothing shown on the way.

Written twice, independently of the package: as bare functions over the weights, which is as lean
as eager PyTorch gets, and as modules, which is how a model is usually written.

Axes: B batch, T position, D d_model, H head, K d_head, V vocab.
"""

from collections.abc import Mapping

from torch import Tensor, nn
from torch.nn import functional

from model.config import ModelConfig


def plain_forward(ids_BT: Tensor, weights: Mapping[str, Tensor], config: ModelConfig) -> Tensor:
    """Ids to logits with bare functions; `weights` by the checkpoint's names."""
    batch, length = ids_BT.shape
    width, epsilon = (config.d_model,), config.norm_epsilon

    def linear(x: Tensor, name: str) -> Tensor:
        return functional.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def heads(x_BTD: Tensor) -> Tensor:
        return x_BTD.view(batch, length, config.n_heads, config.d_head).transpose(1, 2)

    def norm(x: Tensor, name: str) -> Tensor:
        return functional.layer_norm(
            x, width, weights[f"{name}.weight"], weights[f"{name}.bias"], epsilon
        )

    x_BTD = functional.embedding(ids_BT, weights["embedding.weight"])
    x_BTD = x_BTD + weights["positions.weight"][:length]
    for index in range(config.n_blocks):
        block = f"blocks.{index}"
        attended_BHTK = functional.scaled_dot_product_attention(
            heads(linear(x_BTD, f"{block}.attn.query")),
            heads(linear(x_BTD, f"{block}.attn.key")),
            heads(linear(x_BTD, f"{block}.attn.value")),
            is_causal=True,
        )
        attended_BTD = attended_BHTK.transpose(1, 2).reshape(batch, length, config.d_model)
        attended_BTD = linear(attended_BTD, f"{block}.attn.output")
        x_BTD = norm(x_BTD + attended_BTD, f"{block}.attn_norm")
        changed_BTD = linear(functional.gelu(linear(x_BTD, f"{block}.ffn.up")), f"{block}.ffn.down")
        x_BTD = norm(x_BTD + changed_BTD, f"{block}.ffn_norm")
    return functional.linear(x_BTD, weights["head.weight"])


class PlainAttention(nn.Module):
    """Causal self-attention by the fused kernel."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.n_heads = config.n_heads
        self.query = nn.Linear(config.d_model, config.d_model)
        self.key = nn.Linear(config.d_model, config.d_model)
        self.value = nn.Linear(config.d_model, config.d_model)
        self.output = nn.Linear(config.d_model, config.d_model)

    def forward(self, x_BTD: Tensor) -> Tensor:
        batch, length, width = x_BTD.shape
        q_BHTK, k_BHTK, v_BHTK = (
            projection(x_BTD).view(batch, length, self.n_heads, -1).transpose(1, 2)
            for projection in (self.query, self.key, self.value)
        )
        y_BHTK = functional.scaled_dot_product_attention(q_BHTK, k_BHTK, v_BHTK, is_causal=True)
        return self.output(y_BHTK.transpose(1, 2).reshape(batch, length, width))


class PlainFeedForward(nn.Module):
    """Two linear layers and a GELU."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.up = nn.Linear(config.d_model, config.d_ff)
        self.down = nn.Linear(config.d_ff, config.d_model)

    def forward(self, x_BTD: Tensor) -> Tensor:
        return self.down(functional.gelu(self.up(x_BTD)))


class PlainBlock(nn.Module):
    """A post-LN block."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attn = PlainAttention(config)
        self.attn_norm = nn.LayerNorm(config.d_model, config.norm_epsilon)
        self.ffn = PlainFeedForward(config)
        self.ffn_norm = nn.LayerNorm(config.d_model, config.norm_epsilon)

    def forward(self, x_BTD: Tensor) -> Tensor:
        x_BTD = self.attn_norm(x_BTD + self.attn(x_BTD))
        return self.ffn_norm(x_BTD + self.ffn(x_BTD))


class PlainModel(nn.Module):
    """The whole model as modules, their parameters named as in the checkpoint."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.positions = nn.Embedding(config.context_length, config.d_model)
        self.blocks = nn.ModuleList(PlainBlock(config) for _ in range(config.n_blocks))
        self.head = nn.Linear(config.d_model, config.vocab_size, bias=False)

    def forward(self, ids_BT: Tensor) -> Tensor:
        x_BTD = self.embedding(ids_BT) + self.positions.weight[: ids_BT.shape[1]]
        for block in self.blocks:
            x_BTD = block(x_BTD)
        return self.head(x_BTD)


def plain_model(weights: Mapping[str, Tensor], config: ModelConfig) -> PlainModel:
    """The modules with the checkpoint's weights, ready for inference."""
    network = PlainModel(config)
    network.load_state_dict(dict(weights))
    return network.requires_grad_(False).eval()
