"""What the tests of the app share."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings

Serve = Callable[..., TestClient]


@pytest.fixture(scope="session")
def openapi(client: TestClient) -> dict[str, Any]:
    """The API's own description."""
    description: dict[str, Any] = client.get("/api/v1/openapi.json").json()
    return description


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start another app in this process, with the given settings."""
    with ExitStack() as stack:

        def start(**settings: Any) -> TestClient:
            app = create_app(Settings(**settings))
            return stack.enter_context(TestClient(app, raise_server_exceptions=False))

        yield start
