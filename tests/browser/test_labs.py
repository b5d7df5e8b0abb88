"""The labs' pages: what is moved is what the API answers, and a prediction is told right from
wrong."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from starlette.testclient import TestClient

from app.labs.table import LABS
from tests.browser.test_everyone import serious, sideways
from tests.browser.test_typing import forgive

NAMES = [lab.name for lab in LABS]
every_lab = pytest.mark.parametrize("name", NAMES)
ROUNDED = 1e-5
PREDICTED = {
    "positions": [("slow", "same"), ("6", "63")],
    "layernorm": [("larger", "same"), ("2", "1.73")],
    "masking": [("0.5", "0.73"), ("nothing", "less")],
    "activations": [("0", "−0.16"), ("both", "GELU")],
    "counting": [("2", "4"), ("double", "same"), ("same", "more"), ("786", "1,049")],
    "residuals": [("0.00029", "0.5^12"), ("none", "all")],
    "depth": [("apart", "alike"), ("post", "pre")],
    "gradient-check": [("nearer", "turns"), ("smaller", "larger")],
    "experiment": [("3", "5"), ("post-ln", "pre-ln")],
}
"""For each question of a lab a wrong and a right prediction."""
SLIDERS = ".knob > [data-range], [data-length], [data-items] > :first-child [data-range]"
"""Every slider; of a list's, which are alike, the first."""

CUT = """() => [...document.querySelectorAll('[data-number]')]
    .filter(box => box.scrollWidth > box.clientWidth).map(box => box.value)"""
"""Numbers that are wider than their boxes."""
CROWDED = """() => [...document.querySelectorAll('.drawing')].flatMap(drawing => {
    const box = e => e.getBoundingClientRect(), all = box(drawing);
    const ticks = [...drawing.querySelectorAll('.drawing-tick')];
    const cut = ticks.filter(tick => box(tick).left < all.left - 1 || box(tick).right > all.right + 1);
    const under = ticks.filter(tick => [...drawing.querySelectorAll('.drawing-label')].some(label =>
        box(label).right > box(tick).left && box(label).left < box(tick).right &&
        box(label).bottom > box(tick).top && box(label).top < box(tick).bottom));
    return [...cut, ...under].map(tick => tick.textContent);
})"""
"""Ticks that are cut off by their drawing's edge, or that a label lies on."""


def open_lab(page: Page, name: str, query: str = "") -> None:
    page.goto(f"/labs/{name}{query}")
    settle(page)


def settle(page: Page) -> None:
    """Wait until what is drawn is what the controls say."""
    page.wait_for_function(
        """() => {
            const root = document.querySelector('[data-lab]');
            const shown = new URLSearchParams(root.dataset.shown);
            return root.dataset.shown !== undefined && [...root.querySelectorAll('[data-control]')].every(control => {
                const values = shown.getAll(control.dataset.control);
                if (control.dataset.kind === 'choice') return control.querySelector('select').value === values[0];
                if (control.dataset.kind === 'text') return control.querySelector('input').value === values[0];
                if (control.dataset.kind === 'switch') return String(control.querySelector('input').checked) === values[0];
                return values.join() === [...control.querySelectorAll('[data-number]')].map(n => String(n.valueAsNumber)).join();
            });
        }"""
    )


def shown(page: Page) -> str:
    query = page.locator("[data-lab]").get_attribute("data-shown")
    assert query is not None
    return query


def slide(page: Page, label: str, key: str, times: int = 1) -> None:
    control = page.get_by_role("slider", name=label, exact=True)
    control.focus()
    for _ in range(times):
        page.keyboard.press(key)
    settle(page)


def numbers(value: Any) -> Iterator[float]:
    """Every number of an answer."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def numbered(page: Page, typed: str) -> Any:
    """How a typed guess is read."""
    return page.evaluate(
        """async typed => {
            const loaded = [...document.querySelectorAll('[rel=modulepreload]')].map(one => one.href);
            const { numberIn } = await import(loaded.find(one => one.includes('labs/question')));
            return numberIn(typed);
        }""",
        typed,
    )


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def twins(page: Page) -> list[tuple[str, list[str]]]:
    """Each figure's title and the cells of its table but the rows' names."""
    for summary in page.locator(".plot-numbers > summary").all():
        summary.click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.plot-numbers')].every(d => d.querySelector('td'))"
    )
    found: list[tuple[str, list[str]]] = page.locator(".plot").evaluate_all(
        """all => all.map(plot => [plot.querySelector('figcaption').textContent,
            [...plot.querySelectorAll('td')].map(cell => cell.textContent)])"""
    )
    return found


@every_lab
def test_lab_draws_what_the_api_answers(page: Page, client: TestClient, name: str) -> None:
    """After a move; every number of every figure's table is one of the answer."""
    open_lab(page, name)
    first = shown(page)
    page.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    settle(page)
    assert shown(page) != first
    answer = client.get(f"/api/v1/labs/{name}?{shown(page)}")
    known = sorted(abs(each) for each in numbers(answer.json()))
    for title, cells in twins(page):
        assert cells, title
        for cell in cells:
            if cell != "—":
                at = abs(number(cell))
                near = min(known, key=lambda each: abs(each - at))
                assert near == pytest.approx(at, rel=ROUNDED, abs=1e-300), (title, cell)


@every_lab
def test_lab_holds_at_both_ends_of_every_slider(page: Page, name: str) -> None:
    open_lab(page, name)
    sliders = page.locator(SLIDERS).all()
    assert sliders
    for slider in sliders:
        before = slider.input_value()
        for key in ("Home", "End"):
            slider.focus()
            page.keyboard.press(key)
            settle(page)
            assert slider.input_value() == slider.get_attribute("min" if key == "Home" else "max")
            assert page.locator("[data-message]").inner_text() == ""
            assert page.evaluate(CUT) == []
        slider.fill(before)


@every_lab
def test_axe_finds_nothing_serious_in_a_lab(page: Page, name: str) -> None:
    open_lab(page, name)
    page.locator(".plot-numbers > summary").last.click()
    if page.locator(".claims").count():
        page.locator(".claims > summary").click()
    assert serious(page) == []


def test_axe_finds_nothing_serious_in_a_dark_lab(page: Page) -> None:
    """One that has every kind of figure; its colours are those of all labs."""
    page.emulate_media(color_scheme="dark")
    open_lab(page, "layernorm")
    assert serious(page) == []


def test_axe_finds_nothing_serious_in_the_index(page: Page) -> None:
    page.goto("/labs")
    assert serious(page) == []


def test_page_of_nothing_is_readable_by_everyone(page: Page) -> None:
    page.goto("/labs/" + "nothing" * 20)
    assert serious(page) == []
    page.set_viewport_size({"width": 320, "height": 800})
    assert not sideways(page)
    page.get_by_role("listitem").get_by_role("link", name="Labs").click()
    page.wait_for_url("**/labs")
    forgive(page, 404)


def test_no_width_scrolls_a_lab_sideways(page: Page) -> None:
    for name in NAMES:
        open_lab(page, name)
        for width in (320, 380, 720, 1024):
            page.set_viewport_size({"width": width, "height": 800})
            assert not sideways(page), (name, width)


@every_lab
def test_wrong_and_right_predictions_are_told_apart(page: Page, name: str) -> None:
    open_lab(page, name)
    questions = page.locator("[data-question]").all()
    assert len(questions) == len(PREDICTED[name])
    for question, guesses in zip(questions, PREDICTED[name], strict=True):
        for guess, verdict, begins in zip(
            guesses, ("wrong", "right"), ("Not so.", "Right."), strict=True
        ):
            if question.locator("[data-guess]").count():
                question.locator("[data-guess]").fill(guess)
            else:
                question.locator(f'[value="{guess}"]').check()
            question.get_by_role("button").press("Enter")
            said = question.locator(f'[data-said][data-verdict="{verdict}"]')
            said.wait_for()
            assert said.inner_text().startswith(begins)
    settle(page)


def test_other_commas_than_between_thousands_are_refused_in_words(page: Page) -> None:
    open_lab(page, "masking")
    for guess in ("0,73", "1,5", "0,730", "1,00,000", "1,000.5", "1,0000", "0.5,000", ",5"):
        read = numbered(page, guess)
        assert "point" in read.get("lacks", ""), (guess, read)


def test_guess_is_read_with_a_decimal_point(page: Page) -> None:
    open_lab(page, "masking")
    for guess, given in {
        "1,000": 1000, "−12,345,678": -12345678, "0.73": 0.73, ".5": 0.5, "−1e−3": -0.001,
    }.items():  # fmt: skip
        assert numbered(page, guess) == {"given": given}, guess


def test_decimal_comma_is_no_prediction(page: Page) -> None:
    open_lab(page, "masking")
    question = page.locator("[data-question]").first
    question.locator("[data-guess]").fill("0,73")
    question.get_by_role("button").click()
    said = question.locator('[data-said][data-verdict="none"]')
    assert said.inner_text().startswith("A point is the decimal sign")


def test_formula_that_cannot_be_read_is_refused_in_words(page: Page) -> None:
    open_lab(page, "masking")
    question = page.locator("[data-question]").first
    question.locator("[data-guess]").fill("e^2/(e+q")
    question.get_by_role("button").click()
    said = question.locator('[data-said][data-verdict="none"]')
    assert "'q' is no symbol of this question" in said.inner_text()
    forgive(page, 422)
    question.locator("[data-guess]").fill("e^2/(e+e^2)")
    question.get_by_role("button").click()
    expect(question.locator("[data-said]")).to_contain_text("Right.")


@pytest.mark.parametrize(
    "address",
    [
        "activations?at=-100&low=-100&high=-99.5",
        "layernorm?x=1&x=2&scale=1000000",
        "layernorm?x=-1000000&beta=-1000000",
    ],
)
def test_no_tick_is_cut_or_lain_on(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1024, "height": 800})
    name, _, query = address.partition("?")
    open_lab(page, name, f"?{query}")
    assert page.evaluate(CROWDED) == []


def test_variance_over_sigma_is_that_of_the_bars(page: Page) -> None:
    words = page.locator("[data-slot=step-1] [data-words]")
    open_lab(page, "layernorm")
    assert words.inner_text().strip() == "variance 1"
    open_lab(page, "layernorm", "?x=3")
    assert words.inner_text().strip().startswith("variance 0:")


def test_no_prediction_is_asked_for(page: Page) -> None:
    open_lab(page, "masking")
    for question in page.locator("[data-question]").all():
        question.get_by_role("button").click()
        assert re.match("(Choose|Type)", question.locator("[data-said]").inner_text())


def test_prediction_leads_to_its_setting_and_back_again(page: Page) -> None:
    open_lab(page, "layernorm")
    question = page.locator("[data-question]").first
    question.locator('[value="same"]').check()
    question.get_by_role("button").click()
    page.wait_for_url("**/labs/layernorm?scale=10")
    settle(page)
    assert "scale=10&" in shown(page)
    page.go_back()
    page.wait_for_function("() => location.search === ''")
    settle(page)
    assert "scale=1&" in shown(page)


def test_address_holds_what_was_moved(page: Page) -> None:
    open_lab(page, "residuals")
    slide(page, "layers", "ArrowRight", 3)
    page.get_by_label("slope f of a layer, typed").fill("0.25")
    settle(page)
    assert page.url.endswith("/labs/residuals?depth=9&factor=0.25")
    was = shown(page)
    page.reload()
    settle(page)
    assert shown(page) == was
    page.get_by_role("button", name="start again").click()
    settle(page)
    assert page.url.endswith("/labs/residuals")


def test_second_position_moves_the_gap_and_the_first_does_not(page: Page) -> None:
    open_lab(page, "positions")
    turns = page.locator("[data-turn]").evaluate_all("all => all.map(e => e.dataset.turn)")
    page.get_by_label("first position, typed").fill("103")
    settle(page)
    assert page.get_by_label("second position, typed").input_value() == "140"
    moved = page.locator("[data-turn]").evaluate_all("all => all.map(e => e.dataset.turn)")
    assert moved == turns
    page.get_by_label("second position, typed").fill("110")
    settle(page)
    assert "shift=7" in shown(page)


def test_list_grows_and_what_hangs_on_it_follows(page: Page) -> None:
    open_lab(page, "masking", "?scores=1&scores=2&scores=3&position=2")
    slide(page, "how many", "ArrowLeft")
    assert "scores=1&scores=2&position=1" in shown(page)
    slide(page, "how many", "End")
    assert shown(page).count("scores=") == 16
    slide(page, "the query’s position", "End")
    assert "position=15" in shown(page)


def test_width_stays_a_multiple_of_the_heads(page: Page) -> None:
    open_lab(page, "counting")
    slide(page, "heads", "End")
    assert "d_model=1024&" in shown(page)
    assert "n_heads=1024" in shown(page)
    page.get_by_label("heads, typed").fill("7")
    settle(page)
    assert "d_model=1022&" in shown(page)
    slide(page, "width d", "End")
    assert "d_model=65534&" in shown(page)
    slide(page, "width d", "ArrowLeft")
    assert "d_model=49154&" in shown(page)
    slide(page, "width d", "Home")
    assert "d_model=7&" in shown(page)


def test_refusal_is_said_in_words_and_the_page_goes_on(page: Page) -> None:
    open_lab(page, "layernorm", "?x=7&x=7")
    page.get_by_label("ε, typed").fill("0")
    message = page.locator("[data-message]:not(:empty)")
    message.wait_for()
    assert "divide 0 by 0" in message.inner_text()
    assert page.locator("[data-figures].is-stale").count() == 1
    page.get_by_label("features, number 0, typed").fill("8")
    settle(page)
    page.locator("[data-message]:empty").wait_for(state="attached")
    assert page.locator("[data-figures].is-stale").count() == 0
    forgive(page, 422)


def test_address_that_the_api_refuses_still_opens(page: Page) -> None:
    page.goto("/labs/masking?scores=1&position=9")
    page.locator("[data-message]:not(:empty)").wait_for()
    page.get_by_role("button", name="start again").click()
    settle(page)
    forgive(page, 422)
