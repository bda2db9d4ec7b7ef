"""When a sentence may begin to play so that it is not interrupted in the middle.

A sentence that is whole may always begin. One that is still arriving may begin when the rate at
which it arrives makes it certain, with margins, that it will be whole in time: with ``rate``
seconds of audio arriving each second, playing uses up ``1 - rate`` of each, for the time that the
rest takes to come. The page's player follows the same rule (``page/pacing.js``).
"""

from __future__ import annotations

CUSHION_S = 0.12
"""Audio held back against jitter."""

CERTAINTY = 0.85
"""Share of the measured rate that is counted on."""

NEXT_GAP = 3.0
"""How much longer than the last gap between pieces the next one may be: an engine that streams
doubles its pieces, and a machine that gets busy needs half as long again."""

BURST_S = 0.03
"""Chunks closer together than this came as one piece of synthesis."""

S_PER_CHARACTER = 0.085
"""A slow voice: how long a sentence may become, from its text. A longer one is still covered by
the margins above."""


class SentenceGate:
    """One sentence: ``push`` each chunk with its time of arrival, ``close`` at its end."""

    def __init__(self, characters: int, speed: float = 1.0) -> None:
        self.buffered_s = 0.0
        self._expected_s = characters * S_PER_CHARACTER / speed
        self._whole = False
        self._first_s: float | None = None
        self._last_s = 0.0
        self._gap_s = 0.0
        self._first_burst_s = 0.0

    def push(self, audio_s: float, now_s: float) -> None:
        """``audio_s`` seconds of audio came at ``now_s`` (any monotonic clock)."""
        if self._first_s is None:
            self._first_s = now_s
        elif now_s - self._last_s > BURST_S:
            self._gap_s = now_s - self._last_s
        if self._gap_s == 0:
            self._first_burst_s += audio_s
        self._last_s = now_s
        self.buffered_s += audio_s

    def close(self) -> None:
        """All of the sentence is here."""
        self._whole = True

    def may_start(self, lead_s: float) -> bool:
        """Whether to begin, when ``lead_s`` seconds of earlier audio are still to be played."""
        if self._whole:
            return True
        if self._first_s is None or self._gap_s == 0:
            return False
        rate = (self.buffered_s - self._first_burst_s) / (self._last_s - self._first_s) * CERTAINTY
        if rate <= 0:
            return False
        rest_s = max(self._expected_s - self.buffered_s, 0.0)
        draining_s = max(1 - rate, 0.0) * rest_s / rate
        return self.buffered_s + lead_s >= CUSHION_S + NEXT_GAP * self._gap_s + draining_s
