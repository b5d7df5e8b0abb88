"""A real server under load: many clients, heavy answers, a training run beside it, huge bodies."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import httpx2
import pytest
import safetensors.numpy

from model import LoadedModel, trace
from model.config import PRESETS
from model.equality import END_TO_END, difference
from tests.app.answers import problem
from tests.live import ROOT, Server

LONGEST = "a" * PRESETS["shakespeare"].context_length
JSON = {"Content-Type": "application/json"}
HUGE = 100_000_000
PIECE = b"a" * 65_536
TRACES_EACH = 200


@contextmanager
def meanwhile(*works: Callable[[], None]) -> Iterator[list[int]]:
    """Repeat each work on a thread of its own; yields how often each was done."""
    done, stop = [0] * len(works), Event()

    def repeat(index: int) -> None:
        while not stop.is_set():
            works[index]()
            done[index] += 1

    with ThreadPoolExecutor(len(works)) as threads:
        running = [threads.submit(repeat, index) for index in range(len(works))]
        try:
            yield done
        finally:
            stop.set()
    for work in running:
        work.result()


@pytest.fixture
def training(tmp_path: Path) -> Iterator[None]:
    """A training run, past its first step."""
    corpus, out = tmp_path / "corpus.txt", tmp_path / "run"
    corpus.write_text("To be, or not to be, that is the question.\n" * 100)
    process = subprocess.Popen(
        [sys.executable, "-m", "model.training", "shakespeare", "--data", str(corpus), "--out",
         str(out), "--steps", "1000000", "--evaluate-every", "1", "--quiet"],
        cwd=ROOT,
    )  # fmt: skip
    try:
        while not (out / "training.json").exists():
            assert process.poll() is None
            time.sleep(0.05)
        yield
        assert process.poll() is None, "the run must have gone on all the while"
    finally:
        process.kill()
        process.wait()


def test_two_clients_at_once_each_get_their_own(server: str, model: LoadedModel) -> None:
    """C31."""

    def send(client: httpx2.Client, text: str) -> bytes:
        body = {"text": text, "format": "safetensors"}
        response = client.post(f"{server}/api/v1/traces", json=body)
        assert response.status_code == 200, response.text
        return response.content

    def many(text: str) -> set[bytes]:
        with httpx2.Client(timeout=60) as client:
            return {send(client, text) for _ in range(TRACES_EACH)}

    texts = ("aaaa", "bbbb")
    with ThreadPoolExecutor(len(texts)) as threads:
        together = list(threads.map(many, texts))
    for text, answers in zip(texts, together, strict=True):
        with httpx2.Client(timeout=60) as client:
            assert answers == {send(client, text)}
            alone = client.post(f"{server}/api/v1/traces", json={"text": text, "stages": ["ids"]})
        assert [token["id"] for token in alone.json()["tokens"]] == model.tokenizer.encode(text)


def test_server_computes_what_python_does(server: str, model: LoadedModel) -> None:
    body = {"text": LONGEST, "format": "safetensors"}
    response = httpx2.post(f"{server}/api/v1/traces", json=body, timeout=60)
    traced = trace(model, LONGEST)
    for key, array in safetensors.numpy.load(response.content).items():
        masked = traced.stage(key).op.masked(array.shape)
        assert difference(traced.array(key), array, END_TO_END, masked=masked).equal, key


def test_health_answers_within_a_second_under_load(server: str, training: None) -> None:
    """C37."""
    body = {"text": LONGEST}

    def ask(path: str) -> Callable[[], None]:
        def send() -> None:
            response = httpx2.post(f"{server}/api/v1/{path}", json=body, timeout=60)
            assert response.status_code == 200, response.text

        return send

    with (
        meanwhile(ask("traces"), ask("traces"), ask("checks")) as done,
        httpx2.Client(timeout=1) as client,
    ):
        answers = 0
        while answers < 10 or not all(done):
            assert client.get(f"{server}/api/v1/health").json()["status"] == "ready"
            answers += 1
            time.sleep(0.2)


def resident_bytes(pid: int) -> int:
    """The memory that a process holds just now."""
    shown = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True
    )
    return int(shown.stdout) * 1024


@pytest.mark.parametrize("declared", [True, False])
def test_huge_body_is_refused_and_not_kept(server_process: Server, declared: bool) -> None:
    """C38."""
    address, pid = server_process
    pieces = (PIECE for _ in range(HUGE // len(PIECE)))
    peaks = []

    def watch() -> None:
        peaks.append(resident_bytes(pid))
        time.sleep(0.01)

    before = resident_bytes(pid)
    with meanwhile(watch):
        response = httpx2.post(
            f"{address}/api/v1/traces",
            content=b"a" * HUGE if declared else pieces,
            headers=JSON,
            timeout=60,
        )
    assert problem(response, 413).code == "body_too_large"
    assert max(peaks) - before < HUGE / 10
    again = httpx2.post(f"{address}/api/v1/traces", json={"text": "a"}, timeout=60)
    assert again.status_code == 200


def test_head_on_the_wire_has_no_body(server: str) -> None:
    with httpx2.Client(timeout=30) as client:
        for path in ("/", "/api/v1/health", "/nope"):
            head, get = client.head(server + path), client.get(server + path)
            assert (head.status_code, head.content) == (get.status_code, b"")
            assert head.headers["content-length"] == str(len(get.content))
