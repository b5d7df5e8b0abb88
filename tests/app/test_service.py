"""What waits, what is turned away, what can be set, and how the server starts."""

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pydantic import ValidationError
from starlette.testclient import TestClient

from app import __main__
from app.main import create_app
from app.server.settings import Settings
from app.tracing import wire
from tests.app.answers import problem
from tests.app.conftest import Serve
from tests.conftest import SHAKESPEARE

TRACES = "/api/v1/traces"
JSON_TRACE = {"text": "a", "stages": ["ids"]}


@pytest.fixture
def full(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[TestClient, Event]]:
    """An app whose only place for slow work is taken until the event is set."""
    client = serve(slow_workers=1, slow_waiting=0)
    entered, leave = Event(), Event()
    usual = wire.as_json

    def as_json(*given: Any) -> bytes:
        entered.set()
        assert leave.wait(30)
        return usual(*given)

    monkeypatch.setattr(wire, "as_json", as_json)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(client.post, TRACES, json=JSON_TRACE)
        assert entered.wait(30)
        try:
            yield client, leave
        finally:
            leave.set()
        assert first.result().status_code == 200


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("traces", {}),
        ("traces", {"format": "csv", "stages": ["ids"]}),
        ("traces", {"format": "npz"}),
        ("checks", {}),
        ("figures", {"stage": "ids"}),
    ],
)
def test_slow_request_beyond_the_queue_is_turned_away(
    full: tuple[TestClient, Event], path: str, more: dict[str, Any]
) -> None:
    client, _ = full
    response = client.post(f"/api/v1/{path}", json={"text": "a"} | more)
    found = problem(response, 503)
    assert found.code == "busy"
    assert "limit is 1" in found.message
    assert response.headers["retry-after"] == "1"


def test_quick_answers_need_no_place_in_the_queue(full: tuple[TestClient, Event]) -> None:
    client, _ = full
    sent = {"text": "a", "format": "safetensors"}
    assert client.post(TRACES, json=sent).status_code == 200
    for path in ("/api/v1/health", "/api/v1/stages", "/api/v1/models", "/"):
        assert client.get(path).status_code == 200


def test_wrong_request_is_refused_before_it_would_wait(full: tuple[TestClient, Event]) -> None:
    client, _ = full
    assert problem(client.post(TRACES, json={"text": ""}), 422).code == "invalid_text"


def test_place_in_the_queue_is_given_back(full: tuple[TestClient, Event]) -> None:
    client, leave = full
    leave.set()
    for _ in range(200):  # the first request needs a moment to end
        response = client.post(TRACES, json=JSON_TRACE)
        if response.status_code == 200:
            return
        assert problem(response, 503).code == "busy"
        time.sleep(0.05)
    pytest.fail("the place was never given back")


def test_place_in_the_queue_is_given_back_after_a_mistake(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = serve(slow_workers=1, slow_waiting=0)
    with monkeypatch.context() as broken:
        broken.setattr(wire, "as_json", lambda *_: 1 / 0)
        for _ in range(3):
            problem(client.post(TRACES, json=JSON_TRACE), 500)
    assert client.post(TRACES, json=JSON_TRACE).status_code == 200


SET = {
    "checkpoints": str(SHAKESPEARE.parent),
    "default_model": "other",
    "text": "hello",
    "max_body_bytes": "2048",
    "slow_workers": "2",
    "slow_waiting": "3",
}


def test_every_setting_is_an_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SET.items():
        monkeypatch.setenv(f"TRACER_{name.upper()}", value)
    found = Settings()
    assert SET.keys() == Settings.model_fields.keys()
    assert {name: str(getattr(found, name)) for name in SET} == SET


def test_body_limit_is_the_one_that_is_set(serve: Serve) -> None:
    client = serve(max_body_bytes=2048)
    assert client.get("/api/v1/models").json()["models"][0]["limits"]["max_body_bytes"] == 2048
    assert "2048" in problem(client.post(TRACES, content=b"a" * 2049), 413).message


def test_models_come_from_the_folder_that_is_set(serve: Serve, tmp_path: Path) -> None:
    client = serve(checkpoints=tmp_path)
    assert client.get("/api/v1/health").json()["models"] == []


WRONG = [("SLOW_WORKERS", "0"), ("MAX_BODY_BYTES", "many"), ("TEXT", "")]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_wrong_setting_stops_the_app(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"TRACER_{name}", value)
    with pytest.raises(ValidationError):
        create_app()


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_wrong_setting_is_named_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, value: str
) -> None:
    monkeypatch.setenv(f"TRACER_{name}", value)
    assert __main__.main(["serve"]) == 1
    told = capsys.readouterr().err
    assert f"TRACER_{name} is {value!r}" in told
    assert len(told.splitlines()) == 1


@pytest.mark.parametrize("command", [["serve", "--port"], ["--port"]])
def test_port_in_use_is_named_with_the_way_out(
    capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert __main__.main([*command, port]) == 1
    told = capsys.readouterr().err
    assert f"127.0.0.1:{port} cannot be used" in told
    assert "Choose another port" in told


@pytest.mark.parametrize("port", ["70000", "-1"])
def test_port_that_is_none_is_refused(capsys: pytest.CaptureFixture[str], port: str) -> None:
    assert __main__.main(["serve", f"--port={port}"]) == 1
    assert "cannot be used" in capsys.readouterr().err


@pytest.mark.parametrize("command", [[], ["serve"]])
def test_option_before_and_after_the_command_is_the_same(command: list[str]) -> None:
    given = __main__.parser().parse_args([*command, "--port", "8001", "--host", "::1"])
    assert (given.port, given.host) == (8001, "::1")


def test_option_before_the_command_counts() -> None:
    given = __main__.parser().parse_args(["--port", "8001", "serve"])
    assert given.port == 8001
