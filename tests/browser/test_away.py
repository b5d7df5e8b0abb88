"""What is taken away is what was on the screen."""

import re
import shlex
from pathlib import Path

import httpx2
import numpy as np
import pytest
from playwright.sync_api import Page, expect
from starlette.testclient import TestClient

from model import LoadedModel, trace
from tests.browser.conftest import open_tracer

WEIGHTS = "blocks.0.attn.weights"


@pytest.fixture
def opened(page: Page) -> Page:
    open_tracer(page, text="It's &amp; so", stage=WEIGHTS)
    page.locator(".away > summary").click()
    return page


def test_svg_holds_the_caption_and_the_picture(opened: Page, tmp_path: Path) -> None:
    with opened.expect_download() as started:
        opened.locator('[data-picture="svg"]').click()
    started.value.save_as(tmp_path / "picture.svg")
    assert started.value.suggested_filename == f"{WEIGHTS}.svg"
    svg = (tmp_path / "picture.svg").read_text()
    assert "Block 1 · attention weights" in svg
    assert "It's &amp;amp; so" in svg
    assert svg.count("<image") == 4


def test_png_is_a_picture_of_the_figures_size(opened: Page, tmp_path: Path) -> None:
    with opened.expect_download() as started:
        opened.locator('[data-picture="png"]').click()
    started.value.save_as(tmp_path / "picture.png")
    raw = (tmp_path / "picture.png").read_bytes()
    assert raw[:8] == b"\x89PNG\r\n\x1a\n"
    width = int.from_bytes(raw[16:20], "big")
    assert width == 2 * opened.evaluate(
        "Math.max(420, document.querySelector('[data-canvas]').layout.width)"
    )


def test_tensor_file_holds_the_models_numbers(
    opened: Page, tmp_path: Path, model: LoadedModel
) -> None:
    with opened.expect_download() as started:
        opened.locator('[data-one="npz"]').click()
    started.value.save_as(tmp_path / "tensor.npz")
    with np.load(tmp_path / "tensor.npz") as archive:
        expected = trace(model, "It's &amp; so").array(WEIGHTS)
        assert np.array_equal(archive[WEIGHTS], expected)


def test_curl_line_asks_for_this_tensor(opened: Page, model: LoadedModel) -> None:
    command, address = shlex.split(opened.locator("[data-curl]").inner_text())
    assert command == "curl"
    answer = httpx2.get(address).json()
    assert answer["text"] == "It's &amp; so"
    assert [stage["key"] for stage in answer["stages"]] == [WEIGHTS]


def test_python_lines_give_this_tensor(opened: Page, model: LoadedModel) -> None:
    lines = opened.locator("[data-python]").inner_text()
    *setup, last = lines.strip().splitlines()
    names: dict[str, object] = {}
    exec("\n".join(setup), names)
    tensor = eval(last, names)
    assert tensor.equal(trace(model, "It's &amp; so").tensor(WEIGHTS))
    assert re.search(r"checkpoints/shakespeare", lines)


def test_code_is_copied(opened: Page) -> None:
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened.locator('[data-copy="curl"]').click()
    expect(opened.locator(".away [data-said]")).to_have_text("Copied.")
    copied = opened.evaluate("navigator.clipboard.readText()")
    assert copied == opened.locator("[data-curl]").inner_text()


def test_saved_page_holds_the_whole_trace(opened: Page, tmp_path: Path, client: TestClient) -> None:
    with opened.expect_download() as started:
        opened.locator('[data-all="html"]').click()
    assert started.value.suggested_filename == "trace.html"
    started.value.save_as(tmp_path / "trace.html")
    asked = {"text": "It's &amp; so", "format": "html"}
    page = client.post("/api/v1/traces", json=asked).text
    assert (tmp_path / "trace.html").read_text() == page
