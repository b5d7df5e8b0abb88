"""What is taught of a block as a whole, where that depends on the configuration.

A room of the table says who teaches its own stages; these are the sections that several share.
"""

from model.config import Architecture, ModelConfig, Wiring
from model.table import sections
from model.table.sections import Section

Taught = tuple[Section, ...]


def block(config: ModelConfig) -> Taught:
    """The block that a sub-layer works in: §7.6 is the post-LN one of 2017."""
    if config.wiring is Wiring.POST_LN:
        return (sections.COMPLETE_MODEL,)
    return (sections.FOLLOWING_SHAPES, *chapters_block(config))


def chapters_block(config: ModelConfig) -> Taught:
    """The chapter's block, which is pre-LN and a decoder's."""
    wired = config.wiring is Wiring.PRE_LN and config.architecture is Architecture.DECODER_ONLY
    return (sections.PRE_NORM_BLOCK,) if wired else ()


def attention_pattern(config: ModelConfig) -> Taught:
    """What the weights of a whole attention look like."""
    complete = (sections.COMPLETE_MODEL,) if config.wiring is Wiring.POST_LN else ()
    if config.architecture is not Architecture.DECODER_ONLY:
        return complete
    followed = (sections.FOLLOW_ONE_INPUT,) if complete else ()
    return (*complete, *followed, sections.SANITY_CHECKS)


def mini_gpt(config: ModelConfig) -> Taught:
    """The lesson's code, which spells attention and feed-forward out for a decoder."""
    return (sections.MINI_GPT,) if config.architecture is Architecture.DECODER_ONLY else ()
