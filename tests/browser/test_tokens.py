"""The page counts what the model reads, which need not be characters."""

from typing import Any

import pytest
from playwright.sync_api import Page

COUNTED = """async ({ along, text, state }) => {
    const { countOf } = await import('/static/any/js/tensor/labels.js');
    return countOf(along, text, state);
}"""
ASKED = {"text": "the end", "target": None, "hidden": []}
TOLD = {"tokens": ["the", " end"], "target_tokens": ["\n", "a", "b", "c"]}


@pytest.mark.parametrize(
    ("text", "count"), [("a\r\n" * 22, 44), ("a\rb", 3), ("\r", 1), ("🙂\r\n", 2)], ids=ascii
)
def test_field_counts_line_ends_as_they_are_traced(page: Page, text: str, count: int) -> None:
    """F21."""
    page.goto("/glossary")
    state = {**ASKED, "text": text, "trace": None}
    assert page.evaluate(COUNTED, {"along": "text", "text": text, "state": state}) == count


@pytest.mark.parametrize(
    ("along", "state", "count"),
    [
        ("text", {**ASKED, "trace": {"asked": ASKED, "told": TOLD}}, 2),
        ("target", {**ASKED, "trace": {"asked": ASKED, "told": TOLD}}, 3),
        ("text", {**ASKED, "trace": {"asked": {**ASKED, "text": "the"}, "told": TOLD}}, 7),
        ("text", {**ASKED, "trace": None}, 7),
    ],
    ids=["the trace's tokens", "without the line end", "another trace's", "no trace yet"],
)
def test_field_counts_the_tokens_of_its_own_trace(
    page: Page, along: str, state: dict[str, Any], count: int
) -> None:
    page.goto("/glossary")
    asked = {"along": along, "text": ASKED["text"], "state": state}
    assert page.evaluate(COUNTED, asked) == count
