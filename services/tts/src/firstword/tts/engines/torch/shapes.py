"""Which shapes a batch may have: on a graphics card few, so that each can be compiled once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from firstword.tts.engines.windows import LONGEST, SHORTEST, plan

CONTEXT = 4
"""Frames (100 ms) on each side that a stretch is given besides its own."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """Sizes that others are rounded up to; beyond the last one nothing is rounded."""

    counts: Sequence[int] = ()
    tokens: Sequence[int] = ()
    frames: Sequence[int] = ()
    stretches: Sequence[int] = ()
    aligned: int = 0
    """Tokens that the second stage is given at least, so that its shape depends on frames alone."""

    def count(self, items: int) -> int:
        """Items of a batch."""
        return _up(items, self.counts)

    def text(self, tokens: int) -> int:
        """Tokens of its longest item, boundaries included."""
        return _up(tokens, self.tokens)

    def alignment(self, tokens: int) -> int:
        """The same for the second stage."""
        return max(tokens, self.aligned)

    def whole(self, frames: int) -> int:
        """Frames of its longest utterance."""
        return _up(frames, self.frames)

    def stretch(self, frames: int) -> int:
        """Frames of its longest stretch, context included."""
        return _up(frames, self.stretches)


EXACT = Shapes()
"""Nothing is rounded: where padding costs as much as content."""

_windows = sorted({end - first for first, end in plan(0, 10 * LONGEST)})

ROUNDED = Shapes(
    counts=(1, 2, 4, 8, 16, 32, 64),
    tokens=(32, 64, 128, 256, 512),
    frames=(64, 128, 256, 512, 1024),
    stretches=(
        *(frames + 2 * CONTEXT for frames in _windows),
        LONGEST + SHORTEST + 2 * CONTEXT,
        256,
        512,
        1024,
    ),
    aligned=256,
)
"""For a graphics card; the stretches are the windows that a voice begins with, then whole
utterances."""


def _up(size: int, sizes: Sequence[int]) -> int:
    place = bisect_left(sizes, size)
    return sizes[place] if place < len(sizes) else size
