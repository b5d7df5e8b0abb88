"""What the documents say can be done can be done."""

import importlib.util
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from app import __main__ as app_command
from app.server.settings import Settings
from model.training import __main__ as train_command
from tests.app.test_reference import send

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PARSERS = {"app": app_command.parser(), "model.training": train_command.parser()}
DEFAULT = f"http://{app_command.HOST}:{app_command.PORT}"


def blocks(*languages: str) -> list[str]:
    """The fenced blocks of the README in one of these languages."""
    return [content for language, content in FENCED.findall(README) if language in languages]


def commands() -> Iterator[list[str]]:
    """Every shell command of the README, as words: of its blocks, and inline if it is make's."""
    for block in blocks("", "sh", "bash", "shell", "console"):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                words.pop(0)
            if words:
                yield words
    for code in CODE.findall(FENCED.sub("", README)):
        if code.startswith("make "):
            yield shlex.split(code)


def modules() -> list[tuple[str, list[str]]]:
    """The commands that run a Python module: its name and its arguments."""
    found = []
    for words in commands():
        if words[0].rpartition("/")[2].startswith("python") and words[1:2] == ["-m"]:
            found.append((words[2], words[3:]))
    return found


def addresses(heading: str) -> str:
    """The anchor that a heading gets."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def test_python_examples_run_and_print_what_they_show() -> None:
    examples = blocks("python")
    assert examples
    for example in examples:
        done = subprocess.run(
            [sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        for line in done.stdout.splitlines():
            assert line in example


def test_make_commands_are_targets() -> None:
    targets = set(re.findall(r"^([a-z]+):(?!=)", MAKEFILE, re.MULTILINE))
    asked = [words for words in commands() if words[0] == "make"]
    assert {"run", "test", "check", "bench"} <= {word for words in asked for word in words}
    for words in asked:
        for word in words[1:]:
            assert word in targets or re.fullmatch(r"[A-Z_]+=.*", word), f"make {word}"


def test_make_help_names_every_target() -> None:
    targets = set(re.findall(r"^([a-z]+):(?!=)", MAKEFILE, re.MULTILINE)) - {"help", "clean"}
    shown = set(re.findall(r"make ([a-z]+)", MAKEFILE.partition("help:")[2].partition("\n\n")[0]))
    assert targets - shown <= {"format"}
    assert shown <= targets


def test_module_commands_are_understood() -> None:
    asked = modules()
    assert asked
    for name, arguments in asked:
        assert importlib.util.find_spec(name) is not None
        PARSERS[name].parse_args(arguments)


WINDOWS_PYTHON = ".venv\\Scripts\\python"


def windows_lines() -> list[list[str]]:
    """Every line of the README's PowerShell, as words."""
    lines = [line for block in blocks("powershell") for line in block.splitlines()]
    return [[word.strip("'") for word in line.split()] for line in lines]


def makefile_modules() -> list[list[str]]:
    """What the Makefile's recipes give `python -m`, its variables at their defaults."""
    variables = dict(re.findall(r"^([A-Z]+) [?:]= (.*)$", MAKEFILE, re.MULTILINE)) | {"ARGS": ""}
    written = MAKEFILE
    while found := re.search(r"\$\(([A-Z]+)\)", written):
        written = written.replace(found[0], variables.get(found[1], ""))
    lines = re.findall(r"^\t@?\.venv/bin/python -m (.*)$", written, re.MULTILINE)
    ignored = {"--disable-pip-version-check", "--quiet"}
    return [[word for word in shlex.split(line) if word not in ignored] for line in lines]


def test_windows_lines_are_those_of_make() -> None:
    """F32: the same modules with the same options; what runs them is Windows' own."""
    known = makefile_modules()
    started, *rest = windows_lines()
    assert started == ["py", "-m", "venv", ".venv"]
    runs = [words for words in rest if not words[0].startswith("$env:")]
    assert all(words[:2] == [WINDOWS_PYTHON, "-m"] for words in runs)
    assert all(words[2:] in known for words in runs), known
    assert {words[2] for words in runs} == {"pip", "app", "tests.browser.chromium", "pytest"}


def test_windows_lines_set_what_make_exports() -> None:
    exported = dict(re.findall(r"^export (\w+) \?= (\w+)$", MAKEFILE, re.MULTILINE))
    named = [line for block in blocks("powershell") for line in block.splitlines()]
    assert dict(re.findall(r"\$env:(\w+) = (\w+)", "\n".join(named))) == exported


def test_curl_commands_are_answered(server: str) -> None:
    asked = [words for words in commands() if words[0] == "curl"]
    assert asked
    for words in asked:
        response = send(shlex.join(words).replace(DEFAULT, server))
        assert response.status_code == 200, (words, response.text)


def test_settings_named_are_those_there_are() -> None:
    named = set(re.findall(r"TRACER_([A-Z_]+)", README))
    assert {name.lower() for name in named} == Settings.model_fields.keys()


def test_every_dependency_is_justified() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows = [line for line in README.splitlines() if line.startswith("|")]
    for name in project["dependencies"]:
        assert any(name in re.split(r"[|, ]+", row) for row in rows), name


def test_links_inside_the_project_resolve() -> None:
    anchors = {addresses(heading) for heading in re.findall(r"^#+ (.+)$", README, re.MULTILINE)}
    for link in LINK.findall(README):
        path, _, anchor = link.partition("#")
        if not re.match(r"https?://", link):
            assert path == "" or (ROOT / path).exists(), link
            assert not anchor or path or anchor in anchors, link


def test_paths_named_exist() -> None:
    """A path in code type, such as `model/stages.py`, is one of ours."""
    for code in CODE.findall(FENCED.sub("", README)):
        if re.fullmatch(r"(app|model|static|templates|checkpoints|tests)/[\w./-]*", code):
            assert (ROOT / code).exists(), code


def test_changelog_says_something() -> None:
    title, *rest = CHANGELOG.strip().splitlines()
    assert title.startswith("# ")
    assert [line for line in rest if line.startswith(("- ", "## "))]
