"""Stretches in which a terminator is no sentence's end: inline code and tags."""

from __future__ import annotations

import re

from firstword.chunker.ahead import NotYetError

LONGEST_TAG = 256
_LONGEST_CODE = 256
_LINE_END = re.compile("[\n\r\u2028\u2029\x85]")
_TICKS = re.compile("`+")
_TAG = re.compile(
    r"</?[A-Za-z][\w:-]*(?:\s[^<>]*)?/?>|<!--.*?-->|<[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*>"
    r"|<[^\s<>@]+@[^\s<>]+>",
    re.DOTALL,
)
_TAG_BEGUN = re.compile(
    r"<(?:/?(?:[A-Za-z][\w:-]*(?:\s[^<>]*)?/?)?|!(?:-(?:-.*)?)?|[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]*"
    r"|[^\s<>@]+(?:@[^\s<>]*)?)",
    re.DOTALL,
)


def past_ticks(text: str, index: int, *, final: bool) -> int:
    """The end of the run of backticks at ``index``; raises ``NotYetError`` while it may grow."""
    edge = index + _LONGEST_CODE
    match = _TICKS.match(text, index, edge)
    end = match.end() if match else index
    if end == len(text) and end < edge and not final:
        raise NotYetError
    return end


def past_code(text: str, index: int, *, final: bool) -> int:
    """The end of the inline code that begins at ``index``, or of its backticks alone.

    Code ends in its own line with as many backticks as it began with, within 256 characters.
    """
    begin = past_ticks(text, index, final=final)
    edge = begin + _LONGEST_CODE
    line_end = _LINE_END.search(text, begin, edge)
    for run in _TICKS.finditer(text, begin, line_end.start() if line_end else edge):
        if run.end() - run.start() == begin - index and (run.end() < len(text) or final):
            return run.end()
    if line_end is None and len(text) <= edge and not final:
        raise NotYetError
    return begin


def opens_fence(text: str, index: int, *, final: bool) -> bool:
    """Whether the three or more backticks at ``index`` end their line but for one word."""
    begin = past_ticks(text, index, final=final)
    edge = begin + 40
    stop = re.compile("[`\n\r\u2028\u2029\x85]").search(text, begin, edge)
    if stop is None and len(text) < edge and not final:
        raise NotYetError
    return stop is not None and stop[0] != "`"


def past_tag(text: str, index: int, *, final: bool) -> int:
    """The end of the tag or address in angle brackets at ``index``; ``index + 1`` for none."""
    piece = text[index : index + LONGEST_TAG]
    if match := _TAG.match(piece):
        return index + match.end()
    if not final and len(piece) < LONGEST_TAG and _TAG_BEGUN.fullmatch(piece):
        raise NotYetError
    return index + 1
