"""The stages of a norm.

`prefix` is the module's path, `name` the title's beginning, `x` the key of what the part reads.
"""

from model.config import ModelConfig, Norm
from model.ops.norms import (
    Mean,
    MeanSquare,
    Normalize,
    RmsNormalize,
    Scale,
    ScaleAndShift,
    Variance,
)
from model.table import sections
from model.table.axes import D_MODEL
from model.table.declaring import Table
from model.table.stage import Kind, Weight
from model.table.teaching import Taught


def layer_norm(
    table: Table, prefix: str, name: str, x: str, index: str, result: str, config: ModelConfig,
    placed: Taught,
) -> str:  # fmt: skip
    """Mean, variance, normalized, output; `index` is what their symbols carry, `result` the
    output's own; `placed` is who teaches where the norm stands."""
    taught = (sections.LAYER_NORM, sections.NORMALIZATION)
    mean = table.add(
        f"{prefix}.mean",
        f"{name}: mean",
        rf"\mu_{index}",
        (table.stack.position,),
        Kind.SIGNED,
        Mean(),
        inputs=(x,),
        sections=taught,
    )
    variance = table.add(
        f"{prefix}.variance",
        f"{name}: variance",
        rf"\sigma_{index}^2",
        (table.stack.position,),
        Kind.SCALE,
        Variance(),
        inputs=(x, mean),
        sections=taught,
    )
    normalized = table.add(
        f"{prefix}.normalized",
        f"{name}: normalized",
        rf"\hat{{X}}_{index}",
        table.stack.on_stream,
        Kind.SIGNED,
        Normalize(config.norm_epsilon),
        inputs=(x, mean, variance),
        sections=taught,
    )
    return table.add(
        f"{prefix}.output",
        f"{name}: output",
        result,
        table.stack.on_stream,
        Kind.SIGNED,
        ScaleAndShift(),
        inputs=(normalized,),
        weights=(
            Weight(f"{prefix}.weight", rf"\gamma_{index}", (D_MODEL,)),
            Weight(f"{prefix}.bias", rf"\beta_{index}", (D_MODEL,)),
        ),
        sections=(*taught, sections.GAMMA_AND_BETA, *placed),
    )


def rms_norm(
    table: Table, prefix: str, name: str, x: str, index: str, result: str, config: ModelConfig,
    placed: Taught,
) -> str:  # fmt: skip
    """Mean square, normalized, output. The lesson knows no gain."""
    taught = (sections.RMS_NORM, sections.RMS_NORM_TOO)
    mean_square = table.add(
        f"{prefix}.mean_square",
        f"{name}: mean square",
        f"m_{index}",
        (table.stack.position,),
        Kind.SCALE,
        MeanSquare(),
        inputs=(x,),
        sections=taught,
    )
    normalized = table.add(
        f"{prefix}.normalized",
        f"{name}: normalized",
        rf"\hat{{X}}_{index}",
        table.stack.on_stream,
        Kind.SIGNED,
        RmsNormalize(config.norm_epsilon),
        inputs=(x, mean_square),
        sections=taught,
    )
    return table.add(
        f"{prefix}.output",
        f"{name}: output",
        result,
        table.stack.on_stream,
        Kind.SIGNED,
        Scale(),
        inputs=(normalized,),
        weights=(Weight(f"{prefix}.weight", f"g_{index}", (D_MODEL,)),),
        sections=(sections.RMS_NORM, *placed),
    )


NORMS = {Norm.LAYER_NORM: layer_norm, Norm.RMS_NORM: rms_norm}
