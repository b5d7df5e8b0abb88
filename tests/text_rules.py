"""Rules for scripts, styles and templates that no linter of ours knows.

`python -m tests.text_rules` prints file:line and the rule for each breach; the exit code is 1 if
there is any.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from model.config import PRESETS
from model.table.architectures import stages

ROOT = Path(__file__).resolve().parent.parent
SCRIPT, STYLE, TEMPLATE = ".js", ".css", ".html"
PLACES = {"static": (SCRIPT, STYLE), "templates": (TEMPLATE,)}
EVERYWHERE = (SCRIPT, STYLE, TEMPLATE)


class Rule(NamedTuple):
    """What must not be written, in which files, and what to do instead."""

    pattern: str
    suffixes: tuple[str, ...]
    advice: str


RULES = (
    Rule(r"\b(innerHTML|outerHTML|insertAdjacentHTML)\b", EVERYWHERE, "make elements, set text"),
    Rule(r"\bdocument\s*\.\s*write(ln)?\b", EVERYWHERE, "make elements, set text"),
    Rule(r"\beval\s*\(|\bnew\s+Function\b", EVERYWHERE, "text is never run"),
    Rule(r"""(?<![\w.$-])on[a-z]+\s*=\s*["'{]""", (TEMPLATE,), "listen in a script"),
    Rule(r"<[a-z][^>\n]*\son[a-z]+=", (SCRIPT,), "listen with addEventListener"),
    Rule(r"""setAttribute\(\s*["'`]on""", (SCRIPT,), "listen with addEventListener"),
    Rule(r"\|\s*safe\b|\bautoescape\s+false\b", (TEMPLATE,), "let Jinja escape"),
    Rule(r"\bconsole\s*\.\s*log\b", (SCRIPT, TEMPLATE), "leave the console to errors"),
    Rule(r"\bvar\s+[\w$[{]", (SCRIPT,), "const or let"),
    Rule(r"https?://(?!www\.w3\.org/)", EVERYWHERE, "name no other host"),
    Rule(r"""["'(=]//[\w-]+\.""", EVERYWHERE, "name no other host"),
    Rule(r"!\s*important\b", EVERYWHERE, "a more exact selector"),
    Rule(r"\b(TODO|FIXME|XXX)\b", EVERYWHERE, "finish it, or file it"),
)
STAGE_ADVICE = "names come from the stage table, over HTTP"
ID_ADVICE = "style a class, not an id"

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
SELECTOR = re.compile(r"[^{};]+(?=\{)")
ID = re.compile(r"#[A-Za-z_-]")
# A string that holds a key, a part of one, or a pattern of them, and nothing else.
NAME = re.compile(r"""(["'`])([\w.*]*(?:\$\{[^}]*\}[\w.*]*)*)\1""")
OTHER_MEANINGS = {"input", "output", "hidden", "heads"}
"""Parts of stage keys that on their own mean an element, an event, an attribute or an axis too;
so do single letters, which are keys of the keyboard."""


def stage_words() -> set[str]:
    """Every part of every stage key of every preset: `blocks.0.attn.q` has blocks, attn and q."""
    keys = (stage.key for config in PRESETS.values() for stage in stages(config))
    return {part for key in keys for part in key.split(".") if not part.isdigit()}


def breaches(text: str, suffix: str) -> Iterator[tuple[int, str]]:
    """Each breach in a file of that type: its offset, and what is wrong with it."""
    for rule in RULES:
        if suffix in rule.suffixes:
            for found in re.finditer(rule.pattern, text):
                yield found.start(), f"{found.group().strip()}: {rule.advice}"
    if suffix == STYLE:
        yield from _styled_ids(text)
    else:
        yield from _stage_names(text)


def _styled_ids(text: str) -> Iterator[tuple[int, str]]:
    blank = COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment.group()), text)
    for selector in SELECTOR.finditer(blank):
        for found in ID.finditer(selector.group()):
            yield selector.start() + found.start(), f"{selector.group().strip()}: {ID_ADVICE}"


def _stage_names(text: str) -> Iterator[tuple[int, str]]:
    words = stage_words()
    for found in NAME.finditer(text):
        name = found.group(2)
        if len(name) > 1 and name not in OTHER_MEANINGS and words & set(name.split(".")):
            yield found.start(), f"{name}: {STAGE_ADVICE}"
    for word in sorted(words):
        if "_" in word:  # no word of English or of the web, so it means the stage anywhere
            for found in re.finditer(rf"\b{word}\b", text):
                yield found.start(), f"{word}: {STAGE_ADVICE}"


def files(root: Path) -> Iterator[Path]:
    """The files that the rules are for."""
    for place, suffixes in PLACES.items():
        for path in sorted((root / place).rglob("*")):
            if path.suffix in suffixes:
                yield path


def report(paths: Iterable[Path], root: Path) -> list[str]:
    """A line for each breach: file:line and the rule."""
    lines = []
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for offset, problem in sorted(set(breaches(text, path.suffix))):
            line = text.count("\n", 0, offset) + 1
            lines.append(f"{path.relative_to(root).as_posix()}:{line}: {problem}")
    return lines


def main(root: Path = ROOT) -> int:
    """Print every breach under `root`; returns the exit code."""
    checked = list(files(root))
    assert checked, f"nothing to check under {root}"
    found = report(checked, root)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
