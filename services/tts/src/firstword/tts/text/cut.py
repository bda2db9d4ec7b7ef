"""Sentences to pieces of a size that the model says well.

The model takes 510 symbols and fades long before; it puts noise behind two or three words. So
long sentences are cut at clause marks, then before a conjunction, then between words, and very
short ones join a neighbour. No word is lost: each is in exactly one piece, in order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from firstword.tts.text.words import Word

type Pause = Literal["none", "clause", "sentence", "line", "paragraph"]

PAUSES_S: dict[Pause, float] = {
    "none": 0.0,
    "clause": 0.1,
    "sentence": 0.28,
    "line": 0.4,
    "paragraph": 0.6,
}
"""Silence after a piece, in seconds at speed 1; the model's own silence at the end is trimmed."""

SHORT = 30
"""Symbols under which a piece joins a neighbour."""

FIRST_JOINED = 60
"""Symbols up to which the first piece may grow by joining: someone waits for it."""

_FIRST_CUT = (25, 120)
"""Symbols between which a long first sentence is cut early, where it has a clause mark."""

_FIRST_IDEAL = 60
_STRETCH = 1.25
_SENTENCE_MARKS = frozenset(".!?…")
_STRONG = frozenset(";:—.!?…")
_CLAUSE_MARKS = frozenset(",;:—")
_WEAK = frozenset(",)")
_JOINING = (
    "and but or nor so yet because although though while when where which who that if unless until "
    "since as than after before whereas whether including such with without"
)
_CONJUNCTIONS = frozenset(_JOINING.split())
_WORTH = {3: 1.2, 2: 0.9, 1: 0.4, 0: 0.0}


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that go through the model together, and what comes after them."""

    words: tuple[Word, ...]
    pause: Pause
    size: int
    """About how many symbols it will be."""


def size(word: Word) -> int:
    """About how many symbols ``word`` takes, with its marks and a space."""
    symbols = 1 + len(word.lead) + len(word.trail)
    for part in word.spoken.split(" "):
        symbols += 4 * len(part) if part.isupper() and len(part) < 6 else len(part) + 1
    return symbols


def cut(words: Sequence[Word], ending: Pause, *, target: int, early: bool) -> Iterator[Piece]:
    """``words`` of one sentence as pieces of about ``target`` symbols.

    ``early`` lets a first piece go that is smaller than the rest, where there is a clause mark.
    """
    if not words:
        return
    words, ending = _ended(words, ending)
    sizes = [size(word) for word in words]
    left = sum(sizes)
    start = 0
    while start < len(words):
        end, taken = _next_cut(words, sizes, start, left, target, early=early and start == 0)
        last = end == len(words)
        pause = ending if last else _pause_at(words, end - 1)
        yield Piece(tuple(words[start:end]), pause, taken)
        start, left = end, left - taken


def joined(pieces: Iterable[Piece], *, target: int, early: bool) -> Iterator[Piece]:
    """``pieces`` with the very short ones put to a neighbour of the same paragraph."""
    held: Piece | None = None
    limit = FIRST_JOINED if early else target
    for piece in pieces:
        if held is None:
            held = piece
        elif _belong(held, piece, limit):
            held = Piece(held.words + piece.words, piece.pause, held.size + piece.size)
        else:
            yield held
            held, limit = piece, target
    if held is not None:
        yield held


def halves(words: Sequence[Word]) -> tuple[Sequence[Word], Sequence[Word]]:
    """``words`` in two, for a piece that became longer than it looked."""
    middle = max(1, len(words) // 2)
    return words[:middle], words[middle:]


def _next_cut(
    words: Sequence[Word], sizes: Sequence[int], start: int, left: int, target: int, *, early: bool
) -> tuple[int, int]:
    """(Index after the next piece's last word, the piece's size)."""
    most = target * _STRETCH
    if early and left > _FIRST_CUT[1]:
        window = _FIRST_CUT[0], min(_FIRST_CUT[1], most)
        found = _best(words, sizes, start, window, _FIRST_IDEAL, least_worth=1)
        if found:
            return found
    if left <= most:
        return len(words), left
    ideal = min(target, left / math.ceil(left / most))
    found = _best(words, sizes, start, (0.4 * ideal, most), ideal, least_worth=0)
    return found or (start + 1, sizes[start])


def _best(
    words: Sequence[Word],
    sizes: Sequence[int],
    start: int,
    window: tuple[float, float],
    ideal: float,
    *,
    least_worth: int,
) -> tuple[int, int] | None:
    best, best_score, taken = None, -math.inf, 0
    for end in range(start + 1, len(words)):
        taken += sizes[end - 1]
        if taken > window[1]:
            break
        worth = _worth(words, end - 1)
        score = _WORTH[worth] - abs(taken - ideal) / ideal
        if taken >= window[0] and worth >= least_worth and score > best_score:
            best, best_score = (end, taken), score
    return best


def _worth(words: Sequence[Word], last: int) -> int:
    """How good a cut after word ``last`` is: 3 at a strong mark, 2 a comma, 1 a conjunction."""
    trail = words[last].trail
    if any(mark in _STRONG for mark in trail):
        return 3
    if any(mark in _WEAK for mark in trail):
        return 2
    return int(words[last + 1].spoken.lower() in _CONJUNCTIONS)


def _pause_at(words: Sequence[Word], last: int) -> Pause:
    trail = words[last].trail
    if any(mark in _SENTENCE_MARKS for mark in trail):
        return "sentence"
    return "clause" if trail.strip("”“( ") else "none"


def _ended(words: Sequence[Word], ending: Pause) -> tuple[Sequence[Word], Pause]:
    """The sentence as it ends: in a clause mark when it was let go early, else in a full stop."""
    last = words[-1]
    if any(mark in _SENTENCE_MARKS for mark in last.trail):
        return words, ending
    if any(mark in _CLAUSE_MARKS for mark in last.trail):
        return words, "clause" if ending == "sentence" else ending
    return [*words[:-1], replace(last, trail="." + last.trail)], ending


def _belong(before: Piece, after: Piece, limit: float) -> bool:
    short = before.size < SHORT or after.size < SHORT
    return short and before.pause != "paragraph" and before.size + after.size <= limit
