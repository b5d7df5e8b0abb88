"""Token Tracer's mathematics: a small transformer, its stage table, and every tensor of a text.

from model import load, trace
trace(load("checkpoints/shakespeare"), "To be").tensor("blocks.0.attn.weights")
"""

from model.arithmetic import Cell
from model.cells import explain, explain_weight
from model.checking import check
from model.checkpoint import LoadedModel, load
from model.errors import InputError
from model.question import Question
from model.tracing import Trace, trace

__all__ = [
    "Cell",
    "InputError",
    "LoadedModel",
    "Question",
    "Trace",
    "check",
    "explain",
    "explain_weight",
    "load",
    "trace",
]
