"""The stages of a block's parts: attention, norms, feed-forward networks.

Each function declares one part in a table and returns the key of its last stage. `prefix` is the
module's path, `name` the title's beginning, `x` the key of what the part reads.
"""

from dataclasses import dataclass

from model import ops, sections
from model.config import ModelConfig
from model.sections import Section
from model.stage import (
    D_FF,
    D_HEAD,
    D_MODEL,
    HEAD,
    Axis,
    Kind,
    Table,
    Weight,
)


def matrix(
    config: ModelConfig, module: str, symbol: str, out: Axis, into: Axis
) -> tuple[Weight, ...]:
    """A linear layer's matrix W and, where the configuration has biases, its bias b."""
    weight = Weight(f"{module}.weight", f"W_{symbol}", (out, into))
    bias = Weight(f"{module}.bias", f"b_{symbol}", (out,))
    return (weight, bias) if config.biases else (weight,)


@dataclass(frozen=True)
class Looking:
    """What an attention looks at: the stage whose keys and values it takes, the axis along that
    stage's positions, and the mask between. `index` tells its symbols from another's."""

    at: str
    source: Axis
    mask: ops.Op
    index: str = ""
    taught: tuple[Section, ...] = (sections.ATTENTION,)


def self_attention(table: Table, prefix: str, name: str, x: str, config: ModelConfig) -> str:
    """Attention of a stream to itself, under the mask of its stack."""
    looking = Looking(x, table.stack.source, table.stack.mask)
    return attention(table, prefix, name, x, looking, config)


def attention(
    table: Table, prefix: str, name: str, x: str, looking: Looking, config: ModelConfig
) -> str:
    """Queries, keys and values; scores, mask, weights; each head's output and contribution."""
    taught = looking.taught
    position, source = table.stack.position, looking.source
    by_head = (HEAD, position, source)

    def indexed(letter: str, *more: str) -> str:
        """The letter with what is written below it, if anything is."""
        below = ",".join((*more, *looking.index))
        return f"{letter}_{{{below}}}" if below else letter

    def projection(leaf: str, title: str, letter: str, module: str, read: str, along: Axis) -> str:
        return table.add(
            f"{prefix}.{leaf}",
            f"{name} · {title}",
            indexed(letter),
            (HEAD, along, D_HEAD),
            Kind.SIGNED,
            ops.HeadLinear(config.n_heads),
            inputs=(read,),
            weights=matrix(config, f"{prefix}.{module}", letter, D_MODEL, D_MODEL),
            sections=taught,
        )

    q = projection("q", "queries", "Q", "query", x, position)
    k = projection("k", "keys", "K", "key", looking.at, source)
    v = projection("v", "values", "V", "value", looking.at, source)
    if config.position == "rotary":
        q, k = _rotated(table, prefix, name, q, k)
    scores = table.add(
        f"{prefix}.scores",
        f"{name} · attention scores",
        indexed("S"),
        by_head,
        Kind.SCORES,
        ops.ScaledDotProduct(),
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
        sections=taught,
    )
    weights = table.add(
        f"{prefix}.weights",
        f"{name} · attention weights",
        indexed("A"),
        by_head,
        Kind.PROBABILITY,
        ops.Softmax("source positions"),
        inputs=(masked,),
        sections=(*taught, sections.COMPLETE_MODEL),
    )
    heads = table.add(
        f"{prefix}.heads",
        f"{name} · head outputs",
        indexed("Y"),
        (HEAD, position, D_HEAD),
        Kind.SIGNED,
        ops.WeightedSum(),
        inputs=(weights, v),
        sections=taught,
    )
    slices, *bias = matrix(config, f"{prefix}.output", "O", D_MODEL, D_MODEL)
    contributions = table.add(
        f"{prefix}.contributions",
        f"{name} · head contributions",
        indexed("C"),
        (HEAD, position, D_MODEL),
        Kind.SIGNED,
        ops.HeadContributions(),
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
        ops.SumHeads(),
        inputs=(contributions,),
        weights=tuple(bias),
        sections=(*taught, sections.COMPLETE_MODEL),
    )


def _rotated(table: Table, prefix: str, name: str, q: str, k: str) -> tuple[str, str]:
    def rotated(key: str, title: str, symbol: str, along: Axis) -> str:
        return table.add(
            f"{key}_rotated",
            f"{name} · {title}, rotated",
            rf"\tilde{{{symbol}}}",
            (HEAD, along, D_HEAD),
            Kind.SIGNED,
            ops.Rotate(),
            inputs=(key,),
            sections=(sections.ROTARY, sections.POSITIONS),
        )

    stack = table.stack
    return rotated(q, "queries", "Q", stack.position), rotated(k, "keys", "K", stack.source)


def layer_norm(
    table: Table, prefix: str, name: str, x: str, index: str, result: str, config: ModelConfig
) -> str:
    """Mean, variance, normalized, output; `index` is what their symbols carry, `result` the
    output's own."""
    taught = (sections.LAYER_NORM,)
    mean = table.add(
        f"{prefix}.mean",
        f"{name}: mean",
        rf"\mu_{index}",
        (table.stack.position,),
        Kind.SIGNED,
        ops.Mean(),
        inputs=(x,),
        sections=taught,
    )
    variance = table.add(
        f"{prefix}.variance",
        f"{name}: variance",
        rf"\sigma_{index}^2",
        (table.stack.position,),
        Kind.SCALE,
        ops.Variance(),
        inputs=(x, mean),
        sections=taught,
    )
    normalized = table.add(
        f"{prefix}.normalized",
        f"{name}: normalized",
        rf"\hat{{X}}_{index}",
        table.stack.on_stream,
        Kind.SIGNED,
        ops.Normalize(config.norm_epsilon),
        inputs=(x, mean, variance),
        sections=taught,
    )
    return table.add(
        f"{prefix}.output",
        f"{name}: output",
        result,
        table.stack.on_stream,
        Kind.SIGNED,
        ops.ScaleAndShift(),
        inputs=(normalized,),
        weights=(
            Weight(f"{prefix}.weight", rf"\gamma_{index}", (D_MODEL,)),
            Weight(f"{prefix}.bias", rf"\beta_{index}", (D_MODEL,)),
        ),
        sections=(sections.LAYER_NORM, sections.COMPLETE_MODEL),
    )


def rms_norm(
    table: Table, prefix: str, name: str, x: str, index: str, result: str, config: ModelConfig
) -> str:
    """Mean square, normalized, output."""
    taught = (sections.RMS_NORM_AND_SWIGLU,)
    mean_square = table.add(
        f"{prefix}.mean_square",
        f"{name}: mean square",
        f"m_{index}",
        (table.stack.position,),
        Kind.SCALE,
        ops.MeanSquare(),
        inputs=(x,),
        sections=taught,
    )
    normalized = table.add(
        f"{prefix}.normalized",
        f"{name}: normalized",
        rf"\hat{{X}}_{index}",
        table.stack.on_stream,
        Kind.SIGNED,
        ops.RmsNormalize(config.norm_epsilon),
        inputs=(x, mean_square),
        sections=taught,
    )
    return table.add(
        f"{prefix}.output",
        f"{name}: output",
        result,
        table.stack.on_stream,
        Kind.SIGNED,
        ops.Scale(),
        inputs=(normalized,),
        weights=(Weight(f"{prefix}.weight", f"g_{index}", (D_MODEL,)),),
        sections=taught,
    )


NORMS = {"layer-norm": layer_norm, "rms-norm": rms_norm}
ACTIVATIONS = {"relu": ops.Relu(), "gelu": ops.Gelu(), "gelu-tanh": ops.GeluTanh()}


def feed_forward(table: Table, prefix: str, name: str, x: str, config: ModelConfig) -> str:
    """The hidden layer, its activation, and the way back; or the gated form of SwiGLU."""
    if config.feed_forward == "swiglu":
        return _swiglu(table, prefix, name, x, config)
    taught = (sections.FEED_FORWARD,)
    hidden = table.add(
        f"{prefix}.hidden",
        f"{name} · feed-forward hidden",
        "U",
        (table.stack.position, D_FF),
        Kind.SIGNED,
        ops.Linear(),
        inputs=(x,),
        weights=matrix(config, f"{prefix}.up", "1", D_FF, D_MODEL),
        sections=taught,
    )
    activation = table.add(
        f"{prefix}.activation",
        f"{name} · feed-forward activation",
        "G",
        (table.stack.position, D_FF),
        Kind.SIGNED,
        ACTIVATIONS[config.feed_forward],
        inputs=(hidden,),
        sections=taught,
    )
    return table.add(
        f"{prefix}.output",
        f"{name} · feed-forward output",
        "F",
        table.stack.on_stream,
        Kind.SIGNED,
        ops.Linear(),
        inputs=(activation,),
        weights=matrix(config, f"{prefix}.down", "2", D_MODEL, D_FF),
        sections=(sections.FEED_FORWARD, sections.COMPLETE_MODEL),
    )


def _swiglu(table: Table, prefix: str, name: str, x: str, config: ModelConfig) -> str:
    taught: tuple[Section, ...] = (sections.RMS_NORM_AND_SWIGLU, sections.FEED_FORWARD)

    def widened(leaf: str, title: str, symbol: str, index: str) -> str:
        return table.add(
            f"{prefix}.{leaf}",
            f"{name} · feed-forward {title}",
            symbol,
            (table.stack.position, D_FF),
            Kind.SIGNED,
            ops.Linear(),
            inputs=(x,),
            weights=matrix(config, f"{prefix}.{leaf}", index, D_FF, D_MODEL),
            sections=taught,
        )

    gate = widened("gate", "gate", r"U_{\text{gate}}", "g")
    opened = table.add(
        f"{prefix}.gate_activation",
        f"{name} · gate activation",
        r"G_{\text{gate}}",
        (table.stack.position, D_FF),
        Kind.SIGNED,
        ops.Silu(),
        inputs=(gate,),
        sections=taught,
    )
    up = widened("up", "up", r"U_{\text{up}}", "u")
    gated = table.add(
        f"{prefix}.gated",
        f"{name} · feed-forward gated",
        "G",
        (table.stack.position, D_FF),
        Kind.SIGNED,
        ops.Multiply(),
        inputs=(opened, up),
        sections=taught,
    )
    return table.add(
        f"{prefix}.output",
        f"{name} · feed-forward output",
        "F",
        table.stack.on_stream,
        Kind.SIGNED,
        ops.Linear(),
        inputs=(gated,),
        weights=matrix(config, f"{prefix}.down", "d", D_MODEL, D_FF),
        sections=taught,
    )
