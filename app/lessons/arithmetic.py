"""Arithmetic as people type it: 12·d², 0.9^48, N(N−1)/2, √3, e^2/(e+e^2).

A reader of its own and no `eval`: numbers, the symbols that the question knows, + − · / ^, roots,
parentheses, and a factor straight behind another where that can be read in one way only.

    sum     = product (("+" | "-") product)*
    product = power (("·" | "/") power | power)*
    power   = sign* atom ("^" power | "²")*
    atom    = number | symbol | ("√" | "ln" | "exp") atom | "(" sum ")"
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from model.errors import quoted

LARGEST = 1e15
LARGEST_EXPONENT = 10_000
DEEPEST = 20
NUMBER = (
    r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9.,])"
    r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3}(?![0-9]))?"
)
TIMES = r"\*(?!\*)|[·×⋅∙]|[xX](?![^\W\d]|_)"
NAME = r"\|V\||[^\W\d_][A-Za-z0-9_]*"
TOKEN = re.compile(
    rf"\s*(?:(?P<number>{NUMBER})|(?P<times>{TIMES})|(?P<over>[/÷:])|(?P<power>\^|\*\*)"
    rf"|(?P<raised>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(?P<sign>[+-])|(?P<root>√)|(?P<open>[(\[])|(?P<close>[)\]])"
    rf"|(?P<name>{NAME}))"
)
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
OTHER_NAMES = {"d_model": "d", "|V|": "V", "d_k": "d_head"}
"""What texts call the sizes, beside the symbols that shapes are printed in."""
FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "√": math.sqrt, "sqrt": math.sqrt, "ln": math.log, "log": math.log, "exp": math.exp,
}  # fmt: skip
CONSTANTS = {"e": math.e, "π": math.pi, "pi": math.pi}


Size = TypeVar("Size", int, float)


class Unreadable(ValueError):
    """What cannot be read or computed of a formula, as the end of a sentence."""


@dataclass(frozen=True)
class Token:
    kind: str
    text: str


END = Token("end", "")


def value(typed: str, symbols: Mapping[str, float]) -> float:
    """What a formula comes to; its signs are + and -, as `notation` has made them.

    Raises:
        Unreadable: it has a sign, a name or an order that is none, or no finite value.
    """
    reader = _Reader(_tokens(typed), symbols)
    found = reader.sum()
    reader.expect_end()
    return found


def symbol(name: str, symbols: Mapping[str, Size]) -> Size | None:
    """A symbol's size; in the other case too, where only one symbol is meant."""
    known = OTHER_NAMES.get(name, name)
    if known in symbols:
        return symbols[known]
    alike = [one for one in symbols if one.lower() == known.lower()]
    return symbols[alike[0]] if len(alike) == 1 else None


def _tokens(typed: str) -> list[Token]:
    tokens, at, end = [], 0, len(typed.rstrip())
    while at < end:
        found = TOKEN.match(typed, at)
        if found is None:
            raise Unreadable(f"{quoted(typed[at:].lstrip()[0])} has no meaning here")
        kind = found.lastgroup
        assert kind is not None
        tokens.append(Token(kind, found[kind]))
        at = found.end()
    return tokens


class _Reader:
    """One pass over the tokens, from left to right."""

    def __init__(self, tokens: list[Token], symbols: Mapping[str, float]) -> None:
        self.tokens, self.symbols = tokens, symbols
        self.at = self.depth = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else END

    def take(self) -> Token:
        token = self.next
        self.at += 1
        return token

    def expect_end(self) -> None:
        if self.next.kind == "close":
            raise Unreadable("a parenthesis is closed that was not opened")
        if self.next is not END:
            raise Unreadable(
                f"{quoted(self.next.text)} cannot stand behind {quoted(self._before())}"
            )

    def _before(self) -> str:
        return self.tokens[self.at - 1].text

    def sum(self) -> float:
        total = self.product()
        while self.next.kind == "sign":
            minus = self.take().text == "-"
            other = self.product()
            total = _bounded(total - other if minus else total + other)
        return total

    def product(self) -> float:
        result, divided = self.power(), False
        while True:
            kind = self.next.kind
            if kind in ("times", "over"):
                self.take()
                factor, divided = self.power(), kind == "over"
                if divided and factor == 0:
                    raise Unreadable("it divides by 0")
                result = _bounded(result / factor if divided else result * factor)
            elif kind in ("name", "root", "open"):
                if divided:
                    raise Unreadable(
                        f"{quoted(self._before() + self.next.text)} behind a division can be read "
                        "in two ways; write 1/(2N) or (1/2)·N"
                    )
                result = _bounded(result * self.power())
            else:
                return result

    def power(self) -> float:
        """A signed power; −2² is −4, and 2^3^2 is 2^9."""
        if self.next.kind == "sign":
            minus = self.take().text == "-"
            return -self._inside(self.power) if minus else self._inside(self.power)
        base = self.atom()
        while self.next.kind == "raised":
            base = _raised(base, int(self.take().text.translate(RAISED)))
        if self.next.kind == "power":
            self.take()
            return _raised(base, self._inside(self.power))
        return base

    def atom(self) -> float:
        token = self.take()
        if token.kind == "number":
            return _bounded(float(token.text.replace(",", "")))
        if token.kind == "open":
            return self._closed()
        if token.text in FUNCTIONS:
            return self._function(token.text)
        if token.kind == "name":
            return self._named(token.text)
        if token is END:
            behind = f" behind {quoted(self.tokens[-1].text)}" if self.tokens else ""
            raise Unreadable(f"something is missing{behind}")
        raise Unreadable(f"{quoted(token.text)} stands where a number or a symbol should")

    def _closed(self) -> float:
        found = self._inside(self.sum)
        if self.next is END:
            raise Unreadable("a parenthesis is not closed")
        if self.next.kind != "close":
            self.expect_end()
        self.take()
        return found

    def _function(self, name: str) -> float:
        argument = self._inside(self.atom)
        try:
            return _bounded(FUNCTIONS[name](argument))
        except ValueError:
            raise Unreadable(f"there is no {name} of {argument:.6g}") from None
        except OverflowError:
            raise Unreadable(_TOO_LARGE) from None

    def _named(self, name: str) -> float:
        found = symbol(name, self.symbols)
        found = CONSTANTS.get(name) if found is None else found
        if found is None:
            known = f"; the symbols are {', '.join(self.symbols)}" if self.symbols else ""
            raise Unreadable(f"{quoted(name)} is no symbol of this question{known}")
        return float(found)

    def _inside(self, read: Callable[[], float]) -> float:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Unreadable(f"more than {DEEPEST} parts stand inside one another")
        found = read()
        self.depth -= 1
        return found


_TOO_LARGE = "it comes to more than 10^15, the largest number that is read"


def _raised(base: float, exponent: float) -> float:
    if abs(exponent) > LARGEST_EXPONENT:
        raise Unreadable(
            f"the exponent is {exponent:.6g}, and the largest that is computed is "
            f"{LARGEST_EXPONENT:,}"
        )
    if base == 0 and exponent < 0:
        raise Unreadable("it divides by 0")
    try:
        found = base**exponent
    except OverflowError:
        raise Unreadable(_TOO_LARGE) from None
    if isinstance(found, complex):
        raise Unreadable(f"{base:.6g} has no power {exponent:.6g} among the real numbers")
    return _bounded(found)


def _bounded(found: float) -> float:
    if not abs(found) <= LARGEST:
        raise Unreadable(_TOO_LARGE)
    return found
