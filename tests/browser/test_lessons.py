"""A lesson in the browser: walked by keyboard, kept, and shown to a class."""

import re

from playwright.sync_api import Page, expect
from starlette.testclient import TestClient

from app.lessons.library import lesson_of
from tests.browser.test_everyone import serious_in_both_themes, sideways
from tests.browser.test_typing import forgive

FOLLOW = "/lessons/follow-one-input"
WIDTHS = (1440, 1024, 720, 380)


def opened(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("[data-question], [data-exercise] form")


def predict(page: Page, text: str) -> None:
    page.locator("[name=prediction]").first.fill(text)
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-verdict]")


def verdict(page: Page) -> str:
    return page.locator("[data-verdict]").inner_text()


def test_whole_lesson_is_walked_by_keyboard_alone(page: Page, client: TestClient) -> None:
    lesson = lesson_of("inside-a-block")
    text = "the king, the king"
    opened(page, f"/lessons/inside-a-block?text={text}")
    page.locator('[data-step="1"]').focus()
    for number, step in enumerate(lesson.steps, 1):
        expect(page.locator("[data-title]")).to_have_text(step.title)
        assert not page.locator("[data-reveal]").inner_text()
        while not page.evaluate("document.activeElement.name === 'prediction'"):
            page.keyboard.press("Tab")
        if step.kind == "choice":
            page.keyboard.press("Space")
        else:
            page.keyboard.type("7 × 7" if step.kind == "shape" else "7")
        page.keyboard.press("Enter")
        page.wait_for_selector("[data-verdict]")
        sent = {"text": text, "step": number}
        told = client.post("/api/v1/lessons/inside-a-block/answers", json=sent).json()
        assert told["reveal"] in page.locator("[data-reveal]").inner_text()
        page.keyboard.press("]")
    expect(page.locator("[data-end]")).to_contain_text("The modern block")
    assert page.locator("[data-outcome]:not(:empty)").count() == len(lesson.steps)


def test_right_and_wrong_are_told_apart_in_words_and_kept(page: Page) -> None:
    opened(page, f"{FOLLOW}?text=To+be&step=2")
    predict(page, "5 × 65")
    assert verdict(page) == "✗ Not right"
    assert "You said 5 × 65; it is 5 × 64. Axis 2 is of another size." in page.inner_text(
        "[data-reveal]"
    )
    page.keyboard.press("]")
    expect(page.locator("[data-title]")).to_have_text("Where a character stands")
    predict(page, "0")
    assert verdict(page) == "✓ Right: 0"
    assert page.url.endswith("text=To+be&step=3")
    page.reload()
    page.wait_for_selector("[data-question]")
    outcomes = page.locator("[data-outcome]").all_inner_texts()
    assert outcomes[:4] == ["", "✗ not right", "✓ right", ""]
    page.goto("/lessons")
    line = page.locator('[data-lesson="follow-one-input"]')
    expect(line).to_have_text("2 of 15 steps done, 1 predicted right")


def test_answer_is_nowhere_in_the_page_until_it_is_asked_for(page: Page) -> None:
    opened(page, f"{FOLLOW}?text=To+be&step=6")
    page.wait_for_selector('[data-view="figure"][data-drawn]')
    assert "4 × 5 × 5" not in page.content()
    assert page.locator("[data-reveal] > *").count() == 0
    page.locator("[data-show]").click()
    page.wait_for_selector("[data-verdict]")
    assert verdict(page) == "The answer: 4 × 5 × 5"
    page.wait_for_selector('[data-view="figure"][data-drawn^="blocks.0.attn.scores"]')
    page.locator("[data-again]").click()
    assert page.locator("[data-reveal] > *").count() == 0


def test_another_text_asks_anew(page: Page) -> None:
    opened(page, FOLLOW)
    page.locator("[data-text]").fill("ROMEO:")
    expect(page.locator("[data-ask]")).to_contain_text("Your text has 6 characters")
    predict(page, "6")
    assert verdict(page) == "✓ Right: 6"
    assert "text=ROMEO" in page.url
    page.locator("[data-text]").fill("é")
    expect(page.locator("[data-message]")).to_contain_text("outside the model's 65")
    forgive(page, 422)


def test_prediction_typed_early_is_kept_when_the_table_comes(page: Page) -> None:
    page.route("**/api/v1/stages*", lambda route: (page.wait_for_timeout(600), route.continue_()))
    opened(page, f"{FOLLOW}?step=2")
    page.locator("[name=prediction]").fill("N × d")
    page.wait_for_selector("[data-place]:not([hidden])")
    assert page.locator("[name=prediction]").input_value() == "N × d"


def test_shape_for_a_length_and_a_tensor_of_ones_own(page: Page) -> None:
    opened(page, f"{FOLLOW}?step=15")
    page.wait_for_selector("[name=stage] option", state="attached")
    page.locator("[name=length]").fill("12")
    page.locator("[name=stage]").select_option("blocks.1.attn.heads")
    predict(page, "h × N × d_head")
    assert verdict(page) == "✓ Right: 4 × 12 × 16"
    tracer = page.get_by_role("link", name="Open this in the tracer").get_attribute("href")
    assert tracer is not None
    assert re.match(r"/\?text=To\+be%2C\+or\+no&.*stage=blocks.1.attn.heads", tracer)


def test_teachers_view_hides_the_answer_until_a_key_is_pressed(page: Page) -> None:
    opened(page, f"{FOLLOW}?step=2")
    predict(page, "19 × 64")
    page.locator("[data-title]").click()
    page.keyboard.press("t")
    expect(page.locator("[data-reveal] > *")).to_have_count(0)
    assert "teacher=1" in page.url
    size = "parseFloat(getComputedStyle(document.querySelector('[data-ask]')).fontSize)"
    assert page.evaluate(size) > 24
    page.keyboard.press("r")
    page.wait_for_selector("[data-verdict]")
    page.keyboard.press("PageDown")
    page.keyboard.press("PageUp")
    expect(page.locator("[data-title]")).to_have_text("Each id looks up a vector")
    expect(page.locator("[data-reveal] > *")).to_have_count(0)


def test_second_press_of_the_key_hides_the_answer_again(page: Page) -> None:
    opened(page, f"{FOLLOW}?step=2&teacher=1")
    page.keyboard.press("r")
    page.wait_for_selector("[data-verdict]")
    page.keyboard.press("r")
    expect(page.locator("[data-reveal] > *")).to_have_count(0)


def test_step_that_needs_a_length_asks_for_it_without_a_request(page: Page) -> None:
    opened(page, f"{FOLLOW}?step=14&teacher=1")
    page.keyboard.press("r")
    expect(page.locator("[data-failure]")).to_have_text("Choose a length first, from 1 to 64.")
    assert page.evaluate("document.activeElement.name") == "length"


def test_equation_beside_a_choice_waits_for_the_answer(page: Page) -> None:
    opened(page, "/lessons/inside-a-block?step=1")
    page.wait_for_selector("[data-place]:not([hidden])")
    expect(page.locator("[data-equation]")).to_be_hidden()
    page.locator("[data-show]").click()
    expect(page.locator("[data-equation]")).to_be_visible()


def test_hint_names_the_symbols_of_a_shape(page: Page) -> None:
    opened(page, f"{FOLLOW}?step=2")
    hint = page.locator("[data-question] .hint")
    expect(hint).to_contain_text("the symbols: N, d, h, d_head, d_ff, V, N−1")


def test_axe_finds_nothing_serious_in_lessons(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto("/lessons")
    assert serious_in_both_themes(page) == []
    opened(page, f"{FOLLOW}?step=2")
    predict(page, "1")
    assert serious_in_both_themes(page) == []
    opened(page, "/exercises")
    predict(page, "1")
    assert serious_in_both_themes(page) == []


def test_no_width_scrolls_a_lesson_sideways(page: Page) -> None:
    for address in ("/lessons", "/lessons/the-modern-block?step=5&teacher=1"):
        page.goto(address)
        if address != "/lessons":
            page.wait_for_selector("[data-show]")
            page.locator("[data-show]").click()
            page.wait_for_selector("[data-verdict]")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            # The picture is drawn anew a moment after the window has changed.
            page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
    opened(page, "/exercises")
    assert not sideways(page)


def test_exercise_is_judged_by_itself(page: Page) -> None:
    opened(page, "/exercises")
    exercise = page.locator('[data-exercise="layernorm-by-hand"]')
    exercise.locator("[name=prediction]").fill("1.73")
    page.keyboard.press("Enter")
    expect(exercise.locator("[data-verdict]")).to_have_text("✓ Right: 1.732")
    assert page.locator("[data-verdict]").count() == 1
    expect(exercise.locator("[data-outcome]")).to_have_text("✓ right")
    assert exercise.get_by_role("link", name="See the LayerNorm lab").get_attribute("href") == (
        "/labs/layernorm"
    )
