"""A real server process on a free port, started as `make run` starts it."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx2

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60


class Server(NamedTuple):
    """A running server: where it answers, and its process."""

    address: str
    pid: int


@contextmanager
def running(*program: str, **environment: str) -> Iterator[Server]:
    """Start the server, or another module that takes a port and serves the app's health, with
    more environment variables; ends it afterwards."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [sys.executable, "-m", *(program or ("app", "serve", "--port")), str(port)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        _wait(process, address)
        yield Server(address, process.pid)
    finally:
        process.terminate()
        process.wait(timeout=20)
        assert process.stdout is not None
        process.stdout.close()


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(process: subprocess.Popen[str], address: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            assert process.stdout is not None
            raise RuntimeError(f"the server ended: {process.stdout.read()}")
        try:
            httpx2.get(f"{address}/api/v1/health", timeout=5)
        except httpx2.TransportError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"no answer from {address} within {START_SECONDS} s")
