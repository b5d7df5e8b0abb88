"""From a number to the numbers that it is made from, and on to a weight and a character."""

import json
import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from starlette.testclient import TestClient

from tests.browser.conftest import drawn, open_tracer
from tests.browser.test_everyone import serious_in_both_themes, sideways
from tests.browser.test_typing import forgive, type_text

TEXT = "To be"
START = {"text": TEXT, "stage": "probabilities", "cell": "4.1"}
WEIGHTS = "blocks.0.attn.weights"
ON_THE_WAY = [
    "logits", "blocks.1.ffn_norm.output", "blocks.1.ffn_norm.normalized", "blocks.1.ffn_residual",
    "blocks.1.attn_norm.output", "blocks.1.attn_norm.normalized", "blocks.1.attn_residual",
    "blocks.0.ffn_norm.output", "blocks.0.ffn_norm.normalized", "blocks.0.ffn_residual",
    "blocks.0.attn_norm.output", "blocks.0.attn_norm.normalized", "blocks.0.attn_residual",
    "input", "embeddings",
]  # fmt: skip
"""The stages along the residual stream, from the first operand of each cell to the next's."""


def open_cell(page: Page, **query: str) -> None:
    page.goto("/?" + "&".join(f"{name}={value}" for name, value in query.items()))
    explained(page)


def explained(page: Page) -> None:
    """Wait until the arithmetic is that of the chosen cell."""
    page.wait_for_function(
        """() => {
            const root = document.querySelector('[data-view="arithmetic"]');
            return !root.hidden && !root.matches('.is-waiting') && root.querySelector('.terms');
        }"""
    )


def asked(client: TestClient, **request: Any) -> dict[str, Any]:
    response = client.post("/api/v1/cells", json={"text": TEXT, **request})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def here(page: Page) -> dict[str, Any]:
    """Where the address says that one is."""
    found: dict[str, Any] = page.evaluate(
        "Object.fromEntries(new URLSearchParams(location.search).entries())"
    )
    return found


def links(page: Page) -> list[dict[str, Any]]:
    """Where the operands lead, in their order."""
    return [
        json.loads(to)
        for to in page.locator(".factor").evaluate_all("all => all.map(a => a.dataset.walk)")
    ]


def arrived(page: Page, to: dict[str, Any]) -> None:
    page.wait_for_function(
        "to => { const q = new URLSearchParams(location.search); return q.get('stage') === to.stage && q.get('cell') === to.cell.join('.'); }",
        arg=to,
    )
    explained(page)


def test_walk_by_clicks_leads_from_a_probability_to_the_embedding(
    page: Page, client: TestClient
) -> None:
    open_cell(page, **START)
    for key in ON_THE_WAY:
        at = next(i for i, to in enumerate(links(page)) if to["stage"] == key)
        to = links(page)[at]
        page.locator(".factor").nth(at).click()
        arrived(page, to)
        answer = asked(client, stage=key, index=to["cell"])
        shown = float(page.locator(".cell-value").inner_text().replace("−", "-"))
        assert np.float32(shown) == np.float32(answer["value"])
    note = page.locator('[data-view="arithmetic"] .hint').last.inner_text()
    assert note == "The id at position 4 is 43, and it chooses the table's row 43."
    assert page.locator("[data-step]").count() == len(ON_THE_WAY)


def test_walk_by_keys_leads_from_a_probability_to_the_embedding(page: Page) -> None:
    """Tab into the heatmap, arrows to the cell, Tab to an operand, Enter; and so on."""
    open_tracer(page, text=TEXT, stage="probabilities")
    page.locator(".skip").focus()
    press_until(page, "document.activeElement.matches('[data-view=\"figure\"] [data-plot]')")
    for key in ["ArrowDown"] * 5 + ["ArrowRight"]:
        page.keyboard.press(key)
    arrived(page, {"stage": "probabilities", "cell": [4, 1]})
    for key in ON_THE_WAY:
        press_until(page, f'document.activeElement.dataset.walk?.includes(\'"stage":"{key}"\')')
        to = json.loads(page.evaluate("document.activeElement.dataset.walk"))
        page.keyboard.press("Enter")
        arrived(page, to)
    assert here(page)["stage"] == "embeddings"


def press_until(page: Page, condition: str) -> None:
    for _ in range(120):
        if page.evaluate(condition):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never led to where {condition}")


def test_walk_is_told_to_a_screen_reader(page: Page, client: TestClient) -> None:
    """The accessibility tree of each step: the live number, the way here, each term's operands by
    the names of their tensor, position and character."""
    open_cell(page, **START)
    inspector = page.get_by_role("region", name="Inspector")
    table = client.get("/api/v1/stages").json()
    stages = {stage["key"]: stage for stage in table["stages"]}
    for count, key in enumerate(ON_THE_WAY):
        answer = asked(
            client, stage=here(page)["stage"], index=[int(i) for i in here(page)["cell"].split(".")]
        )
        tree = inspector.aria_snapshot()
        assert len(
            re.findall(r"^ +- listitem", tree.split('list "Terms"')[1].split("Copy as")[0], re.M)
        ) == len(answer["terms"])
        assert ('navigation "The way here"' in tree) == (count > 0)
        at = next(i for i, to in enumerate(links(page)) if to["stage"] == key)
        to = links(page)[at]
        operands = [one for term in answer["terms"] for one in term["factors"]]
        words, value = (page.locator(".factor").nth(at).get_attribute("aria-label") or "").rsplit(
            ": ", 1
        )
        axis = stages[key]["axes"][-1]
        label = f" {table['labels'][to['cell'][1]]}" if axis == "vocab" else ""
        assert words == f"{stages[key]['title']}, position 4 e · {axis} {to['cell'][1]}{label}"
        assert np.float32(value) == np.float32(operands[at]["value"])
        assert f'link "{words}: {value}"' in tree
        page.locator(".factor").nth(at).click()
        arrived(page, to)
    assert page.locator("[data-cell]").get_attribute("aria-live") == "polite"


def test_focus_follows_the_walk(page: Page) -> None:
    """To the new number, so that it is read and the next Tab leads on from there."""
    open_cell(page, **START)
    page.locator(".factor").first.focus()
    page.keyboard.press("Enter")
    arrived(page, {"stage": "logits", "cell": [4, 1]})
    assert page.evaluate("document.activeElement.matches('[data-cell]')")


def test_back_leads_to_the_cell_before(page: Page) -> None:
    open_cell(page, **START)
    page.locator(".factor").first.click()
    arrived(page, {"stage": "logits", "cell": [4, 1]})
    page.go_back()
    arrived(page, {"stage": "probabilities", "cell": [4, 1]})
    assert page.locator("[data-step]").count() == 0


def test_trail_leads_back_to_any_of_its_cells(page: Page) -> None:
    trail = "probabilities*4.1-logits*4.1-blocks.1.ffn_norm.output*4.3"
    open_cell(page, text=TEXT, stage="blocks.1.ffn_norm.normalized", cell="4.3", trail=trail)
    assert page.locator("[data-step]").count() == 3
    page.locator('[data-step="1"]').click()
    arrived(page, {"stage": "logits", "cell": [4, 1]})
    assert here(page)["trail"] == "probabilities*4.1"


def test_another_cell_begins_another_trail(page: Page) -> None:
    open_cell(page, text=TEXT, stage="logits", cell="4.1", trail="probabilities*4.1")
    page.locator('[data-view="figure"] [data-plot]').focus()
    page.keyboard.press("ArrowRight")
    arrived(page, {"stage": "logits", "cell": [4, 2]})
    assert "trail" not in here(page)


def test_weight_opens_as_a_panel_with_its_numbers(page: Page, client: TestClient) -> None:
    open_cell(page, text=TEXT, stage="logits", cell="4.1")
    at = next(i for i, to in enumerate(links(page)) if to["stage"] == "head.weight")
    page.locator(".factor").nth(at).click()
    drawn(page, TEXT)
    arrived(page, links_to(page))
    weight = client.get("/api/v1/weights/head.weight").json()["weight"]
    shown = page.evaluate(
        "document.querySelector('[data-view=\"figure\"] [data-canvas]').data.find(t => t.type === 'heatmap').z.map(row => [...row])"
    )
    assert np.array_equal(np.float32(shown), np.float32(weight["values"]))
    assert page.locator("[data-title]").inner_text() == weight["title"]
    assert page.locator("[data-shape]").inner_text() == "V × d = 65 × 64"
    assert "Training did" in page.locator('[data-view="arithmetic"]').inner_text()


def links_to(page: Page) -> dict[str, Any]:
    query = here(page)
    return {"stage": query["stage"], "cell": [int(i) for i in query["cell"].split(".")]}


def test_operands_light_up_in_their_tensors(page: Page) -> None:
    """Each listed operand is outlined in the picture of its tensor, and nothing else is."""
    open_cell(page, text=TEXT, stage="logits", cell="4.1")
    page.wait_for_function("() => document.querySelectorAll('.operand-lights').length === 2")
    lit = page.locator(".operand").evaluate_all(
        """all => all.map(a => [...a.querySelectorAll('rect')].map(r => [+r.getAttribute('y'), +r.getAttribute('x')]))"""
    )
    hidden = [to["cell"] for to in links(page) if to["stage"] == "blocks.1.ffn_norm.output"]
    rows = [to["cell"] for to in links(page) if to["stage"] == "head.weight"]
    assert lit == [hidden, rows]


def test_long_sum_is_listed_whole_on_request(page: Page) -> None:
    open_cell(page, text=TEXT, stage="logits", cell="4.1")
    assert page.locator(".summand").count() == 9
    page.locator("[data-whole]").click()
    page.wait_for_function("() => document.querySelectorAll('.summand').length === 64")
    page.locator("[data-whole]").click()
    page.wait_for_function("() => document.querySelectorAll('.summand').length === 9")


def test_gradient_explains_itself(page: Page) -> None:
    open_cell(
        page, text=TEXT, stage="blocks.1.ffn_residual", cell="3.5", gradient="1", of="gradient"
    )
    assert all(to["differential"] for to in links(page))
    to = links(page)[0]
    page.locator(".factor").first.click()
    arrived(page, to)
    assert here(page)["of"] == "gradient"


def test_masked_cell_names_the_mask(page: Page) -> None:
    open_cell(page, text=TEXT, stage="blocks.0.attn.masked_scores", cell="0.1.3")
    assert "causal mask" in page.locator(".terms").inner_text()
    assert page.locator(".cell-value").inner_text() == "masked"


@pytest.mark.parametrize(
    "query",
    [
        {"stage": "logits", "cell": "4.1"},
        {"stage": "blocks.0.ffn.activation", "cell": "2.7"},
        {"stage": WEIGHTS, "cell": "1.3.2"},
        {"stage": "blocks.0.attn.output", "cell": "3.9", "gradient": "1", "of": "gradient"},
    ],
    ids=lambda query: query["stage"],
)
def test_copied_line_of_numpy_gives_the_number(page: Page, query: dict[str, str]) -> None:
    open_cell(page, text=TEXT, **query)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="NumPy").click()
    page.locator("[data-said]", has_text="Copied.").first.wait_for()
    code = page.evaluate("navigator.clipboard.readText()")
    shown = page.locator(".cell-gradient" if "of" in query else ".cell-value").inner_text()
    assert float(eval(code, {"np": np})) == pytest.approx(float(shown), abs=1e-5)


def test_copied_call_gives_the_same_answer(page: Page, client: TestClient) -> None:
    open_cell(page, text="It's", stage="logits", cell="3.1")
    command = page.get_by_role("button", name="curl").get_attribute("data-copied") or ""
    body = json.loads(command.split(" -d '")[1].removesuffix("'").replace("'\\''", "'"))
    assert client.post("/api/v1/cells", json=body).json()["value"] == pytest.approx(
        float(page.locator(".cell-value").inner_text())
    )


def test_copied_text_says_every_term(page: Page, client: TestClient) -> None:
    open_cell(page, text=TEXT, stage=WEIGHTS, cell="1.3.2")
    text = page.get_by_role("button", name="text").get_attribute("data-copied") or ""
    answer = asked(client, stage=WEIGHTS, index=[1, 3, 2])
    assert text.startswith(f"{WEIGHTS}[1, 3, 2] = {answer['value']}")
    assert all(f"{term['label']}: " in text for term in answer["terms"])
    assert f"\n{answer['name']} = " in text
    assert f" is {answer['joined']}\n" in text


def test_cell_is_explained_anew_for_another_text(page: Page, client: TestClient) -> None:
    open_cell(page, **START)
    type_text(page, "We be")
    page.wait_for_function(
        "value => document.querySelector('.cell-value')?.textContent === value",
        arg=str(
            np.float32(
                client.post(
                    "/api/v1/cells",
                    json={"text": "We be", "stage": "probabilities", "index": [4, 1]},
                ).json()["value"]
            )
        ),
    )
    explained(page)


def test_refused_explanation_leaves_the_page_usable(page: Page) -> None:
    open_tracer(page, text=TEXT, stage="logits")
    refusal = json.dumps(
        {"error": {"code": "busy", "message": "Not now.", "field": None, "details": []}}
    )
    page.route("**/api/v1/cells", lambda route: route.fulfill(status=500, body=refusal))
    page.locator('[data-view="figure"] [data-plot]').focus()
    page.keyboard.press("ArrowDown")
    page.get_by_text("The server answered 500").or_(page.get_by_text("Not now.")).first.wait_for()
    page.unroute("**/api/v1/cells")
    page.keyboard.press("ArrowDown")
    explained(page)
    forgive(page, 500)


def test_address_of_other_weights_is_said(page: Page) -> None:
    page.goto("/?text=To+be&stage=logits&cell=4.1&made=0123456789ab")
    expect(page.locator("[data-message]").first).to_contain_text(
        "made with other weights of shakespeare (0123456789ab…"
    )


def test_address_names_the_weights_that_are_served(page: Page, client: TestClient) -> None:
    open_cell(page, **START)
    sha256 = client.get("/api/v1/models/shakespeare").json()["weights_sha256"]
    assert here(page)["made"] == sha256[:12]
    page.reload()
    explained(page)
    assert "other weights" not in page.locator("[data-message]").first.inner_text()


def test_axe_finds_nothing_serious_in_the_arithmetic(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    open_cell(page, text=TEXT, stage="logits", cell="4.1", trail="probabilities*4.1")
    assert serious_in_both_themes(page) == []


@pytest.mark.parametrize("width", [380, 1024])
def test_arithmetic_does_not_scroll_sideways(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    open_cell(page, text=TEXT, stage="logits", cell="4.1", trail="probabilities*4.1")
    assert not sideways(page)


def test_chosen_number_below_the_picture_leads_to_its_arithmetic(
    page: Page, client: TestClient
) -> None:
    """On a narrow window the inspector is further down than one sees."""
    page.set_viewport_size({"width": 380, "height": 800})
    open_cell(page, text=TEXT, stage="logits", cell="4.1")
    line = page.locator(".asked")
    value = np.float32(asked(client, stage="logits", index=[4, 1])["value"])
    assert line.inner_text() == f"{value!s} at position 4 e · vocab 1 ␣: where it comes from"
    line.get_by_role("button").click()
    box = page.locator(".cell-value").bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 800


@pytest.mark.parametrize(
    ("key", "cell"),
    [("Home", "1.2.0"), ("End", "1.2.4"), ("Control+Home", "1.0.0"), ("Control+End", "1.4.4")],
)
def test_home_and_end_lead_to_the_ends(page: Page, key: str, cell: str) -> None:
    open_cell(page, text=TEXT, stage=WEIGHTS, cell="1.2.1")
    page.locator('[data-view="figure"] [data-plot]').focus()
    page.keyboard.press(key)
    arrived(page, {"stage": WEIGHTS, "cell": [int(i) for i in cell.split(".")]})


def test_cell_that_is_not_there_is_said(page: Page) -> None:
    open_tracer(page, text="ab", stage="logits", cell="4.7", trail="probabilities*4.1")
    said = page.locator("[data-cell]").inner_text()
    assert said.startswith("Logits has no cell [4, 7] here: its shape is 2 × 65.")
    assert page.locator(".trail").is_hidden()


def test_step_of_the_way_that_no_model_has_is_said(page: Page) -> None:
    open_cell(page, text=TEXT, stage="logits", cell="4.1", trail="nothing*1-probabilities*4.1")
    assert page.locator("[data-step]").count() == 1
    expect(page.locator("[data-message]").first).to_contain_text("a step that shakespeare has not")


def test_projector_shows_the_arithmetic_of_the_cells_own_head(page: Page) -> None:
    open_cell(page, text=TEXT, stage=WEIGHTS, cell="1.3.2", projector="1")
    drawn(page, TEXT)
    assert page.locator(".summand").first.is_visible()
    assert page.locator('[data-head][aria-pressed="true"]').inner_text() == "2"
