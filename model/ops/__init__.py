"""The operations a stage can be made by, in NumPy alone: the second implementation.

Each class is one equation. `forward` computes it from its operands, the stage's inputs first and
its weights after them, in the dtype given; `backward` is its vector-Jacobian product, worked out
by hand; `explain` takes one cell of the result apart; `equation` prints it with the stage's own
symbols; `operation` says it in words. Nothing here knows torch, and nothing here knows which model
calls.

Shapes are written with the legend of this package: T position, S source, D d_model, H head,
K d_head, F any number of features, V vocab; `…` stands for any leading axes. There is no batch
axis: a trace is of one text.
"""

from model.ops.activations import Gelu, GeluTanh, Relu, Silu
from model.ops.arithmetic import Add, Multiply
from model.ops.attention import CausalMask, NoMask, ScaledDotProduct, Softmax, WeightedSum
from model.ops.explanation import (
    Explanation,
    Factor,
    Rule,
    Step,
    Term,
    explained,
    folded,
    number,
    numbers,
)
from model.ops.linear import HeadContributions, HeadLinear, Linear, SumHeads
from model.ops.lookups import (
    Encode,
    EncodeTarget,
    Given,
    HiddenIds,
    HiddenPositions,
    LookUp,
    LookUpPosition,
)
from model.ops.loss import HiddenLoss, NextTokenLoss
from model.ops.norms import (
    Mean,
    MeanSquare,
    Normalize,
    RmsNormalize,
    Scale,
    ScaleAndShift,
    Variance,
)
from model.ops.op import Array, Gradient, Op, Rows
from model.ops.positions import Rotate, Sinusoids

__all__ = [
    "Add",
    "Array",
    "CausalMask",
    "Encode",
    "EncodeTarget",
    "Explanation",
    "Factor",
    "Gelu",
    "GeluTanh",
    "Given",
    "Gradient",
    "HeadContributions",
    "HeadLinear",
    "HiddenIds",
    "HiddenLoss",
    "HiddenPositions",
    "Linear",
    "LookUp",
    "LookUpPosition",
    "Mean",
    "MeanSquare",
    "Multiply",
    "NextTokenLoss",
    "NoMask",
    "Normalize",
    "Op",
    "Relu",
    "RmsNormalize",
    "Rotate",
    "Rows",
    "Rule",
    "Scale",
    "ScaleAndShift",
    "ScaledDotProduct",
    "Silu",
    "Sinusoids",
    "Softmax",
    "Step",
    "SumHeads",
    "Term",
    "Variance",
    "WeightedSum",
    "explained",
    "folded",
    "number",
    "numbers",
]
