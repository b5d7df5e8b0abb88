"""Equations as browsers draw them themselves."""

from functools import lru_cache

from latex2mathml.converter import convert


@lru_cache(maxsize=1024)
def mathml(latex: str) -> str:
    """LaTeX as MathML."""
    return str(convert(latex))
