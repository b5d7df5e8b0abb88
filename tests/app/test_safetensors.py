"""The binary form of a trace, read back by the safetensors library."""

import numpy as np
import orjson
import pytest
import safetensors.numpy

from app.tracing import wire
from model import LoadedModel, trace
from model.config import PRESETS
from model.table.architectures import Stage, stages
from model.tracing import matching

TEXTS = ("T", "To be", "Now is the winter of our discontent\nMade glorious summer by thi")
HEADER_LENGTH = 8


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("stage", stages(PRESETS["shakespeare"]), ids=lambda stage: stage.key)
def test_safetensors_reads_back_identically(model: LoadedModel, text: str, stage: Stage) -> None:
    traced = trace(model, text)
    read = safetensors.numpy.load(wire.as_safetensors(traced, [stage]))
    shown = traced.array(stage.key)
    assert read[stage.key].dtype == shown.dtype
    assert read[stage.key].shape == shown.shape
    assert np.array_equal(read[stage.key], shown)


def test_safetensors_of_all_stages_has_each_in_its_place(model: LoadedModel) -> None:
    traced = trace(model, TEXTS[1])
    read = safetensors.numpy.load(wire.as_safetensors(traced, model.stages))
    assert read.keys() == {stage.key for stage in model.stages}
    assert all(np.array_equal(read[key], traced.array(key)) for key in read)


def test_safetensors_tensors_can_be_viewed_in_place(model: LoadedModel) -> None:
    """A browser's Float32Array must begin at a multiple of four bytes."""
    body = wire.as_safetensors(trace(model, TEXTS[1]), model.stages)
    size = int.from_bytes(body[:HEADER_LENGTH], "little")
    header = orjson.loads(body[HEADER_LENGTH : HEADER_LENGTH + size])
    del header["__metadata__"]
    starts = [HEADER_LENGTH + size + entry["data_offsets"][0] for entry in header.values()]
    assert [start % 4 for start in starts] == [0] * len(model.stages)


def test_safetensors_metadata_is_the_trace_in_words(model: LoadedModel) -> None:
    traced = trace(model, TEXTS[1])
    body = wire.as_safetensors(traced, matching(model.stages, ["ids"]))
    size = int.from_bytes(body[:HEADER_LENGTH], "little")
    told = orjson.loads(body[HEADER_LENGTH : HEADER_LENGTH + size])["__metadata__"]["trace"]
    assert orjson.loads(told) == wire.trace_text(traced)
