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
    HIDDEN,
    POSITION,
    PREDICTED,
    SOURCE,
    TARGET,
    TARGET_PREDICTED,
    TARGET_SOURCE,
    VOCAB,
    Axis,
    Kind,
    Stack,
    Stage,
    Table,
    Weight,
)
from model.sublayers import NORMS, Looking, attention, feed_forward, self_attention

EMBEDDING = Weight("embedding.weight", "W_E", (VOCAB, D_MODEL))
UNEMBEDDING = Weight("head.weight", "W_U", (VOCAB, D_MODEL))

ALONE = Stack("", "", "X", POSITION, SOURCE, ops.CausalMask())
ALONE_UNMASKED = Stack("", "", "X", POSITION, SOURCE, ops.NoMask())
ENCODER = Stack("encoder.", "Encoder", "E", POSITION, SOURCE, ops.NoMask())
DECODER = Stack("decoder.", "Decoder", "X", TARGET, TARGET_SOURCE, ops.CausalMask())


@lru_cache(maxsize=64)
def stages(config: ModelConfig) -> tuple[Stage, ...]:
    """Every stage of the model, in the order its tensors are made."""
    declare = {
        "decoder-only": _decoder_only,
        "encoder-only": _encoder_only,
        "encoder-decoder": _encoder_decoder,
    }
    return tuple(declare[config.architecture](config).stages.values())


def _decoder_only(config: ModelConfig) -> Table:
    table = Table(ALONE)
    ids = _ids(table, "t", ops.Encode(), (sections.COMPLETE_MODEL,))
    probabilities = _predicted(table, _stack(table, ids, config), config)
    _loss(table, ops.NextTokenLoss(), PREDICTED, (probabilities, ids), sections.NEXT_TOKEN_LOSS)
    return table


def _encoder_only(config: ModelConfig) -> Table:
    table = Table(ALONE_UNMASKED)
    ids = _ids(table, "t", ops.Encode(), (sections.COMPLETE_MODEL, sections.ENCODER_ONLY))
    probabilities = _predicted(table, _stack(table, ids, config), config)

    def hidden(key: str, title: str, symbol: str, op: ops.Op) -> str:
        return table.add(
            key, title, symbol, (HIDDEN,), Kind.IDS, op, sections=(sections.ENCODER_ONLY,)
        )

    positions = hidden("hidden", "Hidden positions", r"h", ops.HiddenPositions())
    targets = hidden("targets", "Hidden characters", "y", ops.HiddenIds())
    read = (probabilities, positions, targets)
    _loss(table, ops.HiddenLoss(), HIDDEN, read, sections.ENCODER_ONLY)
    return table


def _encoder_decoder(config: ModelConfig) -> Table:
    table = Table(ENCODER)
    taught = (sections.ENCODER_DECODER,)
    source = _ids(table, "t", ops.Encode(), taught)
    memory = _stack(table, source, config)
    table.stack = DECODER
    ids = _ids(table, "u", ops.EncodeTarget(), taught)
    probabilities = _predicted(table, _stack(table, ids, config, memory), config)
    read = (probabilities, ids)
    _loss(table, ops.NextTokenLoss(), TARGET_PREDICTED, read, sections.NEXT_TOKEN_LOSS)
    return table


def _ids(table: Table, symbol: str, op: ops.Op, taught: tuple[Section, ...]) -> str:
    stack = table.stack
    table.group = stack.named("Input")
    return table.add(
        f"{stack.prefix}ids", stack.named("Token ids"), symbol, (stack.position,), Kind.IDS, op,
        sections=taught,
    )  # fmt: skip


def _stack(table: Table, ids: str, config: ModelConfig, *memory: str) -> str:
    """Embeddings, positions and the blocks of one stack; with a `memory`, the key of what another
    stack has read, its blocks look at that too. Returns the key of the stack's output."""
    stack = table.stack
    x = _placed(table, ids, _embedded(table, ids, config), config)
    block = _cross_attention_block if memory else BLOCKS[config.wiring]
    for index in range(config.n_blocks):
        name = stack.named(f"Block {index + 1}")
        table.group = name
        x = block(table, f"{stack.prefix}blocks.{index}", name, index, x, config, *memory)
    if config.wiring == "pre-ln":
        table.group = "Output"
        x = NORMS[config.norm](table, "final_norm", "Final norm", x, "o", "N_o", config)
    return x


def _embedded(table: Table, ids: str, config: ModelConfig) -> str:
    stack = table.stack
    index = "0" if config.position == "rotary" else r"{\text{tok}}"
    return table.add(
        f"{stack.prefix}embeddings",
        stack.named("Token embeddings"),
        f"{stack.stream}_{index}",
        stack.on_stream,
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
    stack = table.stack
    made: dict[str, tuple[ops.Op, tuple[Weight, ...]]] = {
        "learned": (
            ops.LookUpPosition(),
            (Weight(f"{stack.prefix}positions.weight", "W_P", (CONTEXT, D_MODEL)),),
        ),
        "sinusoidal": (ops.Sinusoids(config.d_model), ()),
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
        ops.Add(),
        inputs=(embeddings, positions),
        sections=(sections.POSITIONS, sections.RESIDUALS),
    )


def _post_norm_block(
    table: Table, prefix: str, name: str, index: int, x: str, config: ModelConfig
) -> str:
    """x -> attention -> + -> norm -> feed-forward -> + -> norm; returns the block's output key."""
    x = _attended(table, prefix, name, x, config)
    return _fed_forward(table, prefix, name, index, "norm 2", x, config)


def _cross_attention_block(
    table: Table, prefix: str, name: str, index: int, x: str, config: ModelConfig, memory: str
) -> str:
    """The post-norm block with a third sub-layer between its two: attention to what the other
    stack has read."""
    x = _attended(table, prefix, name, x, config)
    taught = (sections.CROSS_ATTENTION, sections.ATTENTION)
    looking = Looking(memory, SOURCE, ops.NoMask(), "c", taught)
    with table.on_branch("cross-attention"):
        crossed = attention(table, f"{prefix}.cross_attn", f"{name} · cross", x, looking, config)
    summed = _added(
        table, f"{prefix}.cross_attn_residual", f"{name} · input + cross-attention", "R_c",
        (x, crossed), (sections.RESIDUALS, sections.CROSS_ATTENTION),
    )  # fmt: skip
    result = f"{table.stack.stream}_c"
    norm = NORMS[config.norm]
    x = norm(table, f"{prefix}.cross_attn_norm", f"{name} · norm 2", summed, "c", result, config)
    return _fed_forward(table, prefix, name, index, "norm 3", x, config)


def _attended(table: Table, prefix: str, name: str, x: str, config: ModelConfig) -> str:
    """The first sub-layer of a post-norm block, and its norm."""
    with table.on_branch("attention"):
        attended = self_attention(table, f"{prefix}.attn", name, x, config)
    summed = _added(table, f"{prefix}.attn_residual", f"{name} · input + attention", "R_a",
                    (x, attended), (sections.RESIDUALS,))  # fmt: skip
    norm, result = NORMS[config.norm], f"{table.stack.stream}_a"
    return norm(table, f"{prefix}.attn_norm", f"{name} · norm 1", summed, "a", result, config)


def _fed_forward(
    table: Table, prefix: str, name: str, index: int, norm_name: str, x: str, config: ModelConfig
) -> str:
    """The last sub-layer of a post-norm block, and its norm."""
    with table.on_branch("feed-forward"):
        changed = feed_forward(table, f"{prefix}.ffn", name, x, config)
    summed = _added(table, f"{prefix}.ffn_residual", f"{name} · input + feed-forward", "R_f",
                    (x, changed), (sections.RESIDUALS,))  # fmt: skip
    norm, result = NORMS[config.norm], f"{table.stack.stream}_{index + 1}"
    return norm(table, f"{prefix}.ffn_norm", f"{name} · {norm_name}", summed, "f", result, config)


def _pre_norm_block(
    table: Table, prefix: str, name: str, index: int, x: str, config: ModelConfig
) -> str:
    """x -> + attention of its norm -> + feed-forward of its norm; the stream is never normed."""
    norm, stream = NORMS[config.norm], table.stack.stream
    taught = (sections.RESIDUALS, sections.ASSEMBLY, sections.PRE_NORM_BLOCK)
    with table.on_branch("attention"):
        read = norm(table, f"{prefix}.attn_norm", f"{name} · norm 1", x, "a", "N_a", config)
        attended = self_attention(table, f"{prefix}.attn", name, read, config)
    x = _added(table, f"{prefix}.attn_residual", f"{name} · input + attention", f"{stream}_a",
               (x, attended), taught)  # fmt: skip
    with table.on_branch("feed-forward"):
        read = norm(table, f"{prefix}.ffn_norm", f"{name} · norm 2", x, "f", "N_f", config)
        changed = feed_forward(table, f"{prefix}.ffn", name, read, config)
    return _added(table, f"{prefix}.ffn_residual", f"{name} · input + feed-forward",
                  f"{stream}_{index + 1}", (x, changed), taught)  # fmt: skip


BLOCKS = {"post-ln": _post_norm_block, "pre-ln": _pre_norm_block}


def _added(
    table: Table,
    key: str,
    title: str,
    symbol: str,
    inputs: tuple[str, str],
    taught: tuple[Section, ...],
) -> str:
    return table.add(
        key, title, symbol, table.stack.on_stream, Kind.SIGNED, ops.Add(), inputs=inputs,
        sections=taught,
    )  # fmt: skip


def _predicted(table: Table, x: str, config: ModelConfig) -> str:
    """Logits and probabilities at every position of the stack; returns the latter's key."""
    table.group = "Output"
    axes = (table.stack.position, VOCAB)
    tied = (sections.TIED_HEAD,) if config.tied_head else ()
    logits = table.add(
        "logits",
        "Logits",
        "Z",
        axes,
        Kind.SIGNED,
        ops.Linear(),
        inputs=(x,),
        weights=(EMBEDDING if config.tied_head else UNEMBEDDING,),
        sections=(sections.OUTPUT_LAYER, *tied),
    )
    return table.add(
        "probabilities",
        "Probabilities",
        "p",
        axes,
        Kind.PROBABILITY,
        ops.Softmax("vocabulary"),
        inputs=(logits,),
        sections=(sections.OUTPUT_LAYER, sections.NEXT_TOKEN_LOSS),
    )


def _loss(table: Table, op: ops.Op, axis: Axis, inputs: tuple[str, ...], *taught: Section) -> None:
    table.add("loss", "Loss", r"\ell", (axis,), Kind.SCALE, op, inputs=inputs, sections=taught)
