"""Where the words of a spoken text stand in the text that it was made from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from firstword.protocol import Word

_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text, from character ``start`` of it, and what a voice says for it."""

    spoken: str
    text: str
    start: int = 0


NEAR, FAR = 8, 64
"""Tokens that may be passed over as markup: a few, or as many as a link's address has."""

JOINT = " "
"""What stands between the spoken texts of pieces that are said as one."""


class SpanMap:
    """Characters of what is said to characters of the text that is shown.

    What is left out of the text (markup) is passed over; what is not in it (a mark put in for the
    voice) stands where the next thing does.
    """

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self._at: list[int] = []
        self._end = 0
        for piece in pieces:
            if self._at:
                self._at.append(self._end)
            self._at += [piece.start + place for place in _positions(piece.spoken, piece.text)]
            self._end = piece.start + len(piece.text)

    def words(self, words: Iterable[Word]) -> tuple[Word, ...]:
        """The same words with their spans in the text that is shown."""
        return tuple(self._word(word) for word in words)

    def _word(self, word: Word) -> Word:
        start = self._position(word.text_start)
        last = self._position(word.text_end - 1)
        return replace(word, text_start=start, text_end=min(self._end, max(start, last + 1)))

    def _position(self, index: int) -> int:
        if not self._at:
            return 0
        return self._at[max(0, min(index, len(self._at) - 1))]


def _positions(spoken: str, text: str) -> list[int]:
    """For each character of ``spoken``, its place in ``text``; never decreasing. Linear in time."""
    if spoken == text:
        return list(range(len(text)))
    said, shown = list(_TOKEN.finditer(spoken)), list(_TOKEN.finditer(text))
    said_words, shown_words = [t[0] for t in said], [t[0] for t in shown]
    places = [-1] * len(spoken)
    cursor = 0
    for number, token in enumerate(said):
        found = _find(said_words[number : number + 2], shown_words, cursor)
        if found is not None:
            there = shown[found]
            places[token.start() : token.end()] = range(there.start(), there.end())
            cursor = found + 1
    following = len(text)
    for index in range(len(places) - 1, -1, -1):
        following = places[index] = places[index] if places[index] >= 0 else following
    return places


def _find(wanted: list[str], shown: list[str], cursor: int) -> int | None:
    """Where the first of ``wanted`` is shown; far ahead only when the second follows it there."""
    for index in range(cursor, min(len(shown), cursor + FAR)):
        near = index < cursor + NEAR
        if shown[index] == wanted[0] and (near or shown[index : index + 2] == wanted):
            return index
    return None
