"""The formats of a trace. Here and not beside the requests, so that the command line can list them
before torch is imported."""

from enum import StrEnum


class Format(StrEnum):
    """How a trace is sent."""

    JSON = "json"
    SAFETENSORS = "safetensors"
    NPZ = "npz"
    CSV = "csv"
    HTML = "html"


SUFFIXES = {f".{form.value}": form for form in Format}
"""The format that a file's name promises, by how it ends."""
