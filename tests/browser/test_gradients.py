"""Gradients on the page: beside the activations, number for number, and only when wanted."""

import shlex
from collections.abc import Mapping
from typing import Any

import httpx2
import numpy as np
import pytest
from playwright.sync_api import Page
from starlette.testclient import TestClient

from model import LoadedModel, trace
from model.config import PRESETS
from model.table.stage import Kind
from model.tracing import Trace
from tests.browser.conftest import drawn, open_tracer
from tests.browser.test_everyone import serious_in_both_themes, sideways
from tests.browser.test_typing import forgive, type_text

TEXT = "To be"
WEIGHTS = "blocks.0.attn.weights"
MASKED = "blocks.0.attn.masked_scores"
ENCODER, SEQ2SEQ = "shakespeare-encoder", "shakespeare-seq2seq"
GRADIENT = '[data-view="gradient"]'


def open_gradient(page: Page, **query: str) -> None:
    """Open a view with gradients and wait until both pictures are drawn."""
    open_tracer(page, gradient="1", **query)
    both_drawn(page, query.get("stage", WEIGHTS))


def both_drawn(page: Page, stage: str) -> None:
    """Wait until that stage and its gradient are drawn, of the same trace."""
    page.wait_for_function(
        """stage => {
            const [one, two] = ['figure', 'gradient'].map(name => document.querySelector(`[data-view="${name}"]`));
            return !two.hidden && !two.matches('.is-waiting') && !one.dataset.busy && !two.dataset.busy
                && one.dataset.drawn?.split(' ')[0] === stage && two.dataset.drawn === one.dataset.drawn;
        }""",
        arg=stage,
    )


def shown(page: Page) -> Any:
    """The numbers of the gradient's picture, a matrix a panel."""
    return floats(
        page.evaluate(
            f"""document.querySelector('{GRADIENT} [data-canvas]').data.filter(t => t.type === 'heatmap')
                .map(t => t.z.map(row => [...row]))"""
        )
    )


def floats(values: Any) -> Any:
    return np.array(values, dtype=np.float32)


def with_loss(model: LoadedModel) -> tuple[Trace, dict[str, str]]:
    """A trace with gradients, where the model has something to predict, and its page's query."""
    query = {"model": model.id, "text": "Nw s"}
    if model.config.guesses:
        return trace(model, "Nw s", hidden=[1], gradients=True), query | {"hidden": "1"}
    if model.config.writes:
        return trace(model, "Nw s", target="To be", gradients=True), query | {"target": "To be"}
    return trace(model, "Nw s", gradients=True), query


def checked(page: Page) -> str:
    """The check line, once it says something of the gradient."""
    page.wait_for_function(
        "() => document.querySelector('[data-check]').textContent.includes('Gradient:')"
    )
    return page.locator("[data-check]").inner_text()


def requests(page: Page) -> list[str]:
    """The bodies and addresses of what the page asks for from now on."""
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(f"{sent.url} {sent.post_data or ''}"))
    return asked


def test_nothing_of_gradients_is_asked_for_while_they_are_off(page: Page) -> None:
    asked = requests(page)
    open_tracer(page, text=TEXT)
    type_text(page, "To be, or")
    drawn(page, "To be, or")
    page.wait_for_function(
        "() => document.querySelector('[data-check]').textContent.includes('agrees')"
    )
    assert any("/checks" in request for request in asked)
    assert not [
        request for request in asked if '"gradients"' in request or "gradient-flow" in request
    ]
    assert page.locator("[data-canvas]").count() == 1
    assert not page.locator('[data-view="flow"]').is_visible()


def test_carried_trace_is_drawn_without_waiting_for_gradients(page: Page) -> None:
    page.route("**/api/v1/traces", lambda route: None)  # never answered
    open_tracer(page, gradient="1")
    assert page.locator("[data-no-gradient]").inner_text() == "Asking for the gradients …"
    page.unroute_all()


@pytest.mark.parametrize("stage", [WEIGHTS, "blocks.0.ffn.hidden", "blocks.0.attn_norm.mean"])
def test_gradient_is_drawn_with_the_apis_numbers(
    page: Page, client: TestClient, stage: str
) -> None:
    open_gradient(page, text=TEXT, stage=stage)
    sent = {"text": TEXT, "stages": [stage], "gradients": True}
    expected = floats(client.post("/api/v1/traces", json=sent).json()["stages"][0]["gradient"])
    assert np.array_equal(shown(page), expected.reshape(shown(page).shape))
    axes = page.evaluate(
        "[...document.querySelectorAll('[data-canvas]')].map(e => e.layout.coloraxis)"
    )
    assert axes[1]["cmin"] == -axes[1]["cmax"]
    assert axes[1]["cmax"] != axes[0]["cmax"]
    labels = page.evaluate(
        """[...document.querySelectorAll('[data-canvas]')].map(e => JSON.stringify(
            ['xaxis', 'yaxis'].map(name => [e.layout[name].ticktext, e.layout[name].range])))"""
    )
    assert labels[0] == labels[1]


def test_cell_of_the_gradient_shows_both_numbers(page: Page, model: LoadedModel) -> None:
    open_gradient(page, text=TEXT, stage=WEIGHTS)
    traced = trace(model, TEXT, gradients=True)
    picture = page.locator(f"{GRADIENT} [data-canvas] .heatmaplayer image").nth(2)
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    assert box is not None
    x, y = box["x"] + 1.5 / 5 * box["width"], box["y"] + 3.5 / 5 * box["height"]
    page.mouse.move(x, y)
    page.wait_for_selector(f"{GRADIENT} [data-tip]:not([hidden])")
    gradient = traced.gradient(WEIGHTS)
    assert gradient is not None
    value, place, _ = page.locator(f"{GRADIENT} [data-tip] span").all_inner_texts()
    assert np.float32(value) == gradient[2, 3, 1]
    assert place == "head 3 · position 3 b · source 1 o"
    twin = page.locator('[data-view="figure"] [data-twin]').bounding_box()
    other = page.locator('[data-view="figure"] .heatmaplayer image').nth(2).bounding_box()
    assert twin is not None
    assert other is not None
    assert twin["x"] == pytest.approx(other["x"] + 1 / 5 * other["width"], abs=1.5)
    assert twin["y"] == pytest.approx(other["y"] + 3 / 5 * other["height"], abs=1.5)
    page.mouse.click(x, y)
    page.mouse.move(0, 0)
    assert page.url.endswith("cell=2.3.1&of=gradient&gradient=1")
    assert np.float32(page.locator(".cell-value").inner_text()) == traced.array(WEIGHTS)[2, 3, 1]
    assert np.float32(page.locator(".cell-gradient").inner_text()) == gradient[2, 3, 1]


def test_cells_of_the_gradient_by_keyboard_alone(page: Page, model: LoadedModel) -> None:
    open_gradient(page, text=TEXT, stage=WEIGHTS)
    page.locator(f"{GRADIENT} [data-plot]").focus()
    for key in ("ArrowDown", "ArrowDown", "PageDown"):
        page.keyboard.press(key)
    gradient = trace(model, TEXT, gradients=True).gradient(WEIGHTS)
    assert gradient is not None
    assert np.float32(page.locator(".cell-gradient").inner_text()) == gradient[1, 1, 0]


def test_switch_works_by_mouse_and_by_key(page: Page) -> None:
    open_tracer(page, text=TEXT)
    button = page.locator("[data-gradient]")
    button.click()
    both_drawn(page, WEIGHTS)
    assert button.get_attribute("aria-pressed") == "true"
    assert page.url.endswith("&gradient=1")
    page.keyboard.press("g")
    page.wait_for_selector(GRADIENT, state="hidden")
    assert button.get_attribute("aria-pressed") == "false"
    assert "gradient" not in page.url
    page.go_back()
    both_drawn(page, WEIGHTS)


def test_headings_name_what_is_drawn(page: Page) -> None:
    open_gradient(page, text=TEXT)

    def titles() -> list[str]:
        found: list[str] = page.locator(".pane-title").evaluate_all(
            "all => all.map(e => e.textContent.split(/\\s+/).join(' '))"
        )
        return found

    assert titles() == ["activation A(1)", "gradient of the mean loss ∂ℓ¯/∂A(1)"]
    page.locator('[data-stage="logits"]').click()
    both_drawn(page, "logits")
    assert titles() == ["activation Z", "gradient of the mean loss ∂ℓ¯/∂Z"]


def test_gradients_once_asked_for_are_kept(page: Page) -> None:
    open_gradient(page, text=TEXT)
    checked(page)
    asked = requests(page)
    for _ in range(2):
        page.keyboard.press("g")
    both_drawn(page, WEIGHTS)
    assert not [request for request in asked if "/api/" in request]


def test_gradient_follows_the_text(page: Page, model: LoadedModel) -> None:
    open_gradient(page, text=TEXT)
    type_text(page, "My lord")
    drawn(page, "My lord")
    both_drawn(page, WEIGHTS)
    assert np.array_equal(shown(page), trace(model, "My lord", gradients=True).gradient(WEIGHTS))


def test_masked_cells_have_the_gradient_zero_and_no_hatching(page: Page) -> None:
    open_gradient(page, text="abc", stage=MASKED)
    assert all(panel[0][1] == panel[0][2] == panel[1][2] == 0 for panel in shown(page))
    assert page.evaluate(f"document.querySelector('{GRADIENT} [data-canvas]').layout.images") == []
    said = page.locator(f"{GRADIENT} [data-remark]").inner_text()
    assert "Where the activation is masked, its gradient is exactly 0" in said


def test_weights_right_of_the_diagonal_are_not_called_zero(page: Page) -> None:
    open_gradient(page, text="abc", stage=WEIGHTS)
    assert any(panel[0][1] != 0 for panel in shown(page))
    assert "exactly 0" not in page.locator(f"{GRADIENT} [data-remark]").inner_text()


def test_what_no_stage_reads_says_why_its_gradient_is_zero(page: Page) -> None:
    open_gradient(page, text="abc", stage="probabilities")
    assert not np.any(shown(page))
    said = page.locator(f"{GRADIENT} [data-remark]").inner_text()
    assert "No stage reads this tensor" in said
    assert "its gradient is 0 everywhere" in said


def test_logits_gradient_is_not_said_to_be_zero(page: Page) -> None:
    open_gradient(page, text="abc", stage="logits")
    assert np.any(shown(page))
    assert "No stage reads" not in page.locator(f"{GRADIENT} [data-remark]").inner_text()


def test_ids_say_that_they_have_no_gradient(page: Page) -> None:
    open_gradient(page, text=TEXT)
    page.locator('[data-stage="ids"]').click()
    assert "whole numbers" in page.locator("[data-no-gradient]").inner_text()
    assert not page.locator(GRADIENT).is_visible()
    drawn(page, TEXT)
    page.locator(f'[data-stage="{WEIGHTS}"]').click()
    both_drawn(page, WEIGHTS)
    assert page.locator("[data-no-gradient]").inner_text() == ""


def test_text_without_loss_is_shown_as_before_and_says_why(page: Page) -> None:
    open_gradient(page, text=TEXT, highway="1")
    type_text(page, "a")
    drawn(page, "a")
    page.wait_for_function(
        "() => document.querySelector('[data-no-gradient]').textContent.includes('at least two')"
    )
    assert not page.locator(GRADIENT).is_visible()
    page.wait_for_function(
        "() => document.querySelector('[data-check]').textContent.includes('NumPy agrees.')"
    )
    assert page.locator("[data-text]").get_attribute("aria-invalid") == "false"
    assert page.locator("[data-stale]").inner_text() == ""
    assert not page.locator("[data-flow]").is_visible()
    assert "at least two" in page.locator("[data-refusal]").inner_text()
    assert "gradients" not in (page.locator("[data-curl]").text_content() or "")
    type_text(page, "ab")
    drawn(page, "ab")
    both_drawn(page, WEIGHTS)
    forgive(page, 422)


def test_encoder_with_nothing_hidden_says_how_to_get_a_loss(family_page: Page) -> None:
    open_tracer(family_page, model=ENCODER, text=TEXT, gradient="1")
    family_page.wait_for_function(
        "() => document.querySelector('[data-no-gradient]').textContent.includes('choose a character')"
    )
    family_page.locator('[data-position="1"]').click()
    family_page.keyboard.press("h")
    both_drawn(family_page, WEIGHTS)
    assert family_page.locator("[data-no-gradient]").inner_text() == ""
    forgive(family_page, 422)


def test_empty_target_has_no_gradient_until_it_is_typed(
    family_page: Page, family: Mapping[str, LoadedModel]
) -> None:
    cross = "decoder.blocks.0.cross_attn.weights"
    open_tracer(family_page, model=SEQ2SEQ, text="T b", target="", stage=cross, gradient="1")
    family_page.wait_for_function(
        "() => document.querySelector('[data-no-gradient]').textContent.includes('target is empty')"
    )
    assert family_page.locator("[data-target]").get_attribute("aria-invalid") == "false"
    family_page.locator("[data-target]").fill("To be")
    both_drawn(family_page, cross)
    traced = trace(family[SEQ2SEQ], "T b", target="To be", gradients=True)
    assert np.array_equal(shown(family_page), traced.gradient(cross))
    forgive(family_page, 422)


def test_empty_line_that_the_model_wrote_is_not_called_the_readers(family_page: Page) -> None:
    open_tracer(family_page, model=SEQ2SEQ, text="Nw s", gradient="1")
    family_page.wait_for_function(
        "() => document.querySelector('[data-no-gradient]').textContent.includes('model wrote an empty line')"
    )
    forgive(family_page, 422)


@pytest.mark.parametrize("preset", PRESETS)
def test_first_and_last_gradient_of_every_preset_are_drawn(
    family_page: Page, family: Mapping[str, LoadedModel], preset: str
) -> None:
    loaded = family[preset]
    traced, query = with_loss(loaded)
    keys = [stage.key for stage in loaded.stages if stage.kind is not Kind.IDS]
    open_gradient(family_page, **query, stage=keys[0])
    for key in (keys[0], keys[-1]):
        family_page.locator(f'[data-stage="{key}"]').click()
        both_drawn(family_page, key)
        gradient = traced.gradient(key)
        assert gradient is not None
        assert np.array_equal(shown(family_page).ravel(), gradient.ravel())
    assert "Gradient: NumPy agrees, largest difference" in checked(family_page)


def test_check_of_a_wrong_gradient_is_said_and_marked(page: Page) -> None:
    def answer(route: Any) -> None:
        body = route.fetch().json()
        for check in body["checks"]:
            if check["gradient"] is not None:
                check["gradient"] |= {"scaled": 0.5, "equal": False}
        route.fulfill(json=body)

    page.route("**/api/v1/checks", answer)
    open_gradient(page, text=TEXT)
    assert "NumPy does not agree, largest difference 0.5 of the largest gradient." in checked(page)
    assert "is-wrong" in (page.locator("[data-check]").get_attribute("class") or "")
    page.keyboard.press("g")
    assert "is-wrong" not in (page.locator("[data-check]").get_attribute("class") or "")


def test_taken_away_lines_give_the_gradient(page: Page, model: LoadedModel) -> None:
    open_gradient(page, text=TEXT, stage=WEIGHTS)
    expected = trace(model, TEXT, gradients=True).gradient(WEIGHTS)
    assert expected is not None
    _, address = shlex.split(page.locator("[data-curl]").text_content() or "")
    answer = httpx2.get(address).json()["stages"][0]
    assert np.array_equal(floats(answer["gradient"]), expected)
    call = (page.locator("[data-python]").text_content() or "").splitlines()[-1]
    assert call == f'trace(model, "{TEXT}", gradients=True).gradient("{WEIGHTS}")'
    assert np.array_equal(eval(call, {"trace": trace, "model": model}), expected)
    for link in page.locator("[data-one], [data-all]").evaluate_all("all => all.map(a => a.href)"):
        assert "gradients=true" in link
    page.keyboard.press("g")
    assert "gradients" not in (page.locator("[data-python]").text_content() or "")


def test_gradients_picture_is_saved_under_its_own_name(page: Page) -> None:
    open_gradient(page, text=TEXT, stage=WEIGHTS)
    page.locator('[data-view="away"] > summary').click()
    with page.expect_download() as started:
        page.locator('[data-gradient-picture="svg"]').click()
    assert started.value.suggested_filename == f"{WEIGHTS}.gradient.svg"
    assert "gradient of the mean loss" in started.value.path().read_text()


def test_axe_finds_nothing_serious_with_gradients(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    open_gradient(page, text=TEXT, highway="1", cell="0.1.1")
    page.wait_for_selector("[data-flow]:not([hidden])")
    assert serious_in_both_themes(page) == []


@pytest.mark.parametrize(("width", "beside"), [(1440, True), (1024, False), (380, False)])
def test_gradient_is_beside_or_below_and_never_sideways(
    page: Page, width: int, beside: bool
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    open_gradient(page, text="Now is the winter", highway="1")
    page.wait_for_selector("[data-flow]:not([hidden])")
    for stage in (WEIGHTS, "blocks.0.ffn.hidden", "logits"):
        page.locator(f'[data-stage="{stage}"]').click()
        both_drawn(page, stage)
        assert not sideways(page), stage
        one, two = (
            page.locator(f'[data-view="{name}"]').bounding_box() for name in ("figure", "gradient")
        )
        assert one is not None
        assert two is not None
        assert (one["y"] == two["y"]) is beside
        assert beside or two["y"] >= one["y"] + one["height"]
        assert two["x"] + two["width"] <= width
