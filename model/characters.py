"""How single characters are shown, named, and typed on a plain keyboard."""

import re
import unicodedata

SIGNS = {" ": "␣", "\n": "↵", "\t": "⇥", "\r": "␍"}
"""The blanks that have a sign of their own. A text that holds such a sign itself has it by its code
point, so that the two are told apart."""
IN_WORDS = {" ": "space", "\n": "newline", "\t": "tab", "\r": "carriage return"}
PRINTING = "LNPS"
"""The first letters of the Unicode categories that print: letters, numbers, punctuation, symbols.
Marks (M) print on another character; separators (Z) and others (C) do not."""
BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
"""What does not print although its category would: fillers, joiners and variation selectors."""
CARRIER = "◌"
"""Carries a mark that has no character to stand on."""
WITHOUT_A_NAME = {"Cc": "CONTROL", "Cs": "LONE SURROGATE", "Co": "PRIVATE USE", "Cn": "UNASSIGNED"}
CONTROLS = {
    "\0": "NULL", "\a": "BELL", "\b": "BACKSPACE", "\t": "TAB", "\n": "NEWLINE", "\v": "LINE TAB",
    "\f": "FORM FEED", "\r": "CARRIAGE RETURN", "\x1b": "ESCAPE", "\x7f": "DELETE",
    "\x85": "NEXT LINE",
}  # fmt: skip
PLAIN = {
    **dict.fromkeys("‘’‚‛ʼ′´`", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f", ""),
    **dict.fromkeys("\u2028\u2029\x85", "\n"),
}
"""What is typed for a character that a text program put in its place; nothing for what only says
where a line may break, or which way it runs."""


def code_point(character: str) -> str:
    """The Unicode notation of one character: `U+1F642`."""
    return f"U+{ord(character):04X}"


def prints(character: str) -> bool:
    """Whether a character shows by itself."""
    return unicodedata.category(character)[0] in PRINTING and BLANK.match(character) is None


def glyph(character: str) -> str:
    """A character as a label that can be seen: a space becomes ␣, a line end ↵, and whatever does
    not print its code point, U+200B; a mark stands on ◌."""
    if character in SIGNS:
        return SIGNS[character]
    if prints(character) and character not in SIGNS.values():
        return character
    is_mark = unicodedata.category(character)[0] == "M" and BLANK.match(character) is None
    return CARRIER + character if is_mark else code_point(character)


def within(character: str) -> str:
    """The same amid others, where a code point needs brackets: ⟨U+200B⟩."""
    shown = glyph(character)
    return f"⟨{shown}⟩" if shown == code_point(character) else shown


def in_one_line(text: str) -> str:
    """A text in one line that can be read: its spaces stay, all else that is blank is seen."""
    return "".join(one if one == " " else within(one) for one in text)


def name(character: str) -> str:
    """The name that Unicode gives a character, or says why it gives none: ZERO WIDTH SPACE."""
    return (
        unicodedata.name(character, "")
        or CONTROLS.get(character)
        or WITHOUT_A_NAME.get(unicodedata.category(character), "WITHOUT A NAME")
    )


def in_words(character: str) -> str:
    """What is said of a label where one asks: a character that shows is its own word, a blank has
    one, and all else has its code point and name."""
    if character in IN_WORDS:
        return IN_WORDS[character]
    seen = glyph(character) == character
    return character if seen else f"{code_point(character)} {name(character)}"


def plain(character: str) -> str | None:
    """What a plain keyboard has for a character: ' for ’, three dots for …, a space for one that
    does not break, nothing for one of no width. None where nothing is."""
    if character in PLAIN:
        return PLAIN[character]
    if unicodedata.category(character) == "Zs":
        return " " if character != " " else None
    folded = unicodedata.normalize("NFKC", character)
    return folded if folded != character else None
