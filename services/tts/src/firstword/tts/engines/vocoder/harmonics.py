"""The harmonic source: a wave that follows the pitch (Wang et al., Neural Source-Filter Waveform
Models, 2019), any stretch of it without the rest.

Nine sines, mixed by one learned layer. Their phases are sums over the whole utterance in float32,
thousands of turns by its end, so the order of additions is a part of the model: it is kept as the
model's own runtime has it, which sums what it interpolates over axes of one entry as well, twice
for all harmonics but the last and four times for that one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .activation import sine
from .crew import Crew
from .jit import rounding_kernel
from .rows import take_one

RATE = 24_000
PER_ROW = 300
"""Samples of a value of the pitch."""

HARMONICS = 9

_HALF = PER_ROW // 2
_VOICED_HZ = 10.0
_AMPLITUDE = 0.1


_SINE = sine(2 * np.pi, 0.5, 9)
"""Of turns, up to half of one."""

type Array = NDArray[np.float32]


class Phases(NamedTuple):
    """What the source is made of."""

    radians: Array
    """(HARMONICS, rows), the phase in the middle of each row, from the utterance's beginning."""
    loudness: Array
    """(rows,), 0 where nothing is voiced."""

    @property
    def samples(self) -> int:
        return len(self.loudness) * PER_ROW


@rounding_kernel
def _wave(
    counter: NDArray[np.int64],
    radians: Array,
    loudness: Array,
    mixture: Array,
    bias: np.float32,
    first: int,
    out: Array,
) -> None:
    """Half rows ``first`` on, (halves, PER_ROW / 2): between two middles the phases are linear."""
    rows = loudness.shape[0]
    after = np.empty(_HALF, np.float32)
    before = np.empty(_HALF, np.float32)
    total = np.empty(_HALF, np.float32)
    while True:
        place = take_one(counter.ctypes.data)
        if place >= out.shape[0]:
            break
        half = first + place
        left = min(max((half - 1) // 2, 0), rows - 1)
        right = min(left + 1, rows - 1)
        for j in range(_HALF):
            at = (np.float32(half * _HALF + j) + np.float32(0.5)) / np.float32(PER_ROW)
            at = min(max(at - np.float32(0.5), np.float32(0)), np.float32(rows - 1))
            after[j] = at - np.float32(left)
            before[j] = np.float32(right) - at
            if left == right:
                after[j] = before[j] = np.float32(0.5)
            total[j] = bias
        for h in range(HARMONICS):
            begins, ends = radians[h, left], radians[h, right]
            weight = mixture[h] * loudness[half // 2]
            share = np.float32(0.25) if h == HARMONICS - 1 else np.float32(0.5)
            for j in range(_HALF):
                a, b = share * (before[j] * begins), share * (after[j] * ends)
                phase = a + b + a + b
                if h == HARMONICS - 1:
                    phase = phase + a + b + a + b
                turns = np.float64(phase) * (0.5 / np.pi)
                turns -= np.rint(turns)
                square = turns * turns
                series = _SINE[8]
                for power in range(7, -1, -1):
                    series = series * square + _SINE[power]
                total[j] += weight * np.float32(turns * series)
        for j in range(_HALF):
            out[place, j] = np.tanh(total[j])


class HarmonicSource:
    """``mixture`` (HARMONICS,) and ``bias`` (1,): the layer that mixes the harmonics."""

    def __init__(self, crew: Crew, mixture: Array, bias: Array) -> None:
        self._crew = crew
        self._mixture = np.ascontiguousarray(mixture.ravel(), np.float32)
        self._bias = np.float32(bias[0])

    def phases(self, pitch: Array) -> Phases:
        """Of ``pitch`` in Hz (rows,), 80 rows a second."""
        turns = pitch * np.arange(1, HARMONICS + 1, dtype=np.float32)[:, None] / np.float32(RATE)
        turns -= np.floor(turns)
        turns[-1] = _four_times(turns[-1])
        radians = np.cumsum(turns, axis=1, dtype=np.float32)
        radians = radians * np.float32(2) * np.float32(np.pi) * np.float32(PER_ROW)
        voiced = pitch > np.float32(_VOICED_HZ)
        return Phases(radians, voiced * np.float32(_AMPLITUDE))

    def __call__(self, phases: Phases, first: int, last: int) -> Array:
        """Samples ``first`` to ``last`` of the wave at 24 kHz, (last - first,)."""
        begin, end = first // _HALF, -(-last // _HALF)
        out = np.empty((end - begin, _HALF), np.float32)
        counter = np.zeros(1, np.int64)
        self._crew.run(lambda: _wave(counter, *phases, self._mixture, self._bias, begin, out))
        return out.reshape(-1)[first - begin * _HALF : last - begin * _HALF]


def _four_times(value: Array) -> Array:
    """The sum of eight eighths of ``value``, rounded on the way."""
    eighth = value * np.float32(0.125)
    total = eighth + eighth
    for _ in range(6):
        total += eighth
    return total
