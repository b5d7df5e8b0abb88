"""The peer of a trace request: a constant body behind the same server and middleware.

`python -m tests.benchmarks.blob PORT SIZE` answers every request with SIZE bytes, made once.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI, Response

from app.server.headers import Headers, HeadRequests
from app.server.limits import BodyLimit
from app.server.settings import Settings
from tests.live import ROOT, START_SECONDS, free_port

PATH = "/api/v1/traces"


def create_app(size: int) -> FastAPI:
    """The app's middleware around one handler that has nothing to do."""
    app = FastAPI(openapi_url=None)
    app.add_middleware(BodyLimit, limit=Settings().max_body_bytes)
    app.add_middleware(HeadRequests)
    app.add_middleware(Headers)
    body = os.urandom(size)

    @app.post(PATH)
    async def answer() -> Response:
        return Response(body, media_type="application/octet-stream")

    return app


@contextmanager
def serving(size: int) -> Iterator[str]:
    """Start it in a process of its own; yields its address, ends it afterwards."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.blob", str(port), str(size)], cwd=ROOT
    )
    try:
        _wait(process, port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"the blob server did not start within {START_SECONDS} s")


if __name__ == "__main__":
    port, size = map(int, sys.argv[1:])
    uvicorn.run(create_app(size), host="127.0.0.1", port=port, log_level="warning")
