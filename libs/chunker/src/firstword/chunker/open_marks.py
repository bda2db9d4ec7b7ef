"""Quotes and brackets that are open at a place in a paragraph."""

from __future__ import annotations

import re

_REACH = 512
_SPACED = re.compile(r"[«‹“„(\[{]\s|[»›”)\]}]")
_PAIRS = tuple(map(tuple, ("“”", "«»", "„“", "()", "[]", "（）", "「」", "『』")))


class OpenMarks:
    """What the sentences of a paragraph that were let go have left open."""

    __slots__ = ("_quotes", "_spaced")

    def __init__(self) -> None:
        self._spaced = False
        self._quotes = 0

    def reset(self) -> None:
        """A new paragraph: nothing is open."""
        self._spaced = False
        self._quotes = 0

    def add(self, text: str) -> None:
        """Take note of a sentence that is let go."""
        self._spaced = self.spaced_in(text)
        self._quotes += text.count('"')

    def spaced_in(self, text: str) -> bool:
        """Whether a mark written with a space inside (``« Bonjour``) is open after ``text``."""
        is_open = self._spaced
        for match in _SPACED.finditer(text, max(0, len(text) - _REACH)):
            is_open = len(match[0]) == 2
        return is_open

    def open_in(self, text: str) -> bool:
        """Whether any quote or bracket is open after ``text``."""
        if (self._quotes + text.count('"')) % 2:
            return True
        return any(text.rfind(opener) > text.rfind(closer) for opener, closer in _PAIRS)
