"""A trace as a file, without a server: what `python -m app trace` and `export` do."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from pydantic import ValidationError

from app.exports.saved import SavedPages
from app.server.errors import in_words
from app.server.service import Service
from app.server.settings import ROOT, Settings
from app.site.assets import Assets
from app.tracing.encoding import chosen_stages, encoded
from app.tracing.formats import SUFFIXES, Format
from app.tracing.requests import TraceRequest
from model.errors import InputError, quoted
from model.tracing import trace

STANDARD_OUTPUT = "-"
TEXTS = (Format.JSON, Format.CSV, Format.HTML)
DONE, REFUSED = 0, 1


def write(asked: Mapping[str, Any], output: str | None) -> int:
    """Write the trace that is asked for, in just the bytes that the API answers with.

    `asked` has the fields of a trace request; where its format is None, `output` decides. Without
    an `output` the text formats go to standard output, as all do with `-`. Returns the exit code;
    what is refused is said on standard error.
    """
    try:
        form = format_of(output, asked["format"])
        request = TraceRequest(**{**asked, "format": form})
        if output is None and request.format not in TEXTS:
            return _refuse(f"{request.format.value} is no text; name a file with -o.")
        body = _answered(request)
    except ValidationError as error:
        return _refuse(in_words(error.errors()[0])["message"])
    except InputError as error:
        return _refuse(error.message)
    return _put(body, output)


def format_of(output: str | None, asked: Format | None) -> Format:
    """The format of a file: the one that its suffix names, in any case of letters. A suffix that
    names none leaves it to what is asked, and a name without one means JSON where nothing is.

    Raises:
        InputError: the suffix names another format than the one asked for, or none and nothing is.
    """
    suffix = "" if output in (None, STANDARD_OUTPUT) else Path(str(output)).suffix
    named = SUFFIXES.get(suffix.lower())
    if asked is None:
        if suffix and named is None:
            raise InputError(
                f"{quoted(output, 200)} ends in {quoted(suffix)}, which names no format. End it in "
                f"one of {', '.join(SUFFIXES)}, or say what to write there with --format."
            )
        return named or Format.JSON
    asked = Format(asked)
    if named not in (None, asked):
        raise InputError(
            f"{quoted(output, 200)} ends in {quoted(suffix)}, but what is to be written there is "
            f"{asked.value}. Give the file another suffix, .{asked.value} for one, or ask for "
            f"another format: python -m app trace with --format {named.value}."
        )
    return asked


def _answered(request: TraceRequest) -> bytes:
    # As the server does: with another number of threads the last digits may differ.
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    service = Service(Settings())
    try:
        model = service.model(request.model)
        chosen = chosen_stages(model, request)
        traced = trace(
            model, request.question, gradients=request.gradients,
            weight_gradients=request.weight_gradients,
        )  # fmt: skip
        return encoded(traced, chosen, request, SavedPages(service, Assets(ROOT / "static")))
    finally:
        service.close()


def _put(body: bytes, output: str | None) -> int:
    if output is None or output == STANDARD_OUTPUT:
        return _print(body)
    try:
        Path(output).write_bytes(body)
    except OSError as error:
        return _refuse(f"{quoted(output, 200)} cannot be written: {error.strerror}.")
    return DONE


def _print(body: bytes) -> int:
    try:
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # the reader has had enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        return _refuse(f"Standard output cannot be written: {error.strerror}.")
    return DONE


def _refuse(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return REFUSED
