"""A saved page, opened from the disk with the network off, is the page with all of its numbers."""

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Request

from app.__main__ import main
from app.exports import display as notebook
from model import LoadedModel, load, trace
from tests.browser.conftest import PATIENCE, drawn
from tests.conftest import ROOT

TEXT = "It's &amp; so"
WEIGHTS, MASKED = "blocks.0.attn.weights", "blocks.0.attn.masked_scores"
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "a trace.html"
    assert main(["export", TEXT, "-o", str(path)]) == 0
    return path


@pytest.fixture
def open_file(browser: Browser) -> Iterator[Open]:
    """Open a file without a network; complaints of the console and every request for anything
    that is not in the file fail the test."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, offline=True)
    context.set_default_timeout(PATIENCE)
    complaints: list[str] = []

    def requested(request: Request) -> None:
        if not request.url.startswith(("data:", "blob:")) and not request.is_navigation_request():
            complaints.append(f"request: {request.url}")

    def start(path: Path, fragment: str = "") -> Page:
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("request", requested)
        page.goto(f"file://{quote(str(path))}{fragment}")
        return page

    yield start
    context.close()
    assert not complaints, complaints


def started(page: Page) -> None:
    """Wait until the page shows its numbers, not for Plotly."""
    page.locator("[data-title]:not(:empty)").wait_for()


def cell_value(page: Page) -> str:
    return page.locator(".cell-value").inner_text()


def test_picture_is_complete(open_file: Open, file: Path) -> None:
    page = open_file(file)
    drawn(page, TEXT)
    figure = page.locator('[data-view="figure"]').first
    assert figure.locator(".heatmaplayer image").count() == 4
    assert figure.locator(".infolayer .cbaxis text, .colorbar text").count() >= 2
    labels = figure.locator(".xtick text").all_text_contents()
    assert labels[: len(TEXT)] == [character.replace(" ", "␣") for character in TEXT]


def test_cell_is_read_and_kept(open_file: Open, file: Path, model: LoadedModel) -> None:
    page = open_file(file)
    drawn(page, TEXT)
    box = page.locator(".heatmaplayer image").nth(1).bounding_box()
    assert box is not None
    size = box["width"] / len(TEXT)
    page.mouse.move(box["x"] + 1.5 * size, box["y"] + 3.5 * size)
    value = np.float32(page.locator(".tip-value").inner_text())
    assert value == trace(model, TEXT).array(WEIGHTS)[1, 3, 1]
    page.mouse.click(box["x"] + 1.5 * size, box["y"] + 3.5 * size)
    page.mouse.move(0, 0)
    assert np.float32(cell_value(page)) == value
    assert "cell=1.3.1" in page.url


def test_stages_are_walked_and_back_returns(open_file: Open, file: Path) -> None:
    page = open_file(file)
    drawn(page, TEXT)
    title = page.locator("[data-title]")
    first = title.inner_text()
    page.keyboard.press("]")
    assert title.inner_text() != first
    page.locator(f'[data-stage="{MASKED}"]').click()
    assert title.inner_text() == "Block 1 · masked scores"
    page.wait_for_function(
        "key => document.querySelector('[data-drawn]').dataset.drawn.startsWith(key)", arg=MASKED
    )
    page.go_back()
    page.go_back()
    assert title.inner_text() == first


def test_every_stage_can_be_opened(open_file: Open, file: Path, model: LoadedModel) -> None:
    page = open_file(file, "#?stage=ids")
    started(page)
    for stage in model.stages:
        assert page.locator("[data-title]").inner_text() == stage.title
        page.keyboard.press("]")


def test_view_is_restored_from_the_fragment(
    open_file: Open, file: Path, model: LoadedModel
) -> None:
    page = open_file(file, "#?stage=logits&cell=2.5")
    started(page)
    assert np.float32(cell_value(page)) == trace(model, TEXT).array("logits")[2, 5]


def test_link_of_the_page_opens_its_view(open_file: Open, file: Path) -> None:
    page = open_file(file)
    started(page)
    link = page.locator(f'[data-stage="{MASKED}"]').get_attribute("href")
    assert link is not None
    other = open_file(file, link)
    started(other)
    assert other.locator("[data-title]").inner_text() == "Block 1 · masked scores"


def test_address_cannot_ask_for_another_text(open_file: Open, file: Path) -> None:
    page = open_file(file, "#?text=To+be&model=nobody&hidden=1&target=x")
    started(page)
    assert page.locator("[data-text]").input_value() == TEXT


def test_skip_link_leaves_the_view_as_it_is(open_file: Open, file: Path) -> None:
    page = open_file(file, "#?stage=logits&cell=2.5")
    started(page)
    value = cell_value(page)
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.title") is not None
    assert cell_value(page) == value


def test_check_of_the_stage_is_there(open_file: Open, file: Path) -> None:
    page = open_file(file)
    page.locator("[data-check]", has_text="NumPy agrees.").wait_for()
    page.locator("[data-check] a").first.click()
    assert f"cell={page.locator('[data-check] a').first.get_attribute('data-where')}" in page.url
    assert page.locator('[data-check] a[href^="/"]').count() == 0


def test_table_has_the_numbers(open_file: Open, file: Path, model: LoadedModel) -> None:
    page = open_file(file, "#?stage=logits")
    started(page)
    page.locator(".tabled > summary").click()
    page.locator(".tabled-numbers").wait_for()
    shown = page.locator(".tabled-numbers td").all_text_contents()
    assert np.array_equal(np.float32(shown), trace(model, TEXT).array("logits").ravel())


def test_what_needs_a_server_is_absent_and_said(open_file: Open, file: Path) -> None:
    page = open_file(file)
    started(page)
    page.locator('[data-view="away"] > summary').click()
    assert not page.locator("[data-text]").is_editable()
    assert page.locator(".example, [data-one], [data-all], [data-opens=picker]").count() == 0
    assert page.locator('a[href^="/"], a[href^="file:"]').count() == 0
    assert "asks no server" in page.locator(".masthead").inner_text()
    assert not page.locator("[data-curl]").is_visible()


def test_what_is_not_in_the_file_is_refused_in_a_sentence(open_file: Open, file: Path) -> None:
    page = open_file(file)
    started(page)
    for path, body in (("/figures", "{}"), ("/traces", '{"gradients": true}')):
        answer = page.evaluate(
            """async ([path, body]) => {
                const { held } = await import("js/page/saved.js");
                const { carried } = JSON.parse(document.querySelector("[data-boot]").textContent);
                return held(carried, path, { body }).missing;
            }""",
            [path, body],
        )
        assert answer.startswith("This saved page")


def test_gradients_that_are_not_in_the_file_are_refused_in_a_sentence(
    open_file: Open, file: Path
) -> None:
    page = open_file(file)
    started(page)
    page.keyboard.press("g")
    page.locator("[data-no-gradient]", has_text="This saved page holds no gradients").wait_for()


def test_gradients_in_the_file_are_shown(
    open_file: Open, tmp_path: Path, model: LoadedModel
) -> None:
    path = tmp_path / "trace.html"
    assert main(["export", TEXT, "--gradients", "--stage", "logits", "-o", str(path)]) == 0
    page = open_file(path, "#?gradient=1&highway=1")
    page.locator('[data-view="gradient"] .heatmaplayer image').wait_for()
    assert page.locator("[data-title]").inner_text() == trace(model, TEXT).stage("logits").title
    assert page.locator("[data-rows] tr").count() > 0


def test_picture_is_taken_from_the_file(open_file: Open, file: Path, tmp_path: Path) -> None:
    page = open_file(file)
    drawn(page, TEXT)
    page.locator('[data-view="away"] > summary').click()
    with page.expect_download() as saving:
        page.locator('[data-picture="png"]').first.click()
    saving.value.save_as(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    ("preset", "words", "shown"),
    [
        ("shakespeare-encoder", ["To be", "--hidden", "1"], {"[data-text]": "To be"}),
        ("shakespeare-seq2seq", ["T b, r nt"], {"[data-text]": "T b, r nt"}),
        ("shakespeare-seq2seq", ["T b", "--target", "To"], {"[data-target]": "To"}),
    ],
)
def test_other_architectures_are_saved_too(
    open_file: Open, tmp_path: Path, preset: str, words: list[str], shown: dict[str, str]
) -> None:
    path = tmp_path / "trace.html"
    assert main(["export", *words, "--model", preset, "--gradients", "-o", str(path)]) == 0
    page = open_file(path)
    drawn(page, words[0])
    for field, value in shown.items():
        assert page.locator(field).input_value() == value
        assert not page.locator(field).is_editable()
    assert page.locator("[data-hide]").count() == 0
    assert page.locator(".bar").count() == 10


def test_notebook_output_draws_without_a_network(
    open_file: Open, model: LoadedModel, tmp_path: Path
) -> None:
    path = tmp_path / "output.html"
    outputs = [notebook.html(trace(model, TEXT), key) for key in (WEIGHTS, "logits", "loss")]
    path.write_text(f"<!doctype html><meta charset=utf-8>{''.join(outputs)}", encoding="utf-8")
    page = open_file(path)
    page.wait_for_function("() => document.querySelectorAll('.heatmaplayer image').length === 6")
    assert load(ROOT / "checkpoints" / "shakespeare").id in page.inner_text("body")


def test_walk_back_to_a_character_needs_no_server(open_file: Open, file: Path) -> None:
    """From the likeliest next character, by the largest term each time, down to an id."""
    model = load(ROOT / "checkpoints" / "shakespeare")
    (likeliest, *_) = trace(model, TEXT).next(n=1)
    page = open_file(file, f"#?stage=probabilities&cell={len(TEXT) - 1}.{likeliest.id}")
    for _ in range(40):
        page.wait_for_selector('[data-view="arithmetic"]:not(.is-waiting) .summand')
        if "stage=ids" in page.url:
            break
        page.evaluate(LARGEST)
    assert page.locator(".summand-label").inner_text().startswith("id of the character")
    page.go_back()
    page.wait_for_selector('[data-view="arithmetic"]:not(.is-waiting) .factor')


LARGEST = """() => {
    const number = summand => Math.abs(Number(summand.querySelector('.summand-value').textContent));
    const of = summand => [...summand.querySelectorAll('.factor')].find(a => !/weight|bias/.test(JSON.parse(a.dataset.walk).stage.split('.').at(-1)) || JSON.parse(a.dataset.walk).stage.endsWith('attn.weights'));
    const fitting = [...document.querySelectorAll('.summand')].filter(of);
    fitting.sort((a, b) => number(b) - number(a));
    of(fitting[0]).click();
}"""


def test_weight_opens_from_the_file(open_file: Open, file: Path, model: LoadedModel) -> None:
    page = open_file(file, "#?stage=head.weight")
    drawn(page)
    shown = page.evaluate(
        """() => document.querySelector('[data-view="figure"] [data-canvas]').data.find(t => t.type === 'heatmap').z.map(row => [...row])"""
    )
    assert np.array_equal(np.float32(shown), model.weights["head.weight"])


def test_cell_that_is_not_explained_in_the_file_says_which_are(open_file: Open, file: Path) -> None:
    page = open_file(file, "#?stage=logits&cell=0.3")
    page.get_by_text("This saved page explains").wait_for()
    assert page.locator(".cell-value").inner_text()
