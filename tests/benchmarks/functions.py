"""A leaner peer of the default model: bare functions over the weights, no modules at all.

Axes: B batch, T position, D d_model, H head, K d_head, V vocab.
"""

from collections.abc import Mapping

from torch import Tensor
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
