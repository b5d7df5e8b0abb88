"""The API's documentation page, and the examples of its description: both must work as printed."""

import json
import shlex
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

import httpx2
import pytest
from starlette.testclient import TestClient


class Page(HTMLParser):
    """The code blocks of a page, and every address that a browser would load by itself."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.blocks: list[str] = []
        self.loaded: list[str] = []
        self._inside = False
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "pre":
            self._inside = True
            self.blocks.append("")
        self.loaded += [
            value or ""
            for name, value in attrs
            if name in ("src", "srcset", "poster", "data") or (name == "href" and tag == "link")
        ]

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre":
            self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.blocks[-1] += data


def send(command: str) -> httpx2.Response:
    """What curl would do; only the options that our examples use are known here."""
    words = shlex.split(command.replace("\\\n", " "))
    assert words.pop(0) == "curl"
    address, headers, body = "", {}, None
    while words:
        word = words.pop(0)
        if word == "-H":
            name, _, value = words.pop(0).partition(": ")
            headers[name] = value
        elif word == "-d":
            body = words.pop(0)
        else:
            assert not word.startswith("-"), f"unknown option {word}"
            address = word
    method = "GET" if body is None else "POST"
    return httpx2.request(method, address, headers=headers, content=body, timeout=30)


def examples(operation: dict[str, Any], openapi: dict[str, Any]) -> Any:
    """The example body of an operation: the whole one, else its fields'."""
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    schema = openapi["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    fields = schema["properties"].items()
    whole = {name: field["examples"][0] for name, field in fields if field.get("examples")}
    return schema.get("examples", [whole])[0]


def test_examples_of_description_work_when_sent(
    client: TestClient, openapi: dict[str, Any]
) -> None:
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            given: dict[str, dict[str, Any]] = {"path": {}, "query": {}}
            for parameter in operation.get("parameters", []):
                if "examples" in parameter["schema"]:
                    example = parameter["schema"]["examples"][0]
                    given[parameter["in"]][parameter["name"]] = example
                else:
                    assert not parameter["required"], f"{path} has no example of {parameter}"
            body = json.dumps(examples(operation, openapi)) if method == "post" else None
            query = urlencode(given["query"], doseq=True)
            response = client.request(
                method,
                f"{path.format(**given['path'])}?{query}",
                content=body,
                headers={"Content-Type": "application/json"},
            )
            assert response.status_code == 200, (path, response.text)


def test_reference_lists_every_call(client: TestClient, openapi: dict[str, Any]) -> None:
    page = client.get("/api").text
    for path, methods in openapi["paths"].items():
        for method in methods:
            assert f'id="{method}-{path.replace("/", "-")}"' in page


def test_reference_describes_every_field(client: TestClient, openapi: dict[str, Any]) -> None:
    page = client.get("/api").text
    for name in ("TraceRequest", "FigureRequest", "TraceAnswer", "StageTable", "CheckAnswer"):
        for field in openapi["components"]["schemas"][name]["properties"]:
            assert f"<code>{field}</code>" in page


def test_curl_examples_run_against_the_server(server: str, openapi: dict[str, Any]) -> None:
    page = Page(httpx2.get(f"{server}/api", timeout=30).text)
    commands = [block for block in page.blocks if block.startswith("curl ")]
    assert len(commands) == sum(len(methods) for methods in openapi["paths"].values())
    for command in commands:
        response = send(command)
        assert response.status_code == 200, (command, response.text)


@pytest.mark.parametrize("path", ["/", "/api", "/lessons", "/lessons/inside-a-block", "/exercises"])
def test_page_loads_nothing_from_another_host(client: TestClient, path: str) -> None:
    loaded = Page(client.get(path).text).loaded
    assert loaded
    for address in loaded:
        assert address.startswith("/static/"), address


@pytest.mark.parametrize("path", ["/", "/api", "/lessons", "/lessons/inside-a-block", "/exercises"])
def test_page_loads_only_what_exists(client: TestClient, path: str) -> None:
    for address in Page(client.get(path).text).loaded:
        assert client.get(address).status_code == 200, address
