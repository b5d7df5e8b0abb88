"""The page opens with something that the model can read, whatever its alphabet."""

import json
import re
from pathlib import Path

import pytest
import torch

from app.server.settings import Settings
from app.site import opening
from model import LoadedModel, checkpoint, trace
from model.config import PRESETS
from model.network.build import build
from model.tokenizer import CharacterTokenizer
from tests.app.conftest import Serve


def save_model_of(folder: Path, alphabet: str) -> None:
    """A checkpoint with fresh weights that reads these characters alone."""
    config = PRESETS["shakespeare"].having(vocab_size=len(alphabet))
    record = {
        "command": "", "seed": 0, "steps": 1, "recipe": {}, "validation_loss": 1.0,
        "loss_curve": [], "seconds": 0.0, "versions": {}, "corpus_sha256": "",
    }  # fmt: skip
    network = build(config, torch.Generator().manual_seed(0))
    tokenizer = CharacterTokenizer(tuple(alphabet))
    checkpoint.save(folder, config=config, tokenizer=tokenizer, network=network, record=record)


def boot(page: str) -> dict[str, object]:
    return json.loads(re.search(r"data-boot>(.*?)</script>", page, re.S)[1])  # type: ignore[index]


@pytest.mark.parametrize("alphabet", ["abcdeq", "\nxyzé", "ab", "0123456789", "αβγ δ"])
def test_model_of_another_alphabet_opens_with_its_own_characters(
    alphabet: str, tmp_path: Path, serve: Serve
) -> None:
    save_model_of(tmp_path / "Mine", alphabet)
    client = serve(checkpoints=tmp_path)
    page = client.get("/")
    assert page.status_code == 200
    started = boot(page.text)
    assert started["text"]
    assert set(str(started["text"])) <= set(alphabet)
    assert all(set(one["text"]) <= set(alphabet) for one in started["examples"])  # type: ignore[attr-defined]
    assert client.get("/api").status_code == 200


def test_reference_shows_calls_that_this_server_answers(tmp_path: Path, serve: Serve) -> None:
    save_model_of(tmp_path / "Mine", "abcdeq")
    page = serve(checkpoints=tmp_path).get("/api").text
    assert "/models/Mine" in page
    assert "To be" not in page


@pytest.mark.parametrize("text", ["9999", "a" * 65])
def test_unreadable_opening_text_is_replaced_and_health_says_so(text: str, serve: Serve) -> None:
    client = serve(text=text)
    assert boot(client.get("/").text)["text"] == opening.EXAMPLES[0][1]
    health = client.get("/api/v1/health").json()
    assert health["status"] == "ready"
    assert "TRACER_TEXT" in health["reason"] or "opening text" in health["reason"]


def test_unknown_default_model_is_said_by_health(serve: Serve) -> None:
    client = serve(default_model="zzz")
    assert "'zzz'" in client.get("/api/v1/health").json()["reason"]
    assert client.get("/").status_code == 200


def test_all_prepared_texts_suit_the_shipped_model(model: LoadedModel) -> None:
    shown = opening.examples(model)
    assert [one["name"] for one in shown] == [name for name, _ in opening.EXAMPLES]
    assert len(trace(model, shown[-1]["text"]).tokens) == model.config.context_length
    assert opening.text(Settings(), model) == Settings().text
