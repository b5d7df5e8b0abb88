"""How the arithmetic of a cell reads: heads, symbols, sentences."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_walking import ON_THE_WAY, TEXT, here, open_cell


@pytest.mark.parametrize("head", [0, 2])
def test_heads_are_counted_one_way_and_the_apis_is_said(page: Page, head: int) -> None:  # F12
    open_cell(
        page, text=TEXT, stage="blocks.1.attn.weights", cell=f"{head}.3.2",
        trail=f"blocks.1.attn.heads*{head}.3.5",
    )  # fmt: skip
    counted = f"head {head + 1} is index {head}"
    caption = page.locator("[data-cell]").inner_text()
    assert f"head {head + 1} · position 3 b · source 2" in caption
    assert f"For the API, {counted}." in caption
    for operand in page.locator(".factor").all_inner_texts():
        assert f"[head {head + 1}, 3, " in operand
    assert f"[head {head + 1}, 3, 5]" in page.locator(".trail").inner_text()
    for name in ("text", "NumPy"):
        copied = page.get_by_role("button", name=name).get_attribute("data-copied") or ""
        assert counted in copied
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="curl").click()
    expect(page.locator(".copies [data-said]")).to_have_text(f"Copied. In it, {counted}.")


@pytest.mark.parametrize(
    ("stage", "cell", "sentence"),
    [
        ("probabilities", "4.1", "the exponential of this cell’s own Z, divided by the sum"),
        ("blocks.1.ffn_norm.normalized", "4.1", "R_f⁽²⁾ minus μ_f⁽²⁾, divided by √((σ_f⁽²⁾)² + ε)"),
        ("blocks.0.attn.scores", "1.3.2", "the sum of the products of Q⁽¹⁾ and K⁽¹⁾, divided by √"),
    ],
)
def test_result_is_a_sentence_above_the_terms(  # F14
    page: Page, stage: str, cell: str, sentence: str
) -> None:
    open_cell(page, text=TEXT, stage=stage, cell=cell)
    assert f" is {sentence}" in page.locator("[data-result]").inner_text()
    tops = page.evaluate(
        "['[data-result]', '.terms'].map(s => document.querySelector(s).getBoundingClientRect().y)"
    )
    assert tops[0] < tops[1]


def test_walk_of_two_blocks_shows_no_symbol_twice(page: Page) -> None:  # F13
    steps = [f"{key}*4.3" for key in ON_THE_WAY[1:-1]]
    open_cell(page, text=TEXT, stage="embeddings", cell="4.3", trail="-".join(steps))
    shown = page.locator(".trail li").all_inner_texts()
    assert len(shown) == len(steps) + 1
    assert len(set(shown)) == len(shown)


def test_gradient_of_a_weights_cell_is_explained_where_one_asks(page: Page) -> None:
    open_cell(page, text=TEXT, stage="blocks.0.attn.query.weight", cell="3.5", gradient="1")
    page.get_by_role("button", name="where its gradient comes from").click()
    expect(page.locator("[data-result]")).to_contain_text("gradient times its derivative")
    assert here(page)["of"] == "gradient"
    page.get_by_role("button", name="back to the weight itself").click()
    expect(page.locator("[data-result]")).to_contain_text("what training made of it")
