"""Choosing among models, and the page of each for everyone."""

from collections.abc import Mapping

import pytest
from playwright.sync_api import Page

from model import LoadedModel
from model.config import PRESETS
from tests.browser.conftest import drawn, open_tracer
from tests.browser.test_everyone import serious_in_both_themes

TWO_TEXTS = "shakespeare-seq2seq"


def open_picker(page: Page) -> None:
    page.keyboard.press("m")
    page.wait_for_selector('[data-dialog="picker"][open]')


def pick(page: Page, name: str) -> None:
    open_picker(page)
    page.locator(f'[data-choice="{name}"]').click()
    page.wait_for_url(f"**model={name}*")
    drawn(page)


def test_picker_says_what_each_model_is(
    family_page: Page, family: Mapping[str, LoadedModel]
) -> None:
    open_tracer(family_page)
    family_page.locator('[data-opens="picker"]').click()
    for name, model in family.items():
        said = family_page.locator(f'[data-choice="{name}"]').inner_text()
        count = sum(int(weight.size) for weight in model.weights.values())
        assert model.training is not None
        assert f"{count:,} parameters" in said
        assert f"validation loss {model.training.validation_loss:.3f}" in said
        assert model.config.wiring.replace("ln", "LN") in said
    kinds = family_page.locator(".picker-kind").all_inner_texts()
    assert [kind.lower() for kind in kinds] == [
        "decoder-only",
        "encoder-only",
        "encoder-decoder",
    ]
    assert family_page.locator("[data-choice]").count() == len(PRESETS)


def test_picker_by_keyboard_alone(family_page: Page) -> None:
    open_tracer(family_page, model="shakespeare")
    open_picker(family_page)
    assert family_page.evaluate("document.activeElement.dataset.choice") == "shakespeare"
    family_page.keyboard.press("Escape")
    family_page.wait_for_selector('[data-dialog="picker"]', state="hidden")
    open_picker(family_page)
    family_page.keyboard.press("Tab")
    chosen = family_page.evaluate("document.activeElement.dataset.choice")
    assert chosen != "shakespeare"
    family_page.keyboard.press("Enter")
    family_page.wait_for_url(f"**model={chosen}*")
    drawn(family_page)


def test_model_of_the_same_kind_shows_the_same_view(family_page: Page) -> None:
    stage = "blocks.1.attn.weights"
    open_tracer(family_page, text="My lord", stage=stage, head="2", token="3", palette="grey")
    pick(family_page, "shakespeare-modern")
    for part in ("text=My+lord", f"stage={stage}", "head=2", "token=3", "palette=grey"):
        assert part in family_page.url


def test_model_of_another_kind_keeps_a_text_it_can_read(family_page: Page) -> None:
    open_tracer(family_page, model="shakespeare-encoder", text="My lord", hidden="1")
    pick(family_page, "shakespeare")
    drawn(family_page, "My lord")
    assert "hidden=" not in family_page.url


@pytest.mark.parametrize(
    ("one", "other", "query"),
    [
        ("shakespeare-encoder", "shakespeare", {"text": "My l_rd"}),
        ("shakespeare", TWO_TEXTS, {"text": "My lord", "token": "3"}),
        (TWO_TEXTS, "shakespeare", {"text": "M lrd", "target": "My", "token": "target.1"}),
    ],
)
def test_model_of_another_kind_opens_with_its_own_text(
    family_page: Page, one: str, other: str, query: dict[str, str]
) -> None:
    open_tracer(family_page, model=one, **query)
    pick(family_page, other)
    assert family_page.locator("[data-text]").input_value() != query["text"]
    for name in query.keys() - {"text"}:
        assert f"{name}=" not in family_page.url
    assert family_page.locator("[data-message].is-refusal").count() == 0


@pytest.mark.parametrize(
    "query",
    [
        {"model": "shakespeare-encoder", "text": "To b_", "hidden": "1", "token": "1"},
        {"model": TWO_TEXTS, "text": "T b", "target": "To be", "token": "target.1"},
        {"model": TWO_TEXTS, "text": "T b"},
    ],
)
def test_axe_finds_nothing_serious(family_page: Page, query: dict[str, str]) -> None:
    family_page.emulate_media(color_scheme="dark")
    open_tracer(family_page, **query)
    family_page.locator(".card > summary").click()
    assert serious_in_both_themes(family_page) == []
    open_picker(family_page)
    assert serious_in_both_themes(family_page) == []


@pytest.mark.parametrize("width", [1440, 380])
def test_picker_fits_the_window(family_page: Page, width: int) -> None:
    family_page.set_viewport_size({"width": width, "height": 800})
    open_tracer(family_page)
    family_page.locator('[data-opens="picker"]').click()
    box = family_page.locator('[data-dialog="picker"]').bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert family_page.evaluate(
        """[...document.querySelectorAll('[data-dialog="picker"] *')].every(e => e.scrollWidth <= e.clientWidth + 1
            || getComputedStyle(e).display === 'inline')"""
    )
