"""A checkpoint of half precision: every export has exactly its numbers, as float32, and says so."""

import csv
import io
import json
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
import safetensors.numpy
import torch
from safetensors.torch import load_file, save_file
from starlette.testclient import TestClient

from app import main
from app.server.settings import Settings
from app.site.assets import Assets
from model import load
from model.checkpoint import WEIGHTS
from model.ops.op import Array
from tests.app.answers import strict
from tests.app.test_formats import READERS, assert_identical, words_of_npz, words_of_safetensors
from tests.app.test_saved import boot
from tests.conftest import SHAKESPEARE

STAGE, WEIGHT, TEXT = "embeddings", "embedding.weight", "To be"
DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16}
Half = tuple[str, TestClient, Array]


@pytest.fixture(scope="module", params=DTYPES)
def half(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, assets: Assets
) -> Iterator[Half]:
    """The type, a server of such a checkpoint, and the exact rows of the text's characters."""
    root = tmp_path_factory.mktemp(request.param)
    copytree(SHAKESPEARE, root / "half")
    path = root / "half" / WEIGHTS
    stored = {key: one.to(DTYPES[request.param]) for key, one in load_file(path).items()}
    save_file(stored, path)
    ids = load(root / "half").tokenizer.encode(TEXT, "text")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "Assets", lambda _: assets)
        app = main.create_app(Settings(checkpoints=root))
        with TestClient(app) as client:
            yield request.param, client, stored[WEIGHT][ids].to(torch.float32).numpy()


def ask(half: Half, form: str) -> bytes:
    sent = {"text": TEXT, "stages": [STAGE], "format": form}
    return bytes(half[1].post("/api/v1/traces", json=sent).content)


@pytest.mark.parametrize("form", READERS)
def test_numbers_are_exactly_the_stored_ones(half: Half, form: str) -> None:
    """C44."""
    assert_identical(READERS[form](ask(half, form))[STAGE], half[2])


def test_csv_has_exactly_the_stored_numbers(half: Half) -> None:
    """C44."""
    rows = csv.DictReader(io.StringIO(ask(half, "csv").decode(), newline=""))
    read = np.array([row["value"] for row in rows], dtype=np.float32)
    assert_identical(read.reshape(half[2].shape), half[2])


def test_page_carries_exactly_the_stored_numbers(half: Half) -> None:
    """C44."""
    raw = b64decode(boot(ask(half, "html").decode())["carried"]["/traces"])
    assert_identical(safetensors.numpy.load(raw)[STAGE], half[2])


def test_weight_has_exactly_the_stored_numbers(half: Half) -> None:
    """C44."""
    answer = strict(half[1].get(f"/api/v1/weights/{WEIGHT}").content)["weight"]
    vocabulary = answer["shape"][0]
    read = np.array(answer["values"], dtype=np.float32)
    assert (answer["dtype"], len(read)) == ("float32", vocabulary)
    assert torch.from_numpy(read).to(DTYPES[half[0]]).to(torch.float32).numpy().tobytes() == (
        read.tobytes()
    )


def test_stored_type_is_recorded(half: Half) -> None:
    """C44."""
    said = {
        "json": ask(half, "json"),
        "npz": words_of_npz(ask(half, "npz")),
        "safetensors": words_of_safetensors(ask(half, "safetensors")),
    }
    for words in said.values():
        assert json.loads(words)["model"]["weights_dtype"] == half[0]
    assert strict(half[1].get("/api/v1/models/half").content)["weights_dtype"] == half[0]
    assert f"<dd>{half[0]}</dd>" in ask(half, "html").decode()


def test_folder_name_that_is_a_formula_is_no_model(tmp_path: Path) -> None:
    """C45: so no name in an export can run in a spreadsheet."""
    copytree(SHAKESPEARE, tmp_path / "=1+1")
    app = main.create_app(Settings(checkpoints=tmp_path))
    with TestClient(app) as client:
        health = strict(client.get("/api/v1/health").content)
    assert health["models"] == []
    assert "=1+1" in health["reason"]
