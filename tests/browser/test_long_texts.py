"""The page with a text as long as a context of 1,024 lets it be (F16)."""

from collections.abc import Iterator

import pytest
import torch
from playwright.sync_api import Browser, Page, ViewportSize

from model import LoadedModel
from model.checkpoint import save
from model.config import PRESETS
from model.network.build import build
from tests.browser.conftest import drawn, tab, window
from tests.live import running

LONGEST = 1024
BOX = "selector => document.querySelector(selector).getBoundingClientRect().toJSON()"


@pytest.fixture(scope="module")
def long_page(
    browser: Browser, model: LoadedModel, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    """A tab on a small untrained model that reads 1,024 characters."""
    root = tmp_path_factory.mktemp("long")
    config = PRESETS["shakespeare"].having(context_length=LONGEST, d_model=8, n_heads=1, n_blocks=1)
    network = build(config, torch.Generator().manual_seed(0))
    assert model.training is not None
    record = model.training.model_dump(exclude={"weights_sha256"})
    save(root / "long", config=config, tokenizer=model.tokenizer, network=network, record=record)
    with (
        running(TRACER_CHECKPOINTS=str(root)) as server,
        window(browser, server.address) as context,
        tab(context, server.address) as page,
    ):
        yield page


@pytest.mark.parametrize("size", [(1440, 900), (1180, 640)])
@pytest.mark.parametrize("text", ["a", "\n", "To be, "])
def test_longest_text_leaves_stages_and_figure_in_sight(
    long_page: Page, text: str, size: tuple[int, int]
) -> None:
    long_page.set_viewport_size(ViewportSize(width=size[0], height=size[1]))
    long_page.goto("/?stage=embeddings")
    drawn(long_page)
    long_page.fill("[data-text]", (text * LONGEST)[:LONGEST])
    long_page.wait_for_function(
        "count => document.querySelectorAll('.chip').length === count", arg=LONGEST
    )
    for part in ('[data-view="outline"]', '[data-view="stage"]'):
        box = long_page.evaluate(BOX, part)
        assert box["height"] > size[1] / 4, part
        assert box["top"] < size[1] * 2 / 3, part
