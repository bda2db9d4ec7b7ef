"""Speech is told from silence, hum, noise without pauses, and the wrong length."""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Callable

import pytest
from firstword.infra.operations.hearing import Heard, complaint

RATE = 24_000
SENTENCE = "The first word is spoken before the last one has been thought of."


def heard(sound: Callable[[float], float], seconds: float = 4.0) -> Heard:
    """``sound`` gives -1 to 1 for a time in seconds."""
    samples = array("h", (int(32767 * sound(n / RATE)) for n in range(int(seconds * RATE))))
    return Heard(samples.tobytes(), RATE, 100.0, 900.0)


def syllables(t: float) -> float:
    """Four syllables a second with a pause now and then."""
    pause = 0.0 if t % 1.6 > 1.3 else 1.0
    return 0.3 * pause * abs(math.sin(4 * math.pi * t)) * math.sin(2 * math.pi * 180 * t)


def hum(t: float) -> float:
    return 0.3 * math.sin(2 * math.pi * 100 * t)


def test_what_rises_and_falls_like_speech_passes() -> None:
    assert complaint(heard(syllables), SENTENCE) is None
    assert complaint(heard(syllables), None) is None


@pytest.mark.parametrize(
    ("sound", "seconds", "why"),
    [
        (lambda t: 0.0, 4.0, "silence"),
        (lambda t: 0.002 * random.Random(t).uniform(-1, 1), 4.0, "silence"),
        (hum, 4.0, "loud|steady"),
        (lambda t: syllables(t) if t < 0.4 else 0.0, 4.0, "is loud"),
        (syllables, 1.0, "1.00 s of audio"),
        (syllables, 30.0, "30.00 s of audio"),
    ],
    ids=["nothing", "hiss", "hum", "a click and silence", "too short", "too long"],
)
def test_what_is_no_speech_is_told_why(
    sound: Callable[[float], float], seconds: float, why: str
) -> None:
    found = complaint(heard(sound, seconds), SENTENCE) or "speech"
    assert any(word in found for word in why.split("|")), found


def test_half_a_sample_is_noticed() -> None:
    whole = heard(syllables)
    broken = Heard(whole.pcm + b"\0", RATE, 1.0, 2.0)
    assert "no whole samples" in str(complaint(broken, SENTENCE))
