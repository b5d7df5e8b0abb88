"""What is too large to build here: told from a configuration alone, before anything is made.

Any sizes can be counted (`counting.py`); a network and its traces need memory and time.
"""

import math
from collections.abc import Callable

from model.config import ModelConfig
from model.errors import BudgetError
from model.table.architectures import stages, weights_of
from model.table.axes import Lengths

MOST_PARAMETERS = 1 << 28
"""1 GiB of float32 weights."""
MOST_NUMBERS = 1 << 30
"""4 GiB of float32 in one trace of the longest text."""
LONGEST_CONTEXT = 1024
"""Characters of a text that a request can send and a page can show."""
MOST_BLOCKS = 256
"""In a stack: some 7,000 stages."""


def within_budget(config: ModelConfig) -> ModelConfig:
    """The configuration, if a model of it can be built and traced here.

    Raises:
        BudgetError: it cannot; the message names the figure and the limit.
    """
    for field, most in (("context_length", LONGEST_CONTEXT), ("n_blocks", MOST_BLOCKS)):
        if getattr(config, field) > most:
            raise BudgetError(
                f"{field} is {getattr(config, field):,}; a model built here has at most {most:,}.",
                field=field,
            )
    for found, limit, what, fewer in (
        (
            parameters(config),
            MOST_PARAMETERS,
            "parameters",
            "d_model, d_ff, n_blocks or vocab_size",
        ),
        (
            longest_trace(config),
            MOST_NUMBERS,
            "numbers in a trace of its longest text",
            "context_length, n_heads or n_blocks",
        ),
    ):
        if found > limit:
            raise BudgetError(
                f"The configuration has {found:,} {what}; a model built here has at most "
                f"{limit:,}. Choose a smaller {fewer}."
            )
    return config


def parameters(config: ModelConfig) -> int:
    """How many numbers the weights have that the table declares."""
    return _with_every_block(
        config,
        lambda few: sum(math.prod(weight.shape(few)) for weight in weights_of(few).values()),
    )


def longest_trace(config: ModelConfig) -> int:
    """How many numbers the stages of a text of the whole context have."""
    longest = Lengths(config.context_length, config.context_length, config.context_length)
    return _with_every_block(
        config, lambda few: sum(math.prod(stage.shape(few, longest)) for stage in stages(few))
    )


def _with_every_block(config: ModelConfig, size: Callable[[ModelConfig], int]) -> int:
    """The size of a model of many blocks, from those of one and of two: every further block adds
    what the second one adds."""
    one, two = (size(config.having(n_blocks=n)) for n in (1, 2))
    return one + (config.n_blocks - 1) * (two - one)
