"""The container's files, read without Docker; its health check really runs."""

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest

from app import __main__ as app_command

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
IGNORED = [
    line
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
DOCKER_RUN = [
    shlex.split(line) for line in README.splitlines() if line.startswith("docker run ")
]  # fmt: skip

SERVE_AND_REPORT_WRITES = """
import os, sys, tempfile
written = []
changing = {"os.mkdir", "os.rename", "os.remove", "os.link", "os.symlink", "os.truncate"}

def watch(event, arguments):
    if event == "open" and isinstance(arguments[2], int):
        if arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and arguments[0] != os.devnull:
            written.append((event, arguments[0]))
    elif event in changing and not (event == "os.mkdir" and os.path.isdir(arguments[0])):
        written.append((event, arguments[0]))

tempfile._candidate_tempdir_list = list  # what a read-only root leaves of them
sys.addaudithook(watch)
from starlette.testclient import TestClient
from app.main import create_app

with TestClient(create_app()) as client:
    statuses = [
        client.get("/").status_code,
        *(client.get("/api/v1/traces", params={"text": "To be", "format": format}).status_code
          for format in ("json", "safetensors", "npz")),
        client.post("/api/v1/checks", json={"text": "To be"}).status_code,
    ]
print(statuses, written)
"""


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions in order: the word in capitals, and the rest of it."""
    lines = [line for line in DOCKERFILE.splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", "")
    return [(word, rest) for word, _, rest in (x.partition(" ") for x in joined.split("\n") if x)]


def those(word: str) -> list[str]:
    """What follows one kind of instruction, each time that it occurs."""
    return [rest for found, rest in instructions() if found == word]


def copied() -> set[str]:
    """What the Dockerfile takes from the project's folder."""
    return {source for rest in those("COPY") for source in rest.split()[:-1]}


def environment() -> dict[str, str]:
    """The environment variables that the image sets."""
    return dict(pair.split("=", 1) for rest in those("ENV") for pair in rest.split())


def check_command(port: int) -> list[str]:
    """The health check's command, to be run here against another port."""
    python, *arguments = json.loads(those("HEALTHCHECK")[0].partition("CMD ")[2])
    assert python == "python"
    return [sys.executable, *(argument.replace("8000", str(port)) for argument in arguments)]


def checked(port: int, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run the health check."""
    return subprocess.run(
        check_command(port), env=environment, capture_output=True, text=True, timeout=60
    )


@contextmanager
def answering(status: int, content: bytes) -> Iterator[int]:
    """A server that gives every request the same answer; its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def test_base_is_one_slim_python() -> None:
    (base,) = those("FROM")
    assert re.fullmatch(r"python:3\.1[1-4]-slim", base)


def test_server_runs_without_root() -> None:
    *_, user = those("USER")
    assert int(user) > 0  # a number, so that a cluster can see that it is not root
    words = [word for word, _ in instructions()]
    assert words.index("USER") > max(i for i, word in enumerate(words) if word in ("COPY", "RUN"))


def test_command_binds_every_interface_on_the_exposed_port() -> None:
    python, option, module, *arguments = json.loads(those("CMD")[0])
    assert [python, option, module] == ["python", "-m", "app"]
    given = app_command.parser().parse_args(arguments)
    assert given.host == "0.0.0.0"
    assert those("EXPOSE") == [str(given.port)] == ["8000"]


def test_torch_is_the_pinned_version_from_the_index_of_the_makefile() -> None:
    (index,) = re.findall(r"^TORCH_INDEX \?= (\S+)$", MAKEFILE, re.MULTILINE)
    assert those("ARG") == [f"TORCH_INDEX={index}"]
    (install,) = [run for run in those("RUN") if "torch==" in run]
    assert "torch==$(sed -n 's/^torch==//p' constraints.txt)" in install
    assert "${TORCH_INDEX:+--extra-index-url $TORCH_INDEX}" in install
    assert len(re.findall(r"^torch==\S+$", CONSTRAINTS, re.MULTILINE)) == 1


def test_every_other_package_is_held_by_the_constraints() -> None:
    installs = [run for run in those("RUN") if "pip install" in run]
    assert len(installs) == 2
    for install in installs:
        assert "--constraint constraints.txt" in install or "--no-deps" in install
        assert "--no-cache-dir" in install


def test_packages_are_installed_before_the_code_is_copied() -> None:
    last = max(i for i, (_, rest) in enumerate(instructions()) if "pip install" in rest)
    before = {rest.split()[0] for word, rest in instructions()[:last] if word == "COPY"}
    assert before == {"constraints.txt", "pyproject.toml"}


def test_threads_are_one_and_no_bytecode_is_written() -> None:
    wanted = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONDONTWRITEBYTECODE")
    assert [environment()[name] for name in wanted] == ["1", "1", "1"]


def test_context_holds_what_is_copied_and_nothing_else() -> None:
    assert IGNORED[0] == "*"
    assert {line.removeprefix("!") for line in IGNORED if line.startswith("!")} == copied()
    assert all((ROOT / source).exists() for source in copied())


@pytest.mark.parametrize("name", ["tests", ".git", ".venv", "runs", "data", ".env", "Makefile"])
def test_files_of_development_stay_out(name: str) -> None:
    assert name not in copied()
    assert f"!{name}" not in IGNORED


def test_hidden_files_and_bytecode_stay_out_of_copied_folders() -> None:
    last_taken = max(i for i, line in enumerate(IGNORED) if line.startswith("!"))
    assert {"**/.*", "**/__pycache__"} <= set(IGNORED[last_taken:])


def test_health_check_succeeds_when_the_server_is_ready(server: str) -> None:
    done = checked(int(server.rpartition(":")[2]))
    assert done.returncode == 0, done.stderr


def test_health_check_takes_no_proxy(server: str) -> None:
    done = checked(int(server.rpartition(":")[2]), http_proxy="http://127.0.0.1:9")
    assert done.returncode == 0, done.stderr


def test_health_check_fails_with_the_reason_when_no_model_is_loaded() -> None:
    with answering(503, b'{"status": "no model"}') as port:
        done = checked(port)
    assert done.returncode == 1
    assert done.stderr.strip() == '{"status": "no model"}'


def test_health_check_fails_when_nobody_listens() -> None:
    with answering(200, b"") as port:
        pass
    assert checked(port).returncode == 1


def test_server_answers_without_a_temporary_folder_and_writes_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SERVE_AND_REPORT_WRITES],
        cwd=ROOT, env=environment(), capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.strip() == "[200, 200, 200, 200, 200] []", done.stderr


def test_readme_publishes_on_the_loopback_only() -> None:
    assert DOCKER_RUN
    for words in DOCKER_RUN:
        published = [after for word, after in pairwise(words)
                     if word in ("-p", "--publish")]  # fmt: skip
        assert published
        assert all(re.fullmatch(r"127\.0\.0\.1:\d+:8000", each) for each in published)
        assert not {"-P", "--publish-all", "--network", "--net", "--privileged"} & set(words)


def test_readme_runs_with_a_read_only_root() -> None:
    assert DOCKER_RUN
    assert all("--read-only" in words for words in DOCKER_RUN)


def test_readme_runs_the_image_that_it_builds() -> None:
    (build,) = [
        shlex.split(line) for line in README.splitlines() if line.startswith("docker build")
    ]
    image = build[build.index("--tag") + 1]
    assert build[-1] == "."
    assert all(words[-1] == image for words in DOCKER_RUN)
