"""The stages that say where a character stands."""

from model.config import ModelConfig, Position
from model.ops.arithmetic import Add
from model.ops.lookups import LookUpPosition
from model.ops.op import Op
from model.ops.positions import Rotate, Sinusoids
from model.table import sections
from model.table.axes import CONTEXT, D_HEAD, D_MODEL, HEAD, Axis
from model.table.declaring import StackSpec, Table
from model.table.stage import Kind, Weight


def with_positions(table: Table, ids: str, embeddings: str, config: ModelConfig) -> str:
    """The stages between the embeddings and the first block: none where nothing is added."""
    make = ADDED.get(config.position)
    if make is None:
        return embeddings
    stack = table.stack
    op, weights = make(stack, config)
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
            sections=(sections.POSITIONS,),
        )
    return table.add(
        f"{stack.prefix}input",
        stack.named("Embeddings + positions"),
        stack.streamed(0),
        stack.on_stream,
        Kind.SIGNED,
        Add(),
        inputs=(embeddings, positions),
        sections=(sections.POSITIONS, sections.RESIDUALS),
    )


def _learned(stack: StackSpec, config: ModelConfig) -> tuple[Op, tuple[Weight, ...]]:
    key = f"{stack.prefix}positions.weight"
    return LookUpPosition(), (Weight(key, stack.marked("W_P"), (CONTEXT, D_MODEL)),)


def _sinusoidal(stack: StackSpec, config: ModelConfig) -> tuple[Op, tuple[Weight, ...]]:
    return Sinusoids(config.d_model), ()


ADDED = {Position.LEARNED: _learned, Position.SINUSOIDAL: _sinusoidal}
"""What is added to the embeddings: the operation that makes it, and its weights."""


def turned(table: Table, name: str, q: str, k: str, config: ModelConfig) -> tuple[str, str]:
    """The stages between an attention's projections and its scores: queries and keys as the scores
    read them."""
    turn = TURNED.get(config.position)
    return (q, k) if turn is None else turn(table, name, q, k)


def _rotated(table: Table, name: str, q: str, k: str) -> tuple[str, str]:
    def rotated(key: str, title: str, symbol: str, along: Axis) -> str:
        return table.add(
            f"{key}_rotated",
            f"{name} · {title}, rotated",
            rf"\tilde{{{symbol}}}",
            (HEAD, along, D_HEAD),
            Kind.SIGNED,
            Rotate(),
            inputs=(key,),
            sections=(sections.ROTARY, sections.POSITIONS),
        )

    stack = table.stack
    return rotated(q, "queries", "Q", stack.position), rotated(k, "keys", "K", stack.source)


TURNED = {Position.ROTARY: _rotated}
"""What is done to queries and keys."""
