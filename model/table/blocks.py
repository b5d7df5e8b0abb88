"""The stages of a block: its parts, wired to the residual stream."""

from model.config import ModelConfig, Wiring
from model.ops.arithmetic import Add
from model.ops.attention import MaskNothing
from model.table import sections, teaching
from model.table.attention import Looking, attention, self_attention
from model.table.axes import SOURCE
from model.table.declaring import Table
from model.table.feed_forward import feed_forward
from model.table.norms import NORMS
from model.table.sections import Section
from model.table.stage import Kind

AFTER_THE_SUM = (sections.RESIDUALS, sections.SKIPS, sections.POST_LN)
"""An addition whose sum a norm then reads."""


def post_norm_block(
    table: Table, prefix: str, name: str, index: int, x: str, config: ModelConfig
) -> str:
    """x -> attention -> + -> norm -> feed-forward -> + -> norm; returns the block's output key."""
    x = _attended(table, prefix, name, x, config)
    return _fed_forward(table, prefix, name, index, "norm 2", x, config)


def cross_attention_block(
    table: Table, prefix: str, name: str, index: int, x: str, config: ModelConfig, memory: str
) -> str:
    """The post-norm block with a third sub-layer between its two: attention to what the other
    stack has read."""
    x = _attended(table, prefix, name, x, config)
    crossing = (sections.CROSS_ATTENTION,)
    arithmetic = (sections.ATTENTION, sections.ATTENTION_BY_NUMBERS, *crossing)
    looking = Looking(
        memory, SOURCE, MaskNothing("all of the source"), arithmetic, seen=crossing, index="c"
    )
    with table.on_branch("cross-attention"):
        crossed = attention(table, f"{prefix}.cross_attn", f"{name} · cross", x, looking, config)
    summed = _added(
        table, f"{prefix}.cross_attn_residual", f"{name} · stream + cross-attention", "R_c",
        (x, crossed), (*AFTER_THE_SUM, *table.stack.wired),
    )  # fmt: skip
    result = f"{table.stack.stream}_c"
    norm = NORMS[config.norm]
    placed = (sections.POST_LN, *table.stack.wired)
    x = norm(table, f"{prefix}.cross_attn_norm", f"{name} · norm 2", summed, "c", result, config,
             placed)  # fmt: skip
    return _fed_forward(table, prefix, name, index, "norm 3", x, config)


def _attended(table: Table, prefix: str, name: str, x: str, config: ModelConfig) -> str:
    """The first sub-layer of a post-norm block, and its norm."""
    with table.on_branch("attention"):
        attended = self_attention(table, f"{prefix}.attn", name, x, config)
    summed = _added(table, f"{prefix}.attn_residual", f"{name} · stream + attention", "R_a",
                    (x, attended), (*AFTER_THE_SUM, *_in_two_steps(table, config)))  # fmt: skip
    norm, result = NORMS[config.norm], f"{table.stack.stream}_a"
    placed = (sections.POST_LN, *_in_two_steps(table, config))
    return norm(table, f"{prefix}.attn_norm", f"{name} · norm 1", summed, "a", result, config,
                placed)  # fmt: skip


def _fed_forward(
    table: Table, prefix: str, name: str, index: int, norm_name: str, x: str, config: ModelConfig
) -> str:
    """The last sub-layer of a post-norm block, and its norm."""
    with table.on_branch("feed-forward"):
        changed = feed_forward(table, f"{prefix}.ffn", name, x, config)
    summed = _added(table, f"{prefix}.ffn_residual", f"{name} · stream + feed-forward", "R_f",
                    (x, changed), (*AFTER_THE_SUM, *_in_two_steps(table, config)))  # fmt: skip
    norm, result = NORMS[config.norm], table.stack.streamed(index + 1)
    placed = (sections.POST_LN, *_in_two_steps(table, config))
    return norm(table, f"{prefix}.ffn_norm", f"{name} · {norm_name}", summed, "f", result, config,
                placed)  # fmt: skip


def pre_norm_block(
    table: Table, prefix: str, name: str, index: int, x: str, config: ModelConfig
) -> str:
    """x -> + attention of its norm -> + feed-forward of its norm; the stream is never normed."""
    norm, stream = NORMS[config.norm], table.stack.stream
    placed = (sections.PRE_LN, *teaching.block(config))
    clean = (sections.RESIDUALS, sections.SKIPS, sections.NORM_PLACEMENT, *placed)
    taught = (*clean, *teaching.mini_gpt(config))
    with table.on_branch("attention"):
        read = norm(table, f"{prefix}.attn_norm", f"{name} · norm 1", x, "a", "N_a", config,
                    placed)  # fmt: skip
        attended = self_attention(table, f"{prefix}.attn", name, read, config)
    x = _added(table, f"{prefix}.attn_residual", f"{name} · stream + attention", f"{stream}_a",
               (x, attended), taught)  # fmt: skip
    with table.on_branch("feed-forward"):
        read = norm(table, f"{prefix}.ffn_norm", f"{name} · norm 2", x, "f", "N_f", config,
                    placed)  # fmt: skip
        changed = feed_forward(table, f"{prefix}.ffn", name, read, config)
    return _added(table, f"{prefix}.ffn_residual", f"{name} · stream + feed-forward",
                  table.stack.streamed(index + 1), (x, changed), taught)  # fmt: skip


BLOCKS = {Wiring.POST_LN: post_norm_block, Wiring.PRE_LN: pre_norm_block}


def _added(
    table: Table,
    key: str,
    title: str,
    symbol: str,
    inputs: tuple[str, str],
    taught: tuple[Section, ...],
) -> str:
    return table.add(
        key, title, symbol, table.stack.on_stream, Kind.SIGNED, Add(), inputs=inputs,
        sections=taught,
    )  # fmt: skip


def _in_two_steps(table: Table, config: ModelConfig) -> tuple[Section, ...]:
    """§7.6 adds and normalizes twice; the addition between, of cross-attention, is not its own."""
    return (*teaching.block(config), *table.stack.wired)
