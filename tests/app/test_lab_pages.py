"""The labs' pages: the API's limits on their controls, and the texts' numbers beside ours."""

import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from app.labs.controls import octaves, stops
from app.labs.page import compared, controls, link
from app.labs.table import LABS, Lab
from app.site.assets import Assets
from tests.app.answers import referred, strict

API = "/api/v1/labs"
BOOT = re.compile(r'<script type="application/json" data-boot>(.*?)</script>', re.DOTALL)
every_lab = pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)


def boot(client: TestClient, lab: Lab) -> Any:
    found = BOOT.search(client.get(f"/labs/{lab.name}").text)
    assert found is not None
    return json.loads(found[1])


def start(lab: Lab) -> dict[str, Any]:
    """What the page asks the API for when it opens."""
    return {control.name: control.start for control in controls(lab)}


def test_there_is_a_page_for_every_lab_of_the_api(openapi: dict[str, Any]) -> None:
    served = {path.removeprefix(f"{API}/") for path in openapi["paths"] if path.startswith(API)}
    assert {lab.name for lab in LABS} == served


def test_index_names_every_lab(client: TestClient) -> None:
    page = client.get("/labs").text
    for lab in LABS:
        assert f'<a href="/labs/{lab.name}">{lab.title}</a>' in page


def test_every_page_links_to_the_labs(client: TestClient) -> None:
    assert '<a href="/labs">Labs</a>' in client.get("/api").text
    assert '<a href="/labs" aria-current="page">Labs</a>' in client.get("/labs").text
    assert '<a href="/labs" aria-current="true">Labs</a>' in client.get("/labs/masking").text


@pytest.mark.parametrize("name", ["nothing", "Masking", "masking/x", "..%2Fapi"])
def test_unknown_lab_is_not_found(client: TestClient, name: str) -> None:
    assert client.get(f"/labs/{name}").status_code == 404


@every_lab
def test_page_asks_for_its_own_scripts_alone(client: TestClient, assets: Assets, lab: Lab) -> None:
    page = client.get(f"/labs/{lab.name}").text
    preloaded = re.findall(r'<link rel="modulepreload" href="([^"]+)">', page)
    entry = f"js/labs/{lab.name}.js"
    assert preloaded == [assets.url(name) for name in assets.modules(entry)]
    assert assets.url("js/tracer/main.js") not in preloaded


@every_lab
def test_controls_end_where_the_api_does(
    client: TestClient, openapi: dict[str, Any], lab: Lab
) -> None:
    described = {
        p["name"]: referred(openapi, p["schema"])
        for p in openapi["paths"][f"{API}/{lab.name}"]["get"]["parameters"]
    }
    for control in boot(client, lab)["controls"]:
        schema = described[control["name"]]
        number = schema.get("items", schema)
        assert control["low"] == number.get("minimum")
        last = number.get("maximum", number.get("exclusiveMaximum", 1) - 1)
        assert control["high"] == (last if control["low"] is not None else None)
        assert [value for value, _ in control["options"]] == schema.get("enum", [])
        assert (control["shortest"], control["longest"]) == (
            schema.get("minItems"),
            schema.get("maxItems"),
        )
        if control["stops"]:
            ends = (control["stops"][0], control["stops"][-1])
            assert ends == (control["low"], control["high"])


@every_lab
def test_page_starts_with_what_the_api_answers(client: TestClient, lab: Lab) -> None:
    assert client.get(f"{API}/{lab.name}", params=start(lab)).status_code == 200


@every_lab
def test_examples_are_settings_that_the_api_answers(client: TestClient, lab: Lab) -> None:
    for example in lab.examples:
        query = start(lab) | parse_qs(example.query)
        response = client.get(f"{API}/{lab.name}", params=query)
        assert response.status_code == 200, (example, response.text)


@every_lab
def test_texts_numbers_agree_with_those_computed(lab: Lab) -> None:
    for each in compared(lab):
        assert each.agrees, (each.claim.what, each.claim.printed, each.computed)


def test_nearly_every_lab_has_numbers_of_the_texts() -> None:
    assert [lab.name for lab in LABS if not compared(lab)] == ["gradient-check", "experiment"]


@every_lab
def test_a_claims_link_is_its_setting(client: TestClient, lab: Lab) -> None:
    for each in compared(lab):
        parts = urlsplit(link(lab, each.claim))
        assert parts.path == f"/labs/{lab.name}"
        answer = client.get(f"{API}/{lab.name}", params=parse_qs(parts.query))
        direct = client.get(f"{API}/{lab.name}", params=dict(each.claim.setting))
        assert strict(answer.content) == strict(direct.content)


def test_claim_is_told_to_differ_where_it_does(client: TestClient) -> None:
    """The pages' word for it is not a constant."""
    (first, *_) = compared(LABS[0])
    wrong = type(first)(first.claim, first.claim.says + 2 * first.claim.within + 1)
    assert first.agrees
    assert not wrong.agrees
    assert wrong.verdict == "differ: the computed one is larger"


def test_smaller_error_than_the_texts_is_not_called_agreement() -> None:
    """F34: 1.2e-7 beside 2.9e-6, and any other that is merely no larger."""
    (positions,) = [lab for lab in LABS if lab.name == "positions"]
    bounds = [each for each in compared(positions) if each.claim.bound]
    assert len(bounds) == 3
    for each in bounds:
        assert each.verdict == "do not contradict: the computed one is the smaller"
        larger = type(each)(each.claim, 3e-6)
        assert larger.verdict == "differ: the computed one is larger"


def test_rounded_number_says_how_it_agrees() -> None:
    for lab in LABS:
        for each in compared(lab):
            if each.computed == each.claim.says:
                assert each.verdict == "are equal"
            elif not each.claim.bound:
                way = "larger" if each.computed > each.claim.says else "smaller"
                told = f"agree as far as the text prints it; the computed one is {way}"
                assert each.verdict == told


@every_lab
def test_equations_of_the_answer_are_at_hand_as_mathml(client: TestClient, lab: Lab) -> None:
    answer = client.get(f"{API}/{lab.name}", params=start(lab)).text
    known = boot(client, lab)["equations"]
    for latex in re.findall(r'"equation":("(?:[^"\\]|\\.)*")', answer):
        assert known[json.loads(latex)].startswith("<math")


def test_stops_go_up_in_ratios() -> None:
    assert stops(1, 30, 1) == (*range(1, 10), 10, 20, 30)


def test_stops_reach_both_ends_and_zero() -> None:
    found = stops(-5.0, 12.0, 1)
    assert (found[0], found[-1]) == (-5, 12)
    assert 0 in found
    assert -1 in found
    assert list(found) == sorted(set(found))


def test_stops_of_a_positive_range_have_no_zero() -> None:
    assert min(stops(1e-6, 1e6, 1e-6)) == 1e-6


def test_octaves_are_the_sizes_of_models_and_both_ends() -> None:
    assert octaves(1, 20) == (1, 2, 3, 4, 6, 8, 12, 16, 20)
    assert octaves(5, 16) == (5, 6, 8, 12, 16)
