"""The rules that hold the house together, read from the source: who may import whom, what a
forward pass may not contain, and that the stage table has no twin."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from model.config import PRESETS
from model.table.architectures import stages
from tests.conftest import ROOT

PACKAGES = ("app", "model")
FOLDERS = (*PACKAGES, "static", "templates", "tests")
SUFFIXES = {".py", ".js", ".css", ".html"}
MOST_LINES = 400
SERVER_LIBRARIES = {"fastapi", "starlette", "jinja2", "plotly", "uvicorn", "app"}
INTERPRETER = Path("model/interpreter.py")
READING = Path("model/reading.py")
FRONT_DOOR = "model/__init__.py"
"""Importing any part of the package runs it; what it offers is not what that part needs."""
ROOMS = {
    "app": {
        "__init__": "",
        "server": "",
        "tracing": "server",
        "site": "server tracing",
        "exports": "server site tracing",
        "glossary": "server site",
        "labs": "server site tracing",
        "lessons": "server site tracing",
        "texts": "server site",
        "main": "exports glossary labs lessons server site texts tracing",
        "__main__": "exports server tracing",
    },
    "model": {
        "config": "",
        "errors": "",
        "ops": "",
        "network": "config",
        "table": "config ops",
        "characters": "",
        "frozen": "ops",
        "tokenizer": "characters errors",
        "question": "errors",
        "equality": "ops",
        "arithmetic": "ops",
        "finiteness": "ops",
        "writing": "network question reading tokenizer",
        "interpreter": "ops table",
        "recorder": "config ops table",
        "counting": "config table",
        "budget": "config errors table",
        "reading": "config errors frozen ops question table tokenizer",
        "checkpoint": "budget config errors frozen network ops table tokenizer",
        "parameters": "checkpoint errors table",
        "training": "budget checkpoint config errors network tokenizer writing",
        "labs": "checkpoint config counting errors interpreter network ops parameters table "
        "tracing training",
        "tracing": "checkpoint errors finiteness frozen ops question reading recorder table "
        "tokenizer writing",
        "gradient_flow": "interpreter ops tracing",
        "checking": "equality interpreter ops table tokenizer tracing",
        "backflow": "ops table tracing",
        "cells": "arithmetic backflow equality errors finiteness ops parameters table tracing",
        "__init__": "arithmetic cells checking checkpoint errors question tracing",
    },
}
"""A package's rooms, its files and folders, from the ground up; and the rooms each may import."""
MOST_FLOORS = {"app": 5, "model": 8}
MOST_ARROWS = 29
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "misc"}
OWN_WORDS = {
    "activation", "blocks", "decoder", "encoder", "heads", "hidden", "ids", "input", "loss",
    "mean", "output", "positions", "probabilities", "scores", "targets", "variance", "weights",
}  # fmt: skip
"""Parts of stage keys that the server and the page also use as words of their own."""


def sources(*folders: str) -> list[Path]:
    """Every source file below these folders, as paths from the top."""
    found = (path for folder in folders for path in sorted((ROOT / folder).rglob("*")))
    return [path.relative_to(ROOT) for path in found if path.suffix in SUFFIXES]


def python(*folders: str) -> list[Path]:
    return [path for path in sources(*folders) if path.suffix == ".py"]


@lru_cache(maxsize=512)
def tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def imports(path: Path) -> set[str]:
    """The dotted names a file imports, anywhere in it; `from a import b` gives a and a.b."""
    names: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            names |= {str(node.module)} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def packages(path: Path) -> set[str]:
    """The top-level packages a file imports."""
    return {name.split(".")[0] for name in imports(path)}


def reached(start: Path) -> set[Path]:
    """The modules of the model package that a file imports, directly or through others."""
    seen, waiting = set[Path](), [start]
    while waiting:
        path = waiting.pop()
        seen.add(path)
        paths = [name.replace(".", "/") for name in imports(path)]
        named = [Path(f"{p}{end}") for p in paths for end in (".py", "/__init__.py")]
        named = [file for file in named if file.parent != Path() and str(file) != FRONT_DOOR]
        waiting += [file for file in named if (ROOT / file).is_file() and file not in seen]
    return seen


def imported(path: Path) -> set[Path]:
    """The files of its own package that a file imports; of `from a import b` a.b, where b is a
    module, and else a."""
    names = imports(path)
    names -= {name.rpartition(".")[0] for name in names if file_of(name) is not None}
    files = {file_of(name) or file_of(name.rpartition(".")[0]) for name in names}
    return {file for file in files if file and file.parts[0] == path.parts[0]} - {path}


def file_of(name: str) -> Path | None:
    """The file of a module or of a package in this house."""
    place = name.replace(".", "/")
    found = (Path(f"{place}{end}") for end in (".py", "/__init__.py"))
    return next((file for file in found if name and (ROOT / file).is_file()), None)


def room(path: Path) -> str:
    """The file or folder that lies directly in the package."""
    return Path(path.parts[1]).stem


@lru_cache
def between_files(package: str) -> dict[Path, set[Path]]:
    """Each file of a package, and those that it imports."""
    return {path: imported(path) for path in python(package)}


def between_rooms(package: str) -> dict[str, set[str]]:
    """Each room of a package, and those that it imports."""
    found: dict[str, set[str]] = {}
    for path, others in between_files(package).items():
        found.setdefault(room(path), set()).update(map(room, others))
    return {name: others - {name} for name, others in found.items()}


def floors(package: str) -> int:
    """How many rooms stand on one another; CycleError where they stand in a circle."""
    below = between_rooms(package)
    heights: dict[str, int] = {}
    for name in TopologicalSorter(below).static_order():
        heights[name] = 1 + max((heights[other] for other in below[name]), default=0)
    return max(heights.values())


def forwards() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Every `forward` of a torch module, with the name of its class."""
    classes = [node for path in python("model/network") for node in ast.walk(tree(path))]
    modules = {"nn.Module", "Module"}
    for _ in range(3):  # as deep as classes are derived from one another
        for node in classes:
            if isinstance(node, ast.ClassDef) and modules & {ast.unparse(b) for b in node.bases}:
                modules.add(node.name)
    for node in classes:
        if isinstance(node, ast.ClassDef) and node.name in modules:
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name == "forward":
                    yield node.name, method


FORWARDS = dict(forwards())
every_package = pytest.mark.parametrize("package", PACKAGES)
every_room = pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package in PACKAGES for name in ROOMS[package]]
)
every_forward = pytest.mark.parametrize("forward", FORWARDS.values(), ids=FORWARDS)


def key_words() -> set[str]:
    """The parts of all stage keys that are long enough to be told from other words."""
    keys = (stage.key for config in PRESETS.values() for stage in stages(config))
    return {part for key in keys for part in key.split(".") if len(part) > 4 or "_" in part}


# Who imports whom


@pytest.mark.parametrize("path", python("model"), ids=str)
def test_model_imports_nothing_of_the_server(path: Path) -> None:
    assert not packages(path) & SERVER_LIBRARIES


@pytest.mark.parametrize("path", python(*PACKAGES), ids=str)
def test_nothing_imports_the_tests(path: Path) -> None:
    assert not packages(path) & {"tests", "pytest"}


def test_app_imports_the_model() -> None:
    assert any("model" in packages(path) for path in python("app"))


@every_package
def test_every_room_has_its_line(package: str) -> None:
    assert between_rooms(package).keys() == ROOMS[package].keys()


@every_room
def test_room_imports_what_its_line_allows(package: str, name: str) -> None:
    assert between_rooms(package)[name] - set(ROOMS[package][name].split()) == set()


@every_package
def test_no_room_imports_in_a_circle(package: str) -> None:
    TopologicalSorter(between_rooms(package)).prepare()


@every_package
def test_no_file_imports_in_a_circle(package: str) -> None:
    TopologicalSorter(between_files(package)).prepare()


@every_package
def test_house_is_low(package: str) -> None:
    assert floors(package) <= MOST_FLOORS[package]


def test_server_has_few_arrows() -> None:
    """An arrow is one room that imports another."""
    assert sum(map(len, between_rooms("app").values())) <= MOST_ARROWS


def test_network_knows_neither_the_table_nor_numpy_operations() -> None:
    """The two implementations share nothing but the words of a configuration."""
    assert between_rooms("model")["network"] & {"table", "ops"} == set()


def test_operations_know_nothing_else_of_the_model() -> None:
    assert between_rooms("model")["ops"] == set()


@pytest.mark.parametrize("start", [*python("model/ops", "model/table"), INTERPRETER], ids=str)
def test_second_implementation_never_sees_torch(start: Path) -> None:
    """Nor does anything that it imports from the model package."""
    found = {str(path) for path in reached(start) if "torch" in packages(path)}
    assert found == set()


def test_reading_a_question_never_sees_torch() -> None:
    """What an encoder-decoder writes is a step of its own, so that nothing runs here."""
    assert [str(path) for path in reached(READING) if "torch" in packages(path)] == []


def test_imports_are_followed_through_modules() -> None:
    """The test above can fail: from the tracing module torch is reached through others too."""
    assert "torch" not in packages(Path("model/checking.py"))
    assert any("torch" in packages(path) for path in reached(Path("model/checking.py")))


@pytest.mark.parametrize("path", python(*PACKAGES), ids=str)
def test_nothing_can_unpickle(path: Path) -> None:
    assert not packages(path) & {"pickle", "dill", "joblib", "cloudpickle", "shelve"}
    calls = {ast.unparse(node.func) for node in ast.walk(tree(path)) if isinstance(node, ast.Call)}
    assert not calls & {"torch.load", "eval", "exec"}


@pytest.mark.parametrize("path", python(*PACKAGES), ids=str)
def test_nothing_seeds_a_shared_generator(path: Path) -> None:
    calls = {ast.unparse(node.func) for node in ast.walk(tree(path)) if isinstance(node, ast.Call)}
    shared = {"torch.manual_seed", "torch.seed", "np.random.seed", "random.seed"}
    assert not calls & shared


# What a forward pass may not contain


def test_forward_passes_are_found() -> None:
    assert {"Attention", "PostNormBlock", "CrossAttentionBlock", "LayerNorm"} <= FORWARDS.keys()


@every_forward
def test_forward_has_no_branch(forward: ast.FunctionDef) -> None:
    """What a model is made of is decided once, in build.py."""
    branches = (ast.If, ast.IfExp, ast.Match, ast.While, ast.Try)
    assert [ast.unparse(n) for n in ast.walk(forward) if isinstance(n, branches)] == []


@every_forward
def test_forward_reads_no_configuration(forward: ast.FunctionDef) -> None:
    names = {n.id for n in ast.walk(forward) if isinstance(n, ast.Name)}
    attributes = {n.attr for n in ast.walk(forward) if isinstance(n, ast.Attribute)}
    assert not (names | attributes) & {"config", "ModelConfig", "PRESETS"}


# Files


@pytest.mark.parametrize("path", sources(*FOLDERS), ids=str)
def test_file_is_short(path: Path) -> None:
    """One that outgrows this is split by noun."""
    assert len((ROOT / path).read_text(encoding="utf-8").splitlines()) < MOST_LINES


IN_BOTH_CORRIDORS = {"Linear"}
"""The same thing said in torch and in NumPy."""


@every_package
def test_no_class_name_means_two_things(package: str) -> None:
    """An answer of the API may be called as what it is made from."""
    classes = [
        node.name
        for path in python(package)
        if not path.stem.startswith("schemas")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
    ]
    twice = {name for name in classes if classes.count(name) > 1}
    assert twice - IN_BOTH_CORRIDORS == set()


def test_no_file_has_a_vague_name() -> None:
    assert [path for path in sources(*FOLDERS) if path.stem in VAGUE_NAMES] == []


# The stage table has no twin


@pytest.mark.parametrize("path", sources("app", "static", "templates"), ids=str)
def test_no_stage_is_named_outside_the_table(path: Path) -> None:
    """The server and the page take stages from the table; they know no key of it."""
    words = set(re.findall(r"\w+", (ROOT / path).read_text(encoding="utf-8")))
    assert words & (key_words() - OWN_WORDS) == set()


def test_stage_keys_have_words_to_look_for() -> None:
    assert {"masked_scores", "attn_residual", "contributions"} <= key_words() - OWN_WORDS


def test_examples_name_one_stage_at_most() -> None:
    """One key as an example is no list; a second one would be the beginning of one."""
    found = set()
    for path in sources("app", "static", "templates"):
        text = (ROOT / path).read_text(encoding="utf-8")
        found |= set(re.findall(r"blocks\.[\w*]+\.([\w.]+\w)", text))
    assert len(found) <= 1
