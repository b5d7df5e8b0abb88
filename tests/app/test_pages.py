"""How pages and files are sent: from this host alone, kept by browsers, and never out of date."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from app.main import create_app
from app.server.errors import Busy
from app.server.service import Service
from app.server.settings import ROOT, Settings
from app.site.assets import PLOTLY, Assets
from app.site.pages import Pages
from app.site.tracer import MOST_KEPT
from app.texts.table import TEXTS
from model.table.sections import EVERY
from tests.app.answers import problem
from tests.app.test_reference import Page

ADDRESS = re.compile(r"https?://[^\s\"'`<>)]*", re.IGNORECASE)
NAMESPACES = ("http://www.w3.org/",)
PAGES = (
    "/", "/api", "/glossary", "/lessons", "/lessons/follow-one-input", "/exercises", "/labs",
    "/labs/layernorm", "/checks", "/texts", "/reading",
)  # fmt: skip
TEXT_FILES = [
    path
    for folder in ("static", "templates")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.is_file() and path.parent.name != "fonts"  # its licence names where it comes from
]


@pytest.mark.parametrize("path", TEXT_FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_file_names_no_other_host(path: Path) -> None:
    """C51."""
    for address in ADDRESS.findall(path.read_text(encoding="utf-8")):
        assert address.startswith(NAMESPACES)


@pytest.mark.parametrize("path", PAGES)
def test_page_names_no_other_host_but_the_courses(client: TestClient, path: str) -> None:
    """C51: a link to a course section, to its figure or to what a text refers to is followed by
    the reader, never by the page."""
    courses = {address for section in EVERY for address in (section.url, section.figure_url)}
    courses |= {one.url for text in TEXTS for one in text.references}
    ours = (str(client.base_url), *NAMESPACES)
    for address in ADDRESS.findall(client.get(path).text):
        assert address.startswith(ours) or address in courses


@pytest.mark.parametrize("path", [*PAGES, "/api/v1/health", "/nope", "/api/v1/traces"])
def test_every_answer_forbids_other_hosts(client: TestClient, path: str) -> None:
    """C51."""
    headers = client.get(path).headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "script-src" not in headers["content-security-policy"]
    assert not ADDRESS.search(headers["content-security-policy"])
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", PAGES)
def test_page_is_kept_but_asked_about(client: TestClient, path: str) -> None:
    """C52."""
    first = client.get(path)
    assert first.headers["cache-control"] == "no-cache"
    again = client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", [*PAGES, "/api/v1/traces?text=a"])
def test_changed_answer_is_sent_anew(client: TestClient, path: str) -> None:
    """C52."""
    response = client.get(path, headers={"If-None-Match": '"another", W/"old"'})
    assert response.status_code == 200
    assert response.content


@pytest.mark.parametrize("form", ["json", "safetensors", "npz", "csv"])
def test_trace_has_a_strong_tag_and_is_sent_once(client: TestClient, form: str) -> None:
    address = f"/api/v1/traces?text=To+be&stages=logits&format={form}"
    first = client.get(address)
    tag = first.headers["etag"]
    assert re.fullmatch(r'"[0-9a-f]{32}"', tag)
    for sent in (tag, f'"other", {tag}', f"W/{tag}"):
        again = client.get(address, headers={"If-None-Match": sent})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
    assert client.get(address.replace("To", "Too")).headers["etag"] != tag


def test_page_files_are_kept_for_ever(client: TestClient) -> None:
    """C52."""
    for path in PAGES:
        for address in Page(client.get(path).text).loaded:
            response = client.get(address)
            assert "immutable" in response.headers["cache-control"]
            assert "max-age=31536000" in response.headers["cache-control"]


def front_end(folder: Path, script: str) -> Assets:
    (folder / "js").mkdir(parents=True, exist_ok=True)
    (folder / "js" / "main.js").write_text(script)
    (folder / "js" / "views").mkdir(exist_ok=True)
    (folder / "js" / "views" / "a.js").write_text('const b = await import("../store.js");')
    (folder / "js" / "store.js").write_text('import "./main.js";')
    (folder / "js" / "another.js").write_text("let a = 1")
    (folder / "page.css").write_text("body { margin: 0 }")
    return Assets(folder)


@pytest.mark.parametrize("encoding", ["gzip, deflate", "identity"])
def test_file_arrives_whole_either_way(tmp_path: Path, encoding: str) -> None:
    assets = front_end(tmp_path, "let a = 1")
    app = FastAPI()
    app.include_router(assets.router())
    with TestClient(app) as client:
        response = client.get(assets.url("js/main.js"), headers={"Accept-Encoding": encoding})
    assert response.text == "let a = 1"
    assert response.headers.get("content-encoding", "identity") in encoding
    assert response.headers["vary"] == "Accept-Encoding"
    assert response.headers["content-type"].startswith("text/javascript")


def test_changed_front_end_changes_every_address(tmp_path: Path) -> None:
    """C52: scripts import each other by relative address, so all of them must move together."""
    old, new = (front_end(tmp_path, script) for script in ("let a = 1", "let a = 2"))
    for name in ("js/main.js", "page.css"):
        assert old.url(name) != new.url(name)
    assert old.url(PLOTLY) == new.url(PLOTLY)


def test_modules_of_a_page_are_those_that_its_script_reaches(tmp_path: Path) -> None:
    assets = front_end(tmp_path, 'import { a } from "./views/a.js";')
    assert assets.modules("js/main.js") == ["js/main.js", "js/store.js", "js/views/a.js"]


def test_same_front_end_keeps_its_addresses(tmp_path: Path) -> None:
    one, two = (front_end(tmp_path / name, "let a = 1") for name in ("one", "two"))
    assert one.url("js/main.js") == two.url("js/main.js")


def test_address_of_an_older_build_is_not_cached(tmp_path: Path) -> None:
    app = FastAPI()
    old, new = (front_end(tmp_path, script) for script in ("let a = 1", "let a = 2"))
    app.include_router(new.router())
    with TestClient(app) as client:
        stale, fresh = (client.get(assets.url("js/main.js")) for assets in (old, new))
    assert stale.text == fresh.text == "let a = 2"
    assert stale.headers["cache-control"] == "no-cache"
    assert "immutable" in fresh.headers["cache-control"]


@pytest.mark.parametrize("path", ["../app/main.py", "..%2fapp%2fmain.py", "%2e%2e/app/main.py", ""])
def test_nothing_outside_the_front_end_is_sent(
    client: TestClient, assets: Assets, path: str
) -> None:
    tree = assets.url("css/page.css").removesuffix("css/page.css")
    problem(client.get(tree + path), 404)


@pytest.mark.parametrize("query", ["", "?text=a", "?target=a", "?hidden=0"])
def test_page_carries_a_trace_unless_the_address_asks_for_another(
    client: TestClient, query: str
) -> None:
    assert ('"trace"' in client.get(f"/{query}").text) == (query == "")


@pytest.fixture
def fresh() -> Iterator[TestClient]:
    """A server that nobody has asked yet."""
    with TestClient(create_app(Settings()), raise_server_exceptions=False) as client:
        yield client


def test_busy_server_leaves_the_opening_trace_to_the_page(
    fresh: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def busy(*_: object) -> None:
        raise Busy("too many")

    monkeypatch.setattr(Service, "trace", busy)
    response = fresh.get("/")
    assert response.status_code == 200
    assert '"trace"' not in response.text
    assert '"model": "shakespeare"' in response.text


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Every rendering from now on: the template, and the name of its thread."""
    found: list[tuple[str, str]] = []
    render = Pages.render

    def noted(self: Pages, name: str, **context: Any) -> Any:
        found.append((name, threading.current_thread().name))
        return render(self, name, **context)

    monkeypatch.setattr(Pages, "render", noted)
    return found


def test_no_page_is_rendered_on_the_event_loop(
    fresh: TestClient, rendered: list[tuple[str, str]]
) -> None:
    assert fresh.portal is not None
    loops = fresh.portal.call(lambda: threading.current_thread().name)
    for path in PAGES:
        assert fresh.get(path).status_code == 200
    assert len(rendered) == len(PAGES)
    assert [name for name, thread in rendered if thread == loops] == []


def test_opening_page_is_rendered_once_for_each_model(
    fresh: TestClient, rendered: list[tuple[str, str]]
) -> None:
    asked = ["/", "/?text=a", "/?text=b&stage=logits", "/?model=shakespeare-2017", "/"]
    first, other, same, second, again = (fresh.get(path).content for path in asked)
    assert first == again
    assert other == same
    assert len({first, other, second}) == 3
    assert len(rendered) == 3


def test_kept_pages_are_few_however_the_server_is_named(
    fresh: TestClient, rendered: list[tuple[str, str]]
) -> None:
    names = [f"h{number}.localhost" for number in range(MOST_KEPT + 2)]
    for name in (*names, names[-1], names[0]):
        page = fresh.get("/?text=a", headers={"Host": name})
        assert f"http://{name}/api" in page.text
    assert len(rendered) == len(names) + 1
