"""Every link from the tracer's page on, as far as links lead, arrives: the pages are found by
following them, not listed."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urldefrag, urljoin, urlsplit

import pytest
from starlette.testclient import TestClient

from model.config import PRESETS
from model.table.architectures import stages

START = "/"


class Link(NamedTuple):
    """A link within the site: the page it is on, where it leads, and the place in that page."""

    page: str
    address: str
    fragment: str


class Page(HTMLParser):
    """What a crawler sees of a page: its title, its ids, its links within the site."""

    def __init__(self, address: str, content: str) -> None:
        super().__init__()
        self.address = address
        self.title = ""
        self.ids: list[str] = []
        self.links: list[Link] = []
        self._in_title = False
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._in_title = tag == "title"
        if given.get("id"):
            self.ids.append(str(given["id"]))
        href = given.get("href")
        if tag == "a" and href is not None and not urlsplit(href).scheme:
            address, fragment = urldefrag(urljoin(self.address, href))
            self.links.append(Link(self.address, address, unquote(fragment)))

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False


def form(address: str) -> tuple[str, tuple[str, ...]]:
    """The path and the names in its query: of hundreds of views of a page, one is asked for."""
    parts = urlsplit(address)
    return parts.path, tuple(sorted(parse_qs(parts.query)))


class Site(NamedTuple):
    """What was found: a page or None (no HTML) by form of address, and what did not answer."""

    pages: dict[tuple[str, tuple[str, ...]], Page | None]
    broken: list[str]

    def links(self) -> Iterator[Link]:
        return (link for page in self.pages.values() if page for link in page.links)


@pytest.fixture(scope="module")
def site(client: TestClient) -> Site:
    found = Site({}, [])
    waiting = [Link("", START, "")]
    while waiting:
        link = waiting.pop()
        if form(link.address) in found.pages:
            continue
        response = client.get(link.address)
        page = None
        if response.headers["content-type"].startswith("text/html"):
            page = Page(link.address, response.text)
            waiting += page.links
        found.pages[form(link.address)] = page
        if response.status_code != 200:
            found.broken.append(f"{link.page} -> {link.address}: {response.status_code}")
    return found


def test_every_link_is_answered(site: Site) -> None:
    assert len(site.pages) > 2
    assert site.broken == []


def test_every_place_that_a_link_names_is_there(site: Site) -> None:
    missing = set()
    for link in site.links():
        page = site.pages[form(link.address)]
        if link.fragment and (page is None or link.fragment not in page.ids):
            missing.add(link)
    assert missing == set()


def test_no_page_has_an_id_twice(site: Site) -> None:
    for page in site.pages.values():
        assert page is None or len(page.ids) == len(set(page.ids)), page.address


def test_every_page_leads_to_the_tracer(site: Site) -> None:
    for page in site.pages.values():
        if page is not None:
            assert any(urlsplit(link.address).path == START for link in page.links), page.address


def test_no_two_pages_have_one_title(site: Site) -> None:
    titles = {urlsplit(p.address).path: p.title.strip() for p in site.pages.values() if p}
    assert all(titles.values())
    assert len(set(titles.values())) == len(titles)


def test_links_into_the_tracer_name_stages_that_there_are(site: Site) -> None:
    known = {name: {stage.key for stage in stages(config)} for name, config in PRESETS.items()}
    named = 0
    for link in site.links():
        query = parse_qs(urlsplit(link.address).query)
        if urlsplit(link.address).path == START and "stage" in query:
            named += 1
            model = query.get("model", [next(iter(PRESETS))])[0]
            assert query["stage"][0] in known[model], link
    assert named > 0
