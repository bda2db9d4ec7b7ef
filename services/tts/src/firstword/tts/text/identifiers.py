"""Names that mix letters, digits and marks: what a URL, a file or a model number is made of."""

from __future__ import annotations

import re

from firstword.tts.text.numerals import Accent, digits, number, pairs
from firstword.tts.text.rule import Rule, Say, fixed, spelled

_RUN = re.compile(r"\d+\.\d+(?![.\d])|[A-Z]+(?![a-z'])|[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+|[^\w\s]|_")
_VOWEL = re.compile(r"[aeiouyAEIOUY]|[^\x00-\x7f]")

_MARKS = {
    ".": "dot",
    "-": "dash",
    "_": "underscore",
    "+": "plus",
    "/": "slash",
    "\\": "backslash",
    ":": "colon",
    "~": "tilde",
    "@": "at",
    "#": "hash",
    "&": "and",
    "%": "percent",
    "=": "equals",
    "?": "question mark",
}

_PRONOUNCED = {
    "json": "jason",
    "yaml": "yammle",
    "jpeg": "jay peg",
    "jpg": "jay peg",
    "gif": "gif",
    "gui": "gooey",
    "nginx": "engine X",
    "readme": "read me",
    "ascii": "askey",
    "wifi": "wye fye",
    "sql": "S Q L",
    "api": "A P I",
    "aws": "A W S",
    "ios": "I O S",
    "ip": "I P",
    "id": "I D",
    "ui": "U I",
    "url": "U R L",
    "uri": "U R I",
    "usb": "U S B",
    "ai": "A I",
    "io": "I O",
    "tts": "T T S",
    "py": "P Y",
}
"""Names that are neither read by the dictionary nor spelled."""


def identifier(name: str, accent: Accent, *, marks: bool = True) -> str:
    """``name`` in words. Its marks are said (``my-site.com`` is "my dash site dot com") or not."""
    said = []
    for run in _RUN.findall(name):
        if run[0].isdecimal():
            said.append(_number(run, accent))
        elif run in _MARKS:
            if marks:
                said.append(_MARKS[run])
        elif run.isalpha():
            said.append(word(run))
    return " ".join(said)


def word(letters: str) -> str:
    """A run of letters: as a word when it can be one, else letter by letter."""
    lower = letters.lower()
    if lower in _PRONOUNCED:
        return _PRONOUNCED[lower]
    ascii_only = letters.isascii()
    if ascii_only and (
        (letters.isupper() and len(letters) <= 4)
        or (len(letters) == 1)
        or (len(letters) <= 6 and not _VOWEL.search(letters))
    ):
        return spelled(letters)
    return lower


def symbol_by_symbol(name: str) -> str:
    """Each letter and digit by its name."""
    return " ".join(digits(c) if c.isdecimal() else c.upper() for c in name if c.isalnum())


def _number(run: str, accent: Accent) -> str:
    if "." in run:
        return number(run, accent)
    return digits(run) if len(run) > 4 or run[0] == "0" else pairs(run, accent)


def _snake(match: re.Match[str], accent: Accent) -> Say:
    return identifier(match[0], accent, marks=False)


def _mixed(match: re.Match[str], accent: Accent) -> Say:
    """B2B, H2O, iPhone15; MP3s has a plural."""
    written = match[0]
    if re.fullmatch(r"[A-Z]*\d+s", written):
        return identifier(written[:-1], accent, marks=False) + "s"
    return identifier(written, accent, marks=False)


_PRODUCTS = {
    "JSON": "jason",
    "YAML": "yammle",
    "nginx": "engine X",
    "Nginx": "engine X",
    "PostgreSQL": "postgres Q L",
    "kubectl": "cube control",
    "LaTeX": "lay tech",
    "README": "read me",
}

RULES = (
    fixed("product", _PRODUCTS, before=r"(?<!\w)", after=r"(?!\w)"),
    Rule("snake case", re.compile(r"(?<![^\W_])_*[^\W_]+(?:_+[^\W_]+)+_*"), _snake),
    Rule(
        "letters and digits",
        re.compile(r"(?<![^\W_])(?:[^\W\d_]++\d|\d++[^\W\d_])[^\W_]*(?:(?<=\d)\.\d+(?!\w))?"),
        _mixed,
    ),
)
