"""The stages of a feed-forward network.

`prefix` is the module's path, `name` the title's beginning, `x` the key of what the part reads.
"""

from model.config import FeedForward, ModelConfig, Wiring
from model.ops.activations import Gelu, GeluTanh, Relu, Silu
from model.ops.arithmetic import Multiply
from model.ops.linear import Linear
from model.ops.op import Op
from model.table import sections, teaching
from model.table.axes import D_FF, D_MODEL
from model.table.declaring import Table
from model.table.linear import matrix
from model.table.stage import Kind
from model.table.teaching import Taught

ACTIVATIONS: dict[FeedForward, Op] = {
    FeedForward.RELU: Relu(),
    FeedForward.GELU: Gelu(),
    FeedForward.GELU_TANH: GeluTanh(),
    FeedForward.SWIGLU: Silu(),
}

BENT: dict[FeedForward, Taught] = {
    FeedForward.GELU: (sections.GELU,),
    FeedForward.GELU_TANH: (sections.GELU,),
}
"""The lesson teaches no other activation; §7.4 those of every plain network."""


def feed_forward(table: Table, prefix: str, name: str, x: str, config: ModelConfig) -> str:
    """The network of the configuration's word, plain or gated."""
    widened = _gated if config.feed_forward.gated else _plain
    return widened(table, prefix, name, x, config)


def _plain(table: Table, prefix: str, name: str, x: str, config: ModelConfig) -> str:
    """The hidden layer, its activation, and the way back."""
    bent = BENT.get(config.feed_forward, ())
    code = teaching.mini_gpt(config) if bent else ()
    taught = (sections.FEED_FORWARD, sections.FFN, *code)
    hidden = table.add(
        f"{prefix}.hidden",
        f"{name} · feed-forward hidden",
        "U",
        (table.stack.position, D_FF),
        Kind.SIGNED,
        Linear(),
        inputs=(x,),
        weights=matrix(config, f"{prefix}.up", "1", D_FF, D_MODEL),
        sections=(*taught, *_widened_and_back(config)),
    )
    activation = table.add(
        f"{prefix}.activation",
        f"{name} · feed-forward activation",
        "G",
        (table.stack.position, D_FF),
        Kind.SIGNED,
        ACTIVATIONS[config.feed_forward],
        inputs=(hidden,),
        sections=(sections.FEED_FORWARD, *bent, *code),
    )
    return table.add(
        f"{prefix}.output",
        f"{name} · feed-forward output",
        "F",
        table.stack.on_stream,
        Kind.SIGNED,
        Linear(),
        inputs=(activation,),
        weights=matrix(config, f"{prefix}.down", "2", D_MODEL, D_FF),
        sections=(*taught, *teaching.block(config)),
    )


def _gated(table: Table, prefix: str, name: str, x: str, config: ModelConfig) -> str:
    """The gate and its activation, what it gates, their product, and the way back."""
    taught = (sections.SWIGLU,)

    def widened(leaf: str, title: str, symbol: str, index: str) -> str:
        return table.add(
            f"{prefix}.{leaf}",
            f"{name} · feed-forward {title}",
            symbol,
            (table.stack.position, D_FF),
            Kind.SIGNED,
            Linear(),
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
        ACTIVATIONS[config.feed_forward],
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
        Multiply(),
        inputs=(opened, up),
        sections=taught,
    )
    return table.add(
        f"{prefix}.output",
        f"{name} · feed-forward output",
        "F",
        table.stack.on_stream,
        Kind.SIGNED,
        Linear(),
        inputs=(gated,),
        weights=matrix(config, f"{prefix}.down", "d", D_MODEL, D_FF),
        sections=(*taught, *teaching.chapters_block(config)),
    )


def _widened_and_back(config: ModelConfig) -> Taught:
    """The lesson follows the shape 4C through a pre-LN block."""
    return (sections.FOLLOWING_SHAPES,) if config.wiring is Wiring.PRE_LN else ()
