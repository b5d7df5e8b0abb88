"""The stages that say where a character stands."""

from model.config import ModelConfig, Position
from model.ops.arithmetic import Add
from model.ops.lookups import LookUpPosition
from model.ops.op import Op
from model.ops.positions import Rotate, Sinusoids
from model.table import sections, teaching
from model.table.axes import CONTEXT, D_HEAD, D_MODEL, HEAD, Axis
from model.table.declaring import StackSpec, Table
from model.table.stage import Kind, Weight
from model.table.teaching import Taught


def with_positions(table: Table, ids: str, embeddings: str, config: ModelConfig) -> str:
    """The stages between the embeddings and the first block: none where nothing is added."""
    make = ADDED.get(config.position)
    if make is None:
        return embeddings
    stack = table.stack
    op, weights, taught = make(stack, config)
    with table.on_branch("positions"):
        positions = table.add(
            f"{stack.prefix}positions",
            stack.named("Position vectors"),
            stack.marked("P"),
            stack.on_stream,
            Kind.SIGNED,
            op,
            inputs=(ids,),
            weights=weights,
            sections=(sections.POSITIONS, *taught, sections.TINY_PASS),
        )
    return table.add(
        f"{stack.prefix}input",
        stack.named("Embeddings + positions"),
        stack.streamed(0),
        stack.on_stream,
        Kind.SIGNED,
        Add(),
        inputs=(embeddings, positions),
        sections=(sections.POSITIONS, sections.COMPLETE_MODEL, sections.TINY_PASS),
    )


def _learned(stack: StackSpec, config: ModelConfig) -> tuple[Op, tuple[Weight, ...], Taught]:
    key = f"{stack.prefix}positions.weight"
    table = Weight(key, stack.marked("W_P"), (CONTEXT, D_MODEL))
    return LookUpPosition(), (table,), (sections.WHICH_ENCODING,)


def _sinusoidal(stack: StackSpec, config: ModelConfig) -> tuple[Op, tuple[Weight, ...], Taught]:
    return Sinusoids(config.d_model), (), (sections.SHIFT,)


ADDED = {Position.LEARNED: _learned, Position.SINUSOIDAL: _sinusoidal}
"""What is added to the embeddings: the operation that makes it, its weights, and who teaches just
this kind."""


def turned(table: Table, name: str, q: str, k: str, config: ModelConfig) -> tuple[str, str]:
    """The stages between an attention's projections and its scores: queries and keys as the scores
    read them."""
    turn = TURNED.get(config.position)
    return (q, k) if turn is None else turn(table, name, q, k, config)


def _rotated(table: Table, name: str, q: str, k: str, config: ModelConfig) -> tuple[str, str]:
    # §7.1 derives the turn that RoPE builds in; the chapter's block has it.
    taught = (sections.ROTARY, sections.SHIFT, *teaching.chapters_block(config))

    def rotated(key: str, title: str, symbol: str, along: Axis) -> str:
        return table.add(
            f"{key}_rotated",
            f"{name} · {title}, rotated",
            rf"\tilde{{{symbol}}}",
            (HEAD, along, D_HEAD),
            Kind.SIGNED,
            Rotate(),
            inputs=(key,),
            sections=taught,
        )

    stack = table.stack
    return rotated(q, "queries", "Q", stack.position), rotated(k, "keys", "K", stack.source)


TURNED = {Position.ROTARY: _rotated}
"""What is done to queries and keys."""
