"""Our LayerNorm, attention, GELU, feed-forward and block against torch.nn's own, in float64."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from model import ops
from model.attention import Attention
from model.blocks import PostNormBlock
from model.build import build
from model.config import PRESETS
from model.feed_forward import FeedForward
from model.norms import LayerNorm
from model.positions import LearnedPositions

B, T, D, H, F = 2, 5, 8, 2, 12
EXACT = {"rtol": 0.0, "atol": 1e-12}


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(7)


def numbers(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def filled(module: nn.Module, generator: torch.Generator) -> nn.Module:
    """The module in float64 with random parameters, γ and biases too."""
    module.double().requires_grad_(False)
    for parameter in module.parameters():
        parameter.normal_(generator=generator)
    return module


def causal() -> Tensor:
    """−∞ where a position must not look, else 0."""
    return torch.full((T, T), -math.inf, dtype=torch.float64).triu(1)


def copy_attention(ours: Attention, theirs: nn.MultiheadAttention) -> None:
    """Torch keeps queries, keys and values in one matrix, in this order."""
    parts = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
    theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    theirs.out_proj.load_state_dict(ours.output.state_dict())


@pytest.mark.parametrize("spread", [1.0, 1e-3, 1e3], ids="spread {}".format)
def test_layer_norm_is_torchs(generator: torch.Generator, spread: float) -> None:
    """With a small spread ε decides, so its value and its place under the root are seen."""
    ours = filled(LayerNorm(D, 1e-5), generator)
    theirs = nn.LayerNorm(D, eps=1e-5).double()
    theirs.load_state_dict(ours.state_dict())
    x = 3 + spread * numbers(generator, B, T, D)
    torch.testing.assert_close(ours(x), theirs(x).detach(), **EXACT)


def test_layer_norm_of_equal_features_is_its_bias() -> None:
    assert torch.equal(LayerNorm(D, 1e-5)(torch.full((1, 1, D), 4.0)), torch.zeros(1, 1, D))


@pytest.mark.parametrize("masked", [True, False], ids=["causal", "unmasked"])
def test_attention_is_torchs(generator: torch.Generator, masked: bool) -> None:
    ours = filled(Attention(D, H), generator)
    theirs = nn.MultiheadAttention(D, H, batch_first=True).double().requires_grad_(False)
    copy_attention(ours, theirs)
    mask = causal() if masked else torch.zeros_like(causal())
    x = numbers(generator, B, T, D)
    weights = {}
    output = ours(x, x, mask, lambda key, tensor: weights.setdefault(key, tensor))
    expected, expected_weights = theirs(
        x, x, x, attn_mask=mask, average_attn_weights=False, need_weights=True
    )
    torch.testing.assert_close(output, expected, **EXACT)
    torch.testing.assert_close(weights["weights"], expected_weights, **EXACT)


def test_attention_to_another_text_is_torchs(generator: torch.Generator) -> None:
    """Queries from one text, keys and values from a longer one."""
    ours = filled(Attention(D, H), generator)
    theirs = nn.MultiheadAttention(D, H, batch_first=True).double().requires_grad_(False)
    copy_attention(ours, theirs)
    x, source = numbers(generator, B, T, D), numbers(generator, B, T + 2, D)
    output = ours(x, source, torch.zeros(T, T + 2))
    torch.testing.assert_close(output, theirs(x, source, source)[0], **EXACT)


def test_heads_contributions_and_bias_sum_to_the_output(generator: torch.Generator) -> None:
    ours = filled(Attention(D, H), generator)
    x, seen = numbers(generator, B, T, D), {}
    output = ours(x, x, causal(), lambda key, tensor: seen.setdefault(key, tensor))
    joined = seen["heads"].transpose(1, 2).flatten(2)
    torch.testing.assert_close(output, ours.output(joined), **EXACT)


def test_feed_forward_is_the_formula(generator: torch.Generator) -> None:
    ours = filled(FeedForward(D, F, nn.functional.gelu), generator)
    x = numbers(generator, B, T, D)
    expected = nn.Sequential(ours.up, nn.GELU(), ours.down)(x)
    torch.testing.assert_close(ours(x), expected, **EXACT)


def test_block_is_torchs_encoder_layer(generator: torch.Generator) -> None:
    """The whole post-LN block against torch's, which has the same wiring by default."""
    ours = filled(
        PostNormBlock(
            attn=Attention(D, H),
            attn_norm=LayerNorm(D, 1e-5),
            ffn=FeedForward(D, F, nn.functional.gelu),
            ffn_norm=LayerNorm(D, 1e-5),
        ),
        generator,
    )
    theirs = nn.TransformerEncoderLayer(
        D, H, F, dropout=0.0, activation="gelu", batch_first=True, dtype=torch.float64
    ).requires_grad_(False)
    copy_attention(ours.attn, theirs.self_attn)
    for mine, other in (
        (ours.attn_norm, theirs.norm1),
        (ours.ffn.up, theirs.linear1),
        (ours.ffn.down, theirs.linear2),
        (ours.ffn_norm, theirs.norm2),
    ):
        other.load_state_dict(mine.state_dict())
    x = numbers(generator, B, T, D)
    torch.testing.assert_close(ours(x, causal()), theirs(x, src_mask=causal()), **EXACT)


def test_learned_positions_are_the_first_rows(generator: torch.Generator) -> None:
    positions = LearnedPositions(6, 3)
    nn.init.normal_(positions.weight, generator=generator)
    shown = positions(torch.zeros(2, 4, dtype=torch.long))
    assert torch.equal(shown, positions.weight[:4].expand(2, 4, 3))


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_activation_is_the_exact_gelu(name: str, generator: torch.Generator) -> None:
    """0.841345 is 1 · Φ(1); the tanh form gives 0.841192 (C27)."""
    activation = build(PRESETS[name], generator).blocks[0].ffn.activation
    assert round(float(activation(torch.ones(1))), 6) == 0.841345


def run_op(op: ops.Op, operands: Sequence[Tensor]) -> Tensor:
    return torch.from_numpy(op.forward(*(operand.numpy() for operand in operands)))


def test_numpy_gelu_is_torchs(generator: torch.Generator) -> None:
    x = 4 * numbers(generator, T, F)
    torch.testing.assert_close(run_op(ops.Gelu(), [x]), nn.GELU()(x), **EXACT)


def test_numpy_softmax_is_torchs(generator: torch.Generator) -> None:
    """Masked cells included, and scores so large that their exponentials would overflow."""
    x = 300 * numbers(generator, H, T, T) + causal()
    torch.testing.assert_close(run_op(ops.Softmax("source"), [x]), x.softmax(-1), **EXACT)


def test_numpy_layer_norm_is_torchs(generator: torch.Generator) -> None:
    x, scale, shift = (numbers(generator, *shape) for shape in ((T, D), (D,), (D,)))
    mean = run_op(ops.Mean(), [x])
    variance = run_op(ops.Variance(), [x, mean])
    normalized = run_op(ops.Normalize(1e-5), [x, mean, variance])
    shown = run_op(ops.ScaleAndShift(), [normalized, scale, shift])
    expected = nn.functional.layer_norm(x, (D,), scale, shift, 1e-5)
    torch.testing.assert_close(shown, expected, **EXACT)


def test_numpy_attention_is_torchs(generator: torch.Generator) -> None:
    q, k, v = (numbers(generator, H, T, D // H) for _ in range(3))
    scores = run_op(ops.CausalMask(), [run_op(ops.ScaledDotProduct(), [q, k])])
    shown = run_op(ops.WeightedSum(), [run_op(ops.Softmax("source"), [scores]), v])
    expected = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    torch.testing.assert_close(shown, expected, **EXACT)


def test_numpy_loss_is_torchs_cross_entropy(generator: torch.Generator) -> None:
    logits, ids = numbers(generator, T, F), torch.tensor([3, 1, 4, 1, 5])
    shown = run_op(ops.NextTokenLoss(), [logits.softmax(-1), ids])
    expected = nn.functional.cross_entropy(logits[:-1], ids[1:], reduction="none")
    torch.testing.assert_close(shown, expected, **EXACT)


def test_numpy_loss_of_an_impossible_character_is_infinite() -> None:
    """A probability that underflowed to 0 is no reason for a warning."""
    loss = ops.NextTokenLoss().forward(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0, 1]))
    assert loss.tolist() == [math.inf]


def test_ids_are_given_not_computed() -> None:
    with pytest.raises(TypeError, match="ids"):
        ops.Encode().forward()


OPS = [one for one in vars(ops).values() if isinstance(one, type) and one.__base__ is ops.Op]


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.__name__)
def test_operation_says_its_equation(op: type[ops.Op]) -> None:
    """Each class is one equation, and its docstring gives it."""
    assert op.__doc__
    assert "=" in op.__doc__ or op is ops.Encode
