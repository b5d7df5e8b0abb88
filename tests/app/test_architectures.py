"""What encoders and encoder-decoders add to requests and answers."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from model.config import PRESETS
from tests.app.answers import problem, strict

API = "/api/v1"
ENCODER, SEQ2SEQ = "shakespeare-encoder", "shakespeare-seq2seq"
LINE = "T b, r nt t b"


def trace(client: TestClient, **sent: Any) -> Any:
    response = client.post(f"{API}/traces", json=sent)
    assert response.status_code == 200, response.text
    return strict(response.content)


def test_every_preset_is_served(client: TestClient) -> None:
    served = client.get(f"{API}/models").json()["models"]
    assert {model["id"] for model in served} == set(PRESETS)
    for model in served:
        config = PRESETS[model["id"]]
        assert model["architecture"] == config.architecture
        assert model["mask"] == ("_" if config.guesses else None)
        assert model["limits"]["max_target_characters"] == (63 if config.writes else None)
        assert model["training"]["validation_loss"] > 0


def test_encoder_decoder_says_how_much_it_gets_right(client: TestClient) -> None:
    """On lines that it has not seen, written greedily."""
    found = client.get(f"{API}/models/{SEQ2SEQ}").json()["training"]["held_out"]
    assert found["lines"] > 1000
    assert 0.2 < found["lines_right"] < 1
    assert 0.85 < found["characters_right"] < 1


def test_encoder_says_how_much_it_gets_right(client: TestClient) -> None:
    found = client.get(f"{API}/models/{ENCODER}").json()["training"]["held_out"]
    assert 0.3 < found["characters_right"] < 1


def test_encoder_answers_for_each_hidden_position(client: TestClient) -> None:
    answer = trace(client, model=ENCODER, text="T_ be", hidden=[3], stages=["ids"])
    assert [one["position"] for one in answer["next"]] == [1, 3]
    assert all(len(one["top"]) == 10 for one in answer["next"])
    assert answer["hidden"] == [3]
    assert [token["label"] for token in answer["tokens"]] == ["T", "_", "␣", "_", "e"]
    assert answer["target"] is None
    assert answer["target_tokens"] == []


def test_link_can_hide_characters(client: TestClient) -> None:
    query = {"model": ENCODER, "text": "To be", "hidden": [1, 3], "stages": "loss"}
    answer = client.get(f"{API}/traces", params=query).json()
    assert answer["hidden"] == [1, 3]
    assert answer["stages"][0]["shape"] == [2]
    assert answer["stages"][0]["along"] == ["hidden"]


def test_target_is_written_and_echoed(client: TestClient) -> None:
    answer = trace(client, model=SEQ2SEQ, text=LINE, stages=["loss"])
    assert answer["target"]
    tokens = "".join(token["text"] for token in answer["target_tokens"])
    assert tokens == "\n" + answer["target"]
    assert answer["next"][0]["position"] == len(answer["target"])
    again = trace(client, model=SEQ2SEQ, text=LINE, stages=["loss"], target=answer["target"])
    assert again == answer


def test_cross_attention_is_target_by_source(client: TestClient) -> None:
    key = "decoder.blocks.0.cross_attn.weights"
    answer = trace(client, model=SEQ2SEQ, text="T b", target="To", stages=[key])
    (stage,) = answer["stages"]
    assert stage["shape"] == [4, 3, 3]
    assert stage["symbolic_shape"] == ["h", "M", "N"]
    assert stage["along"] == [None, "target", "text"]
    assert stage["null_means"] is None


def test_csv_labels_target_and_source(client: TestClient) -> None:
    sent = {
        "model": SEQ2SEQ, "text": "T b", "target": "To", "format": "csv",
        "stages": ["decoder.blocks.0.cross_attn.weights"],
    }  # fmt: skip
    lines = client.post(f"{API}/traces", json=sent).text.split("\r\n")
    assert lines[0] == "head,position,source,position_token,source_token,value"
    assert len(lines) == 2 + 4 * 3 * 3
    assert lines[9].startswith("0,2,2,o,b,") or lines[9].startswith('0,2,2,"o","b",')


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"model": "shakespeare", "text": "To be", "target": "To be"}, "target"),
        ({"model": "shakespeare", "text": "To be", "hidden": [0]}, "hidden"),
        ({"model": ENCODER, "text": "To be", "hidden": [5]}, "hidden"),
        ({"model": ENCODER, "text": "To be", "hidden": [-1]}, "hidden"),
        ({"model": ENCODER, "text": "To be", "hidden": [0.5]}, "hidden"),
        ({"model": ENCODER, "text": "To be", "hidden": [1.0]}, "hidden"),
        ({"model": ENCODER, "text": "To be", "hidden": [True]}, "hidden"),
        ({"model": ENCODER, "text": "To be", "hidden": 3}, "hidden"),
        ({"model": ENCODER, "text": "To be", "target": "To be"}, "target"),
        ({"model": SEQ2SEQ, "text": "T b", "target": "a" * 64}, "target"),
        ({"model": SEQ2SEQ, "text": "T b", "target": "To\nbe"}, "target"),
        ({"model": SEQ2SEQ, "text": "T b", "target": "T🙂"}, "target"),
        ({"model": SEQ2SEQ, "text": "T b", "hidden": [0]}, "hidden"),
        ({"model": SEQ2SEQ, "text": "", "target": "a"}, "text"),
        ({"model": SEQ2SEQ, "text": "T b", "target": ["a"]}, "target"),
    ],
    ids=str,
)
@pytest.mark.parametrize("path", ["/traces", "/checks", "/gradient-flow"])
def test_request_that_does_not_fit_the_model_names_the_field(
    client: TestClient, path: str, sent: dict[str, Any], field: str
) -> None:
    response = client.post(API + path, json=sent)
    found = problem(response, 422)
    assert found.field is not None
    assert found.field.split(".")[0] == field


@pytest.mark.parametrize("name", PRESETS)
def test_page_of_every_model_carries_its_trace(client: TestClient, name: str) -> None:
    page = client.get("/", params={"model": name})
    assert page.status_code == 200
    assert f'"model": "{name}"' in page.text
    assert '"trace": ' in page.text


@pytest.mark.parametrize("name", PRESETS)
def test_sanity_checks_pass(client: TestClient, name: str) -> None:
    answer = client.post(f"{API}/checks", json={"model": name, "text": "T b, r"}).json()
    assert [one["finding"] for one in answer["sanity"] if not one["passed"]] == []
    assert all(check["end_to_end"]["equal"] for check in answer["checks"])
