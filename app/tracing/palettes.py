"""The colours of each kind: three palettes, one range rule, the marks for what has no colour."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from enum import StrEnum

from model.finiteness import WORDS
from model.table.stage import Kind

Colours = Sequence[str]

# The dark halves are those of ColorBrewer's RdBu and PuOr; then its Blues, Viridis' anchors, YlGn,
# and greys. Zero is light in the middle of a diverging palette, and middle grey in the one for
# print. Numbers below zero end dark and those above it end bright: of two numbers of one size the
# negative is the darker, so that grey and an eye that sees no hues tell the sign.
_DIVERGING = ("#053061 #2166ac #4393c3 #92c5de #d1e5f0 #f7f7f7 #fddfd8 #fcc1b4 #f9a295 #f58177 "
              "#ee5f5b").split()  # fmt: skip
_PURPLE_ORANGE = ("#2d004b #542788 #8073ac #b2abd2 #d8daeb #f7f7f7 #fee8c8 #fdd59b #fac06a "
                  "#f4aa3b #ea9419").split()  # fmt: skip
_BLUES = "#f7fbff #deebf7 #c6dbef #9ecae1 #6baed6 #4292c6 #2171b5 #08519c #08306b".split()
_GREENS = "#ffffe5 #f7fcb9 #d9f0a3 #addd8e #78c679 #41ab5d #238443 #006837 #004529".split()
_VIRIDIS = ("#440154 #482878 #3e4989 #31688e #26828e #1f9e89 #35b779 #6ece58 #b5de2b "
            "#fde725").split()  # fmt: skip
_LIGHT_TO_DARK = ["#ffffff", "#000000"]
_DARK_TO_LIGHT = ["#000000", "#ffffff"]

DEFAULT = "default"
PALETTES: Mapping[Kind, Mapping[str, Colours]] = {
    Kind.IDS: {DEFAULT: _BLUES, "alternative": _VIRIDIS, "grey": _LIGHT_TO_DARK},
    Kind.SIGNED: {DEFAULT: _DIVERGING, "alternative": _PURPLE_ORANGE, "grey": _DARK_TO_LIGHT},
    Kind.SCORES: {DEFAULT: _DIVERGING, "alternative": _PURPLE_ORANGE, "grey": _DARK_TO_LIGHT},
    Kind.PROBABILITY: {DEFAULT: _BLUES, "alternative": _VIRIDIS, "grey": _LIGHT_TO_DARK},
    Kind.SCALE: {DEFAULT: _GREENS, "alternative": _VIRIDIS, "grey": _LIGHT_TO_DARK},
}
"""Evenly spaced colours, mixed linearly in sRGB; the greys are for print."""

SYMMETRIC, UNIT, FROM_ZERO, VOCABULARY = "symmetric", "unit", "from-zero", "vocabulary"
"""Ranges: ±the limit; 0 to 1; 0 to the limit; 0 to vocab_size − 1."""

RANGES: Mapping[Kind, str] = {
    Kind.IDS: VOCABULARY,
    Kind.SIGNED: SYMMETRIC,
    Kind.SCORES: SYMMETRIC,
    Kind.PROBABILITY: UNIT,
    Kind.SCALE: FROM_ZERO,
}


class Scale(StrEnum):
    """Where the colours end: as usual for the kind, or at the largest finite |number|."""

    USUAL = "usual"
    LARGEST = "largest"


LIMIT_AT = 0.97
"""The limit: the smallest |x| that this share of the finite numbers other than 0 does not exceed.
One feature in 64 cannot move it, however large. Zeros do not count, as their colour hangs on no
limit: a gradient that is 0 nearly everywhere is drawn by the rest. Cells beyond it are marked."""

MARKS: Mapping[str, Mapping[str, str]] = {
    "masked": {
        "tint": "#c9c4bb", "line": "#8f887c", "path": "M-2 2 2 -2M0 8 8 0M6 10 10 6",
        "word": WORDS["masked"],
    },
    "minus_inf": {
        "tint": "#f7b6e4", "line": "#4a0038", "path": "M1 4H7", "word": WORDS["minus_inf"],
    },
    "plus_inf": {
        "tint": "#ff5fd2", "line": "#4a0038", "path": "M1 4H7M4 1V7", "word": WORDS["plus_inf"],
    },
    "nan": {
        "tint": "#c400c4", "line": "#ffffff", "path": "M1 1 7 7M1 7 7 1", "word": WORDS["nan"],
    },
}  # fmt: skip
"""What stands where no colour can: for each of the four a ground that no palette has, and lines of
its own on it, in a tile of 8 by 8."""
TILE = 8
MASK = MARKS["masked"]


def hatching() -> str:
    """The ground of masked cells, as an image: a tint with stripes that no palette has."""
    whole = '<rect width="480" height="480" fill="url(#masked)"/>'
    return _image(480, 480, _pattern("masked") + whole)


def ground(words: Sequence[Sequence[str | None]]) -> str:
    """An image of a matrix that is clear but for the cells that are not finite, which `words`
    names. It stands where the hatching would, whose cells it has too."""
    cells = "".join(
        f'<rect x="{column * TILE}" y="{row * TILE}" width="{TILE}" height="{TILE}" '
        f'fill="url(#{word})"/>'
        for row, names in enumerate(words)
        for column, word in enumerate(names)
        if word is not None
    )
    size = len(words[0]) * TILE, len(words) * TILE
    return _image(*size, "".join(map(_pattern, MARKS)) + cells)


def _pattern(name: str) -> str:
    mark = MARKS[name]
    return (
        f'<pattern id="{name}" width="{TILE}" height="{TILE}" patternUnits="userSpaceOnUse">'
        f'<rect width="{TILE}" height="{TILE}" fill="{mark["tint"]}"/>'
        f'<path d="{mark["path"]}" stroke="{mark["line"]}" stroke-width="1.4"/></pattern>'
    )


def _image(width: int, height: int, inside: str) -> str:
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" preserveAspectRatio="none">{inside}</svg>'
    )
    return f"data:image/svg+xml;base64,{b64encode(drawn.encode()).decode()}"
