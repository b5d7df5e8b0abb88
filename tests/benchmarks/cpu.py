"""What a trace costs the processor, against a plain forward pass of the same weights."""

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import Any

import torch
from torch import Tensor

from app.server.memory import keep_freed
from app.tracing import wire
from model import LoadedModel, trace
from model.config import ModelConfig
from model.question import Question
from model.reading import read
from model.tracing import Trace
from tests.benchmarks.functions import plain_forward
from tests.benchmarks.reference import plain_model
from tests.benchmarks.rounds import interleaved
from tests.benchmarks.table import Goal, Line

AGREEMENT = 1e-4
"""How far a peer's logits may be from the traced ones, or it does other work."""
HIDDEN_EVERY = 8
Peer = Callable[..., Tensor]
TRACE = Goal(1.6, aim=1.4)
ENCODED = Goal(2.6, aim=2.0)
BYTES = {"safetensors": Goal(4.04), "json": Goal(10.9)}


def speed(
    model: LoadedModel, others: Sequence[LoadedModel], texts: list[str], *, rounds: int
) -> list[Line]:
    """CPU time of a trace of each model, and of the first one's trace with its encoding, in plain
    forward passes of the same model.

    The plain forward is of nn modules, which is what a model is written as and what the tracing
    libraries wrap; bare functions over the weights are printed beside it. Single calls take turns,
    so that each finds the processor's caches as a server's request does: with another's work.
    """
    weights = dict(model.network.state_dict())
    next_text = cycle(texts).__next__

    def functions(ids_BT: Tensor) -> Tensor:
        return plain_forward(ids_BT, weights, model.config)

    check_agreement(functions, model, texts[0])
    works: dict[str, Callable[[], object]] = {
        "functions": forward(functions, model, texts),
        "untraced": forward(model.network, model, texts),
        "encoded": lambda: wire.as_safetensors(trace(model, next_text()), model.stages),
    }
    for each in (model, *others):
        layers = plain_model(each.network.state_dict(), each.config)
        check_agreement(layers, each, texts[0])
        works[f"{each.id} layers"] = forward(layers, each, texts)
        works[f"{each.id} trace"] = tracing(each, texts)
    keep_freed()
    found = interleaved(works, clock=time.process_time, rounds=rounds, calls=1)
    plain, traced = f"{model.id} layers", f"{model.id} trace"
    return [
        Line("full trace / plain forward", found.ratio(traced, plain), TRACE),
        Line("trace + safetensors / plain forward", found.ratio("encoded", plain), ENCODED),
        Line("  our forward, untraced / plain forward", found.ratio("untraced", plain)),
        Line("  full trace / bare functions, no modules", found.ratio(traced, "functions")),
        Line("  trace + safetensors / bare functions", found.ratio("encoded", "functions")),
        Line("  plain forward, milliseconds", 1000 * found.typical(plain)),
        *(
            Line(
                f"full trace / plain forward, {each.id}",
                found.ratio(f"{each.id} trace", f"{each.id} layers"),
                TRACE,
            )
            for each in others
        ),
        *(alone(each.id, works, rounds=rounds // 2) for each in (model, *others)),
    ]


def alone(name: str, works: Mapping[str, Callable[[], object]], *, rounds: int) -> Line:
    """A model's trace in turns with its plain forward and nothing else: the plain forward, which
    fits the processor's nearest cache, then finds itself there, and the trace, which is larger,
    does not. A server of one model is between this and the run over all of them."""
    pair = {kind: works[f"{name} {kind}"] for kind in ("layers", "trace")}
    found = interleaved(pair, clock=time.process_time, rounds=rounds, calls=1)
    return Line(f"  the two alone, {name}", found.ratio("trace", "layers"))


def check_agreement(peer: Peer, model: LoadedModel, text: str) -> None:
    """A peer computes this model's logits."""
    (logits_TV,) = forward(peer, model, [text])()
    shown_TV = tracing(model, [text])().tensor("logits")
    torch.testing.assert_close(logits_TV, shown_TV, rtol=0, atol=AGREEMENT)


def forward(network: Peer, model: LoadedModel, texts: list[str]) -> Callable[[], Tensor]:
    """One forward pass after the other, each of the next text."""
    next_ids = cycle([_ids(model, text) for text in texts]).__next__

    def work() -> Tensor:
        with torch.inference_mode():
            return network(*next_ids())

    return work


def tracing(model: LoadedModel, texts: list[str]) -> Callable[[], Trace]:
    """One trace after the other, each of the next text."""
    next_request = cycle([(text, asked(model.config, text)) for text in texts]).__next__

    def work() -> Trace:
        text, more = next_request()
        return trace(model, text, **more)

    return work


def asked(config: ModelConfig, text: str) -> dict[str, Any]:
    """What a trace of that architecture is given beside the text: an encoder some positions to
    guess, an encoder-decoder the longest target."""
    if config.guesses:
        return {"hidden": range(0, len(text), HIDDEN_EVERY)}
    return {"target": text[1:].replace("\n", " ")} if config.writes else {}


def _ids(model: LoadedModel, text: str) -> tuple[Tensor, ...]:
    """What a forward pass of the text reads: one row of ids a stack."""
    given = read(model, Question.of(text, **asked(model.config, text))).given
    return tuple(torch.tensor(ids[None]) for key, ids in given.items() if key.endswith("ids"))


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
