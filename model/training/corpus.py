"""The training text: where it comes from, and how it is split."""

import hashlib
import os
import shutil
import tempfile
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError

import torch
from torch import Tensor

from model.errors import CorpusError, quoted
from model.tokenizer import CharacterTokenizer

TINY_SHAKESPEARE_URL = (
    "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt"
)
TINY_SHAKESPEARE_SHA256 = "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
TRAINED_SHARE = 0.9
"""The first nine tenths are trained on, the last tenth only validates."""


@dataclass(frozen=True)
class Corpus:
    """A text as ids: int64 tensors of the trained and of the held-out part."""

    tokenizer: CharacterTokenizer
    train: Tensor
    validation: Tensor
    sha256: str


def read(path: Path, context_length: int, *special: str) -> Corpus:
    """Read and split a UTF-8 text file; CR LF and CR become LF, and a byte order mark goes.
    `special` are symbols that the vocabulary has beside the text's characters.

    Raises:
        CorpusError: no such file, not UTF-8, too short for one window of each part, or a special
            symbol is one of its characters.
    """
    try:
        raw = path.read_bytes()
        text = raw.decode("utf-8")
    except OSError as error:
        raise CorpusError(f"The corpus {quoted(str(path), 200)} cannot be read: {error.strerror}.",
                          field="data") from None  # fmt: skip
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"The corpus {quoted(str(path), 200)} is not UTF-8: byte {error.start} is "
            f"0x{raw[error.start]:02X}. Convert it to UTF-8 first.",
            field="data",
        ) from None
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return split(text, context_length, raw, *special)


def split(text: str, context_length: int, raw: bytes, *special: str) -> Corpus:
    """Encode a text with its own characters and hold its last tenth out."""
    needed = shortest(context_length)
    if len(text) < needed:
        raise CorpusError(
            f"The corpus has {len(text)} characters; windows of {context_length} characters and "
            f"the one that follows need at least {needed}, so that the last tenth holds one too.",
            field="data",
        )
    for symbol in special:
        if symbol in text:
            raise CorpusError(
                f"The corpus has {symbol!r} at position {text.index(symbol)}, which this model "
                "keeps for a hidden character. Replace it in the corpus.",
                field="data",
            )
    tokenizer = CharacterTokenizer.from_corpus(text, *special)
    ids = torch.tensor(tokenizer.encode(text))
    cut = int(TRAINED_SHARE * len(ids))
    return Corpus(tokenizer, ids[:cut], ids[cut:], hashlib.sha256(raw).hexdigest())


def shortest(context_length: int) -> int:
    """The fewest characters whose last tenth holds one window and its last target."""
    length = 10 * context_length
    while length - int(TRAINED_SHARE * length) < context_length + 1:
        length += 1
    return length


def cache_folder() -> Path:
    """Where downloads are kept: `$XDG_CACHE_HOME` or `~/.cache`, then `token-tracer`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "token-tracer"


def download(
    folder: Path, url: str = TINY_SHAKESPEARE_URL, sha256: str = TINY_SHAKESPEARE_SHA256
) -> Path:
    """Fetch tiny Shakespeare once, and keep it only if it is byte for byte the known text.

    Raises:
        CorpusError: the address does not answer, or what it answered is another text.
    """
    kept = folder / "tinyshakespeare.txt"
    try:
        if not (kept.exists() and hashlib.sha256(kept.read_bytes()).hexdigest() == sha256):
            folder.mkdir(parents=True, exist_ok=True)
            _fetch(url, sha256, kept)
    except (OSError, HTTPException) as error:
        if isinstance(error, HTTPError):
            error.close()  # it is the answer as well, and holds the connection
        raise CorpusError(
            f"Tiny Shakespeare could not be fetched from {url} into {quoted(str(folder), 200)}: "
            f"{str(error) or type(error).__name__}. Give a file of yours with --data.",
            field="data",
        ) from None
    return kept


def _fetch(url: str, sha256: str, kept: Path) -> None:
    """Let `kept` appear whole, or not at all."""
    with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as part:
        try:
            with urllib.request.urlopen(url, timeout=60) as response:
                shutil.copyfileobj(response, part)
            part.flush()
            found = hashlib.sha256(Path(part.name).read_bytes()).hexdigest()
            if found != sha256:
                raise CorpusError(
                    f"The text at {url} is not the known tiny Shakespeare: its SHA-256 is {found}, "
                    f"expected {sha256}. Nothing was kept; give a file of yours with --data.",
                    field="data",
                )
            os.replace(part.name, kept)
        finally:
            Path(part.name).unlink(missing_ok=True)
