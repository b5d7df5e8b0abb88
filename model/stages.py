"""The stage table: the one description of a transformer in this project, and it is executable.

`stages(config)` lists every tensor between the ids and the loss in the order the model makes
them. The recorder, the NumPy interpreter, the API, the page and the tests all read this list.
"""

from functools import lru_cache

from model import ops, sections
from model.config import ModelConfig
from model.sections import Section
from model.stage import (
    CONTEXT,
    D_MODEL,
    POSITION,
    PREDICTED,
    VOCAB,
    Kind,
    Stage,
    Table,
    Weight,
)
from model.sublayers import NORMS, ON_STREAM, attention, feed_forward

EMBEDDING = Weight("embedding.weight", "W_E", (VOCAB, D_MODEL))
UNEMBEDDING = Weight("head.weight", "W_U", (VOCAB, D_MODEL))


@lru_cache(maxsize=64)
def stages(config: ModelConfig) -> tuple[Stage, ...]:
    """Every stage of the model, in the order its tensors are made."""
    table = Table()
    table.group = "Input"
    ids = table.add(
        "ids",
        "Token ids",
        "t",
        (POSITION,),
        Kind.IDS,
        ops.Encode(),
        sections=(sections.COMPLETE_MODEL,),
    )
    x = _placed(table, ids, _embedded(table, ids, config), config)
    block = {"post-ln": _post_norm_block, "pre-ln": _pre_norm_block}[config.wiring]
    for index in range(config.n_blocks):
        x = block(table, index, x, config)
    table.group = "Output"
    if config.wiring == "pre-ln":
        x = NORMS[config.norm](table, "final_norm", "Final norm", x, "o", "N_o", config)
    _predicted(table, ids, x, config)
    return tuple(table.stages.values())


def _embedded(table: Table, ids: str, config: ModelConfig) -> str:
    symbol = "X_0" if config.position == "rotary" else r"X_{\text{tok}}"
    return table.add(
        "embeddings",
        "Token embeddings",
        symbol,
        ON_STREAM,
        Kind.SIGNED,
        ops.LookUp(),
        inputs=(ids,),
        weights=(EMBEDDING,),
        sections=(sections.EMBEDDING, sections.COMPLETE_MODEL),
    )


def _placed(table: Table, ids: str, embeddings: str, config: ModelConfig) -> str:
    """Positions, where they are added to the embeddings; rotary ones are not."""
    if config.position == "rotary":
        return embeddings
    made: dict[str, tuple[ops.Op, tuple[Weight, ...]]] = {
        "learned": (
            ops.LookUpPosition(),
            (Weight("positions.weight", "W_P", (CONTEXT, D_MODEL)),),
        ),
        "sinusoidal": (ops.Sinusoids(config.d_model), ()),
    }
    op, weights = made[config.position]
    with table.on_branch("positions"):
        positions = table.add(
            "positions",
            "Position vectors",
            "P",
            ON_STREAM,
            Kind.SIGNED,
            op,
            inputs=(ids,),
            weights=weights,
            sections=(sections.POSITIONS,),
        )
    return table.add(
        "input",
        "Embeddings + positions",
        "X_0",
        ON_STREAM,
        Kind.SIGNED,
        ops.Add(),
        inputs=(embeddings, positions),
        sections=(sections.POSITIONS, sections.RESIDUALS),
    )


def _post_norm_block(table: Table, index: int, x: str, config: ModelConfig) -> str:
    """x -> attention -> + -> norm -> feed-forward -> + -> norm; returns the block's output key."""
    prefix, name = f"blocks.{index}", f"Block {index + 1}"
    norm = NORMS[config.norm]
    table.group = name
    with table.on_branch("attention"):
        attended = attention(table, f"{prefix}.attn", name, x, config)
    summed = _added(table, f"{prefix}.attn_residual", f"{name} · input + attention", "R_a",
                    (x, attended), (sections.RESIDUALS,))  # fmt: skip
    middle = norm(table, f"{prefix}.attn_norm", f"{name} · norm 1", summed, "a", "X_a", config)
    with table.on_branch("feed-forward"):
        changed = feed_forward(table, f"{prefix}.ffn", name, middle, config)
    summed = _added(table, f"{prefix}.ffn_residual", f"{name} · input + feed-forward", "R_f",
                    (middle, changed), (sections.RESIDUALS,))  # fmt: skip
    result = f"X_{index + 1}"
    return norm(table, f"{prefix}.ffn_norm", f"{name} · norm 2", summed, "f", result, config)


def _pre_norm_block(table: Table, index: int, x: str, config: ModelConfig) -> str:
    """x -> + attention of its norm -> + feed-forward of its norm; the stream is never normed."""
    prefix, name = f"blocks.{index}", f"Block {index + 1}"
    norm = NORMS[config.norm]
    taught = (sections.RESIDUALS, sections.ASSEMBLY, sections.PRE_NORM_BLOCK)
    table.group = name
    with table.on_branch("attention"):
        read = norm(table, f"{prefix}.attn_norm", f"{name} · norm 1", x, "a", "N_a", config)
        attended = attention(table, f"{prefix}.attn", name, read, config)
    x = _added(table, f"{prefix}.attn_residual", f"{name} · input + attention", "X_a",
               (x, attended), taught)  # fmt: skip
    with table.on_branch("feed-forward"):
        read = norm(table, f"{prefix}.ffn_norm", f"{name} · norm 2", x, "f", "N_f", config)
        changed = feed_forward(table, f"{prefix}.ffn", name, read, config)
    return _added(table, f"{prefix}.ffn_residual", f"{name} · input + feed-forward",
                  f"X_{index + 1}", (x, changed), taught)  # fmt: skip


def _added(
    table: Table,
    key: str,
    title: str,
    symbol: str,
    inputs: tuple[str, str],
    taught: tuple[Section, ...],
) -> str:
    return table.add(
        key, title, symbol, ON_STREAM, Kind.SIGNED, ops.Add(), inputs=inputs, sections=taught
    )


def _predicted(table: Table, ids: str, x: str, config: ModelConfig) -> None:
    tied = (sections.TIED_HEAD,) if config.tied_head else ()
    logits = table.add(
        "logits",
        "Logits",
        "Z",
        (POSITION, VOCAB),
        Kind.SIGNED,
        ops.Linear(),
        inputs=(x,),
        weights=(EMBEDDING if config.tied_head else UNEMBEDDING,),
        sections=(sections.OUTPUT_LAYER, *tied),
    )
    probabilities = table.add(
        "probabilities",
        "Probabilities",
        "p",
        (POSITION, VOCAB),
        Kind.PROBABILITY,
        ops.Softmax("vocabulary"),
        inputs=(logits,),
        sections=(sections.OUTPUT_LAYER, sections.NEXT_TOKEN_LOSS),
    )
    table.add(
        "loss",
        "Loss",
        r"\ell",
        (PREDICTED,),
        Kind.SCALE,
        ops.NextTokenLoss(),
        inputs=(probabilities, ids),
        sections=(sections.NEXT_TOKEN_LOSS,),
    )
