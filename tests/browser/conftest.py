"""A real Chromium on a real server; each test ends with a quiet console and no foreign request."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest
import torch
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright

from model import LoadedModel, load
from model.checkpoint import save
from model.config import PRESETS
from model.network.build import build
from model.tokenizer import MASK, CharacterTokenizer
from tests.browser.chromium import FLAGS, find
from tests.live import running

PATIENCE = 30_000
SIZE: ViewportSize = {"width": 1440, "height": 900}
ONE_PROCESS = "--process-per-site"
"""Tabs of one server share a process, and so what it has compiled of Plotly's script."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=[*FLAGS, ONE_PROCESS])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory: pytest.TempPathFactory, model: LoadedModel) -> Path:
    """An untrained checkpoint of every preset, with a record of its own loss."""
    root = tmp_path_factory.mktemp("checkpoints")
    assert model.training is not None
    record = model.training.model_dump(exclude={"weights_sha256"})
    for number, (name, config) in enumerate(PRESETS.items()):
        characters = (*model.tokenizer.vocabulary, MASK)[: config.vocab_size]
        network = build(config, torch.Generator().manual_seed(number))
        described = record | {"validation_loss": 1.5 + number / 8}
        tokenizer = CharacterTokenizer(characters)
        save(root / name, config=config, tokenizer=tokenizer, network=network, record=described)
    return root


@pytest.fixture(scope="session")
def family(checkpoints: Path) -> Mapping[str, LoadedModel]:
    """The same models here, by name."""
    return {name: load(checkpoints / name) for name in PRESETS}


@pytest.fixture(scope="session")
def family_server(checkpoints: Path) -> Iterator[str]:
    """The address of a server that has every preset."""
    with running(TRACER_CHECKPOINTS=str(checkpoints)) as server:
        yield server.address


@pytest.fixture(scope="session")
def context(browser: Browser, server: str) -> Iterator[BrowserContext]:
    """The window of every `page`."""
    with window(browser, server) as context:
        yield context


@pytest.fixture(scope="session")
def family_context(browser: Browser, family_server: str) -> Iterator[BrowserContext]:
    """The window of every `family_page`."""
    with window(browser, family_server) as context:
        yield context


@pytest.fixture
def page(context: BrowserContext, server: str) -> Iterator[Page]:
    """A blank tab on the committed checkpoints."""
    with tab(context, server) as page:
        yield page


@pytest.fixture
def family_page(family_context: BrowserContext, family_server: str) -> Iterator[Page]:
    """A blank tab on the server that has every preset."""
    with tab(family_context, family_server) as page:
        yield page


@contextmanager
def window(browser: Browser, server: str) -> Iterator[BrowserContext]:
    """A context whose first tab stays open: with it stays the process that all tabs of the same
    server share, and what that has compiled of Plotly's script."""
    context = browser.new_context(base_url=server, viewport=SIZE)
    context.set_default_timeout(PATIENCE)
    context.new_page().goto("/api/v1/health")
    yield context
    context.close()


@contextmanager
def tab(context: BrowserContext, server: str) -> Iterator[Page]:
    """A blank tab with nothing stored and nothing permitted; complaints of the console and
    requests to other hosts fail the test. The tab of the test before is taken again where all that
    that left in it can be taken back: to make one takes as long as to load a page in it."""
    first, *kept = context.pages
    page = kept[0] if kept else _made(context, server)
    page.complaints.clear()  # type: ignore[attr-defined]
    yield page
    others = [each for each in context.pages if each is not first and each is not page]
    for each in others:
        each.close()
    if not page.is_closed():
        _blank(page)
    first.evaluate("localStorage.clear()")
    context.clear_permissions()
    assert not page.complaints, page.complaints  # type: ignore[attr-defined]


def _made(context: BrowserContext, server: str) -> Page:
    """A new tab that notes what its console and its requests say."""
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((server, "data:", "blob:"))
            else complaints.append(f"foreign request: {request.url}")
        ),
    )
    add, page.scripted = page.add_init_script, False  # type: ignore[attr-defined]

    def noted(*script: str) -> object:
        page.scripted = True  # type: ignore[attr-defined]
        return add(*script)

    page.add_init_script = noted  # type: ignore[method-assign, assignment]
    page.complaints = complaints  # type: ignore[attr-defined]
    return page


def _blank(page: Page) -> None:
    """Take back what a test left in its tab, or close it: a script for every page stays."""
    if page.scripted:  # type: ignore[attr-defined]
        page.close()
        return
    page.unroute_all(behavior="ignoreErrors")
    page.goto("/api/v1/health")
    page.evaluate("sessionStorage.clear()")
    page.goto("about:blank")
    page.set_viewport_size(SIZE)
    page.emulate_media(
        media="null", color_scheme="null", reduced_motion="null", forced_colors="null"
    )


def open_tracer(page: Page, **query: str) -> None:
    """Open the page at a view and wait until its picture is drawn."""
    page.goto(f"/?{urlencode(query)}" if query else "/")
    drawn(page, query.get("text"))


def drawn(page: Page, text: str | None = None) -> None:
    """Wait until Plotly has drawn the focused stage (of that text)."""
    page.wait_for_function(
        """text => {
            const figure = document.querySelector('[data-view="figure"]');
            const drawn = figure.dataset.drawn;
            // A font that arrives late moves what stands below its equations.
            const settled = drawn !== undefined && !figure.dataset.busy && document.fonts.status === 'loaded';
            return settled && (text === null || drawn.endsWith(` ${text}`));
        }""",
        arg=text,
    )
