"""How the gradient fares along the residual stream: the gradient highway (module 7.2)."""

from dataclasses import dataclass

import numpy as np

from model import interpreter
from model.ops.op import Array
from model.tracing import Trace


@dataclass(frozen=True)
class Flow:
    """The size (Euclidean norm over all cells) of d loss / d stage at one place of the stream:
    as it is, and if no gradient took the residual connections."""

    key: str
    norm: float
    without_residuals: float


def gradient_flow(traced: Trace) -> tuple[Flow, ...]:
    """The places where the stream is added to or left, in the order of the table; computed in
    NumPy from the recorded tensors.

    Raises:
        TextError: the text has no loss.
    """
    if traced.reading.no_loss is not None:
        raise traced.reading.no_loss
    stages = traced.stages
    recorded = {stage.key: traced.array(stage.key) for stage in stages}
    connections = interpreter.residual_connections(stages)
    dy = interpreter.gradient_of_mean(recorded[stages[-1].key])
    with np.errstate(all="ignore"):  # of what is not finite too
        whole, cut = (
            interpreter.backward(stages, traced.model.weights, recorded, dy, cut=missing).stages
            for missing in (frozenset[interpreter.Connection](), connections)
        )
    on_stream = {key for connection in connections for key in connection}
    return tuple(
        Flow(stage.key, _norm(whole[stage.key]), _norm(cut[stage.key]))
        for stage in stages
        if stage.key in on_stream
    )


def _norm(gradient: Array) -> float:
    return float(np.linalg.norm(gradient.astype(np.float64)))
