"""Into which stretches an utterance is cut when it is spoken while it is made."""

from __future__ import annotations

from collections.abc import Iterable

from firstword.tts.engines import TimedWord
from firstword.tts.engines.front import FRAME_S

FIRST = 10
"""Frames of the first window: 0.25 s, of which some 0.15 s are heard (see `LEAD`)."""

LONGEST = 96
"""2.4 s: longer ones save nothing more."""

SHORTEST = 8
"""Frames below which a rest goes with the window before it."""

LEAD = 6
"""Frames (0.15 s) rendered before the first phoneme: voices begin up to 0.11 s before it."""

TAIL = 8
"""Frames (0.2 s) rendered after the last word."""


def plan(first: int, last: int, after_s: float = 0.0) -> list[tuple[int, int]]:
    """Windows [a, b) from frame ``first`` to ``last``: 0.25, 0.5, 1, 2, 2.4, 2.4 ... seconds.

    Each is played while the next is made, so each may take as long as twice the one before. After
    ``after_s`` seconds of other audio the first is half as long as these. Every window is rendered
    with some of its neighbours, so few are less work than many.
    """
    windows: list[tuple[int, int]] = []
    length = max(FIRST, min(LONGEST, int(after_s / 2 / FRAME_S)))
    while first < last:
        end = first + length
        if last - end < SHORTEST:
            end = last
        windows.append((first, end))
        first, length = end, min(2 * length, LONGEST)
    return windows


def spoken(frames: int, lead: float, words_end: float | None) -> tuple[int, int]:
    """The frames worth rendering of ``frames``: the model leaves near silence at both ends.

    ``lead``: frames before the first phoneme; ``words_end``: where the last word ends, if known.
    """
    first = min(max(0, int(lead) - LEAD), max(0, frames - FIRST))
    last = frames if words_end is None else min(frames, int(words_end) + 1 + TAIL)
    return first, max(last, first + 1)


def beginning(
    words: Iterable[TimedWord], window: tuple[int, int], whole: tuple[int, int]
) -> tuple[TimedWord, ...]:
    """The words that begin in the frames of ``window``; the outermost windows have the rest."""
    after = float("-inf") if window[0] == whole[0] else window[0] * FRAME_S
    before = float("inf") if window[1] == whole[1] else window[1] * FRAME_S
    return tuple(word for word in words if after <= word.start_s < before)
