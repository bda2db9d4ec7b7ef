"""What kind of line begins here: markdown's blocks, from their first characters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from firstword.chunker.ahead import NotYetError

_WIDTH = 80
_LINE_END = re.compile("[\n\r\u2028\u2029\x85]")

_PENDING = re.compile(
    r"""[^\S\n\r]*(?:
        [-*_=|:\s]*
      | \#{1,6}
      | [+•◦▪‣●○■·]
      | \d{1,3}[.)]?
      | [A-Za-z]\)?
      | \([0-9A-Za-z]{0,3}\)?
      | `{1,2} | `{3,}[^`]* | ~+
      | \[[^\]]*(?:\](?::[^\S\n\r]*(?:h|ht|htt|http)?)?)?
    )""",
    re.VERBOSE,
)
"""A beginning of which more must be seen."""
_QUOTE = re.compile(r"[^\S\n\r]*>[ \t]?")
_ITEM = re.compile(
    r"""[^\S\n\r]*(?:
        [-+*·](?:[^\S\n\r]+|\Z)
      | [•◦▪‣●○■][^\S\n\r]*
      | (?P<number>\d{1,3})[.)](?:[^\S\n\r]+|\Z)
      | [A-Za-z]\)[^\S\n\r]+
      | \([0-9A-Za-z]{1,3}\)[^\S\n\r]+
    )""",
    re.VERBOSE,
)
_HEADING = re.compile(r"[^\S\n\r]*#{1,6}(?:[^\S\n\r]|\Z)")
_ROW = re.compile(r"[^\S\n\r]*\|")
_FENCE = re.compile(r"[^\S\n\r]*(`{3,}(?=[^`]*\Z)|~{3,})")
_DEFINITION = re.compile(r"[^\S\n\r]*\[[^\]^][^\]]*\]:[^\S\n\r]*(?:https?:|<|/|\#)")
_NOTE = re.compile(r"[^\S\n\r]*\[\^[^\]]+\]:")


class Kind(Enum):
    """A block, as far as cutting and speaking it differ."""

    BLANK = auto()
    TEXT = auto()
    HEADING = auto()
    ROW = auto()
    """A table's row."""
    RULE = auto()
    """A line of dashes and the like, a table's delimiter row included."""
    CODE = auto()
    DEFINITION = auto()
    """Where a link points to."""


@dataclass(frozen=True, slots=True)
class Line:
    """The beginning of a line."""

    kind: Kind
    begin: int
    """Its first character that is not white space."""
    content: int
    """Where its text begins, after quote and list markers."""
    marked: bool = False
    """A list item or a note: a block of its own."""
    quoted: bool = False
    number: int = 0
    """The number of an ordered item; 0 for others."""
    fence: str = ""


def read_line(text: str, index: int, *, final: bool, fresh: bool, number: int) -> Line:
    """The line that begins at ``index``; raises ``NotYetError`` when too little of it has come.

    ``fresh`` says that a block begins here in any case; in the middle of one, only an item that
    goes on counting from ``number`` (or begins at 1) begins another.
    """
    piece = text[index : index + _WIDTH]
    end = _LINE_END.search(piece)
    ended = end is not None or (final and len(piece) < _WIDTH)
    whole = ended or len(piece) == _WIDTH
    if end is not None:
        piece = piece[: end.start()]
    at, marked, quoted, counted = 0, False, False, 0
    while True:
        rest = piece[at:]
        if not whole and _PENDING.fullmatch(rest):
            raise NotYetError
        if match := _QUOTE.match(rest):
            quoted = True
        elif not _is_rule(rest) and (match := _ITEM.match(rest)):
            value = int(match["number"] or 0)
            if match["number"] and not (fresh or marked or value in {1, number, number + 1}):
                break
            marked, counted = True, value or counted
        else:
            break
        at += match.end()
    kind, length, fence = _leaf(piece[at:], whole=whole, ended=ended)
    if kind is Kind.BLANK and (marked or (quoted and fresh)):
        kind = Kind.TEXT
    begin = index + len(piece) - len(piece.lstrip())
    return Line(
        kind=kind,
        begin=begin,
        content=max(begin, index + at + length),
        marked=marked or (kind is Kind.TEXT and length > 0),
        quoted=quoted,
        number=counted,
        fence=fence,
    )


def _leaf(rest: str, *, whole: bool, ended: bool) -> tuple[Kind, int, str]:
    """The kind of a line without its markers, the length of its own marker, and its fence."""
    if ended and not rest.strip():
        return Kind.BLANK, 0, ""
    if whole and _is_rule(rest):
        return Kind.RULE, 0, ""
    if match := _HEADING.match(rest):
        return Kind.HEADING, match.end(), ""
    if _ROW.match(rest):
        return Kind.ROW, 0, ""
    if (match := _FENCE.match(rest)) and (ended or match[1][0] == "~"):
        return Kind.CODE, match.end(), match[1]
    if _DEFINITION.match(rest):
        return Kind.DEFINITION, 0, ""
    if match := _NOTE.match(rest):
        return Kind.TEXT, match.end(), ""
    return Kind.TEXT, 0, ""


def _is_rule(rest: str) -> bool:
    marks = set(rest) - set(" \t")
    if len(marks) == 1 and marks <= set("-*_="):
        return sum(map(rest.count, marks)) >= 3
    return marks <= set("-|:") and {"-", "|"} <= marks


def is_delimiter_row(text: str) -> bool:
    """``|---|:-:|``: the rows of a table follow."""
    return _is_rule(text) and "|" in text


def fence_end(text: str, index: int, fence: str, *, final: bool) -> int:
    """Where the fence that closes ``fence`` ends in the line at ``index``; 0 when it does not.

    Raises ``NotYetError`` when too little of the line has come.
    """
    piece = text[index : index + _WIDTH]
    end = _LINE_END.search(piece)
    line = piece[: end.start()] if end else piece
    ended = end is not None or (final and len(piece) < _WIDTH)
    mark = re.escape(fence[0])
    closes = re.fullmatch(rf"[\s>]*({mark}{{{len(fence)},}})[^\S\n\r]*", line)
    if ended:
        return index + closes.end(1) if closes else 0
    if len(piece) < _WIDTH and re.fullmatch(rf"[\s>]*{mark}*[^\S\n\r]*", line):
        raise NotYetError
    return 0
