"""Where the parameters and the work of a model of any sizes are (module 7.6, lesson 56)."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Any

from pydantic import ValidationError

from model.config import PRESETS, FeedForward, ModelConfig, Norm, Position, Wiring
from model.counting import (
    Flops,
    Item,
    block_matrices,
    block_parameters,
    flops,
    itemised,
    parameters,
    parts,
)
from model.errors import InputError
from model.labs.rules import SOME_TOKENS, Rules, rules

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
    "gpt2-xl": _GPT_2.having(n_blocks=48, d_model=1600, n_heads=25, d_ff=6400),
    "llama-2-7b": ModelConfig(
        wiring=Wiring.PRE_LN,
        norm=Norm.RMS_NORM,
        position=Position.ROTARY,
        feed_forward=FeedForward.SWIGLU,
        biases=False,
        vocab_size=32_000,
        context_length=4096,
        d_model=4096,
        n_heads=32,
        d_ff=11_008,
        n_blocks=32,
    ),
}
"""The models that the texts count or name, by name: lesson 56's, GPT-2 in three of its sizes and
Llama 2 7B (Touvron et al. 2023)."""


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
    rules: Rules


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


def counting(config: ModelConfig, tokens: int = SOME_TOKENS) -> Counting:
    """Count a model: itemised by formula and from the tensors that its stage table declares, one
    block against 12 d², FLOPs, and the rules of thumb for a training over so many tokens."""
    items = _items(config)
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
        rules=rules(config, tokens),
    )


def _items(config: ModelConfig) -> tuple[Item, ...]:
    """`itemised(config)`, from the table of one block a stack: all blocks of a stack have the same
    tensors, and a table of 256 takes seconds."""
    once = itemised(config.having(n_blocks=1))
    return tuple(
        replace(
            item,
            times=part.times,
            by_formula=part.parameters,
            from_tensors=item.from_tensors * part.times // item.times,
            tensors=_numbered(item.tensors, part.times // item.times),
        )
        for item, part in zip(once, parts(config), strict=True)
    )


def _numbered(names: tuple[str, ...], times: int) -> tuple[str, ...]:
    """A first block's names, and the same for the blocks after it, stack by stack."""
    if times == 1:
        return names
    by_stack = [tuple(same) for _, same in groupby(names, lambda name: name.split("blocks.0.")[0])]
    return tuple(
        re.sub(r"blocks\.0\.", f"blocks.{block}.", name)
        for stack in by_stack
        for block in range(times)
        for name in stack
    )


def references() -> tuple[tuple[str, Counting], ...]:
    """The presets and the models of the texts, counted, by name."""
    return tuple((name, replace(one, config=dict(one.config))) for name, one in _counted())


@lru_cache(maxsize=1)
def _counted() -> tuple[tuple[str, Counting], ...]:
    return tuple((name, counting(known)) for name, known in (PRESETS | REFERENCES).items())
