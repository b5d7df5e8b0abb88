"""Symbols: LaTeX that names one tensor of a model, its block above it; and the same as text."""

import re

BLOCK = re.compile(r"\^\{\((?:\\text\{\w\})?\d+\)\}")
RAISED = re.compile(r"\{(.+)\}\^2")
COMMANDS = {r"\mu": "μ", r"\sigma": "σ", r"\gamma": "γ", r"\beta": "β", r"\ell": "ℓ"}
ACCENTS = {r"\hat": "\u0302", r"\tilde": "\u0303", r"\bar": "\u0304"}
ABOVE = str.maketrans("0123456789()nED", "⁰¹²³⁴⁵⁶⁷⁸⁹⁽⁾ⁿᴱᴰ")


def marked(symbol: str, mark: str) -> str:
    """The symbol with a mark in parentheses above it; a power goes around both.

    >>> marked("W_Q", "1"), marked(r"\\sigma_a^2", "1")
    ('W_Q^{(1)}', '{\\\\sigma_a^{(1)}}^2')
    """
    base, _, power = symbol.partition("^")
    with_mark = f"{base}^{{({mark})}}"
    return f"{{{with_mark}}}^{power}" if power else with_mark


def of_any_block(symbol: str) -> str:
    """The symbol with `n` for the number of its block, in whichever stack."""
    return BLOCK.sub("^{(n)}", symbol)


def without_block(symbol: str) -> str:
    """The letter alone, whatever block it is of."""
    return of_any_block(symbol).replace("^{(n)}", "")


def plain(symbol: str) -> str:
    """The symbol as one line of text, for labels, copies and whoever reads without MathML.

    >>> plain(r"\\hat{X}_f^{(2)}"), plain(r"S_{\\text{masked}}^{(1)}")
    ('X̂_f⁽²⁾', 'S_masked⁽¹⁾')
    """
    text = re.sub(r"\\text\{(\w+)\}", r"\1", symbol)
    for command, letter in COMMANDS.items():
        text = text.replace(command, letter)
    for accent, combining in ACCENTS.items():
        text = re.sub(rf"\{accent}\{{(\w)\}}", rf"\1{combining}", text)
    text = re.sub(r"\^\{(\(\w+\))\}", lambda found: found[1].translate(ABOVE), text)
    text = RAISED.sub(r"(\1)²", text)
    return text.replace("^2", "²").replace("_{", "_").replace("}", "").replace("{", "")
