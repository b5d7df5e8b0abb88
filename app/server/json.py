"""An answer's bytes."""

from typing import Any

import orjson

JSON_TYPE = "application/json"


def to_json(content: Any) -> bytes:
    """JSON with NumPy arrays as nested lists; NaN and infinities, which JSON lacks, as null."""
    return orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
