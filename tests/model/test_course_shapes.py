"""What lesson 56 says of shapes, of the feed-forward network, and of a fresh block."""

import pytest
import torch
from torch import Tensor

from model.config import PRESETS, ModelConfig
from model.labs.counting import LESSON_56
from model.network.attention import Attention, causal_mask, unmasked
from model.network.build import build
from model.network.positions import NoRotation

LESSON_RUN = ModelConfig(
    wiring="pre-ln", vocab_size=10, context_length=4, d_model=8, n_heads=2, d_ff=32, n_blocks=1
)
"""The lesson's tiny forward pass: vocabulary 10, two heads of 4, a batch of two times four."""
PRE_NORM = [LESSON_56, *(config for config in PRESETS.values() if config.wiring == "pre-ln")]


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(56)


def tapped(config: ModelConfig, ids_BT: Tensor, generator: torch.Generator) -> dict[str, Tensor]:
    """Every tensor of a batch, by the name it is tapped with."""
    found: dict[str, Tensor] = {}

    def keep(key: str, tensor: Tensor) -> Tensor:
        found[key] = tensor
        return tensor

    with torch.no_grad():
        build(config, generator)(ids_BT, keep)
    return found


def attention(d_model: int, n_heads: int, generator: torch.Generator) -> Attention:
    made = Attention(d_model, n_heads, biases=True, rotation=NoRotation(64, d_model // n_heads))
    for parameter in made.requires_grad_(False).parameters():
        parameter.normal_(std=0.5, generator=generator)
    return made


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        ("ids", (2, 4)),
        ("input", (2, 4, 8)),
        ("blocks.0.attn.weights", (2, 2, 4, 4)),
        ("blocks.0.ffn_residual", (2, 4, 8)),
        ("logits", (2, 4, 10)),
    ],
)
def test_tiny_forward_pass_has_the_lesson_shapes(
    key: str, shape: tuple[int, ...], generator: torch.Generator
) -> None:
    ids_BT = torch.randint(10, (2, 4), generator=generator)
    assert tapped(LESSON_RUN, ids_BT, generator)[key].shape == shape


def test_cross_attention_is_target_by_source(generator: torch.Generator) -> None:
    """Three decoder tokens read five source tokens; nothing is masked."""
    weights: dict[str, Tensor] = {}

    def keep(key: str, tensor: Tensor) -> Tensor:
        weights[key] = tensor
        return tensor

    x_BTD = torch.randn(1, 3, 8, generator=generator)
    source_BSD = torch.randn(1, 5, 8, generator=generator)
    output_BTD = attention(8, 2, generator)(x_BTD, source_BSD, unmasked, keep)
    assert weights["weights"].shape == (1, 2, 3, 5)
    assert output_BTD.shape == (1, 3, 8)
    assert bool((weights["weights"] > 0).all())
    assert torch.allclose(weights["weights"].sum(-1), torch.ones(1, 2, 3))


def test_feed_forward_is_position_wise(config: ModelConfig, generator: torch.Generator) -> None:
    whole = build(config, generator).double()
    network = next(one for name, one in whole.named_modules() if name.endswith("blocks.0.ffn"))
    x_BTD = torch.randn(1, 16, config.d_model, generator=generator, dtype=torch.float64)
    order = torch.randperm(16, generator=generator)
    with torch.no_grad():
        together_BTD, permuted_BTD = network(x_BTD), network(x_BTD[:, order])
    assert torch.allclose(permuted_BTD, together_BTD[:, order], rtol=0, atol=1e-14)
    assert not torch.allclose(permuted_BTD, together_BTD, rtol=0, atol=1e-3)


def test_attention_is_not_position_wise(generator: torch.Generator) -> None:
    """The same test fails for causal attention, so it can tell."""
    x_BTD = torch.randn(1, 16, 8, generator=generator)
    order = torch.arange(15, -1, -1)
    attend = attention(8, 2, generator)
    together_BTD = attend(x_BTD, x_BTD, causal_mask(16))
    permuted_BTD = attend(x_BTD[:, order], x_BTD[:, order], causal_mask(16))
    assert not torch.allclose(permuted_BTD, together_BTD[:, order], rtol=0, atol=1e-3)


@pytest.mark.parametrize("config", PRE_NORM)
def test_fresh_pre_norm_block_is_near_the_identity(
    config: ModelConfig, generator: torch.Generator
) -> None:
    """On a stream of unit variance. On a smaller one the same change is the larger part: what a
    sub-layer adds does not depend on the stream's scale, because its norm takes that away."""
    network = build(config, generator)
    mask = causal_mask(32)
    x_BTD = torch.randn(1, 32, config.d_model, generator=generator)
    with torch.no_grad():
        change_BTD = network.blocks[0](x_BTD, mask) - x_BTD
    assert 0 < float(change_BTD.norm() / x_BTD.norm()) < 0.3
