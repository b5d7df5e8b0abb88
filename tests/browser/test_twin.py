"""Each tensor as a table: the numbers of the API, with headings, wherever the picture is."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from starlette.testclient import TestClient

from model import LoadedModel
from tests.browser.conftest import drawn, open_tracer
from tests.browser.test_everyone import sideways
from tests.browser.test_gradients import open_gradient
from tests.browser.test_typing import type_text

WEIGHTS, MASKED = "blocks.0.attn.weights", "blocks.0.attn.masked_scores"
CROSS = "decoder.blocks.0.cross_attn.weights"
SEQ2SEQ = "shakespeare-seq2seq"
TABLES = ".tabled-numbers"


def open_table(page: Page, opening: Callable[..., None] = open_tracer, **query: str) -> None:
    opening(page, **query)
    page.locator(".tabled > summary").click()
    page.locator(TABLES).first.wait_for()


def numbers(page: Page, table: int = 0) -> list[list[str]]:
    found: list[list[str]] = (
        page.locator(TABLES)
        .nth(table)
        .evaluate(
            "t => [...t.tBodies[0].rows].map(r => [...r.querySelectorAll('td')].map(c => c.textContent))"
        )
    )
    return found


def headings(page: Page, scope: str) -> list[str]:
    return page.locator(f'{TABLES} th[scope="{scope}"]').all_inner_texts()


def floats(rows: Any) -> Any:
    """Float32 numbers; a masked cell, null in JSON, is NaN."""
    none = (None, "masked")
    return np.array([[np.nan if x in none else x for x in row] for row in rows], dtype=np.float32)


@pytest.mark.parametrize(("stage", "head"), [(MASKED, 2), ("blocks.1.ffn_norm.output", None)])
def test_numbers_are_those_of_the_api(
    page: Page, client: TestClient, stage: str, head: int | None
) -> None:
    more = {} if head is None else {"head": str(head)}
    open_table(page, open_gradient, text="To be", stage=stage, **more)
    sent = {"text": "To be", "stages": [stage], "gradients": True}
    (answer,) = client.post("/api/v1/traces", json=sent).json()["stages"]
    for table, name in enumerate(("values", "gradient")):
        expected = answer[name] if head is None else answer[name][head]
        assert np.array_equal(floats(numbers(page, table)), floats(expected), equal_nan=True)
    caption = page.locator(f"{TABLES} caption").first.inner_text()
    assert answer["title"] in caption
    assert f"= {' × '.join(map(str, answer['shape']))}" in caption


def test_vector_is_one_row_under_its_characters(page: Page, client: TestClient) -> None:
    open_table(page, text="a b", stage="ids")
    answer = client.post("/api/v1/traces", json={"text": "a b", "stages": ["ids"]}).json()
    assert numbers(page) == [[str(one) for one in answer["stages"][0]["values"]]]
    assert headings(page, "col") == ["position →", "0 a", "1 ␣", "2 b"]


def test_headings_say_who_looks_at_whom(page: Page) -> None:
    open_table(page, text="T b", model=SEQ2SEQ, target="To", stage=CROSS)
    assert headings(page, "col") == ["target ↓ source →", "0 T", "1 ␣", "2 b"]
    assert headings(page, "row") == ["0 ↵", "1 T", "2 o"]
    assert page.get_by_role("rowheader", name="1 T").is_visible()


def test_table_is_made_only_while_it_is_open(page: Page) -> None:
    open_tracer(page, text="To be")
    assert page.locator(TABLES).count() == 0
    summary = page.locator(".tabled > summary")
    summary.click()
    page.locator(TABLES).wait_for()
    summary.click()
    page.locator(TABLES).wait_for(state="detached")


def test_table_follows_text_stage_and_head(page: Page, client: TestClient) -> None:
    open_table(page, text="To be", stage=WEIGHTS)
    page.locator('[data-panel="3"]').click()
    assert page.url.endswith("head=3")
    type_text(page, "My")
    drawn(page, "My")
    values = client.post("/api/v1/traces", json={"text": "My", "stages": [WEIGHTS, MASKED]}).json()
    masked, weights = (one["values"] for one in values["stages"])
    assert np.array_equal(floats(numbers(page)), floats(weights[3]))
    page.locator(f'[data-stage="{MASKED}"]').click()
    assert np.array_equal(floats(numbers(page)), floats(masked[3]), equal_nan=True)


def test_chosen_cell_is_marked_and_a_number_can_be_chosen(page: Page) -> None:
    open_table(page, text="To be", stage=WEIGHTS, cell="1.3.2")
    chosen = page.locator(f"{TABLES} td[aria-current]")
    assert chosen.inner_text() == page.locator(".cell-value").inner_text()
    assert "head 2" in page.locator(f"{TABLES} caption").inner_text()
    page.locator(f"{TABLES} td").nth(21).click()
    assert page.url.endswith("cell=1.4.1")
    page.locator('[data-view="figure"] [data-plot]').focus()
    page.keyboard.press("PageDown")
    assert "head 3" in page.locator(f"{TABLES} caption").inner_text()
    assert chosen.inner_text() == page.locator(".cell-value").inner_text()


def test_number_of_the_gradients_table_is_a_gradient(page: Page) -> None:
    open_table(page, open_gradient, text="To be", stage=WEIGHTS)
    page.locator(TABLES).nth(1).locator("td").nth(5).click()
    assert "cell=0.1.0&of=gradient" in page.url
    shown = page.locator(f"{TABLES} td[aria-current]").nth(1).inner_text()
    assert shown == page.locator("[data-cell] .cell-gradient").inner_text()


def test_weight_is_a_table_too(page: Page, model: LoadedModel) -> None:
    key = "embedding.weight"
    open_table(page, text="To be", stage=key)
    assert np.array_equal(floats(numbers(page)), model.weights[key])


def test_large_table_scrolls_in_its_own_box(page: Page) -> None:
    page.set_viewport_size({"width": 380, "height": 800})
    open_table(page, text="To be", stage="logits", cell="4.60")
    assert not sideways(page)
    box = page.get_by_role("region", name="Table: Logits")
    box.focus()
    place, cell = box.bounding_box(), page.locator("td[aria-current]").bounding_box()
    assert place is not None
    assert cell is not None
    assert place["x"] <= cell["x"]
    assert cell["x"] + cell["width"] <= place["x"] + place["width"] + 1


def test_empty_tensor_is_said(page: Page) -> None:
    open_tracer(page, text="To be", stage="loss")
    page.locator(".tabled > summary").click()
    page.locator(TABLES).wait_for()
    type_text(page, "a")
    page.locator(".tabled .hint", has_text="There is no number in Loss").wait_for()


def test_axe_finds_nothing_in_the_table(page: Page) -> None:
    open_table(page, text="To be", stage=MASKED, cell="0.1.0")
    assert Axe().run(page, context=".tabled").response["violations"] == []
