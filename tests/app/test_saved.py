"""A trace as one HTML file: its numbers read back identically, and nothing comes from outside."""

import json
import re
from base64 import b64decode
from hashlib import sha256
from typing import Any

import pytest
import safetensors.numpy
from starlette.testclient import TestClient

from app.exports.saved import importing_by_name
from app.site import opening
from app.site.assets import MAIN, PLOTLY, Assets
from model import LoadedModel, trace
from tests.app.answers import problem, strict
from tests.app.test_formats import TEXTS, assert_identical
from tests.app.test_pages import ADDRESS, NAMESPACES

API = "/api/v1"
BOOT = re.compile(r'<script type="application/json" data-boot>(.*?)</script>', re.DOTALL)
MODULES = re.compile(r'<script type="importmap">(.*?)</script>', re.DOTALL)


def save(client: TestClient, text: str, **more: Any) -> str:
    response = client.post(f"{API}/traces", json={"text": text, "format": "html"} | more)
    assert response.status_code == 200, response.text
    return response.text


def boot(page: str) -> dict[str, Any]:
    """What the page's script starts from."""
    found = BOOT.search(page)
    assert found is not None
    started: dict[str, Any] = json.loads(found[1])
    return started


def modules(page: str) -> dict[str, str]:
    """Each module of the page, by the name under which others import it."""
    found = MODULES.search(page)
    assert found is not None
    return {
        name: b64decode(address.removeprefix("data:text/javascript;base64,")).decode()
        for name, address in json.loads(found[1])["imports"].items()
    }


@pytest.fixture(scope="module")
def page(client: TestClient) -> str:
    return save(client, "To be")


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_carried_tensors_read_back_identically(
    client: TestClient, model: LoadedModel, text: str
) -> None:
    """C46."""
    shown = trace(model, text)
    raw = b64decode(boot(save(client, text))["carried"]["/traces"])
    read = safetensors.numpy.load(raw)
    assert read.keys() == {stage.key for stage in model.stages}
    for key, array in read.items():
        assert_identical(array, shown.array(key))


@pytest.mark.parametrize("path", ["/checks", "/gradient-flow"])
def test_carried_answer_is_the_servers(client: TestClient, path: str) -> None:
    asked = {"text": "To be"} | ({"gradients": True} if path == "/checks" else {})
    answer = strict(client.post(API + path, json=asked).content)
    assert boot(save(client, "To be", gradients=True))["carried"][path] == answer


def test_carried_table_is_the_servers(client: TestClient, page: str) -> None:
    """But for the places to practise at, which are on a server."""
    table = strict(client.get(f"{API}/stages").content)
    table["stages"] = [stage | {"practice": []} for stage in table["stages"]]
    assert boot(page)["carried"]["/stages"] == table


@pytest.fixture(scope="module")
def explained(page: str) -> dict[str, Any]:
    """The arithmetic that the page carries, by the cell's name."""
    found: dict[str, Any] = boot(page)["carried"]["/cells"]
    return found


def operands(cell: dict[str, Any]) -> list[str]:
    """The names of all operands that are listed, the largest term's first."""
    terms = sorted(cell["terms"], key=lambda term: -abs(term["value"]))
    return [
        f"{one['stage'] or one['weight']}*{'.'.join(map(str, one['index']))}"
        for term in terms
        for one in term["factors"]
    ]


def ways(explained: dict[str, Any], model: LoadedModel) -> list[list[str]]:
    """From each of the ten likeliest next characters by the largest operand that is a stage's, as
    far as there is one."""
    likeliest = trace(model, "To be").next(n=10)
    found = [[f"probabilities*4.{prediction.id}"] for prediction in likeliest]
    for way in found:
        while onward := [
            name for name in operands(explained[way[-1]]) if name.split("*")[0] not in model.weights
        ]:
            way.append(onward[0])
    return found


def test_ways_back_begin_at_the_ten_likeliest(
    explained: dict[str, Any], model: LoadedModel
) -> None:
    likeliest = {f"probabilities*4.{one.id}" for one in trace(model, "To be").next(n=10)}
    assert len(likeliest) == 10
    assert {name for name in explained if name.startswith("probabilities*")} == likeliest


def test_each_way_back_ends_at_a_character(explained: dict[str, Any], model: LoadedModel) -> None:
    ends = [way[-1] for way in ways(explained, model)]
    assert all(re.fullmatch(r"ids\*[0-4]", end) for end in ends), ends


def test_every_operand_beside_the_likeliest_way_is_explained(
    explained: dict[str, Any], model: LoadedModel
) -> None:
    first, *_ = ways(explained, model)
    assert {name for cell in first for name in operands(explained[cell])} <= explained.keys()


def test_gradients_are_carried_where_they_are_asked_for(
    client: TestClient, model: LoadedModel
) -> None:
    carried = boot(save(client, "To be", gradients=True))["carried"]
    read = safetensors.numpy.load(b64decode(carried["/traces"]))
    shown = trace(model, "To be", gradients=True)
    for stage in model.stages:
        gradient = shown.gradient(stage.key)
        assert (f"gradient.{stage.key}" in read) == (gradient is not None)
        if gradient is not None:
            assert_identical(read[f"gradient.{stage.key}"], gradient)


def test_page_opens_at_the_first_stage_asked_for(client: TestClient) -> None:
    stages = ["loss", "logits"]
    assert boot(save(client, "To be", stages=stages))["stage"] == "logits"


def test_page_opens_where_the_tracer_does(page: str, model: LoadedModel) -> None:
    assert boot(page)["stage"] == opening.stage(model.stages)


def test_line_ends_are_those_that_were_read(client: TestClient) -> None:
    assert boot(save(client, "To\r\nbe"))["text"] == "To\nbe"


def test_page_names_no_other_host_but_the_courses(page: str) -> None:
    """C51: a link to a course section is followed by the reader, never by the page."""
    started = boot(page)
    stages = started["carried"]["/stages"]["stages"]
    cited = [section for stage in stages for section in stage["sections"]]
    courses = {section[place] for section in cited for place in ("url", "figure")}
    for text in (page, *modules(page).values()):
        for address in ADDRESS.findall(text):
            assert address.startswith(NAMESPACES) or address in courses


def test_policy_lets_nothing_in(page: str) -> None:
    found = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', page)
    assert found is not None
    policy = dict(rule.split(" ", 1) for rule in found[1].replace("&#39;", "'").split("; "))
    assert policy["default-src"] == "'none'"
    for sources in policy.values():
        assert not re.search(r"\*|https?:|self|unsafe-eval", sources)
    assert "unsafe-inline" not in policy["script-src"]


def test_policy_comes_before_all_that_it_is_for(page: str) -> None:
    assert page.index("Content-Security-Policy") < min(map(page.index, ("<link", "<script")))


def test_policy_knows_the_import_map(page: str) -> None:
    found = MODULES.search(page)
    assert found is not None
    digest = sha256(found[1].encode()).digest()
    named = re.search(r"sha256-([\w+/=]+)", page)
    assert named is not None
    assert b64decode(named[1]) == digest


def test_every_module_is_carried_and_finds_the_others(page: str, assets: Assets) -> None:
    carried = modules(page)
    assert carried.keys() == set(assets.modules(MAIN))
    for script in carried.values():
        imported = re.findall(r"""^import .* from "([^"]+)";$""", script, re.MULTILINE)
        assert set(imported) <= carried.keys()
        assert len(imported) == len(re.findall(r"^import ", script, re.MULTILINE))


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('import { a } from "../b.js";', 'import { a } from "js/b.js";'),
        ('import "./c.js";', 'import "js/views/c.js";'),
        ('const d = await import("./c.js");', 'const d = await import("js/views/c.js");'),
        ('export { a } from "./c.js";', 'export { a } from "js/views/c.js";'),
        ('const a = "./c.js";', 'const a = "./c.js";'),
    ],
)
def test_imports_go_by_name(script: str, expected: str) -> None:
    assert importing_by_name("js/views/x.js", script) == expected


def test_plotly_is_carried_packed(page: str, assets: Assets) -> None:
    found = re.search(r"data-plotly-gzip>([^<]+)<", page)
    assert found is not None
    assert b64decode(found[1]) == assets.named(PLOTLY).gzipped


def test_same_trace_is_the_same_file(client: TestClient, page: str) -> None:
    assert save(client, "To be") == page


def test_file_is_named_for_saving(client: TestClient) -> None:
    sent = {"text": "a", "format": "html", "stages": ["logits"]}
    headers = client.post(f"{API}/traces", json=sent).headers
    assert headers["content-disposition"] == 'attachment; filename="trace.html"'
    assert headers["content-type"] == "text/html; charset=utf-8"


def test_text_that_cannot_be_read_is_refused(client: TestClient) -> None:
    problem(client.post(f"{API}/traces", json={"text": "", "format": "html"}), 422)


def test_text_cannot_end_the_script_that_holds_it(client: TestClient) -> None:
    assert boot(save(client, "a&b!--'"))["text"] == "a&b!--'"
