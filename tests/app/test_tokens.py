"""A model that reads tokens of several bytes answers as any other: each token has a label."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from app.exports.saved_cells import carried_cells
from app.server.json import to_json
from app.server.settings import Settings
from app.site import opening
from app.tracing import figures, wire
from app.tracing.api.cells import cell_answer
from app.tracing.api.checks import checked
from app.tracing.api.stages import stage_table
from model import LoadedModel, Trace, explain, trace
from model.tokenizer import CharacterTokenizer
from tests.model.byte_pairs import byte_pair_model

TEXT = "the 🙂 k"
LABELS = ["the", "␣", "⟨F0 9F⟩", "⟨99⟩", "⟨82⟩", "␣k"]


@pytest.fixture(scope="module")
def reader() -> LoadedModel:
    return byte_pair_model()


@pytest.fixture(scope="module")
def traced(reader: LoadedModel) -> Trace:
    return trace(reader, TEXT)


def test_answer_has_a_label_a_token(traced: Trace) -> None:
    answer = json.loads(wire.as_json(traced, traced.stages))
    assert [token["label"] for token in answer["tokens"]] == LABELS
    assert [token["id"] for token in answer["tokens"]] == answer["stages"][0]["values"]
    assert [stage["shape"][-1] for stage in answer["stages"] if stage["key"] == "logits"] == [
        traced.model.config.vocab_size
    ]


def test_tensors_travel_as_they_are(traced: Trace) -> None:
    with np.load(io.BytesIO(wire.as_npz(traced, traced.stages)), allow_pickle=False) as read:
        assert (read["logits"] == traced.array("logits")).all()


def test_csv_names_each_token(traced: Trace) -> None:
    rows = list(csv.DictReader(io.StringIO(wire.as_csv(traced, traced.stages[0]).decode())))
    assert [row["position_token"] for row in rows] == [token.text for token in traced.tokens]


def test_figure_is_labelled_by_token(traced: Trace) -> None:
    drawn = to_json(figures.fill(traced, traced.stage("logits"), columns=1)).decode()
    for label in LABELS:
        assert f'"{label}"' in drawn


def test_table_labels_every_row_of_the_embedding(reader: LoadedModel) -> None:
    table = stage_table(reader, reader.stages)
    rows = reader.config.vocab_size
    assert len(table["labels"]) == len(table["vocabulary"]) == rows
    assert table["labels"][-1] == f"‹{rows - 1}›"
    assert json.loads(to_json(table))["labels"][0x9F] == "⟨9F⟩"


def test_table_names_what_its_labels_do_not_show(model: LoadedModel) -> None:
    """F07: a blank by its word, what does not print by its code point and name."""
    odd = " \n\u200b\u202e␣"
    letters = [chr(ord("A") + at) for at in range(model.config.vocab_size - len(odd))]
    table = stage_table(
        replace(model, tokenizer=CharacterTokenizer((*odd, *letters))), model.stages
    )
    assert table["labels"][: len(odd)] == ["␣", "↵", "U+200B", "U+202E", "U+2423"]
    assert table["names"][: len(odd)] == [
        "space",
        "newline",
        "U+200B ZERO WIDTH SPACE",
        "U+202E RIGHT-TO-LEFT OVERRIDE",
        "U+2423 OPEN BOX",
    ]
    assert table["names"][len(odd) :] == table["labels"][len(odd) :] == letters


def test_checks_and_cells_answer(traced: Trace) -> None:
    proof = checked(traced)
    assert all(one["end_to_end"]["equal"] for one in proof["checks"])
    assert {one["name"] for one in proof["sanity"]} >= {
        "A changed last token changes nothing earlier"
    }
    answer = json.loads(to_json(cell_answer(traced, explain(traced, "ids", (0,)))))
    assert answer["note"] == "The token is 'the'."
    assert carried_cells(traced)


def test_page_opens_with_a_text_that_the_model_can_read(reader: LoadedModel) -> None:
    assert trace(reader, opening.text(Settings(), reader)).tokens
