"""Make the font of the equations: `python static/fonts/subset.py latinmodern-math.otf`.

Latin Modern Math (GUST e-foundry, version 1.959; Debian has it in fonts-lmodern), cut down to what
equations here are written with, its MATH table kept: that table tells a browser how large a
radical, how high an index and how thick a fraction's line is. It needs `pip install fonttools
brotli`, which nothing else here does, and is run again only when an equation needs another sign:
tests/app/test_fonts.py says which one is missing.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

NAME = "Tracer Math"
"""The licence asks that what was changed has a name of its own."""
RANGES = (
    (0x20, 0x7E),  # ASCII
    (0x391, 0x3C9), (0x3D1, 0x3D1), (0x3D5, 0x3D6), (0x3F1, 0x3F1), (0x3F5, 0x3F5),  # Greek
    (0x1D400, 0x1D467),  # bold and italic Latin
    (0x1D6FC, 0x1D71B),  # italic Greek
    (0x1D736, 0x1D74F),  # bold italic Greek
    (0x302, 0x305), (0x307, 0x307), (0x20D7, 0x20D7),  # accents
)  # fmt: skip
SIGNS = "ℎℓℝ×·⋅−±≤≥≠≈≡∼∝∞∂∇∑∏∫√⊙⊕⊗⊤⊥∈∉∘←→↦⇒…⋯‖⟨⟩′¯ˆ˜˙"
NAMES = (1, 3, 4, 6, 16, 17, 18)


def wanted() -> Iterator[int]:
    """The code points."""
    for first, last in RANGES:
        yield from range(first, last + 1)
    yield from map(ord, SIGNS)


def cut(source: Path, target: Path) -> None:
    """Write the subset as woff2."""
    font = TTFont(source)
    options = subset.Options()
    options.layout_features = []
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.hinting = False
    options.desubroutinize = True
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=wanted())
    cutter.subset(font)
    for record in font["name"].names:
        if record.nameID in NAMES:
            record.string = NAME if record.nameID != 6 else NAME.replace(" ", "")
    cff = font["CFF "].cff
    cff.fontNames[0] = NAME.replace(" ", "")
    cff.topDictIndex[0].FullName = cff.topDictIndex[0].FamilyName = NAME
    font.flavor = "woff2"
    font.save(target)


if __name__ == "__main__":
    cut(Path(sys.argv[1]), Path(__file__).with_name("math.woff2"))
