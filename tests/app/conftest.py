"""What the tests of the app share."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from starlette.testclient import TestClient

from app import main
from app.server.settings import ROOT, Settings
from app.site.assets import Assets

Serve = Callable[..., TestClient]


@pytest.fixture(scope="session")
def openapi(client: TestClient) -> dict[str, Any]:
    """The API's own description."""
    description: dict[str, Any] = client.get("/api/v1/openapi.json").json()
    return description


@pytest.fixture(scope="session")
def assets() -> Assets:
    """The project's own; compressing Plotly's script takes a while, so it is done once."""
    return Assets(ROOT / "static")


@pytest.fixture
def serve(assets: Assets, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Start another app in this process, with the given settings."""
    monkeypatch.setattr(main, "Assets", lambda _: assets)
    with ExitStack() as stack:

        def start(**settings: Any) -> TestClient:
            app = main.create_app(Settings(**settings))
            return stack.enter_context(TestClient(app, raise_server_exceptions=False))

        yield start
