"""From a trace to bytes: JSON, safetensors, npz, CSV. No number is rounded on the way."""

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from app.server.json import to_json
from app.server.practice import Use
from app.tracing.mathml import mathml
from model.checkpoint import LoadedModel
from model.finiteness import Nonfinite, everything, nonfinite
from model.ops.op import Array
from model.parameters import Parameter
from model.table.axes import Axis
from model.table.stage import Kind, Stage
from model.tokenizer import Piece
from model.tracing import Token, Trace

SAFETENSORS_TYPE = "application/octet-stream"
NPZ_TYPE = "application/x-npz"
CSV_TYPE = "text/csv; charset=utf-8"
HTML_TYPE = "text/html; charset=utf-8"
SAFETENSORS_DTYPES = {np.dtype(np.float32): "F32", np.dtype(np.int32): "I32"}


def model_card(model: LoadedModel) -> dict[str, str]:
    """Which weights made a trace."""
    return {
        "id": model.id,
        "weights_sha256": model.weights_sha256,
        "weights_dtype": model.weights_dtype,
    }


def stage_entry(stage: Stage) -> dict[str, Any]:
    """What the table says of a stage, for a trace: all that does not depend on the text."""
    return {
        "key": stage.key,
        "title": stage.title,
        "group": stage.group,
        "branch": stage.branch,
        "symbol": stage.symbol,
        "axes": [axis.name for axis in stage.axes],
        "along": [axis.along for axis in stage.axes],
        "symbolic_shape": list(stage.symbolic_shape),
        "kind": stage.kind.value,
        "operation": stage.operation,
        "equation": stage.equation,
        "inputs": list(stage.inputs),
        "weights": [weight.key for weight in stage.weights],
        "sections": [
            {
                "course": s.course,
                "number": s.number,
                "title": s.title,
                "label": s.label,
                "url": s.url,
                "figure": s.figure_url,
            }
            for s in stage.sections
        ],
        "null_means": stage.null_means,
    }


def use(one: Use) -> dict[str, str]:
    """A place to practise."""
    return {"kind": one.kind.value, "title": one.title, "address": one.address}


@lru_cache(maxsize=64)
def stage_entries(stages: tuple[Stage, ...]) -> tuple[dict[str, Any], ...]:
    """A whole table for `/stages`: each entry with its equation and symbol as MathML too."""
    return tuple(
        stage_entry(stage)
        | {
            "mathml": mathml(stage.equation),
            "symbol_mathml": mathml(stage.symbol),
            "parameters": [
                {
                    "key": weight.key,
                    "symbol": weight.symbol,
                    "symbol_mathml": mathml(weight.symbol),
                    "symbolic_shape": [axis.symbol for axis in weight.axes],
                }
                for weight in stage.weights
            ],
        }
        for stage in stages
    )


def trace_text(traced: Trace) -> dict[str, Any]:
    """What a trace says beside its tensors: the model, what it read, and what it would put where
    it was asked."""
    return {
        "model": model_card(traced.model),
        **read_text(traced),
        "tokens": _tokens(traced.tokens),
        "target_tokens": _tokens(traced.target_tokens),
        "next": [
            {
                "position": position,
                "top": [
                    {"id": p.id, "text": p.text, "probability": p.probability}
                    for p in traced.next(position)
                ],
            }
            for position in traced.reading.asked
        ],
        "notices": list(traced.notices),
    }


def read_text(traced: Trace) -> dict[str, Any]:
    """The request's texts, as they were traced."""
    return {
        "text": traced.text,
        "target": traced.target,
        "hidden": list(traced.question.hidden),
    }


def _tokens(tokens: Sequence[Token]) -> list[dict[str, Any]]:
    return [{"position": t.position, "id": t.id, "text": t.text, "label": t.label} for t in tokens]


GRADIENT, WEIGHT_GRADIENT = "gradient.", "weight_gradient."
"""What the names of gradients begin with where tensors are sent by name."""


def tensors(traced: Trace, chosen: Sequence[Stage]) -> dict[str, Array]:
    """The chosen stages by key, then the gradients that the trace has, by key or by weight."""
    named = {stage.key: traced.array(stage.key) for stage in chosen}
    for stage in chosen:
        gradient = traced.gradient(stage.key)
        if gradient is not None:
            named[GRADIENT + stage.key] = gradient
    if traced.weight_gradients is not None:
        for key in traced.weight_gradients:
            named[WEIGHT_GRADIENT + key] = traced.weight_gradients.array(key)
    return {name: np.ascontiguousarray(array) for name, array in named.items()}


def as_json(traced: Trace, chosen: Sequence[Stage]) -> bytes:
    """The trace for people and scripts. What is not finite is null: `null_means` is "-inf" where
    all nulls are masked; where it is "listed", `nonfinite` says which of the four each one is."""
    told = trace_text(traced)
    arrays = [np.ascontiguousarray(traced.array(stage.key)) for stage in chosen]
    entries = [
        stage_entry(stage)
        | {
            "shape": list(array.shape),
            "dtype": str(array.dtype),
            "summary": summary(array),
            "values": array,
        }
        | _listed(traced, stage)
        | _gradient(traced, stage)
        for stage, array in zip(chosen, arrays, strict=True)
    ]
    told["stages"] = entries
    if traced.weight_gradients is not None:
        told["weight_gradients"] = [
            {
                "key": key,
                "shape": list(array.shape),
                "values": np.ascontiguousarray(array),
                "nonfinite": _told(nonfinite(array)),
            }
            for key in traced.weight_gradients
            for array in [traced.weight_gradients.array(key)]
        ]
    return to_json(told)


def _gradient(traced: Trace, stage: Stage) -> dict[str, Any]:
    """The entry's gradient, if gradients were asked for: null for ids."""
    if traced.gradients is None:
        return {}
    gradient = traced.gradient(stage.key)
    if gradient is None:
        return {"gradient": None, "gradient_nonfinite": None}
    return {
        "gradient": np.ascontiguousarray(gradient),
        "gradient_nonfinite": _told(nonfinite(gradient)),
    }


LISTED = "listed"
"""What `null_means` is where not all nulls are masked."""


def _listed(traced: Trace, stage: Stage) -> dict[str, Any]:
    """What the nulls of a stage are."""
    found = traced.nonfinite.get(stage.key)
    return {"nonfinite": _told(found)} | ({} if found is None else {"null_means": LISTED})


def _told(found: Nonfinite | None) -> dict[str, list[int]] | None:
    """Flat indices by each of the four words."""
    return None if found is None else {name: index.tolist() for name, index in found.named()}


def _binary_text(traced: Trace, chosen: Sequence[Stage]) -> dict[str, Any]:
    """The trace's text for the binary forms, whose numbers are raw: where some are not finite
    though no mask made them so, `nonfinite` has by their tensor's name which is which."""
    found = {
        stage.key: traced.nonfinite[stage.key] for stage in chosen if stage.key in traced.nonfinite
    }
    for stage in chosen:
        gradient = traced.gradient(stage.key)
        if gradient is not None and (one := nonfinite(gradient)) is not None:
            found[GRADIENT + stage.key] = one
    for key, tensor in (traced.weight_gradients or {}).items():
        if (one := nonfinite(tensor.numpy())) is not None:
            found[WEIGHT_GRADIENT + key] = one
    told = trace_text(traced)
    return told | {"nonfinite": {n: _told(one) for n, one in found.items()}} if found else told


def as_safetensors(traced: Trace, chosen: Sequence[Stage]) -> bytes:
    """Raw little-endian tensors by name; `__metadata__.trace` is the trace's text as JSON.

    The format is a length (8 bytes), a JSON header padded to a multiple of 8, and the data end to
    end. It is put together here in one copy: safetensors.numpy.save takes longer than two forward
    passes, most of it for fresh memory, and reads the strided q, k and v as if they were not.
    """
    told = to_json(_binary_text(traced, chosen)).decode()
    return _safetensors(tensors(traced, chosen), {"trace": told})


def _safetensors(named: Mapping[str, Array], metadata: Mapping[str, str]) -> bytes:
    assert sys.byteorder == "little", "the tensors are written as they lie in memory"
    header: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name, array in named.items():
        start, end = end, end + array.nbytes
        header[name] = {
            "dtype": SAFETENSORS_DTYPES[array.dtype],
            "shape": array.shape,
            "data_offsets": (start, end),
        }
    written = to_json(header)
    written += b" " * (-len(written) % 8)
    length = len(written).to_bytes(8, "little")
    return b"".join([length, written, *(array.data for array in named.values())])


def weight_as_json(model: LoadedModel, parameter: Parameter) -> bytes:
    """One weight for people and scripts."""
    array = np.ascontiguousarray(model.weights[parameter.weight.key])
    numbers = {"summary": summary(array), "values": array}
    weight = weight_entry(model, parameter) | numbers
    return to_json({"model": model_card(model), "weight": weight})


def weight_as_safetensors(model: LoadedModel, parameter: Parameter) -> bytes:
    """The same as a raw tensor by its name; `__metadata__.weight` is the rest as JSON."""
    key = parameter.weight.key
    told = {"model": model_card(model), "weight": weight_entry(model, parameter)}
    named = {key: np.ascontiguousarray(model.weights[key])}
    return _safetensors(named, {"weight": to_json(told).decode()})


def weight_entry(model: LoadedModel, parameter: Parameter) -> dict[str, Any]:
    """What can be said of a weight beside its numbers."""
    weight, array = parameter.weight, model.weights[parameter.weight.key]
    return {
        "key": weight.key,
        "title": parameter.title,
        "symbol": weight.symbol,
        "symbol_mathml": mathml(weight.symbol),
        "axes": [axis.name for axis in weight.axes],
        "along": [axis.along for axis in weight.axes],
        "symbolic_shape": list(parameter.symbolic_shape),
        "kind": Kind.SIGNED.value,
        "used_by": [stage.key for stage in parameter.used_by],
        "shape": list(array.shape),
        "dtype": str(array.dtype),
    }


def as_npz(traced: Trace, chosen: Sequence[Stage]) -> bytes:
    """A NumPy archive of the tensors by name, with the trace's text as JSON in `__trace__`."""
    archive = io.BytesIO()
    np.savez(
        archive,
        allow_pickle=False,
        **tensors(traced, chosen),
        __trace__=np.array(to_json(_binary_text(traced, chosen)).decode()),
    )
    return archive.getvalue()


def as_csv(traced: Trace, stage: Stage) -> bytes:
    """One stage, a row a cell: the index on each axis, the text of each token, the value, and
    the gradient if the trace has it.

    Values are the shortest decimals that read back as the same float32; what is not finite is one
    of the words masked, -inf, +inf and nan.
    """
    array, gradient = traced.array(stage.key), traced.gradient(stage.key)
    pieces = {i: _pieces(axis, traced) for i, axis in enumerate(stage.axes)}
    labels = {i: [one.text for one in found] for i, found in pieces.items() if found is not None}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(
        [axis.name for axis in stage.axes]
        + [f"{stage.axes[i].name}_token" for i in labels]
        + ["value"]
        + (["gradient"] if gradient is not None else [])
    )
    masked = stage.op.masked(array.shape)
    columns = [_written(array, masked)] + ([] if gradient is None else [_written(gradient, None)])
    for index, *texts in zip(np.ndindex(array.shape), *columns, strict=True):
        writer.writerow([*index, *(labels[i][index[i]] for i in labels), *texts])
    return out.getvalue().encode()


WRITTEN = {"masked": "masked", "minus_inf": "-inf", "plus_inf": "+inf", "nan": "nan"}
"""The four words in a CSV; all but the first are read as numbers."""


def _written(array: Array, masked: Array | None) -> Array:
    """Each cell as text, in one row."""
    texts = array.astype(str).astype(object).ravel()
    for name, index in everything(array, masked).named() if array.dtype.kind == "f" else ():
        texts[index] = WRITTEN[name]
    return texts


def summary(array: Array) -> dict[str, float | int | None]:
    """Minimum, maximum, mean and standard deviation over the finite cells, and how many are not.

    Computed in float64; all null where no cell is finite.
    """
    finite = array[np.isfinite(array)].astype(np.float64)
    nonfinite = int(array.size - finite.size)
    if not finite.size:
        return {"min": None, "max": None, "mean": None, "std": None, "nonfinite": nonfinite}
    return {
        "min": float(finite.min()),
        "max": float(finite.max()),
        "mean": float(finite.mean()),
        "std": float(finite.std()),
        "nonfinite": nonfinite,
    }


def labels_of(axis: Axis, traced: Trace) -> list[str] | None:
    """The visible label of each index along an axis whose indices stand for pieces, else None."""
    pieces = _pieces(axis, traced)
    return None if pieces is None else [piece.label for piece in pieces]


def _pieces(axis: Axis, traced: Trace) -> Sequence[Piece] | None:
    return None if axis.along is None else traced.pieces(axis.along)
