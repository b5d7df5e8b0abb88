"""The stages that say where a character stands."""

from model.config import ModelConfig
from model.ops.arithmetic import Add
from model.ops.lookups import LookUpPosition
from model.ops.op import Op
from model.ops.positions import Rotate, Sinusoids
from model.table import sections
from model.table.axes import CONTEXT, D_HEAD, D_MODEL, HEAD, Axis
from model.table.declaring import Table
from model.table.stage import Kind, Weight


def placed(table: Table, ids: str, embeddings: str, config: ModelConfig) -> str:
    """Positions, where they are added to the embeddings; rotary ones are not."""
    if config.position == "rotary":
        return embeddings
    stack = table.stack
    made: dict[str, tuple[Op, tuple[Weight, ...]]] = {
        "learned": (
            LookUpPosition(),
            (Weight(f"{stack.prefix}positions.weight", "W_P", (CONTEXT, D_MODEL)),),
        ),
        "sinusoidal": (Sinusoids(config.d_model), ()),
    }
    op, weights = made[config.position]
    with table.on_branch("positions"):
        positions = table.add(
            f"{stack.prefix}positions",
            stack.named("Position vectors"),
            "P",
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
        f"{stack.stream}_0",
        stack.on_stream,
        Kind.SIGNED,
        Add(),
        inputs=(embeddings, positions),
        sections=(sections.POSITIONS, sections.RESIDUALS),
    )


def rotated(table: Table, prefix: str, name: str, q: str, k: str) -> tuple[str, str]:
    def turned(key: str, title: str, symbol: str, along: Axis) -> str:
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
    return turned(q, "queries", "Q", stack.position), turned(k, "keys", "K", stack.source)
