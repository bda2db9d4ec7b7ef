"""A run of terminators with the quotes, brackets and pictographs that close after it."""

from __future__ import annotations

from dataclasses import dataclass

from firstword.chunker.ahead import Ahead
from firstword.chunker.characters import (
    CLOSING_BRACKETS,
    CLOSING_QUOTES,
    EITHER_QUOTES,
    EMPHASIS,
    SUPERSCRIPTS,
    TERMINATORS,
    is_emoji,
)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Terminators and closers from a first terminator on."""

    end: int
    marks: str
    """The terminators alone."""
    quoted: bool
    """A quote closes after the last terminator."""
    bracketed: bool
    """A bracket closes after the last terminator."""
    closed: bool
    """Something closes after the last terminator."""


def read_cluster(ahead: Ahead, start: int, position: int) -> Cluster:
    """The cluster at ``position`` in the sentence that starts at ``start``."""
    marks: list[str] = []
    closing = ""
    index = position
    apart = position > start and ahead.text[position - 1].isspace()
    while char := ahead.at(index):
        if char in TERMINATORS or index == position:
            marks.append(char)
            closing = ""
            index += 1
        elif apart and char.isspace() and not closing and ahead.at(index + 1) == ".":
            index += 1
        elif (end := past_closer(ahead, start, index)) > index:
            closing += char
            index = end
        else:
            break
    closers = set(closing)
    return Cluster(
        end=index,
        marks="".join(marks),
        quoted=bool(closers & (CLOSING_QUOTES | EITHER_QUOTES)),
        bracketed=bool(closers & CLOSING_BRACKETS),
        closed=bool(closers),
    )


def past_closer(ahead: Ahead, start: int, index: int) -> int:
    """The index after the closer at ``index``; ``index`` itself when none is there."""
    char = ahead.at(index)
    if char in CLOSING_BRACKETS:
        return _past_target(ahead, index + 1) if char == "]" else index + 1
    if char in CLOSING_QUOTES or char in SUPERSCRIPTS or (char and is_emoji(char)):
        return index + 1
    if char in EITHER_QUOTES or char in EMPHASIS:
        return _past_either(ahead, start, index, char)
    if char == "<":
        return _past_end_tag(ahead, index)
    if char == "[":
        return _past_citation(ahead, index)
    return index


def _past_either(ahead: Ahead, start: int, index: int, char: str) -> int:
    """A mark that opens and closes: it closes unless a word follows."""
    end = ahead.past(index, char) if char in EMPHASIS else index + 1
    if not ahead.at(end).isalnum():
        return end
    is_open = char == '"' and ahead.text.count('"', start, index) % 2 == 1
    return end if is_open else index


def _past_end_tag(ahead: Ahead, index: int) -> int:
    if ahead.at(index + 1) != "/":
        return index
    end = index + 2
    while ahead.at(end).isalnum() or ahead.at(end) in {"-", ":"}:
        end += 1
    return end + 1 if end > index + 2 and ahead.at(end) == ">" else index


def _past_citation(ahead: Ahead, index: int) -> int:
    """``[3]``, ``[1, 2]``, ``[^note]``: a reference glued to the terminator."""
    end = index + 1
    if ahead.at(end) == "^":
        end += 1
        while (char := ahead.at(end)) and (char.isalnum() or char in "-_"):
            end += 1
    else:
        end = ahead.past(end, "0123456789,–- ")
    if end == index + 1 or ahead.at(end) != "]":
        return index
    return _past_target(ahead, end + 1)


def _past_target(ahead: Ahead, index: int) -> int:
    """Past a link's ``(target)``, where one follows its closing bracket."""
    if ahead.at(index) != "(":
        return index
    end = index + 1
    while (char := ahead.at(end)) and char != ")" and not char.isspace():
        end += 1
    return end + 1 if char == ")" else index
