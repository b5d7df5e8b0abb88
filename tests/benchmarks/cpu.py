"""What a trace costs the processor, against a plain forward pass of the same weights."""

import time
from itertools import cycle

import torch
from torch import Tensor

from app import wire
from model import LoadedModel, trace
from tests.benchmarks.reference import plain_forward, plain_model
from tests.benchmarks.rounds import interleaved
from tests.benchmarks.table import Goal, Line

AGREEMENT = 1e-4
"""How far the peers' logits may be from the traced ones, or they do other work."""
TRACE = Goal(1.6, aim=1.4)
ENCODED = Goal(2.6, aim=2.0)
BYTES = {"safetensors": Goal(4.04), "json": Goal(10.9)}


def speed(model: LoadedModel, texts: list[str], *, rounds: int, calls: int) -> list[Line]:
    """CPU time of a trace, and of a trace with its encoding, in plain forward passes.

    The plain forward is of nn modules, which is what a model is written as and what the tracing
    libraries wrap; bare functions over the weights are printed beside it.
    """
    weights = dict(model.network.state_dict())
    modules = plain_model(weights, model.config)
    ids = [torch.tensor([model.tokenizer.encode(text)]) for text in texts]
    next_ids, next_text = cycle(ids).__next__, cycle(texts).__next__

    def functions() -> Tensor:
        with torch.inference_mode():
            return plain_forward(next_ids(), weights, model.config)

    def layers() -> Tensor:
        with torch.inference_mode():
            return modules(next_ids())

    def untraced() -> Tensor:
        with torch.inference_mode():
            return model.network(next_ids())

    check_agreement(model, texts[0])
    found = interleaved(
        {
            "functions": functions,
            "layers": layers,
            "untraced": untraced,
            "trace": lambda: trace(model, next_text()),
            "encoded": lambda: wire.as_safetensors(trace(model, next_text()), model.stages),
        },
        clock=time.process_time,
        rounds=rounds,
        calls=calls,
    )
    return [
        Line("full trace / plain forward", found.ratio("trace", "layers"), TRACE),
        Line("trace + safetensors / plain forward", found.ratio("encoded", "layers"), ENCODED),
        Line("  our forward, untraced / plain forward", found.ratio("untraced", "layers")),
        Line("  full trace / bare functions, no modules", found.ratio("trace", "functions")),
        Line("  trace + safetensors / bare functions", found.ratio("encoded", "functions")),
        Line("  plain forward, milliseconds", 1000 * found.typical("layers")),
    ]


def check_agreement(model: LoadedModel, text: str) -> None:
    """Both peers compute this model's logits."""
    weights = dict(model.network.state_dict())
    ids_BT = torch.tensor([model.tokenizer.encode(text)])
    shown_TV = trace(model, text).tensor("logits")
    with torch.inference_mode():
        plain = (
            plain_forward(ids_BT, weights, model.config),
            plain_model(weights, model.config)(ids_BT),
        )
    for logits_BTV in plain:
        assert (logits_BTV[0] - shown_TV).abs().max() <= AGREEMENT


def sizes(model: LoadedModel, texts: list[str]) -> list[Line]:
    """Bytes that each number takes on the wire, all stages and all else that is sent included."""
    lines = []
    for name, encode in (("safetensors", wire.as_safetensors), ("json", wire.as_json)):
        written = numbers = 0
        for text in texts:
            traced = trace(model, text)
            written += len(encode(traced, model.stages))
            numbers += sum(traced.array(stage.key).size for stage in model.stages)
        lines.append(Line(f"bytes a number, {name}", written / numbers, BYTES[name]))
    return lines
