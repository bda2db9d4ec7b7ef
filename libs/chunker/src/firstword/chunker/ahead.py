"""Text that is still arriving: looking past its edge is an error, not an answer."""

from __future__ import annotations

from firstword.chunker.characters import LINE_ENDS

LOOK_AHEAD = 96
"""Characters after a mark that may be looked at before deciding on it."""


class NotYetError(Exception):
    """The answer depends on text that has not come yet."""


class Ahead:
    """The text around a position, up to ``LOOK_AHEAD`` characters after it.

    A character that has not come raises ``NotYetError``, so an answer that was reached holds
    however the text goes on. Past the real end, and past the look-ahead, there is ``""``.
    """

    __slots__ = ("_edge", "final", "text")

    def __init__(self, text: str, position: int, *, final: bool) -> None:
        self.text = text
        self.final = final
        self._edge = position + LOOK_AHEAD

    def at(self, index: int) -> str:
        """The character at ``index``; ``""`` when there will be none."""
        if index >= self._edge:
            return ""
        if index < len(self.text):
            return self.text[index]
        if self.final:
            return ""
        raise NotYetError

    def past_blanks(self, index: int) -> int:
        """The first index from ``index`` on that holds no blank; a line end is none here."""
        while (char := self.at(index)) and char.isspace() and char not in LINE_ENDS:
            index += 1
        return index

    def past(self, index: int, chars: str | frozenset[str]) -> int:
        """The first index from ``index`` on that holds none of ``chars``."""
        while (char := self.at(index)) and char in chars:
            index += 1
        return index

    def word(self, index: int) -> str:
        """The word that starts at ``index``, with its digits, apostrophes and hyphens."""
        end = index
        while (char := self.at(end)) and (char.isalnum() or char in "'’-"):
            end += 1
        return self.text[index:end]

    def spells(self, index: int, words: frozenset[str]) -> bool:
        """Whether the word at ``index`` is one of ``words``; no needs no more than its reason."""
        end = index
        while (char := self.at(end)) and (char.isalnum() or char in "'’-"):
            end += 1
            begun = self.text[index:end]
            if not any(word.startswith(begun) for word in words):
                return False
        return self.text[index:end] in words
