"""Where the parameters and the work of a model of any sizes are (module 7.6, lesson 56)."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from model.config import PRESETS, FeedForward, ModelConfig, Wiring
from model.counting import (
    Flops,
    Item,
    block_matrices,
    block_parameters,
    flops,
    itemised,
    parameters,
)
from model.errors import InputError

LESSON_56 = ModelConfig(
    wiring=Wiring.PRE_LN,
    tied_head=True,
    vocab_size=1000,
    context_length=128,
    d_model=64,
    n_heads=4,
    d_ff=256,
    n_blocks=2,
)
_GPT_2 = LESSON_56.having(
    feed_forward=FeedForward.GELU_TANH, vocab_size=50_257, context_length=1024
)
REFERENCES = {
    "lesson-56": LESSON_56,
    "gpt2": _GPT_2.having(n_blocks=12, d_model=768, n_heads=12, d_ff=3072),
    "gpt2-medium": _GPT_2.having(n_blocks=24, d_model=1024, n_heads=16, d_ff=4096),
}
"""The models that the texts count, by name: lesson 56's, GPT-2 small and GPT-2 Medium."""


@dataclass(frozen=True)
class BlockCount:
    """One block: all its parameters, its matrices alone, the rule of thumb 12 d², the share of the
    feed-forward network, and how many times as large the block is at twice d_model and d_ff."""

    parameters: int
    matrices: int
    twelve_d_squared: int
    feed_forward_share: float
    growth: float


@dataclass(frozen=True)
class Counting:
    """One model, counted; `by_formula` and `from_tensors` are sums of the items."""

    config: dict[str, Any]
    items: tuple[Item, ...]
    by_formula: int
    from_tensors: int
    in_blocks: int
    unembedding: int
    block: BlockCount
    flops: Flops


def configured(**choices: Any) -> ModelConfig:
    """A configuration of a visitor's choices.

    Raises:
        InputError: the sizes do not fit together; it names the field.
    """
    try:
        return ModelConfig(**choices)
    except ValidationError as error:
        problem = error.errors()[0]
        reason = str(problem.get("ctx", {}).get("error", problem["msg"]))
        named = (name for name in ModelConfig.model_fields if name in reason)
        field = str(problem["loc"][0]) if problem["loc"] else next(named, None)
        raise InputError(f"{reason}.", field=field) from None


def counting(config: ModelConfig) -> Counting:
    """Count a model: itemised by formula and from the tensors that its stage table declares, one
    block against 12 d², and FLOPs."""
    items = itemised(config)
    of_a_block = block_parameters(config)
    doubled = config.having(d_model=2 * config.d_model, d_ff=2 * config.d_ff)
    network = next(item for item in items if item.name == "feed-forward")
    outside = {"token embedding", "positions", "final norm", "head"}
    return Counting(
        config=config.model_dump(),
        items=items,
        by_formula=parameters(config),
        from_tensors=sum(item.from_tensors for item in items),
        in_blocks=sum(item.by_formula for item in items if item.name not in outside),
        unembedding=config.vocab_size * config.d_model,
        block=BlockCount(
            parameters=of_a_block,
            matrices=block_matrices(config),
            twelve_d_squared=12 * config.d_model**2,
            feed_forward_share=network.each / of_a_block,
            growth=block_parameters(doubled) / of_a_block,
        ),
        flops=flops(config),
    )


def references() -> tuple[tuple[str, Counting], ...]:
    """The presets and the models of the texts, counted, by name."""
    return tuple((name, replace(one, config=dict(one.config))) for name, one in _counted())


@lru_cache(maxsize=1)
def _counted() -> tuple[tuple[str, Counting], ...]:
    return tuple((name, counting(known)) for name, known in (PRESETS | REFERENCES).items())
