"""The stage table: the one description of a transformer in this project, and it is executable.

`stages(config)` lists every tensor between the ids and the loss in the order the model makes
them. The recorder, the NumPy interpreter, the API, the page and the tests all read this list.
"""

from functools import lru_cache

from model.config import Architecture, ModelConfig, Wiring
from model.ops.attention import MaskLater, MaskNothing, Softmax
from model.ops.linear import Linear
from model.ops.lookups import Encode, EncodeTarget, HiddenIds, HiddenPositions, LookUp
from model.ops.loss import HiddenLoss, NextTokenLoss
from model.ops.op import Op
from model.table import sections
from model.table.axes import (
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
)
from model.table.blocks import BLOCKS, cross_attention_block
from model.table.declaring import StackSpec, Table
from model.table.norms import NORMS
from model.table.positions import ADDED, with_positions
from model.table.sections import Section
from model.table.stage import Kind, Stage, Weight

EMBEDDING = Weight("embedding.weight", "W_E", (VOCAB, D_MODEL))
UNEMBEDDING = Weight("head.weight", "W_U", (VOCAB, D_MODEL))

CAUSAL = (sections.ATTENTION, sections.CAUSAL_MASKING, sections.MASK_FIRST)
TWO_STACKS = (sections.ENCODER_DECODER,)

ALONE = StackSpec("", "", "X", POSITION, SOURCE, MaskLater(), CAUSAL)
ALONE_UNMASKED = StackSpec("", "", "X", POSITION, SOURCE, MaskNothing(), (sections.ENCODER_ONLY,))
ENCODER = StackSpec(
    "encoder.", "Encoder", "E", POSITION, SOURCE, MaskNothing(), TWO_STACKS, read=TWO_STACKS
)
DECODER = StackSpec(
    "decoder.", "Decoder", "X", TARGET, TARGET_SOURCE, MaskLater(), (*CAUSAL, *TWO_STACKS),
    read=TWO_STACKS, wired=TWO_STACKS,
)  # fmt: skip

ANY_MODEL = (sections.COMPLETE_MODEL, sections.TINY_PASS, sections.STACKING)
"""What the texts say of a model's two ends holds for every architecture and wiring."""


@lru_cache(maxsize=64)
def stages(config: ModelConfig) -> tuple[Stage, ...]:
    """Every stage of the model, in the order its tensors are made."""
    return tuple(ARCHITECTURES[config.architecture](config).stages.values())


def weights_of(config: ModelConfig) -> dict[str, Weight]:
    """Every weight that the model's stages read, by its name in the checkpoint, in their order."""
    return {weight.key: weight for stage in stages(config) for weight in stage.weights}


def _decoder_only(config: ModelConfig) -> Table:
    table = Table(ALONE)
    ids = _ids(table, "t", Encode())
    generates = (sections.NEXT_TOKEN_LOSS, sections.DECODER_ONLY, sections.STACKING)
    logits = _predicted(table, _stack(table, ids, config), config, generates)
    marked = (sections.NEXT_TOKEN_LOSS, sections.MASK_FIRST, sections.STACKING)
    _loss(table, NextTokenLoss(), PREDICTED, (logits, ids), marked)
    return table


def _encoder_only(config: ModelConfig) -> Table:
    table = Table(ALONE_UNMASKED)
    ids = _ids(table, "t", Encode())
    logits = _predicted(table, _stack(table, ids, config), config)

    def hidden(key: str, title: str, symbol: str, op: Op) -> str:
        return table.add(
            key, title, symbol, (HIDDEN,), Kind.IDS, op, sections=(sections.PRETRAINING,)
        )

    positions = hidden("hidden", "Hidden positions", r"h", HiddenPositions())
    targets = hidden("targets", "Hidden characters", "y", HiddenIds())
    read = (logits, positions, targets)
    _loss(table, HiddenLoss(), HIDDEN, read, (sections.PRETRAINING,))
    return table


def _encoder_decoder(config: ModelConfig) -> Table:
    table = Table(ENCODER)
    source = _ids(table, "t", Encode())
    memory = _stack(table, source, config)
    table.stack = DECODER
    ids = _ids(table, "u", EncodeTarget())
    writes = (sections.NEXT_TOKEN_LOSS, sections.ENCODER_DECODER)
    logits = _predicted(table, _stack(table, ids, config, memory), config, writes)
    read = (logits, ids)
    marked = (sections.NEXT_TOKEN_LOSS, sections.MASK_FIRST)
    _loss(table, NextTokenLoss(), TARGET_PREDICTED, read, marked)
    return table


ARCHITECTURES = {
    Architecture.DECODER_ONLY: _decoder_only,
    Architecture.ENCODER_ONLY: _encoder_only,
    Architecture.ENCODER_DECODER: _encoder_decoder,
}


def _ids(table: Table, symbol: str, op: Op) -> str:
    stack = table.stack
    table.group = stack.named("Input")
    return table.add(
        stack.ids, stack.named("Token ids"), symbol, (stack.position,), Kind.IDS, op,
        sections=(*ANY_MODEL, *stack.read),
    )  # fmt: skip


def _stack(table: Table, ids: str, config: ModelConfig, *memory: str) -> str:
    """Embeddings, positions and the blocks of one stack; with a `memory`, the key of what another
    stack has read, its blocks look at that too. Returns the key of the stack's output."""
    stack = table.stack
    x = with_positions(table, ids, _embedded(table, ids, config), config)
    block = cross_attention_block if memory else BLOCKS[config.wiring]
    for index in range(config.n_blocks):
        name = stack.named(f"Block {index + 1}")
        table.group = name
        with table.in_block(index + 1):
            x = block(table, f"{stack.prefix}blocks.{index}", name, index, x, config, *memory)
    if config.wiring is Wiring.PRE_LN:
        table.group = "Output"
        placed = (sections.POST_AGAINST_PRE, sections.STACKING)
        x = NORMS[config.norm](table, "final_norm", "Final norm", x, "o", "N_o", config, placed)
    return x


def _embedded(table: Table, ids: str, config: ModelConfig) -> str:
    stack = table.stack
    index = r"{\text{tok}}" if config.position in ADDED else "0"
    return table.add(
        f"{stack.prefix}embeddings",
        stack.named("Token embeddings"),
        f"{stack.stream}_{index}",
        stack.on_stream,
        Kind.SIGNED,
        LookUp(),
        inputs=(ids,),
        weights=(EMBEDDING,),
        sections=(sections.EMBEDDING, *ANY_MODEL, *_shared(config)),
    )


def _predicted(table: Table, x: str, config: ModelConfig, read_as: tuple[Section, ...] = ()) -> str:
    """Logits and probabilities at every position of the stack; returns the key of the logits, which
    the loss is computed from: no stage reads the probabilities. `read_as` is who teaches what those
    are of."""
    table.group = "Output"
    axes = (table.stack.position, VOCAB)
    logits = table.add(
        "logits",
        "Logits",
        "Z",
        axes,
        Kind.SIGNED,
        Linear(),
        inputs=(x,),
        weights=(EMBEDDING if config.tied_head else UNEMBEDDING,),
        sections=(sections.OUTPUT_LAYER, sections.TIED_OR_NOT, *ANY_MODEL),
    )
    table.add(
        "probabilities",
        "Probabilities",
        "p",
        axes,
        Kind.PROBABILITY,
        Softmax("vocabulary"),
        inputs=(logits,),
        sections=(sections.OUTPUT_LAYER, sections.COMPLETE_MODEL, *read_as),
    )
    return logits


def _loss(
    table: Table, op: Op, axis: Axis, inputs: tuple[str, ...], taught: tuple[Section, ...]
) -> None:
    table.add("loss", "Loss", r"\ell", (axis,), Kind.SCALE, op, inputs=inputs,
              sections=(sections.OUTPUT_LAYER, *taught))  # fmt: skip


def _shared(config: ModelConfig) -> tuple[Section, ...]:
    """What more is to be known of an embedding that is the head too."""
    return (sections.TIED_OR_NOT,) if config.tied_head else ()
