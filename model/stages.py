"""The stage table: the one description of a transformer in this project, and it is executable.

`stages(config)` lists every tensor between the ids and the loss in the order the model makes
them. The recorder, the NumPy interpreter, the API, the page and the tests all read this list.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from model import ops, sections
from model.config import ModelConfig
from model.sections import Section
from model.stage import (
    CONTEXT,
    D_FF,
    D_HEAD,
    D_MODEL,
    HEAD,
    POSITION,
    PREDICTED,
    SOURCE,
    VOCAB,
    Axis,
    Kind,
    Stage,
    Weight,
)


class _Table:
    """Collects stages: an equation can use the symbols of what came before, and each stage
    stands in the `group` and on the `branch` of the moment."""

    def __init__(self) -> None:
        self.stages: dict[str, Stage] = {}
        self.group = ""
        self.branch: str | None = None

    @contextmanager
    def on_branch(self, name: str) -> Iterator[None]:
        """What is declared inside leaves the residual stream."""
        self.branch = name
        yield
        self.branch = None

    def add(
        self,
        key: str,
        title: str,
        symbol: str,
        axes: tuple[Axis, ...],
        kind: Kind,
        op: ops.Op,
        *,
        inputs: tuple[str, ...] = (),
        weights: tuple[Weight, ...] = (),
        sections: tuple[Section, ...],
    ) -> str:
        assert key not in self.stages, f"stage {key} is declared twice"
        operands = [self.stages[i].symbol for i in inputs] + [w.symbol for w in weights]
        equation = op.equation(symbol, operands)
        self.stages[key] = Stage(
            key, title, symbol, axes, kind, op, equation, sections,
            self.group, self.branch, inputs, weights,
        )  # fmt: skip
        return key


@lru_cache(maxsize=64)
def stages(config: ModelConfig) -> tuple[Stage, ...]:
    """Every stage of the model, in the order its tensors are made."""
    table = _Table()
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
    embeddings = table.add(
        "embeddings",
        "Token embeddings",
        r"X_{\text{tok}}",
        (POSITION, D_MODEL),
        Kind.SIGNED,
        ops.LookUp(),
        inputs=(ids,),
        weights=(Weight("embedding.weight", "W_E", (VOCAB, D_MODEL)),),
        sections=(sections.EMBEDDING, sections.COMPLETE_MODEL),
    )
    with table.on_branch("positions"):
        positions = table.add(
            "positions",
            "Position vectors",
            "P",
            (POSITION, D_MODEL),
            Kind.SIGNED,
            ops.LookUpPosition(),
            inputs=(ids,),
            weights=(Weight("positions.weight", "W_P", (CONTEXT, D_MODEL)),),
            sections=(sections.POSITIONS,),
        )
    x = table.add(
        "input",
        "Embeddings + positions",
        "X_0",
        (POSITION, D_MODEL),
        Kind.SIGNED,
        ops.Add(),
        inputs=(embeddings, positions),
        sections=(sections.POSITIONS, sections.RESIDUALS),
    )
    for block in range(config.n_blocks):
        x = _post_norm_block(table, block, x, config)
    table.group = "Output"
    logits = table.add(
        "logits",
        "Logits",
        "Z",
        (POSITION, VOCAB),
        Kind.SIGNED,
        ops.Linear(),
        inputs=(x,),
        weights=(Weight("head.weight", "W_U", (VOCAB, D_MODEL)),),
        sections=(sections.OUTPUT_LAYER,),
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
    return tuple(table.stages.values())


def _post_norm_block(table: _Table, block: int, x: str, config: ModelConfig) -> str:
    """x -> attention -> + -> norm -> feed-forward -> + -> norm; returns the block's output key."""
    prefix, name = f"blocks.{block}", f"Block {block + 1}"
    table.group = name
    with table.on_branch("attention"):
        attended = _attention(table, f"{prefix}.attn", name, x, config)
    summed = table.add(
        f"{prefix}.attn_residual",
        f"{name} · input + attention",
        "R_a",
        (POSITION, D_MODEL),
        Kind.SIGNED,
        ops.Add(),
        inputs=(x, attended),
        sections=(sections.RESIDUALS,),
    )
    middle = _layer_norm(
        table,
        f"{prefix}.attn_norm",
        f"{name} · norm 1",
        summed,
        "a",
        "X_a",
        config,
    )
    with table.on_branch("feed-forward"):
        changed = _feed_forward(table, f"{prefix}.ffn", name, middle)
    summed = table.add(
        f"{prefix}.ffn_residual",
        f"{name} · input + feed-forward",
        "R_f",
        (POSITION, D_MODEL),
        Kind.SIGNED,
        ops.Add(),
        inputs=(middle, changed),
        sections=(sections.RESIDUALS,),
    )
    return _layer_norm(
        table,
        f"{prefix}.ffn_norm",
        f"{name} · norm 2",
        summed,
        "f",
        f"X_{block + 1}",
        config,
    )


def _attention(table: _Table, prefix: str, name: str, x: str, config: ModelConfig) -> str:
    taught = (sections.ATTENTION,)

    def projection(leaf: str, title: str, symbol: str, weight: str, along: Axis) -> str:
        return table.add(
            f"{prefix}.{leaf}",
            f"{name} · {title}",
            symbol,
            (HEAD, along, D_HEAD),
            Kind.SIGNED,
            ops.HeadLinear(config.n_heads),
            inputs=(x,),
            weights=(
                Weight(f"{prefix}.{weight}.weight", f"W_{symbol}", (D_MODEL, D_MODEL)),
                Weight(f"{prefix}.{weight}.bias", f"b_{symbol}", (D_MODEL,)),
            ),
            sections=taught,
        )

    q = projection("q", "queries", "Q", "query", POSITION)
    k = projection("k", "keys", "K", "key", SOURCE)
    v = projection("v", "values", "V", "value", SOURCE)
    by_head = (HEAD, POSITION, SOURCE)
    scores = table.add(
        f"{prefix}.scores",
        f"{name} · attention scores",
        "S",
        by_head,
        Kind.SCORES,
        ops.ScaledDotProduct(),
        inputs=(q, k),
        sections=taught,
    )
    masked = table.add(
        f"{prefix}.masked_scores",
        f"{name} · masked scores",
        r"S_{\text{masked}}",
        by_head,
        Kind.SCORES,
        ops.CausalMask(),
        inputs=(scores,),
        sections=taught,
    )
    weights = table.add(
        f"{prefix}.weights",
        f"{name} · attention weights",
        "A",
        by_head,
        Kind.PROBABILITY,
        ops.Softmax("source positions"),
        inputs=(masked,),
        sections=(sections.ATTENTION, sections.COMPLETE_MODEL),
    )
    heads = table.add(
        f"{prefix}.heads",
        f"{name} · head outputs",
        "Y",
        (HEAD, POSITION, D_HEAD),
        Kind.SIGNED,
        ops.WeightedSum(),
        inputs=(weights, v),
        sections=taught,
    )
    contributions = table.add(
        f"{prefix}.contributions",
        f"{name} · head contributions",
        "C",
        (HEAD, POSITION, D_MODEL),
        Kind.SIGNED,
        ops.HeadContributions(),
        inputs=(heads,),
        weights=(Weight(f"{prefix}.output.weight", "W_O", (D_MODEL, D_MODEL)),),
        sections=taught,
    )
    return table.add(
        f"{prefix}.output",
        f"{name} · attention output",
        "O",
        (POSITION, D_MODEL),
        Kind.SIGNED,
        ops.SumHeads(),
        inputs=(contributions,),
        weights=(Weight(f"{prefix}.output.bias", "b_O", (D_MODEL,)),),
        sections=(sections.ATTENTION, sections.COMPLETE_MODEL),
    )


def _layer_norm(
    table: _Table, prefix: str, name: str, x: str, after: str, result: str, config: ModelConfig
) -> str:
    """The four stages of a norm; `after` is the index that its symbols carry, `result` its own."""
    taught = (sections.LAYER_NORM,)
    mean = table.add(
        f"{prefix}.mean",
        f"{name}: mean",
        rf"\mu_{after}",
        (POSITION,),
        Kind.SIGNED,
        ops.Mean(),
        inputs=(x,),
        sections=taught,
    )
    variance = table.add(
        f"{prefix}.variance",
        f"{name}: variance",
        rf"\sigma_{after}^2",
        (POSITION,),
        Kind.SCALE,
        ops.Variance(),
        inputs=(x, mean),
        sections=taught,
    )
    normalized = table.add(
        f"{prefix}.normalized",
        f"{name}: normalized",
        rf"\hat{{R}}_{after}",
        (POSITION, D_MODEL),
        Kind.SIGNED,
        ops.Normalize(config.norm_epsilon),
        inputs=(x, mean, variance),
        sections=taught,
    )
    return table.add(
        f"{prefix}.output",
        f"{name}: output",
        result,
        (POSITION, D_MODEL),
        Kind.SIGNED,
        ops.ScaleAndShift(),
        inputs=(normalized,),
        weights=(
            Weight(f"{prefix}.weight", rf"\gamma_{after}", (D_MODEL,)),
            Weight(f"{prefix}.bias", rf"\beta_{after}", (D_MODEL,)),
        ),
        sections=(sections.LAYER_NORM, sections.COMPLETE_MODEL),
    )


def _feed_forward(table: _Table, prefix: str, name: str, x: str) -> str:
    taught = (sections.FEED_FORWARD,)
    hidden = table.add(
        f"{prefix}.hidden",
        f"{name} · feed-forward hidden",
        "U",
        (POSITION, D_FF),
        Kind.SIGNED,
        ops.Linear(),
        inputs=(x,),
        weights=(
            Weight(f"{prefix}.up.weight", "W_1", (D_FF, D_MODEL)),
            Weight(f"{prefix}.up.bias", "b_1", (D_FF,)),
        ),
        sections=taught,
    )
    activation = table.add(
        f"{prefix}.activation",
        f"{name} · feed-forward activation",
        "G",
        (POSITION, D_FF),
        Kind.SIGNED,
        ops.Gelu(),
        inputs=(hidden,),
        sections=taught,
    )
    return table.add(
        f"{prefix}.output",
        f"{name} · feed-forward output",
        "F",
        (POSITION, D_MODEL),
        Kind.SIGNED,
        ops.Linear(),
        inputs=(activation,),
        weights=(
            Weight(f"{prefix}.down.weight", "W_2", (D_MODEL, D_FF)),
            Weight(f"{prefix}.down.bias", "b_2", (D_MODEL,)),
        ),
        sections=(sections.FEED_FORWARD, sections.COMPLETE_MODEL),
    )
