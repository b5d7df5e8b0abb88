"""The stages of an attention.

`prefix` is the module's path, `name` the title's beginning, `x` the key of what the part reads.
"""

from dataclasses import dataclass

from model.config import ModelConfig
from model.ops.attention import ScaledDotProduct, Softmax, WeightedSum
from model.ops.linear import HeadContributions, HeadLinear, SumHeads
from model.ops.op import Op
from model.table import sections, teaching
from model.table.axes import D_HEAD, D_MODEL, HEAD, Axis
from model.table.declaring import Table
from model.table.linear import matrix
from model.table.positions import turned
from model.table.sections import Section
from model.table.stage import Kind


@dataclass(frozen=True)
class Looking:
    """What an attention looks at: the stage whose keys and values it takes, the axis along that
    stage's positions, and the mask between. `index` tells its symbols from another's. Who teaches
    it: its arithmetic, what it may see (`seen`), and its `weights` and `output` beyond that."""

    at: str
    source: Axis
    mask: Op
    arithmetic: tuple[Section, ...]
    seen: tuple[Section, ...]
    weights: tuple[Section, ...] = ()
    output: tuple[Section, ...] = ()
    index: str = ""


def self_attention(table: Table, prefix: str, name: str, x: str, config: ModelConfig) -> str:
    """Attention of a stream to itself, under the mask of its stack."""
    code = teaching.mini_gpt(config)
    looking = Looking(
        x,
        table.stack.source,
        table.stack.mask,
        arithmetic=(sections.ATTENTION, sections.ATTENTION_BY_NUMBERS, *code),
        seen=(*table.stack.seen, *code, *teaching.chapters_block(config)),
        weights=teaching.attention_pattern(config),
        output=teaching.block(config),
    )
    return attention(table, prefix, name, x, looking, config)


def attention(
    table: Table, prefix: str, name: str, x: str, looking: Looking, config: ModelConfig
) -> str:
    """Queries, keys and values; scores, mask, weights; each head's output and contribution."""
    taught = looking.arithmetic
    position, source = table.stack.position, looking.source
    by_head = (HEAD, position, source)

    def below(*parts: str) -> str:
        """What is written below a letter: these, and what tells this attention from another."""
        index = ",".join((*parts, *looking.index))
        return f"{{{index}}}" if len(index) > 1 else index

    def indexed(letter: str, *more: str) -> str:
        """The letter with what is written below it, if anything is."""
        index = below(*more)
        return f"{letter}_{index}" if index else letter

    def projection(leaf: str, title: str, letter: str, module: str, read: str, along: Axis) -> str:
        return table.add(
            f"{prefix}.{leaf}",
            f"{name} · {title}",
            indexed(letter),
            (HEAD, along, D_HEAD),
            Kind.SIGNED,
            HeadLinear(config.n_heads),
            inputs=(read,),
            weights=matrix(config, f"{prefix}.{module}", below(letter), D_MODEL, D_MODEL),
            sections=taught,
        )

    q = projection("q", "queries", "Q", "query", x, position)
    k = projection("k", "keys", "K", "key", looking.at, source)
    v = projection("v", "values", "V", "value", looking.at, source)
    q, k = turned(table, name, q, k, config)
    scores = table.add(
        f"{prefix}.scores",
        f"{name} · attention scores",
        indexed("S"),
        by_head,
        Kind.SCORES,
        ScaledDotProduct(),
        inputs=(q, k),
        sections=taught,
    )
    masked = table.add(
        f"{prefix}.masked_scores",
        f"{name} · masked scores",
        indexed("S", r"\text{masked}"),
        by_head,
        Kind.SCORES,
        looking.mask,
        inputs=(scores,),
        sections=looking.seen,
    )
    weights = table.add(
        f"{prefix}.weights",
        f"{name} · attention weights",
        indexed("A"),
        by_head,
        Kind.PROBABILITY,
        Softmax("source positions"),
        inputs=(masked,),
        sections=(*taught, *looking.seen, *looking.weights),
    )
    heads = table.add(
        f"{prefix}.heads",
        f"{name} · head outputs",
        indexed("Y"),
        (HEAD, position, D_HEAD),
        Kind.SIGNED,
        WeightedSum(),
        inputs=(weights, v),
        sections=taught,
    )
    slices, *bias = matrix(config, f"{prefix}.output", below("O"), D_MODEL, D_MODEL)
    contributions = table.add(
        f"{prefix}.contributions",
        f"{name} · head contributions",
        indexed("C"),
        (HEAD, position, D_MODEL),
        Kind.SIGNED,
        HeadContributions(),
        inputs=(heads,),
        weights=(slices,),
        sections=taught,
    )
    return table.add(
        f"{prefix}.output",
        f"{name} · attention output",
        indexed("O"),
        table.stack.on_stream,
        Kind.SIGNED,
        SumHeads(),
        inputs=(contributions,),
        weights=tuple(bias),
        sections=(*taught, *looking.output),
    )
