"""Masked, −∞, +∞ and NaN are four words and four marks on the page."""

from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from app.tracing.figures import fill
from app.tracing.palettes import MARKS, PALETTES
from model import Trace, load, trace
from tests.browser.conftest import open_tracer, tab, window
from tests.browser.test_reading import tip
from tests.live import running
from tests.model import overflowing

TEXT = "zab"
SCORES = "blocks.0.attn.masked_scores"
MODEL = "large-queries"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("overflowing")
    overflowing.write(folder)
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    with running(TRACER_CHECKPOINTS=str(folder)) as server:
        yield server.address


@pytest.fixture(scope="module")
def context(browser: Browser, server: str) -> Iterator[BrowserContext]:
    with window(browser, server) as context:
        yield context


@pytest.fixture
def page(context: BrowserContext, server: str) -> Iterator[Page]:
    with tab(context, server) as page:
        yield page


@pytest.fixture(scope="module")
def shown(folder: Path) -> Trace:
    return trace(load(folder / MODEL), TEXT)


def words(traced: Trace, key: str) -> np.ndarray:
    """What each cell is called, "" where it is finite."""
    array = traced.array(key)
    named = np.where(np.isnan(array), "NaN", np.where(array > 0, "+∞", "−∞"))
    above = np.triu(np.ones(array.shape[-2:], dtype=bool), 1)
    named = np.where(np.isneginf(array) & above & key.endswith("masked_scores"), "masked", named)
    return np.where(np.isfinite(array), "", named)


def point_at(page: Page, panel: int, row: int, column: int) -> None:
    """Move the mouse to the middle of a cell; a panel without a finite cell has no picture."""
    number = "" if panel == 0 else str(panel + 1)
    box, x, y = page.evaluate(
        """number => {
            const plot = document.querySelector('[data-canvas]');
            const {layout} = plot;
            const box = plot.getBoundingClientRect().toJSON();
            return [box, layout[`xaxis${number}`].domain, layout[`yaxis${number}`].domain];
        }""",
        number,
    )
    across, down = (column + 0.5) / len(TEXT), (row + 0.5) / len(TEXT)
    page.mouse.move(
        box["x"] + box["width"] * (x[0] + across * (x[1] - x[0])),
        box["y"] + box["height"] * (1 - y[1] + down * (y[1] - y[0])),
    )


def test_hovered_cell_has_its_own_word(page: Page, shown: Trace) -> None:
    open_tracer(page, model=MODEL, text=TEXT, stage=SCORES)
    named = words(shown, SCORES)
    assert {"masked", "−∞", "+∞"} <= set(named.ravel())
    for word in ("masked", "−∞", "+∞"):
        panel, row, column = np.argwhere(named == word)[0].tolist()
        point_at(page, panel, row, column)
        place = f"head {panel + 1} · position {row} {TEXT[row]} · source {column} {TEXT[column]}"
        page.wait_for_function(
            "words => document.querySelector('[data-tip]').textContent.includes(words)", arg=place
        )
        assert tip(page)[0] == word


@pytest.mark.parametrize("key", [SCORES, "blocks.0.attn.weights"])
def test_chosen_cell_has_its_own_word(page: Page, shown: Trace, key: str) -> None:
    named = words(shown, key)
    for word in sorted(set(named.ravel()) - {""}):
        at = ".".join(map(str, np.argwhere(named == word)[0].tolist()))
        open_tracer(page, model=MODEL, text=TEXT, stage=key, cell=at)
        assert page.locator(".cell-value").inner_text() == word
        expect(page.locator("[data-result] b")).to_have_text(word)


@pytest.mark.parametrize("key", [SCORES, "blocks.0.attn.weights"])
def test_picture_marks_them_as_exports_do(page: Page, shown: Trace, key: str) -> None:
    open_tracer(page, model=MODEL, text=TEXT, stage=key)
    ours = page.evaluate(
        "document.querySelector('[data-canvas]').layout.images.map(image => image.source)"
    )
    theirs = [one["source"] for one in fill(shown, shown.stage(key))["layout"]["images"]]
    assert [b64decode(one.split(",")[1]) for one in ours] == [
        b64decode(one.split(",")[1]) for one in theirs
    ]
    remark = page.locator('[data-view="figure"] [data-remark]').inner_text()
    for word in sorted(set(words(shown, key).ravel()) - {"", "masked"}):
        assert f"{word}, which no mask put there" in remark


def test_page_names_the_first_tensor_that_is_not_finite(page: Page, shown: Trace) -> None:
    open_tracer(page, model=MODEL, text=TEXT)
    first = shown.stage(next(iter(shown.nonfinite)))
    assert f"“{first.title}” ({first.key})" in page.locator("body").inner_text()


def test_marks_have_colours_that_no_scale_has() -> None:
    for kind in PALETTES.values():
        for colours in kind.values():
            anchors = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colours])
            places = np.linspace(0, len(anchors) - 1, 256)
            scale = np.stack(
                [np.interp(places, range(len(anchors)), column) for column in anchors.T], axis=-1
            )
            for mark in MARKS.values():
                tint = np.array([int(mark["tint"][i : i + 2], 16) for i in (1, 3, 5)])
                grey = len(set(colours)) == 2 and mark is MARKS["masked"]
                assert grey or np.abs(scale - tint).max(axis=-1).min() > 15, (mark, colours)
    assert len({mark["path"] for mark in MARKS.values()}) == len(MARKS)
    assert len({mark["tint"] for mark in MARKS.values()}) == len(MARKS)
