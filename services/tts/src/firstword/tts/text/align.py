"""Where the characters of a sentence's spoken form stand in its source.

The chunker takes markdown away and hands over both texts, so what is left is found again: word by
word in order, and letter by letter where markup stood inside a word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_TARGET = re.compile(r"\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_WORD = re.compile(r"\S+")
_CORE = re.compile(r"\w(?:.*\w)?")
_REACH = 64
"""Characters of the source searched for one letter of a word with markup inside."""


def align(spoken: str, source: str) -> Sequence[int]:
    """For each character of ``spoken`` and its end, the place in ``source``; never going back."""
    if spoken == source:
        return range(len(source) + 1)
    # The target of a link is not spoken: no word may be found in it.
    source = _TARGET.sub(lambda match: "\x00" * len(match[0]), source)
    places = [0] * (len(spoken) + 1)
    at = 0
    for word in _WORD.finditer(spoken):
        found = source.find(word[0], at)
        if found < 0:
            at = _letters(word, source, at, places)
            continue
        for i in range(word.start(), word.end()):
            places[i] = found + i - word.start()
        at = found + len(word[0])
    places[-1] = max(at, 0)
    _fill(places)
    return places


def _letters(word: re.Match[str], source: str, at: int, places: list[int]) -> int:
    """Place each letter of ``word`` by itself; one that is not there stands where the last did."""
    core = _CORE.search(word[0])
    whole = source.find(core[0], at) if core else -1
    if core and whole >= 0:
        for i in range(core.start(), core.end()):
            places[word.start() + i] = whole + i - core.start()
        return whole + len(core[0])
    for i, letter in enumerate(word[0], word.start()):
        found = source.find(letter, at, at + _REACH)
        if found >= 0:
            places[i] = found
            at = found + 1
        else:
            places[i] = max(at - 1, 0)
    return at


def _fill(places: list[int]) -> None:
    """Give white space and what was not found the place of what stands before it."""
    last = 0
    for i, place in enumerate(places):
        last = max(last, place)
        places[i] = last
