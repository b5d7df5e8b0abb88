"""How a block wires its parts to the residual stream.

Axes: B batch, T position, S source, D d_model.
"""

from torch import Tensor, nn

from model.config import Wiring
from model.network.attention import Attention, Mask
from model.network.tap import Tap, no_tap, prefixed


class Block(nn.Module):
    """The parts that every wiring has."""

    def __init__(
        self, *, attn: Attention, attn_norm: nn.Module, ffn: nn.Module, ffn_norm: nn.Module
    ) -> None:
        super().__init__()
        self.attn = attn
        self.attn_norm = attn_norm
        self.ffn = ffn
        self.ffn_norm = ffn_norm


class PostNormBlock(Block):
    """x -> attention -> + -> norm -> feed-forward -> + -> norm (Vaswani et al. 2017)."""

    def forward(self, x_BTD: Tensor, mask: Mask, tap: Tap = no_tap) -> Tensor:
        attended_BTD = self.attn(x_BTD, x_BTD, mask, prefixed(tap, "attn"))
        summed_BTD = tap("attn_residual", x_BTD + attended_BTD)
        x_BTD = self.attn_norm(summed_BTD, prefixed(tap, "attn_norm"))
        changed_BTD = self.ffn(x_BTD, prefixed(tap, "ffn"))
        summed_BTD = tap("ffn_residual", x_BTD + changed_BTD)
        return self.ffn_norm(summed_BTD, prefixed(tap, "ffn_norm"))


class CrossAttentionBlock(Block):
    """The post-norm block with a third sub-layer between its two: the queries come from x, keys
    and values from what another stack has read (Vaswani et al. 2017)."""

    def __init__(
        self,
        *,
        attn: Attention,
        attn_norm: nn.Module,
        cross_attn: Attention,
        cross_attn_norm: nn.Module,
        ffn: nn.Module,
        ffn_norm: nn.Module,
    ) -> None:
        super().__init__(attn=attn, attn_norm=attn_norm, ffn=ffn, ffn_norm=ffn_norm)
        self.cross_attn = cross_attn
        self.cross_attn_norm = cross_attn_norm

    def forward(
        self, x_BTD: Tensor, mask: Mask, read_BSD: Tensor, over: Mask, tap: Tap = no_tap
    ) -> Tensor:
        """`mask` hides later positions of x, `over` what of the source must not be seen."""
        attended_BTD = self.attn(x_BTD, x_BTD, mask, prefixed(tap, "attn"))
        summed_BTD = tap("attn_residual", x_BTD + attended_BTD)
        x_BTD = self.attn_norm(summed_BTD, prefixed(tap, "attn_norm"))
        crossed_BTD = self.cross_attn(x_BTD, read_BSD, over, prefixed(tap, "cross_attn"))
        summed_BTD = tap("cross_attn_residual", x_BTD + crossed_BTD)
        x_BTD = self.cross_attn_norm(summed_BTD, prefixed(tap, "cross_attn_norm"))
        changed_BTD = self.ffn(x_BTD, prefixed(tap, "ffn"))
        summed_BTD = tap("ffn_residual", x_BTD + changed_BTD)
        return self.ffn_norm(summed_BTD, prefixed(tap, "ffn_norm"))


class PreNormBlock(Block):
    """x + attention(norm(x)), then x + feed-forward(norm(x)): the stream itself is never normed
    (Xiong et al. 2020)."""

    def forward(self, x_BTD: Tensor, mask: Mask, tap: Tap = no_tap) -> Tensor:
        read_BTD = self.attn_norm(x_BTD, prefixed(tap, "attn_norm"))
        attended_BTD = self.attn(read_BTD, read_BTD, mask, prefixed(tap, "attn"))
        x_BTD = tap("attn_residual", x_BTD + attended_BTD)
        read_BTD = self.ffn_norm(x_BTD, prefixed(tap, "ffn_norm"))
        return tap("ffn_residual", x_BTD + self.ffn(read_BTD, prefixed(tap, "ffn")))


BLOCKS = {Wiring.POST_LN: PostNormBlock, Wiring.PRE_LN: PreNormBlock}
