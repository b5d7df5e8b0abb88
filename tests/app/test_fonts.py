"""The font of the equations: it comes from here, and has each sign that they are written with."""

import html
import json
import re
from base64 import b64decode

import pytest
from starlette.testclient import TestClient

from app.server.settings import ROOT
from model.config import PRESETS

FONT = re.compile(r'url\("([^"]+math\.woff2)"\)')
MATHS = re.compile(r"<math.*?</math>", re.DOTALL)


def style_of(page: str, client: TestClient) -> str:
    """The address of the style that every page has."""
    found = re.search(r'href="([^"]+/css/page\.css)"', client.get(page).text)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("page", ["/", "/glossary", "/lessons/follow-one-input", "/labs/positions"])
def test_font_comes_from_here_and_is_kept(client: TestClient, page: str) -> None:
    address = style_of(page, client)
    found = FONT.search(client.get(address).text)
    assert found is not None
    answer = client.get(str(client.base_url.join(address).join(found[1])))
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "font/woff2"
    assert "immutable" in answer.headers["cache-control"]
    assert answer.content[:4] == b"wOF2"
    assert len(answer.content) < 50_000


def test_licence_lies_beside_the_font() -> None:
    assert "GUST Font License" in (ROOT / "static/fonts/GUST-FONT-LICENSE.txt").read_text()


def test_saved_page_carries_the_font(client: TestClient) -> None:
    page = client.get("/api/v1/traces?text=a&format=html").text
    assert "font-src data:" in page
    found = re.findall(r"href=\"data:text/css;base64,([^\"]+)\"", page)
    styles = [b64decode(one).decode() for one in found]
    data = re.compile(r'url\("data:font/woff2;base64,([^"]+)"\)')
    fonts = [b64decode(one) for style in styles for one in data.findall(style)]
    assert [font[:4] for font in fonts] == [b"wOF2"]


def test_no_equation_leans_on_an_attribute_that_browsers_ignore(client: TestClient) -> None:
    said = client.get("/glossary").text + json.dumps(
        [client.get("/api/v1/stages", params={"model": name}).json() for name in PRESETS]
    )
    maths = " ".join(MATHS.findall(html.unescape(said)))
    variants = set(re.findall(r'mathvariant=\\?"([^"\\]+)', maths))
    assert variants <= {"normal"}
