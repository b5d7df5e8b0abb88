"""Our LayerNorm, attention, GELU, feed-forward and block against torch.nn's own, in float64."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from model.config import PRESETS
from model.network.attention import Attention, causal_mask, masking, unmasked
from model.network.blocks import CrossAttentionBlock, PostNormBlock, PreNormBlock
from model.network.build import build
from model.network.embedding import TiedHead
from model.network.feed_forward import GatedFeedForward, PlainFeedForward
from model.network.norms import LayerNorm, RMSNorm
from model.network.positions import LearnedPositions, NoRotation, Rotation, SinusoidalPositions
from model.ops.activations import Gelu
from model.ops.attention import MaskLater, ScaledDotProduct, Softmax, WeightedSum
from model.ops.lookups import Encode, Given
from model.ops.loss import NextTokenLoss
from model.ops.norms import Mean, Normalize, ScaleAndShift, Variance
from model.ops.op import Op
from model.table import feed_forward as table
from tests.model.operations import every_operation

B, T, D, H, K, F = 2, 5, 8, 2, 4, 12
EXACT = {"rtol": 0.0, "atol": 1e-12}
PARAMETERS = {
    "shakespeare": 112_384,
    "shakespeare-2017": 104_128,
    "shakespeare-preln": 108_352,
    "shakespeare-modern": 102_912,
    "shakespeare-encoder": 108_288,
    "shakespeare-seq2seq": 245_824,
}


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
    """True where a position must not look; torch's own layers take the same."""
    return torch.ones(T, T, dtype=torch.bool).triu(1)


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
    ours = filled(Attention(D, H, biases=True, rotation=NoRotation(T, D // H)), generator)
    theirs = nn.MultiheadAttention(D, H, batch_first=True).double().requires_grad_(False)
    copy_attention(ours, theirs)
    mask = causal() if masked else torch.zeros_like(causal())
    x = numbers(generator, B, T, D)
    weights = {}
    output = ours(x, x, masking(mask), lambda key, tensor: weights.setdefault(key, tensor))
    expected, expected_weights = theirs(
        x, x, x, attn_mask=mask, average_attn_weights=False, need_weights=True
    )
    torch.testing.assert_close(output, expected, **EXACT)
    torch.testing.assert_close(weights["weights"], expected_weights, **EXACT)


def test_mask_hides_whatever_stands_there() -> None:
    hidden = masking(causal())(torch.full((1, H, T, T), torch.inf))
    assert torch.equal(torch.isneginf(hidden[0, 0]), causal())
    assert torch.equal(torch.isposinf(hidden[0, 0]), ~causal())


def test_mask_first_made_without_gradients_lets_them_through() -> None:
    causal_mask.cache_clear()
    with torch.inference_mode():
        causal_mask(T)(torch.zeros(1, H, T, T))
    scores = torch.zeros(1, H, T, T, requires_grad=True)
    causal_mask(T)(scores).softmax(-1).square().sum().backward()
    assert scores.grad is not None


def test_attention_to_another_text_is_torchs(generator: torch.Generator) -> None:
    """Queries from one text, keys and values from a longer one."""
    ours = filled(Attention(D, H, biases=True, rotation=NoRotation(T, D // H)), generator)
    theirs = nn.MultiheadAttention(D, H, batch_first=True).double().requires_grad_(False)
    copy_attention(ours, theirs)
    x, source = numbers(generator, B, T, D), numbers(generator, B, T + 2, D)
    output = ours(x, source, unmasked)
    torch.testing.assert_close(output, theirs(x, source, source)[0], **EXACT)


def test_heads_contributions_and_bias_sum_to_the_output(generator: torch.Generator) -> None:
    ours = filled(Attention(D, H, biases=True, rotation=NoRotation(T, D // H)), generator)
    x, seen = numbers(generator, B, T, D), {}
    output = ours(x, x, masking(causal()), lambda key, tensor: seen.setdefault(key, tensor))
    joined = seen["heads"].transpose(1, 2).flatten(2)
    expected = nn.functional.linear(joined, ours.output.weight, ours.output.bias)
    torch.testing.assert_close(output, expected, **EXACT)


def test_feed_forward_is_the_formula(generator: torch.Generator) -> None:
    ours = filled(PlainFeedForward(D, F, biases=True, activation=nn.functional.gelu), generator)
    x = numbers(generator, B, T, D)
    expected = nn.Sequential(ours.up, nn.GELU(), ours.down)(x)
    torch.testing.assert_close(ours(x), expected, **EXACT)


@pytest.mark.parametrize("wiring", [PostNormBlock, PreNormBlock])
def test_block_is_torchs_encoder_layer(
    wiring: type[PostNormBlock | PreNormBlock], generator: torch.Generator
) -> None:
    """The whole block against torch's, in both wirings."""
    ours = filled(
        wiring(
            attn=Attention(D, H, biases=True, rotation=NoRotation(T, D // H)),
            attn_norm=LayerNorm(D, 1e-5),
            ffn=PlainFeedForward(D, F, biases=True, activation=nn.functional.gelu),
            ffn_norm=LayerNorm(D, 1e-5),
        ),
        generator,
    )
    theirs = nn.TransformerEncoderLayer(
        D,
        H,
        F,
        dropout=0.0,
        activation="gelu",
        batch_first=True,
        dtype=torch.float64,
        norm_first=wiring is PreNormBlock,
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
    torch.testing.assert_close(ours(x, masking(causal())), theirs(x, src_mask=causal()), **EXACT)


def test_cross_attention_block_is_torchs_decoder_layer(generator: torch.Generator) -> None:
    """Causal attention, attention to a longer source with a padded end, feed-forward; post-norm."""
    ours = filled(
        CrossAttentionBlock(
            attn=Attention(D, H, biases=True, rotation=NoRotation(T, D // H)),
            attn_norm=LayerNorm(D, 1e-5),
            cross_attn=Attention(D, H, biases=True, rotation=NoRotation(T, D // H)),
            cross_attn_norm=LayerNorm(D, 1e-5),
            ffn=PlainFeedForward(D, F, biases=True, activation=nn.functional.gelu),
            ffn_norm=LayerNorm(D, 1e-5),
        ),
        generator,
    )
    theirs = nn.TransformerDecoderLayer(
        D, H, F, dropout=0.0, activation="gelu", batch_first=True, dtype=torch.float64
    ).requires_grad_(False)
    copy_attention(ours.attn, theirs.self_attn)
    copy_attention(ours.cross_attn, theirs.multihead_attn)
    for mine, other in (
        (ours.attn_norm, theirs.norm1),
        (ours.cross_attn_norm, theirs.norm2),
        (ours.ffn.up, theirs.linear1),
        (ours.ffn.down, theirs.linear2),
        (ours.ffn_norm, theirs.norm3),
    ):
        other.load_state_dict(mine.state_dict())
    x, source = numbers(generator, B, T, D), numbers(generator, B, T + 3, D)
    padding = torch.zeros(B, T + 3, dtype=torch.bool)
    padding[1, -2:] = True
    expected = theirs(x, source, tgt_mask=causal(), memory_key_padding_mask=padding)
    shown = ours(x, masking(causal()), source, masking(padding[:, None, None]))
    torch.testing.assert_close(shown, expected, **EXACT)


def test_learned_positions_are_the_first_rows(generator: torch.Generator) -> None:
    positions = LearnedPositions(6, 3, deviation=1.0)
    nn.init.normal_(positions.weight, generator=generator)
    assert torch.equal(positions.vectors(4), positions.weight[:4])
    embedded = torch.ones(2, 4, 3)
    assert torch.equal(positions(embedded), embedded + positions.weight[:4])


def test_sinusoids_are_the_formula() -> None:
    """Sine first, then cosine, a pair a frequency (module 7.1)."""
    vectors = SinusoidalPositions(20, 8, deviation=1.0).vectors(20)
    for position in (0, 1, 7, 19):
        for pair in range(4):
            turn = position / 10000 ** (2 * pair / 8)
            expected = torch.tensor([math.sin(turn), math.cos(turn)])
            torch.testing.assert_close(vectors[position, 2 * pair : 2 * pair + 2], expected)


def test_rotary_turns_neighbouring_features() -> None:
    """[1, 0, 0, 0] at position 1 is [0.5403, 0.8415, 0, 0]; position 0 turns nothing (C25)."""
    q = torch.tensor([1.0, 0, 0, 0]).expand(1, 1, 2, 4)
    turned = Rotation(8, 4).turned(q)[0, 0]
    assert turned[0].tolist() == [1, 0, 0, 0]
    torch.testing.assert_close(turned[1], torch.tensor([0.5403, 0.8415, 0, 0]), atol=5e-5, rtol=0)


def test_rotary_scores_depend_on_the_distance_alone(generator: torch.Generator) -> None:
    q, k = numbers(generator, 2, K)
    q_turned, k_turned = Rotation(12, K).double()(q.expand(1, 1, 12, K), k.expand(1, 1, 12, K))
    scores = (q_turned @ k_turned.transpose(-1, -2))[0, 0]
    for distance in (-3, 0, 5):
        along = scores.diagonal(distance)
        torch.testing.assert_close(along, along[:1].expand_as(along), atol=1e-6, rtol=0)


def test_rms_norm_is_torchs(generator: torch.Generator) -> None:
    ours = filled(RMSNorm(D, 1e-5), generator)
    theirs = nn.RMSNorm(D, eps=1e-5).double()
    theirs.load_state_dict(ours.state_dict())
    x = 3 + numbers(generator, B, T, D)
    torch.testing.assert_close(ours(x), theirs(x).detach(), **EXACT)


def test_swiglu_is_the_formula(generator: torch.Generator) -> None:
    ours = filled(GatedFeedForward(D, F, biases=False, activation=nn.functional.silu), generator)
    x = numbers(generator, B, T, D)
    expected = ours.down(nn.functional.silu(ours.gate(x)) * ours.up(x))
    torch.testing.assert_close(ours(x), expected, **EXACT)


def test_tied_head_scores_against_the_embeddings_rows(generator: torch.Generator) -> None:
    embedding = nn.Embedding(5, D)
    head = TiedHead(embedding)
    x = torch.randn(1, 2, D, generator=generator)
    torch.testing.assert_close(head(x), x @ embedding.weight.T)
    assert not list(head.parameters())


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_have_their_parameters(name: str, generator: torch.Generator) -> None:
    counted = sum(p.numel() for p in build(PRESETS[name], generator).parameters())
    assert counted == PARAMETERS[name]


@pytest.mark.parametrize(
    ("feed_forward", "expected"), [("relu", 1.0), ("gelu", 0.841345), ("gelu-tanh", 0.841192)]
)
def test_activation_is_the_one_that_is_named(
    feed_forward: str, expected: float, generator: torch.Generator
) -> None:
    """1 · Φ(1) is 0.841345; the tanh form gives 0.841192 (C27). In both implementations."""
    config = PRESETS["shakespeare"].having(feed_forward=feed_forward)
    activation = build(config, generator).blocks[0].ffn.activation
    assert round(float(activation(torch.ones(1))), 6) == expected
    ours = run_op(table.ACTIVATIONS[config.feed_forward], [torch.ones(1)])
    assert round(float(ours), 6) == expected


def run_op(op: Op, operands: Sequence[Tensor]) -> Tensor:
    return torch.from_numpy(op.forward(*(operand.numpy() for operand in operands)))


def test_numpy_gelu_is_torchs(generator: torch.Generator) -> None:
    x = 4 * numbers(generator, T, F)
    torch.testing.assert_close(run_op(Gelu(), [x]), nn.GELU()(x), **EXACT)


def test_numpy_softmax_is_torchs(generator: torch.Generator) -> None:
    """Masked cells included, and scores so large that their exponentials would overflow."""
    x = 300 * numbers(generator, H, T, T) + causal()
    torch.testing.assert_close(run_op(Softmax("source"), [x]), x.softmax(-1), **EXACT)


def test_numpy_layer_norm_is_torchs(generator: torch.Generator) -> None:
    x, scale, shift = (numbers(generator, *shape) for shape in ((T, D), (D,), (D,)))
    mean = run_op(Mean(), [x])
    variance = run_op(Variance(), [x, mean])
    normalized = run_op(Normalize(1e-5), [x, mean, variance])
    shown = run_op(ScaleAndShift(), [normalized, scale, shift])
    expected = nn.functional.layer_norm(x, (D,), scale, shift, 1e-5)
    torch.testing.assert_close(shown, expected, **EXACT)


def test_numpy_attention_is_torchs(generator: torch.Generator) -> None:
    q, k, v = (numbers(generator, H, T, D // H) for _ in range(3))
    scores = run_op(MaskLater(), [run_op(ScaledDotProduct(), [q, k])])
    shown = run_op(WeightedSum(), [run_op(Softmax("source"), [scores]), v])
    expected = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    torch.testing.assert_close(shown, expected, **EXACT)


def test_numpy_loss_is_torchs_cross_entropy(generator: torch.Generator) -> None:
    logits, ids = numbers(generator, T, F), torch.tensor([3, 1, 4, 1, 5])
    shown = run_op(NextTokenLoss(), [logits, ids])
    expected = nn.functional.cross_entropy(logits[:-1], ids[1:], reduction="none")
    torch.testing.assert_close(shown, expected, **EXACT)


def test_numpy_loss_of_a_probability_that_rounds_to_zero_is_finite() -> None:
    loss = NextTokenLoss().forward(np.array([[5000.0, 0.0], [0.5, 0.5]]), np.array([0, 1]))
    assert loss.tolist() == [5000.0]


def test_ids_are_given_not_computed() -> None:
    with pytest.raises(TypeError, match="Encode"):
        Encode().forward()


OPERATIONS = sorted(every_operation(), key=lambda one: one.__name__)


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.__name__)
def test_operation_says_its_equation(op: type[Op]) -> None:
    """Each class is one equation, and its docstring gives it."""
    assert op.__doc__
    assert "=" in op.__doc__ or issubclass(op, Given)
