"""What a trace request costs a live server, against a body that is ready to send."""

import time
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from itertools import cycle
from urllib.parse import urlsplit

import orjson

from tests.benchmarks import blob
from tests.benchmarks.rounds import interleaved
from tests.benchmarks.table import Bound, Goal, Line

BINARY = Goal(0.30, Bound.AT_LEAST)


class Client:
    """One connection that stays open, and as little else as it takes to read an answer."""

    def __init__(self, address: str) -> None:
        self._connection = HTTPConnection(urlsplit(address).netloc, timeout=60)

    def trace(self, text: str, form: str) -> bytes:
        """The body of a trace request for all stages."""
        body = orjson.dumps({"text": text, "format": form})
        try:
            response = self._send(body)
        except ConnectionError:  # the server closes a connection that rested for some seconds
            self._connection.close()
            response = self._send(body)
        content = response.read()
        assert response.status == 200, content
        return content

    def _send(self, body: bytes) -> HTTPResponse:
        self._connection.request(
            "POST", blob.PATH, body, headers={"Content-Type": "application/json"}
        )
        return self._connection.getresponse()

    def close(self) -> None:
        self._connection.close()


def requests(
    address: str, texts: list[str], *, form: str, goal: Goal | None, rounds: int, calls: int
) -> list[Line]:
    """Requests a second, as a share of those of a blob of the same size."""
    with closing(Client(address)) as client:
        size = len(client.trace(texts[0], form))
    next_text = cycle(texts).__next__
    with (
        blob.serving(size) as blob_address,
        closing(Client(address)) as ours,
        closing(Client(blob_address)) as theirs,
    ):
        found = interleaved(
            {
                "ours": lambda: ours.trace(next_text(), form),
                "blob": lambda: theirs.trace(next_text(), form),
            },
            clock=time.perf_counter,
            rounds=rounds,
            calls=calls,
        )
    return [
        Line(f"{form} requests a second / blob", found.ratio("blob", "ours"), goal),
        Line(f"  {form} requests a second", 1 / found.typical("ours")),
        Line(f"  blobs of {size / 1e6:.1f} MB a second", 1 / found.typical("blob")),
    ]
