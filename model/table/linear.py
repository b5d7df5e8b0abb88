"""The weights of a linear layer."""

from model.config import ModelConfig
from model.table.axes import Axis
from model.table.stage import Weight


def matrix(
    config: ModelConfig, module: str, symbol: str, out: Axis, into: Axis
) -> tuple[Weight, ...]:
    """A linear layer's matrix W and, where the configuration has biases, its bias b."""
    weight = Weight(f"{module}.weight", f"W_{symbol}", (out, into))
    bias = Weight(f"{module}.bias", f"b_{symbol}", (out,))
    return (weight, bias) if config.biases else (weight,)
