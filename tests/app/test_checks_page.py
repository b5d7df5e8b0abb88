"""The page of all checks: every stage of every model, with links to cells that there are."""

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from app.server.errors import Busy
from app.server.service import Service
from app.site.checks import short
from model.config import PRESETS
from model.equality import RULE
from model.table.architectures import stages
from tests.app.answers import strict
from tests.app.conftest import Serve

API = "/api/v1"
ENCODER, SEQ2SEQ = "shakespeare-encoder", "shakespeare-seq2seq"
DIFFERENCES = ("end_to_end", "single_operation", "gradient")


class Checks(HTMLParser):
    """What is read off the page: the verdict, a form's fields, rows of numbers, and links."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.content = content
        self.headings: list[str] = []
        self.rows: dict[str, list[float]] = {}
        self.links: list[str] = []
        self.fields: dict[str, str] = {}
        self._within: list[str] = []
        self._field = ""
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        self._within.append(tag)
        if tag == "tr" and "id" in has:
            self.rows[has["id"]] = []
        elif tag == "data":
            self.rows[list(self.rows)[-1]].append(float(has["value"]))
        elif tag == "a" and has["href"].startswith("/?"):
            self.links.append(has["href"])
        elif tag == "h1":
            self.headings.append("")
        elif tag == "textarea":
            self._field = has["name"]
            self.fields[self._field] = ""
        elif tag == "input" and (has.get("type") != "checkbox" or "checked" in has):
            self.fields[has["name"]] = has.get("value", "")
        elif tag == "option" and "selected" in has:
            self._field = "model"
            self.fields["model"] = ""

    def handle_endtag(self, tag: str) -> None:
        self._within.pop()
        self._field = ""

    def handle_data(self, data: str) -> None:
        if self._within[-1:] == ["h1"]:
            self.headings[-1] += data
        if self._field:
            self.fields[self._field] += data

    @property
    def cells(self) -> list[dict[str, str]]:
        """The queries of the links that lead to a cell."""
        queries = [parse_qs(urlsplit(link).query, keep_blank_values=True) for link in self.links]
        return [{name: value for name, (value,) in q.items()} for q in queries if "cell" in q]


def shown(client: TestClient, query: Mapping[str, str], status: int = 200) -> Checks:
    response = client.get("/checks", params=query)
    assert response.status_code == status, response.text
    assert response.headers["content-type"].startswith("text/html")
    return Checks(response.text)


def asking(name: str) -> tuple[dict[str, Any], dict[str, str]]:
    """A request with gradients, for the API and for the page."""
    more: dict[str, Any] = {}
    if PRESETS[name].guesses:
        more = {"hidden": [1, 3]}
    elif PRESETS[name].writes:
        more = {"target": "To be"}
    sent = {"model": name, "text": "T b, r", "gradients": True} | more
    query = {key: str(value) for key, value in sent.items() if key not in ("hidden", "gradients")}
    if "hidden" in more:
        query["hidden"] = "1.3"
    return sent, query | {"gradient": "1"}


@pytest.mark.parametrize("name", PRESETS)
def test_every_stage_has_the_numbers_of_the_api(client: TestClient, name: str) -> None:
    sent, query = asking(name)
    answer = strict(client.post(f"{API}/checks", json=sent).content)
    page = shown(client, query)
    assert list(page.rows) == [stage.key for stage in stages(PRESETS[name])]
    for check in answer["checks"]:
        found = [check[one] for one in DIFFERENCES if check[one] is not None]
        expected = [number for one in found for number in (one["absolute"], one["scaled"])]
        assert page.rows[check["key"]] == (expected if found[0]["index"] else [])
    count = len(page.rows)
    gradients = sum(check["gradient"] is not None for check in answer["checks"])
    assert page.headings == [
        f"{count} of {count} stages and {gradients} of {gradients} gradients agree."
    ]
    for check in answer["sanity"]:
        assert check["name"] in page.content


@pytest.mark.parametrize("name", PRESETS)
def test_links_point_at_the_cells_of_the_api(client: TestClient, name: str) -> None:
    sent, query = asking(name)
    answer = strict(client.post(f"{API}/checks", json=sent).content)
    expected = [
        (check["key"], ".".join(map(str, check[one]["index"])), one == "gradient")
        for check in answer["checks"]
        for one in DIFFERENCES
        if check[one] is not None and check[one]["absolute"]
    ]
    cells = shown(client, query).cells
    assert [(one["stage"], one["cell"], one.get("of") == "gradient") for one in cells] == expected
    for one in cells:
        assert {key: one[key] for key in query if key != "gradient"} == {
            key: value for key, value in query.items() if key != "gradient"
        }


def test_each_number_is_written_as_itself(client: TestClient) -> None:
    content = shown(client, {"text": "To be, or not", "gradient": "1"}).content
    numbers = re.findall(r'<data value="([^"]+)">([^<]+)</data>', content)
    assert [words for _, words in numbers] == [short(float(value)) for value, _ in numbers]
    assert any(a != b for (_, a), (_, b) in zip(numbers[::2], numbers[1::2], strict=True))


def test_largest_difference_stands_before_the_one_on_the_scale(client: TestClient) -> None:
    content = shown(client, {"text": "To be", "gradient": "1"}).content
    headings = re.findall(r'<th class="[^"]*is-number" scope="col">([^<]+)</th>', content)
    assert headings == ["largest difference", "on the scale"] * len(DIFFERENCES)


def test_cell_is_named_as_the_tracer_names_it(client: TestClient) -> None:
    content = shown(client, {"text": "a b"}).content
    assert re.search(r">head [1-4] · position [0-2] [ab␣] · source [0-2] [ab␣]</a>", content)
    content = shown(client, {"model": SEQ2SEQ, "text": "T b", "target": "To"}).content
    assert re.search(r">head [1-4] · target [0-2] [↵To] · source [0-2] [T␣b]</a>", content)


def test_page_checks_the_opening_text_where_none_is_named(client: TestClient) -> None:
    assert shown(client, {}).fields["text"].strip() == "To be, or not to be"


def test_text_is_shown_as_the_model_sees_it(client: TestClient) -> None:
    page = shown(client, {"model": ENCODER, "text": "To be", "hidden": "1 3"})
    assert "“T_ _e”" in page.content
    assert page.cells[0]["hidden"] == "1.3"


def test_form_gives_back_what_is_checked(client: TestClient) -> None:
    _, query = asking(ENCODER)
    fields = shown(client, query).fields
    assert fields == query | {"text": "\n" + query["text"]}


def test_first_newline_of_a_text_is_kept(client: TestClient) -> None:
    """HTML leaves out the newline that a text field begins with, and browsers send CR LF."""
    page = shown(client, {"text": "\r\nTo be"})
    assert page.fields["text"] == "\n\nTo be"
    assert page.cells[0]["text"] == "\nTo be"


def test_form_with_an_empty_target_lets_the_model_write(client: TestClient) -> None:
    page = shown(client, {"model": SEQ2SEQ, "text": "T b", "target": "", "written": "1"})
    assert "which the model wrote" in page.content
    assert "target" not in page.cells[0]
    begun = shown(client, {"model": SEQ2SEQ, "text": "T b", "target": ""})
    assert "which the model wrote" not in begun.content
    assert begun.cells[0]["target"] == ""


@pytest.mark.parametrize("name", PRESETS)
def test_text_of_one_character_is_checked(client: TestClient, name: str) -> None:
    assert "agree." in shown(client, {"model": name, "text": "a"}).headings[0]


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ({"text": ""}, 422, "The text is empty"),
        ({"text": "Act <1>"}, 422, "(U+0031) at position 5"),
        ({"text": "a" * 65}, 422, "the model reads at most 64"),
        ({"text": "a", "gradient": "1"}, 422, "there are no gradients"),
        ({"text": "a", "target": "b"}, 422, "target"),
        ({"text": "a", "hidden": "0"}, 422, "leave hidden out"),
        ({"text": "ab", "hidden": "x", "model": ENCODER}, 422, "with dots between"),
        ({"text": "ab", "hidden": "7", "model": ENCODER}, 422, "no position 7"),
        ({"text": "a", "model": "gpt"}, 404, "There is no model"),
    ],
)
def test_refusal_is_said_on_the_page_and_the_form_kept(
    client: TestClient, query: dict[str, str], status: int, said: str
) -> None:
    page = shown(client, query, status)
    assert said in re.sub(r"&#39;", "'", page.content)
    assert page.headings == ["Not checked"]
    assert "\n" + query["text"] == page.fields["text"]
    for name in ("target", "hidden"):
        assert page.fields.get(name, "") == query.get(name, "")


def test_busy_server_says_so(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise Busy("65 requests are being worked on.")

    monkeypatch.setattr(Service, "slowly", refuse)
    response = client.get("/checks", params={"text": "To be"})
    assert response.status_code == 503
    assert response.headers["retry-after"] == "1"
    assert "65 requests are being worked on." in response.text


def test_server_without_models_says_why(serve: Serve, tmp_path: Any) -> None:
    page = shown(serve(checkpoints=tmp_path), {}, 503)
    assert "No model could be loaded" in page.content


def test_wrong_weights_do_not_agree(serve: Serve) -> None:
    """The second computation has other weights than the first: it must show, from there on."""
    client = serve()
    model = client.app.state.service.model()  # type: ignore[attr-defined]
    wrong = "blocks.1.ffn.hidden"
    (weight, _) = (one.key for one in next(s for s in model.stages if s.key == wrong).weights)
    exact = dict(model.exact_weights)
    exact[weight] = exact[weight] * 1.01
    object.__setattr__(model, "exact_weights", exact)
    page = shown(client, {"text": "To be"})
    rows = re.findall(r'<tr id="([^"]+)" class="is-wrong">', page.content)
    assert rows[0] == wrong
    assert page.content.count("does not agree") >= len(rows)
    count = len(model.stages)
    assert page.headings == [f"{count - len(rows)} of {count} stages agree."]
    assert f'<a href="#{wrong}">Block 2 · feed-forward hidden</a>' in page.content


def test_what_is_equal_is_said_as_the_model_says_it(client: TestClient) -> None:
    assert RULE in shown(client, {"text": "To be"}).content
    described = client.get(f"{API}/openapi.json").json()["components"]["schemas"]
    for schema in ("Difference", "CellAnswer"):
        assert RULE in described[schema]["properties"]["equal"]["description"]


def test_each_difference_says_its_tolerance(client: TestClient) -> None:
    sent = {"text": "To be", "gradients": True}
    answer = strict(client.post(f"{API}/checks", json=sent).content)
    assert answer["tolerance"] == 1e-5
    for check in answer["checks"]:
        for name in DIFFERENCES:
            one = check[name]
            if one is not None:
                assert one["tolerance"] == (5e-5 if name == "end_to_end" else 1e-5)
                assert one["equal"] == (one["scaled"] <= one["tolerance"])


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.0, "0"), (6.04e-8, "6.0e−8"), (0.0123, "0.0123"), (1.5, "1.5"), (float("inf"), "∞")],
)
def test_sizes_are_short(value: float, words: str) -> None:
    assert short(value) == words


def test_unknown_name_is_refused_naming_those_there_are(client: TestClient) -> None:
    page = shown(client, {"text": "To be", "gradients": "true"}, 422)
    assert page.headings == ["Not checked"]
    assert "&#39;gradients&#39;" in page.content
    assert "model, text, target, written, hidden and gradient" in page.content
    assert page.fields["text"].strip() == "To be"


def test_newline_is_shown_as_a_sign(client: TestClient) -> None:
    assert "“a↵b”" in shown(client, {"text": "a\nb"}).content
