"""Whether bytes of audio are speech, judged without an ear: length, loudness, rise and fall."""

from __future__ import annotations

import math
import sys
from array import array
from dataclasses import dataclass

FRAME_S = 0.02
LEAST_RMS = 200.0
"""Of samples of 16 bits: -44 dB below full scale. Speech has ten times as much."""

LOUD_RMS = 300.0
LOUD_SHARE = (0.25, 0.995)
"""How much of speech is loud: a pause here and there, and more sound than pauses."""

LEAST_VARIATION = 0.3
"""Standard deviation over mean of the frames' loudness. A hum or a tone has next to none."""

CHARS_PER_S = (7.0, 30.0)
"""Of spoken English, the slowest and the fastest that we take for it."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What came: ``pcm`` of 16 bits, little-endian, mono, ``sample_rate`` in Hz. Times in ms."""

    pcm: bytes
    sample_rate: int
    first_ms: float
    all_ms: float

    @property
    def seconds(self) -> float:
        """How long it sounds."""
        return len(self.pcm) / 2 / self.sample_rate


def complaint(heard: Heard, text: str | None) -> str | None:
    """Why this is no speech; None when it may be. ``text`` is what was to be said, where known."""
    if len(heard.pcm) % 2:
        return f"{len(heard.pcm)} bytes are no whole samples of 16 bits"
    if text is not None:
        slowest, fastest = CHARS_PER_S
        least, most = len(text) / fastest, len(text) / slowest
    else:
        least, most = 0.5, 600.0
    if not least <= heard.seconds <= most:
        return f"{heard.seconds:.2f} s of audio, where {least:.1f} to {most:.1f} s are right"
    return _unlike_speech(heard)


def _unlike_speech(heard: Heard) -> str | None:
    levels = _levels(heard)
    mean = sum(levels) / len(levels)
    whole = math.sqrt(sum(level * level for level in levels) / len(levels))
    if whole < LEAST_RMS:
        return f"silence: an RMS of {whole:.0f} of 32768"
    loud = sum(level > LOUD_RMS for level in levels) / len(levels)
    if not LOUD_SHARE[0] <= loud <= LOUD_SHARE[1]:
        return f"{loud:.0%} of it is loud, where speech has pauses and more sound than pauses"
    variation = math.sqrt(sum((level - mean) ** 2 for level in levels) / len(levels)) / mean
    if variation < LEAST_VARIATION:
        return f"a steady sound: its loudness varies by {variation:.0%} only"
    return None


def _levels(heard: Heard) -> list[float]:
    """Loudness (RMS) of each frame."""
    samples = array("h", heard.pcm)
    if sys.byteorder == "big":
        samples.byteswap()
    size = max(1, int(heard.sample_rate * FRAME_S))
    frames = (samples[start : start + size] for start in range(0, len(samples), size))
    return [math.sqrt(sum(s * s for s in frame) / len(frame)) for frame in frames]
