"""Where the training text comes from: a file, or one verified download."""

import hashlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import torch

from model.errors import CorpusError
from model.tokenizer import CharacterTokenizer
from model.training.corpus import cache_folder, download, read, shortest, split
from tests.live import free_port

TEXT = b"First Citizen:\nBefore we proceed any further, hear me speak.\n"
SHA256 = hashlib.sha256(TEXT).hexdigest()
CONTEXT = 64


@dataclass
class Shelf:
    """A local web server with one text."""

    body: bytes = TEXT
    status: int = 200
    asked: list[str] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    shelf = Shelf()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            shelf.asked.append(self.path)
            self.send_response(shelf.status)
            self.send_header("Content-Length", str(len(shelf.body)))
            self.end_headers()
            self.wfile.write(shelf.body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing on the terminal."""

    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        shelf.url = f"http://127.0.0.1:{server.server_port}/input.txt"
        yield shelf
        server.shutdown()
        thread.join()


def refusal(folder: Path, url: str) -> str:
    with pytest.raises(CorpusError) as caught:
        download(folder, url, SHA256)
    assert "--data" in caught.value.message
    return caught.value.message


# The download


def test_download_keeps_the_known_text(shelf: Shelf, tmp_path: Path) -> None:
    assert download(tmp_path / "new" / "cache", shelf.url, SHA256).read_bytes() == TEXT


def test_kept_text_is_not_fetched_twice(shelf: Shelf, tmp_path: Path) -> None:
    first = download(tmp_path, shelf.url, SHA256)
    assert download(tmp_path, shelf.url, SHA256) == first
    assert shelf.asked == ["/input.txt"]


def test_spoiled_cache_is_fetched_again(shelf: Shelf, tmp_path: Path) -> None:
    download(tmp_path, shelf.url, SHA256).write_bytes(b"cut short")
    assert download(tmp_path, shelf.url, SHA256).read_bytes() == TEXT
    assert len(shelf.asked) == 2


def test_other_text_is_refused_with_both_hashes(shelf: Shelf, tmp_path: Path) -> None:
    shelf.body = TEXT + b"\n"
    message = refusal(tmp_path, shelf.url)
    assert SHA256 in message
    assert hashlib.sha256(shelf.body).hexdigest() in message


def test_refused_text_is_not_kept(shelf: Shelf, tmp_path: Path) -> None:
    shelf.body = b"<html>blocked</html>"
    refusal(tmp_path, shelf.url)
    assert list(tmp_path.iterdir()) == []


def test_missing_page_is_refused_with_its_status(shelf: Shelf, tmp_path: Path) -> None:
    shelf.status = 404
    message = refusal(tmp_path, shelf.url)
    assert "404" in message
    assert shelf.url in message
    assert list(tmp_path.iterdir()) == []


def test_address_that_does_not_answer_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    url = f"http://127.0.0.1:{free_port()}/input.txt"
    assert url in refusal(tmp_path, url)


def test_answer_that_is_no_http_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    def answer() -> None:
        with listener.accept()[0] as connection:
            connection.recv(1000)
            connection.sendall(b"220 mail ready\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        refusal(tmp_path, f"http://127.0.0.1:{listener.getsockname()[1]}/")
        thread.join()


def test_cache_that_cannot_be_made_is_refused(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "file" in refusal(tmp_path / "file" / "cache", shelf.url)


def test_cache_folder_follows_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "token-tracer"


# The file


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("line_end", [b"\r\n", b"\r"], ids=["CR LF", "CR"])
def test_other_line_ends_train_like_newlines(tmp_path: Path, line_end: bytes) -> None:
    plain = read(written(tmp_path, TEXT * 20), CONTEXT)
    other = read(written(tmp_path, TEXT.replace(b"\n", line_end) * 20), CONTEXT)
    assert "\r" not in other.tokenizer.vocabulary
    assert torch.equal(plain.train, other.train)
    assert torch.equal(plain.validation, other.validation)


def test_byte_order_mark_is_no_character(tmp_path: Path) -> None:
    corpus = read(written(tmp_path, b"\xef\xbb\xbf" + TEXT * 20), CONTEXT)
    assert "\ufeff" not in corpus.tokenizer.vocabulary


def test_hash_is_that_of_the_file(tmp_path: Path) -> None:
    content = TEXT.replace(b"\n", b"\r\n") * 20
    corpus = read(written(tmp_path, content), CONTEXT)
    assert corpus.sha256 == hashlib.sha256(content).hexdigest()


def test_file_that_is_not_utf8_is_refused_with_the_byte(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"UTF-8.*byte 3 is 0xE9"):
        read(written(tmp_path, "caf\xe9".encode("latin-1")), CONTEXT)


@pytest.mark.parametrize("name", ["missing.txt", "."])
def test_unreadable_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CorpusError, match="cannot be read"):
        read(tmp_path / name, CONTEXT)


# Its length (C40)


@pytest.mark.parametrize("length", [0, 1, 50, 640])
def test_short_corpus_is_refused_with_the_length_needed(length: int) -> None:
    with pytest.raises(CorpusError, match=rf"has {length} characters.*at least 641"):
        split("a" * length, CONTEXT, b"")


def test_shortest_corpus_holds_out_exactly_one_window() -> None:
    corpus = split("ab" * 320 + "a", CONTEXT, b"")
    assert (len(corpus.train), len(corpus.validation)) == (576, 65)


@pytest.mark.parametrize("context", [1, 2, 7, 64, 1024])
def test_shortest_length_is_the_shortest(context: int) -> None:
    """One character fewer leaves no window and target for validation."""
    length = shortest(context)
    assert length - int(0.9 * length) == context + 1
    assert (length - 1) - int(0.9 * (length - 1)) == context


def test_last_tenth_is_held_out_in_order() -> None:
    text = "".join(chr(ord("a") + i % 26) for i in range(1000))
    corpus = split(text, CONTEXT, b"")
    decode = CharacterTokenizer.from_corpus(text).decode
    assert decode(corpus.train.tolist()) == text[:900]
    assert decode(corpus.validation.tolist()) == text[900:]
