"""Where a sentence that is too long may be cut: clause marks, then spaces, never a word."""

from __future__ import annotations

import re
import unicodedata

from firstword.chunker.characters import is_unspaced
from firstword.chunker.spans import LONGEST_TAG, past_tag
from firstword.chunker.tape import Tape

LONGEST_SENTENCE = 20_000
"""Characters of a sentence when the caller names no maximum."""
LONGEST_WORD = 2_000
"""Characters of a word above which it is cut, unless the maximum is larger."""

_CLAUSE = re.compile(
    r"[,;:—–،؛](?=\s)(?!\s\d)|—(?=\w)(?!\d)|(?:[、，；：](?!\d))[”’」』）)]*|[,;:،؛][\"”’»)\]*_]+(?=\s)"
)
_SPACE = re.compile(r"[^\S\u00a0\u202f\u2007]+(?=([^\s.!?…,;:)\]}»›”’。！？、，]))")
_NO_START = frozenset(
    "。！？、，．：；）」』】〉》〕”’ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々ゝゞ"
)
_NO_END = frozenset("（「『【〈《〔“‘")
_WHITE = re.compile(r"\s")
_BLACK = re.compile(r"\S")
_NEXT_WORD = re.compile(r"(?<=\s)\S")


class Limit:
    """The maximum length of a piece, watched while a tape is read."""

    def __init__(self, max_chars: int | None) -> None:
        self.chars = max_chars or LONGEST_SENTENCE
        self._word = max(self.chars, LONGEST_WORD)

    def quiet(self, tape: Tape) -> int:
        """Up to which length of the text ``due`` stays None when only letters come."""
        if not tape.wide:
            return tape.start + self.chars
        return 0 if tape.text[-1:].isspace() else tape.start + self._word

    def due(self, tape: Tape) -> int | None:
        """The index that may not be passed before ``overflow`` is asked; None when it is to come.

        It is the first character that makes the piece too long, and when that was found to belong
        to a word that cannot be cut, the first one of the next word.
        """
        if not tape.wide:
            match = _BLACK.search(tape.text, tape.start + self.chars)
            return match.start() if match else None
        longest = tape.start + self._word
        if match := _NEXT_WORD.search(tape.text, tape.wide, longest + 1):
            tape.wide = match.start()
            return match.start()
        tape.wide = max(tape.wide, min(len(tape.text), longest + 1))
        return longest if longest < len(tape.text) else None

    def overflow(self, tape: Tape, *, tags: bool) -> int | None:
        """Where the piece must end because it is too long; None while it is not.

        A word is never cut below ``LONGEST_WORD`` characters: then the piece ends with the word.
        """
        due = self.due(tape)
        if due is not None and tape.pos >= due and not tape.wide:
            known = max(tape.pos, due + 1)
            place = cut_before(tape.text, tape.start, self.chars, known, tags=tags)
            if place is not None:
                return place
            tape.wide = due + 1
            due = self.due(tape)
        if due is None or tape.pos < due:
            return None
        if match := _WHITE.search(tape.text, tape.start + self.chars, due):
            return match.start()
        return whole_character(tape.text, tape.start, due)

    def split(self, tape: Tape, end: int, *, tags: bool) -> int:
        """``end``, or an earlier place where the piece up to ``end`` must be cut first."""
        if tape.length(end) <= self.chars:
            return end
        place = cut_before(tape.text, tape.start, self.chars, end, tags=tags)
        if place is None and (match := _WHITE.search(tape.text, tape.start + self.chars, end)):
            place = match.start()
        return place or end


def cut_before(text: str, start: int, limit: int, known: int, *, tags: bool) -> int | None:
    """Where to cut ``text[start:]`` so that the piece has at most ``limit`` characters.

    ``known`` is the index up to which the text is settled; with ``tags``, a tag is kept whole.
    None when only a word could be cut. The last clause mark is taken, else the last space, else a
    place between two characters of a script without spaces; a cut in the first quarter only when
    there is no later one.
    """
    end = start + limit
    near = start + max(1, limit // 4)
    clauses = [m.end() for m in _CLAUSE.finditer(text, start, known) if m.end() <= end]
    spaces, digits = _spaces(text, start, end, known)
    unspaced = _unspaced(text, start, end)
    for places, least in (
        (clauses, near),
        (spaces, near),
        (unspaced, near),
        (spaces, start + 1),
        (clauses, start + 1),
        (digits, start + 1),
        (unspaced, start + 1),
    ):
        for place in reversed(places):
            if place < least:
                break
            if not (tags and _in_tag(text, start, place, known)):
                return place
    return None


def _spaces(text: str, start: int, end: int, known: int) -> tuple[list[int], list[int]]:
    """The ends of words, and apart from them those inside a number such as ``1 000 000``."""
    words: list[int] = []
    digits: list[int] = []
    for match in _SPACE.finditer(text, start, known):
        place = match.start()
        if place > end:
            break
        inside = place > start and text[place - 1].isdigit() and match[1].isdigit()
        (digits if inside else words).append(place)
    return words, digits


def _unspaced(text: str, start: int, end: int) -> list[int]:
    for place in range(min(end, len(text) - 1), start, -1):
        before, after = text[place - 1], text[place]
        if (
            is_unspaced(after)
            and not before.isspace()
            and after not in _NO_START
            and before not in _NO_END
            and not _joins(before, after)
        ):
            return [place]
    return []


def _in_tag(text: str, start: int, place: int, known: int) -> bool:
    opener = text.rfind("<", max(start, place - LONGEST_TAG), place)
    if opener < 0:
        return False
    piece = text[opener : min(known, opener + LONGEST_TAG)]
    return past_tag(piece, 0, final=True) > max(place - opener, 1)


def whole_character(text: str, start: int, place: int) -> int:
    """``place``, or a little before it where it would part a character from its marks."""
    least = max(start + 1, place - 32)
    while place > least and _joins(text[place - 1], text[place]):
        place -= 1
    return place


def _joins(before: str, after: str) -> bool:
    return (
        before == "\u200d"
        or after in "\u200d\ufe0f\u20e3"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or ("\U0001f1e6" <= after <= "\U0001f1ff" and "\U0001f1e6" <= before <= "\U0001f1ff")
        or unicodedata.category(after).startswith("M")
    )
