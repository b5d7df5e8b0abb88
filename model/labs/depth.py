"""Fresh models: near identity at the start, what attention alone does over depth, and the drift
that norms hold (module 7.2 to 7.4; lesson 56). Nothing here is trained; all is drawn from a seed.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from model.config import ModelConfig, Wiring
from model.network.attention import Attention, unmasked
from model.network.build import build
from model.network.transformer import OneStack
from model.table.architectures import stages

DEEPEST = 24
SMALLEST_SCALE, LARGEST_SCALE = 0.01, 100.0
LARGEST_SEED = 2**31 - 1
N_POSITIONS, WIDTH = 16, 64
BATCH, TINY_POSITIONS = 2, 4
_SIZES = ModelConfig(
    vocab_size=2, context_length=N_POSITIONS, d_model=WIDTH, n_heads=4, d_ff=4 * WIDTH, n_blocks=1
)
TINY = ModelConfig(
    wiring=Wiring.PRE_LN, vocab_size=10, context_length=TINY_POSITIONS, d_model=8, n_heads=2,
    d_ff=32, n_blocks=1,
)  # fmt: skip
"""Lesson 56's tiny forward pass."""

Step = Callable[[nn.Module, Tensor], Tensor]


@dataclass(frozen=True)
class FreshBlock:
    """One fresh block on a stream of the chosen scale: how much it changes it, ‖y − x‖ / ‖x‖, the
    cosine between x and y, and the root mean square of y."""

    wiring: str
    change: float
    cosine: float
    size: float


@dataclass(frozen=True)
class Averaging:
    """The spread of the positions after each block: what is left when their mean is taken off, as
    a share of the whole, ‖X − mean‖ / ‖X‖; 0 where all positions are alike."""

    attention_alone: tuple[float, ...]
    attention_added: tuple[float, ...]
    whole_blocks: tuple[float, ...]


@dataclass(frozen=True)
class Linearity:
    """How far a map f is from a linear one: ‖f(x + y) − f(x) − f(y)‖ / ‖f(x + y)‖, its biases being
    0 at the start. Attention with its weights held, and the feed-forward network."""

    attention: float
    feed_forward: float


@dataclass(frozen=True)
class Drift:
    """The root mean square of the stream after each block."""

    no_norms: tuple[float, ...]
    pre_ln: tuple[float, ...]
    post_ln: tuple[float, ...]


@dataclass(frozen=True)
class PassedShape:
    """A tensor of the tiny pass, with its shape in a batch of two."""

    title: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class TinyPass:
    """Lesson 56's tiny pass and its sanity checks: the largest distance of a row's sum from 1, the
    largest weight above the diagonal, and the largest change of the logits at the earlier
    positions and at the last when the last id is another."""

    shapes: tuple[PassedShape, ...]
    row_sums_off: float
    above_diagonal: float
    earlier_moved: float
    last_moved: float


@dataclass(frozen=True)
class DepthLab:
    """All of it, for one seed."""

    seed: int
    depth: int
    scale: float
    fresh: tuple[FreshBlock, ...]
    averaging: Averaging
    linearity: Linearity
    drift: Drift
    tiny: TinyPass


def depth(n_blocks: int, scale: float = 1.0, seed: int = 0) -> DepthLab:
    """Fresh stacks of so many blocks, d 64, on 16 random positions of root mean square `scale`."""
    with torch.inference_mode():
        x = scale * torch.randn(1, N_POSITIONS, WIDTH, generator=_generator(seed))
        pre, post = _blocks(Wiring.PRE_LN, n_blocks, seed), _blocks(Wiring.POST_LN, n_blocks, seed)
        return DepthLab(
            seed=seed,
            depth=n_blocks,
            scale=scale,
            fresh=(_fresh(Wiring.PRE_LN, pre[0], x), _fresh(Wiring.POST_LN, post[0], x)),
            averaging=Averaging(
                _along(pre, x, _attention, _spread),
                _along(pre, x, lambda block, y: y + _attention(block, y), _spread),
                _along(pre, x, lambda block, y: block(y, unmasked), _spread),
            ),
            linearity=_linearity(pre[0], x, torch.randn(x.shape, generator=_generator(seed + 1))),
            drift=Drift(
                _along(pre, x, _without_norms, _size),
                _along(pre, x, lambda block, y: block(y, unmasked), _size),
                _along(post, x, lambda block, y: block(y, unmasked), _size),
            ),
            tiny=_tiny(seed),
        )


def _generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def _built(config: ModelConfig, seed: int) -> OneStack:
    network = build(config, _generator(seed))
    assert isinstance(network, OneStack)
    return network


def _blocks(wiring: Wiring, n_blocks: int, seed: int) -> list[nn.Module]:
    return list(_built(_SIZES.having(wiring=wiring, n_blocks=n_blocks), seed).blocks)


def _fresh(wiring: Wiring, block: nn.Module, x: Tensor) -> FreshBlock:
    y = block(x, unmasked)
    return FreshBlock(
        wiring=wiring.label,
        change=float((y - x).norm() / x.norm()),
        cosine=float((x * y).sum() / (x.norm() * y.norm())),
        size=_size(y),
    )


def _attention(block: nn.Module, x: Tensor) -> Tensor:
    """Norm and attention of a pre-LN block, its output not added back."""
    read: Tensor = block.get_submodule("attn_norm")(x)
    attended: Tensor = block.get_submodule("attn")(read, read, unmasked)
    return attended


def _linearity(block: nn.Module, x: Tensor, y: Tensor) -> Linearity:
    attn = block.get_submodule("attn")
    assert isinstance(attn, Attention)
    held: dict[str, Tensor] = {}
    attn(x, x, unmasked, lambda key, tensor: held.setdefault(key, tensor))

    def mixed(vectors: Tensor) -> Tensor:
        output: Tensor = attn.output(held["weights"] @ attn.by_head(attn.value(vectors)))
        return output

    return Linearity(_not_linear(mixed, x, y), _not_linear(block.get_submodule("ffn"), x, y))


def _not_linear(f: Callable[[Tensor], Tensor], x: Tensor, y: Tensor) -> float:
    both = f(x + y)
    return float((both - f(x) - f(y)).norm() / both.norm())


def _without_norms(block: nn.Module, x: Tensor) -> Tensor:
    x = x + block.get_submodule("attn")(x, x, unmasked)
    changed: Tensor = block.get_submodule("ffn")(x)
    return x + changed


def _along(
    blocks: list[nn.Module], x: Tensor, step: Step, measure: Callable[[Tensor], float]
) -> tuple[float, ...]:
    found = [measure(x)]
    for block in blocks:
        x = step(block, x)
        found.append(measure(x))
    return tuple(found)


def _spread(x: Tensor) -> float:
    return float((x - x.mean(1, keepdim=True)).norm() / x.norm())


def _size(x: Tensor) -> float:
    return float(x.square().mean().sqrt())


def _tiny(seed: int) -> TinyPass:
    network, drawing = _built(TINY, seed), _generator(seed)
    ids = torch.randint(TINY.vocab_size, (BATCH, TINY_POSITIONS), generator=drawing)
    seen: dict[str, Tensor] = {}

    def tap(key: str, tensor: Tensor) -> Tensor:
        seen[key] = tensor
        return tensor

    logits = network(ids, tap)
    changed = ids.clone()
    changed[:, -1] = (changed[:, -1] + 1) % TINY.vocab_size
    moved = (network(changed) - logits).abs()
    weights = seen["blocks.0.attn.weights"]
    return TinyPass(
        shapes=tuple(
            PassedShape(stage.title, tuple(seen[stage.key].shape))
            for stage in stages(TINY) if stage.key in seen
        ),
        row_sums_off=float((weights.sum(-1) - 1).abs().max()),
        above_diagonal=float(weights.triu(1).max()),
        earlier_moved=float(moved[:, :-1].max()),
        last_moved=float(moved[:, -1].max()),
    )  # fmt: skip
