"""The models folder: a broken, unsafe or linked checkpoint beside a good one; and none at all."""

import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from app.server import service
from model.checkpoint import CONFIG, TOKENIZER, WEIGHTS
from tests.app.answers import problem
from tests.app.conftest import Serve
from tests.conftest import SHAKESPEARE

TRACES = "/api/v1/traces"


class Trap:
    """Its pickle makes a file when it is opened."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[[Path], None], tuple[Path]]:
        return Path.touch, (self.marker,)


def put(root: Path, name: str, *without: str) -> Path:
    """A copy of the good checkpoint, less some files."""
    folder = root / name
    shutil.copytree(SHAKESPEARE, folder)
    for file in without:
        (folder / file).unlink()
    return folder


def reason_beside_a_good_one(serve: Serve, root: Path) -> str:
    """What /health says of the folder, when the good one beside it answers as ever."""
    put(root, "good")
    client = serve(checkpoints=root, default_model="good")
    health = client.get("/api/v1/health")
    assert health.status_code == 200
    assert (health.json()["status"], health.json()["models"]) == ("ready", ["good"])
    answer = client.post(TRACES, json={"text": "To be", "stages": ["ids"]})
    assert answer.json()["model"]["id"] == "good"
    return str(health.json()["reason"])


@pytest.mark.parametrize(
    "content", [b"", b"To be, or not to be", pickle.dumps({"head.weight": [1.0]}), b"\xff" * 64]
)
def test_file_of_another_format_is_refused_by_name(
    serve: Serve, tmp_path: Path, content: bytes
) -> None:
    """C30."""
    (put(tmp_path, "broken") / WEIGHTS).write_bytes(content)
    reason = reason_beside_a_good_one(serve, tmp_path)
    for part in (WEIGHTS, "broken", "not a safetensors file"):
        assert part in reason


@pytest.mark.parametrize("name", ["model.pt", "pytorch_model.bin", WEIGHTS])
def test_pickle_is_never_opened(serve: Serve, tmp_path: Path, name: str) -> None:
    """C28."""
    marker = tmp_path / "opened"
    trap = pickle.dumps(Trap(marker))
    (put(tmp_path / "models", "unsafe", WEIGHTS) / name).write_bytes(trap)
    assert "unsafe" in reason_beside_a_good_one(serve, tmp_path / "models")
    assert not marker.exists()
    pickle.loads(trap)
    assert marker.exists(), "the trap must be one that works"


@pytest.mark.parametrize("file", [CONFIG, TOKENIZER])
def test_missing_file_is_named(serve: Serve, tmp_path: Path, file: str) -> None:
    put(tmp_path, "broken", file)
    assert file in reason_beside_a_good_one(serve, tmp_path)


@pytest.mark.parametrize("file", [CONFIG, TOKENIZER])
@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"[" * 9_999])
def test_broken_description_is_named(
    serve: Serve, tmp_path: Path, file: str, content: bytes
) -> None:
    (put(tmp_path, "broken") / file).write_bytes(content)
    assert file in reason_beside_a_good_one(serve, tmp_path)


def test_link_out_is_refused_without_saying_whether_its_target_exists(
    serve: Serve, tmp_path: Path
) -> None:
    """C29: a folder that is a link."""
    put(tmp_path / "outside", "target")
    reasons = []
    for target in ("target", "nothing"):
        root = tmp_path / f"models of {target}"
        root.mkdir()
        (root / "linked").symlink_to(tmp_path / "outside" / target)
        reasons.append(reason_beside_a_good_one(serve, root))
    assert reasons[0] == reasons[1]
    assert "linked is a link" in reasons[0]
    assert "outside" not in reasons[0]


@pytest.mark.parametrize("file", [WEIGHTS, CONFIG, TOKENIZER])
def test_linked_file_is_refused_without_saying_whether_its_target_exists(
    serve: Serve, tmp_path: Path, file: str
) -> None:
    """C29: a link inside the folder that points out of it."""
    outside = put(tmp_path / "outside", "target")
    reasons = []
    for target in (file, "nothing"):
        root = tmp_path / f"models of {target}"
        (put(root, "broken", file) / file).symlink_to(outside / target)
        reasons.append(reason_beside_a_good_one(serve, root))
    assert reasons[0] == reasons[1]
    assert f"{file} in broken is a link out of the folder" in reasons[0]


def test_folder_name_that_is_no_id_is_refused(serve: Serve, tmp_path: Path) -> None:
    """C15: the name appears as it is, and the page does not take it for markup."""
    name = "<img src=x onerror=alert(1)>"
    put(tmp_path, name)
    assert repr(name) in reason_beside_a_good_one(serve, tmp_path)


def test_unreadable_folder_is_refused(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "locked")
    usual = service.load

    def load(folder: Path) -> object:
        if folder.name == "locked":
            raise PermissionError(13, "Permission denied")
        return usual(folder)

    monkeypatch.setattr(service, "load", load)
    assert "'locked' cannot be read: Permission denied" in reason_beside_a_good_one(serve, tmp_path)


def test_files_and_hidden_folders_are_no_models(serve: Serve, tmp_path: Path) -> None:
    put(tmp_path, ".cache")
    (tmp_path / "notes.txt").write_text("not a model")
    assert reason_beside_a_good_one(serve, tmp_path) == "None"


def test_first_model_is_the_default_where_the_usual_one_is_missing(
    serve: Serve, tmp_path: Path
) -> None:
    for name in ("b", "a"):
        put(tmp_path, name)
    client = serve(checkpoints=tmp_path)
    assert client.post(TRACES, json={"text": "a"}).json()["model"]["id"] == "a"
    assert client.get(TRACES, params={"text": "a", "model": "b"}).json()["model"]["id"] == "b"


@pytest.fixture(params=["missing", "empty", "broken"])
def no_models(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A models folder from which nothing can be loaded."""
    root = tmp_path / "models"
    if request.param != "missing":
        root.mkdir()
    if request.param == "broken":
        put(root, "shakespeare", CONFIG)
    return root


def test_health_without_models_says_why(serve: Serve, no_models: Path) -> None:
    """C49."""
    response = serve(checkpoints=no_models).get("/api/v1/health")
    assert response.status_code == 503
    assert (response.json()["status"], response.json()["models"]) == ("no model", [])
    expected = "has no config.json" if no_models.exists() and any(no_models.iterdir()) else "folder"
    assert expected in response.json()["reason"]


def test_api_without_models_says_why(serve: Serve, no_models: Path) -> None:
    """C49."""
    client = serve(checkpoints=no_models)
    sent = {"text": "a"}
    for response in (
        client.post(TRACES, json=sent),
        client.get(TRACES, params=sent),
        client.post("/api/v1/checks", json=sent),
        client.post("/api/v1/figures", json=sent | {"stage": "ids"}),
        client.get("/api/v1/models"),
        client.get("/api/v1/models/shakespeare"),
        client.get("/api/v1/stages"),
    ):
        found = problem(response, 503)
        assert found.code == "no_model"
        assert "No model could be loaded" in found.message
        assert "retry-after" not in response.headers


def test_page_without_models_says_why(serve: Serve, no_models: Path) -> None:
    """C49."""
    client = serve(checkpoints=no_models)
    reason = client.get("/api/v1/health").json()["reason"]
    response = client.get("/")
    assert response.status_code == 503
    assert response.headers["content-type"].startswith("text/html")
    assert reason[:20] in response.text.replace("&#39;", "'")
    assert client.get("/api").status_code == 200
