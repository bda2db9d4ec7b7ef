"""The silence and noise around an utterance, cut off while its audio is still coming.

The model puts a quarter to half a second of near silence at both ends, and after the last word now
and then a breath or a syllable that nobody wrote. What comes out does not depend on how the audio
is cut into blocks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from firstword.tts.engines import SAMPLE_RATE

type Samples = NDArray[np.float32]

FRAME = SAMPLE_RATE // 100
"""Samples (10 ms) that are judged together."""

VOICED_RMS = 0.0025
"""Root mean square from which a frame counts as voiced: -52 dB of full scale."""

KEEP_HEAD = SAMPLE_RATE * 40 // 1000
"""Samples (40 ms) kept before the first voiced frame: onsets of vowels and h lie below the line."""

KEEP_TAIL = SAMPLE_RATE * 60 // 1000
"""Samples (60 ms) kept after the last voiced frame, for the room to die away."""

FADE_IN = SAMPLE_RATE * 5 // 1000
FADE_OUT = SAMPLE_RATE * 10 // 1000
"""Samples over which the level rises from, and falls to, nothing at the joins."""


class Trimmer:
    """One utterance: float32 blocks go in with ``feed``, what is kept comes out.

    ``tail_from`` is the first sample after which the tail may begin (the last word's start): all
    before it goes out at once. ``limit`` is where the last word is over: what is voiced beyond it
    was not written. Both are set as soon as they are known, ahead of the audio that they are about.
    """

    def __init__(self) -> None:
        self.tail_from: int | None = None
        self.limit: int | None = None
        self.head = 0
        """Samples cut off the front; final once ``started``."""
        self.started = False
        self.fed = 0
        self._held: Samples = np.zeros(0, np.float32)
        self._at = 0  # where in the utterance _held begins
        self._judged = 0
        self._voiced_end = 0

    @property
    def end(self) -> int:
        """Where the kept audio ends as far as it is known, in samples of the utterance."""
        end = self._voiced_end + KEEP_TAIL
        if self.limit is not None:
            end = min(end, max(self.limit, self._voiced_end))
        return min(max(end, self._past()), self.fed)

    def feed(self, samples: Samples) -> Samples:
        """Take the next float32 (n,); give what is certainly kept, possibly nothing."""
        self._held = np.concatenate([self._held, samples])
        self.fed += samples.size
        self._judge()
        if not self.started:
            return self._held[:0]
        return self._take(max(self._voiced_end, self._past()) - FADE_OUT)

    def finish(self) -> Samples:
        """The rest that is kept, faded out; nothing when nothing was voiced."""
        if not self.started:
            return self._held[:0]
        rest = self._take(self.end).copy()
        fade = min(FADE_OUT, rest.size)
        if fade:
            rest[-fade:] *= _ramp(fade)[::-1]
        return rest

    def _past(self) -> int:
        """Up to here all is kept, voiced or not."""
        known = self.fed if self.tail_from is None else self.tail_from
        return min(known, self.fed)

    def _judge(self) -> None:
        first = self._judged - self._at
        count = (self._held.size - first) // FRAME
        frames = self._held[first : first + count * FRAME].reshape(count, FRAME)
        loud = np.sqrt(np.mean(np.square(frames, dtype=np.float64), axis=1)) >= VOICED_RMS
        if self.limit is not None:
            ends = self._judged + FRAME * np.arange(1, count + 1)
            loud &= ends <= max(self.limit, FRAME)
        voiced = np.flatnonzero(loud)
        if voiced.size:
            if not self.started:
                self._start(self._judged + FRAME * int(voiced[0]))
            self._voiced_end = self._judged + FRAME * (int(voiced[-1]) + 1)
        self._judged += count * FRAME
        if not self.started:
            self._drop(self._judged - KEEP_HEAD)

    def _start(self, voiced: int) -> None:
        self.started = True
        self.head = max(0, voiced - KEEP_HEAD)
        self._drop(self.head)
        self._held = self._held.copy()
        self._held[:FADE_IN] *= _ramp(FADE_IN)

    def _drop(self, until: int) -> None:
        if until > self._at:
            self._held = self._held[until - self._at :]
            self._at = until

    def _take(self, until: int) -> Samples:
        count = max(0, until - self._at)
        taken = self._held[:count]
        self._drop(until)
        return taken


def _ramp(count: int) -> Samples:
    """float32 (count,) from nothing to one, without a corner at either end."""
    return (0.5 - 0.5 * np.cos(np.pi * np.arange(count) / count)).astype(np.float32)
