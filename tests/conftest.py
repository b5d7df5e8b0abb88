"""What all tests share. Session fixtures are read-only."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
import torch
from starlette.testclient import TestClient

from app.main import create_app
from app.server.settings import Settings
from model import LoadedModel, load
from tests.live import Server, running

ROOT = Path(__file__).resolve().parent.parent
SHAKESPEARE = ROOT / "checkpoints" / "shakespeare"


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def model() -> LoadedModel:
    """The committed checkpoint."""
    return load(SHAKESPEARE)


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    """The app in this process, with the committed checkpoints."""
    with TestClient(create_app(Settings()), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="session")
def server_process() -> Iterator[Server]:
    """A real server, started as `make run` starts it."""
    with running() as server:
        yield server


@pytest.fixture(scope="session")
def server(server_process: Server) -> str:
    """Its address."""
    return server_process.address


@pytest.fixture
def random() -> Random:
    """The same draws in every run."""
    return Random(20261129)
