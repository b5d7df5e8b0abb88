"""The rules that hold the page's scripts together, read from their source: which imports which, who
asks the server, and that the newest answer wins in one place."""

import os
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.conftest import ROOT

SCRIPTS = Path("static/js")
ALL = [path.relative_to(ROOT) for path in sorted((ROOT / SCRIPTS).rglob("*.js"))]
SHARED = {"tensor", "drawing", "page"}
ROOMS = {
    "tensor": set[str](),
    "drawing": {"tensor"},
    "page": {"tensor", "drawing"},
    "tracer": SHARED,
    "labs": SHARED,
    "lesson": SHARED,
    "glossary": SHARED,
}
"""Each folder of scripts, and those that it may import from beside itself."""
SCRIPT_IMPORT = re.compile(
    r"""(?m)(?:^import\b[^;"']*|^export\b[^;"'=]*\bfrom\s*|\bimport\(\s*)["']([^"']+)["']"""
)
NEWEST, API = SCRIPTS / "page" / "newest.js", SCRIPTS / "page" / "api.js"
EACH_IS_WANTED = {SCRIPTS / "tracer" / "requests" / "matrices.js"}
"""What asks without dropping older answers: none of its answers makes another one needless."""
every_script = pytest.mark.parametrize("path", ALL, ids=str)


def script(path: Path) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def scripts_of(path: Path) -> set[Path]:
    """The scripts that one imports."""
    found = SCRIPT_IMPORT.findall(script(path))
    assert all(name.startswith(".") for name in found), f"{path} imports a script by name"
    return {Path(os.path.normpath(path.parent / name)) for name in found}


def room(path: Path) -> str:
    return path.relative_to(SCRIPTS).parts[0]


def test_every_folder_of_scripts_has_a_rule() -> None:
    assert {room(path) for path in ALL} == ROOMS.keys()


@every_script
def test_script_imports_from_its_own_room_and_those_below(path: Path) -> None:
    assert {room(other) for other in scripts_of(path)} <= ROOMS[room(path)] | {room(path)}


def test_scripts_import_in_no_circle() -> None:
    """TopologicalSorter raises a CycleError that names one."""
    order = TopologicalSorter({path: scripts_of(path) for path in ALL})
    assert set(order.static_order()) == set(ALL)


@every_script
def test_tensors_and_drawings_ask_nothing_and_keep_no_state(path: Path) -> None:
    words = set(re.findall(r"\w+", script(path)))
    assert room(path) not in {"tensor", "drawing"} or not words & {"fetch", "store", "storeOf"}


@every_script
def test_server_is_asked_in_one_script(path: Path) -> None:
    assert path == API or not re.search(r"\bfetch\s*\(|XMLHttpRequest|sendBeacon", script(path))


@every_script
def test_requests_are_aborted_in_one_script(path: Path) -> None:
    """F10: that the newest answer wins is said once."""
    assert path == NEWEST or "AbortController" not in script(path)


@every_script
def test_what_asks_the_server_lets_the_newest_answer_win(path: Path) -> None:
    asks = re.search(r"\bfetch[A-Z]\w*\(", script(path)) and path != API
    assert not asks or NEWEST in scripts_of(path) or path in EACH_IS_WANTED


def test_scripts_that_ask_are_found() -> None:
    """The test above can fail: these ask, and it sees that they do."""
    asking = {path for path in ALL if NEWEST in scripts_of(path)}
    kinds = {"traces", "checks", "gradients", "explanations", "flow"}
    expected = {SCRIPTS / "tracer" / "requests" / f"{kind}.js" for kind in kinds}
    expected |= {SCRIPTS / "labs" / "lab.js", SCRIPTS / "labs" / "question.js"}
    assert asking == expected | {SCRIPTS / "lesson" / "requests.js"}
