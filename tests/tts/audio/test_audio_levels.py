"""Loud samples are bent, then rounded; nothing wraps."""

from __future__ import annotations

import numpy as np
from firstword.tts.audio import limit, to_int16
from firstword.tts.audio.levels import KNEE
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

floats = hnp.arrays(np.float32, st.integers(0, 64), elements=st.floats(-8, 8, width=32))


@given(floats)
def test_the_limiter_leaves_what_is_below_the_knee_and_keeps_the_rest_within_one(
    samples: np.ndarray,
) -> None:
    limited = limit(samples)
    below = np.abs(samples) <= KNEE
    assert np.array_equal(limited[below], samples[below])
    assert np.all(np.abs(limited) <= 1)
    assert np.all(np.abs(limited) <= np.abs(samples) + 1e-6)
    assert np.array_equal(np.sign(limited), np.sign(samples))
    assert limited.dtype == np.float32


def test_the_limiter_keeps_the_order_and_has_no_corner() -> None:
    ramp = np.linspace(0, 1.5, 15_001, dtype=np.float32)
    limited = limit(ramp)
    steps = np.diff(limited)
    assert np.all(steps >= 0)
    at = int(np.searchsorted(ramp, KNEE))
    assert abs(steps[at + 1] - steps[at - 2]) < 1e-6, "the slope goes on at the knee"


@given(floats, st.integers(0, 64))
def test_it_does_not_matter_where_the_audio_is_cut(samples: np.ndarray, at: int) -> None:
    joined = np.concatenate([limit(samples[:at]), limit(samples[at:])])
    assert np.array_equal(joined, limit(samples))


def test_sixteen_bits_are_rounded_and_clipped_never_wrapped() -> None:
    samples = np.array([0, 1, -1, 1.5, -1.5, 100, 0.49 / 32768, 0.51 / 32768], np.float32)
    assert to_int16(samples).tolist() == [0, 32767, -32768, 32767, -32768, 32767, 0, 1]


def test_what_is_no_number_is_silence() -> None:
    broken = np.array([np.nan, np.inf, -np.inf], np.float32)
    assert to_int16(broken).tolist() == [0, 32767, -32768]


def test_sixteen_bits_are_little_endian() -> None:
    assert to_int16(np.array([1 / 32768], np.float32)).tobytes() == b"\x01\x00"
