"""The early first clause: what a voice may begin with before the first sentence is whole."""

from __future__ import annotations

import re

from firstword.chunker.ahead import Ahead
from firstword.chunker.closers import past_closer

CLAUSE_MARKS = ",;:—–،؛،、，；："
_GLUED = "—、，；："
_BRACKETS = (("[", "]"), ("(", ")"))
_PIECE = re.compile(r"\S+")


def clause_end(ahead: Ahead, start: int, position: int, words: int) -> int | None:
    """Where the first clause ends whose mark is at ``position``; None when it ends none.

    A clause has at least ``words`` words and no open bracket. Its mark stands before white space,
    so that ``1,000`` and ``9:30`` are whole, and not after an abbreviation (``e.g.,``); the long
    dash and the full-width marks need no space.
    """
    text, mark = ahead.text, ahead.text[position]
    end = position + 1
    while (closed := past_closer(ahead, start, end)) > end:
        end = closed
    after = ahead.at(end)
    apart = not after or after.isspace()
    if mark == "–":
        apart = apart and text[position - 1].isspace() and not _number_follows(ahead, end)
    glued = mark in _GLUED and not after.isdigit() and after != mark
    if not (apart or glued) or text[position - 1 : position] == ".":
        return None
    if any(text.rfind(o, start, end) > text.rfind(c, start, end) for o, c in _BRACKETS):
        return None
    return end if _has_words(text, start, position, words) else None


def _number_follows(ahead: Ahead, index: int) -> bool:
    return ahead.at(ahead.past_blanks(index)).isdigit()


def _has_words(text: str, start: int, end: int, words: int) -> bool:
    found = 0
    for match in _PIECE.finditer(text, start, end):
        found += any(c.isalnum() for c in match[0])
        if found >= words:
            return True
    return False
