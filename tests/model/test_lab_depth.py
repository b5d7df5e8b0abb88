"""The fresh stacks: what the texts say of them, and that the seed decides."""

import pytest

from model.labs.depth import depth


@pytest.mark.parametrize("seed", range(5))
def test_fresh_block_is_near_the_identity(seed: int) -> None:
    for block in depth(1, seed=seed).fresh:
        assert block.change < 0.35
        assert block.cosine > 0.95


def test_larger_stream_is_changed_less_by_pre_ln_and_normed_by_post_ln() -> None:
    pre, post = depth(1, 10.0).fresh
    assert pre.change == pytest.approx(depth(1).fresh[0].change / 10, rel=0.02)
    assert post.size == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_attention_alone_makes_positions_alike(seed: int) -> None:
    found = depth(12, seed=seed).averaging
    assert found.attention_alone[-1] < 1e-5
    assert min(found.attention_added[-1], found.whole_blocks[-1]) > 0.5


def test_attention_is_linear_once_its_weights_are_held() -> None:
    found = depth(1).linearity
    assert found.attention < 1e-5
    assert found.feed_forward > 0.05


@pytest.mark.parametrize("seed", range(5))
def test_norms_hold_the_drift(seed: int) -> None:
    found = depth(24, seed=seed).drift
    assert found.no_norms[-1] > found.pre_ln[-1] > 1.3
    assert found.post_ln[1:] == pytest.approx([1.0] * 24, abs=1e-4)


def test_tiny_pass_has_the_lessons_shapes_and_passes_its_checks() -> None:
    found = depth(1).tiny
    shapes = {each.title: each.shape for each in found.shapes}
    assert shapes["Token ids"] == (2, 4)
    assert shapes["Embeddings + positions"] == (2, 4, 8)
    assert shapes["Block 1 · attention weights"] == (2, 2, 4, 4)
    assert shapes["Logits"] == (2, 4, 10)
    assert found.row_sums_off < 1e-6
    assert (found.above_diagonal, found.earlier_moved) == (0, 0)
    assert found.last_moved > 0.01


def test_seed_decides_all() -> None:
    assert depth(3, seed=7) == depth(3, seed=7)
    assert depth(3, seed=7).fresh != depth(3, seed=8).fresh
