"""Where there is nothing: browsers get a page with ways on, programs the error, and a slash too
many leads to the page."""

import pytest
from starlette.testclient import TestClient

from app.site.missing import LONGEST
from tests.app.answers import problem

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
NOWHERE = ["/nope", "/labs/nope", "/lessons/nope", "/labs/nope/deeper", "//labs", "/static/x.js"]


@pytest.mark.parametrize("path", NOWHERE)
def test_browser_gets_a_page_with_ways_on(client: TestClient, path: str) -> None:
    response = client.get(f"http://testserver{path}", headers=BROWSER)
    assert response.status_code == 404
    assert response.headers["content-type"].startswith("text/html")
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["vary"] == "Accept"
    assert "etag" not in response.headers
    assert path in response.text
    for way in ("/", "/lessons", "/labs", "/glossary"):
        assert f'<li><a href="{way}">' in response.text


@pytest.mark.parametrize("path", NOWHERE)
def test_program_gets_the_error(client: TestClient, path: str) -> None:
    problem(client.get(f"http://testserver{path}"), 404)


@pytest.mark.parametrize("path", ["/api/v1", "/api/v1/", "/api/v1/nope", "/api/v1/lessons/nope"])
def test_api_answers_browsers_with_the_error_too(client: TestClient, path: str) -> None:
    problem(client.get(path, headers=BROWSER), 404)


def test_other_method_than_get_gets_the_error(client: TestClient) -> None:
    problem(client.post("/nope", headers=BROWSER), 404)


def test_what_was_asked_is_escaped_and_cut(client: TestClient) -> None:
    text = client.get("/<script>alert(1)</script>", headers=BROWSER).text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text
    text = client.get("/" + "a" * 3 * LONGEST, headers=BROWSER).text
    assert "a" * (LONGEST - 1) in text
    assert "a" * LONGEST not in text


@pytest.mark.parametrize("headers", [BROWSER, {}], ids=["browser", "program"])
@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/labs/", "/labs"),
        ("/glossary/", "/glossary"),
        ("/api/", "/api"),
        ("/lessons//", "/lessons"),
        ("/labs/masking/?scores=1&scores=2", "/labs/masking?scores=1&scores=2"),
    ],
)
def test_slash_at_the_end_leads_to_the_page(
    client: TestClient, path: str, location: str, headers: dict[str, str]
) -> None:
    response = client.get(path, headers=headers, follow_redirects=False)
    assert response.status_code == 308
    assert response.headers["location"] == location
    assert client.get(path, headers=headers).status_code == 200


@pytest.mark.parametrize("path", ["//example.org/", "//example.org/labs/", "/nope/"])
def test_slash_after_nothing_leads_nowhere(client: TestClient, path: str) -> None:
    response = client.get(f"http://testserver{path}", headers=BROWSER, follow_redirects=False)
    assert response.status_code == 404
