"""Equations as browsers draw them themselves."""

import html
import re
from functools import lru_cache

from latex2mathml.converter import convert

BOLD_ITALIC = re.compile(r'<m([io]) mathvariant="bold-italic">(&#x\w+;|.)</m[io]>')
"""A bold letter as the converter has it; browsers read no such attribute any more (MathML Core)."""
BOLDS = (("A", "Z", 0x1D468), ("a", "z", 0x1D482), ("Α", "Ω", 0x1D71C), ("α", "ω", 0x1D736))
"""Runs of letters, and where Unicode has the first of each bold and italic."""


@lru_cache(maxsize=1024)
def mathml(latex: str) -> str:
    """LaTeX as MathML."""
    return BOLD_ITALIC.sub(
        lambda found: f"<mi>{_bold(html.unescape(found[2]))}</mi>", str(convert(latex))
    )


def _bold(letter: str) -> str:
    """The letter in bold italics, if it has such a form."""
    for first, last, start in BOLDS:
        if first <= letter <= last:
            return chr(start + ord(letter) - ord(first))
    return letter
