"""The source's short-time spectrum, as the generator wants it: magnitudes and phases.

The forward transform is one small matrix over overlapping rows. Three things follow the model's own
runtime, since the network was trained to hear them: a frame in which nothing is voiced is constant,
and its empty bins have phases that are rounding noise, but always the same (``silence``); the phase
of a negative real value is +pi at zero frequency and, most often, -pi at the highest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .crew import Crew
from .istft import BINS, HOP, WINDOW
from .jit import kernel
from .lanes import ROWS
from .projection import Projection
from .rows import take_one
from .scratch import aligned

MARGIN = WINDOW // 2
"""Samples before a frame's centre, and after it; frame n is centred on sample n · HOP."""

_BLOCK = 256

type Wave = Callable[[int, int], NDArray[np.float32]]
"""Samples from the first given to before the second, as far as there are any."""


@kernel
def _polar(
    counter: NDArray[np.int64],
    wave: NDArray[np.float32],
    x: NDArray[np.float32],
    silence: NDArray[np.float32],
    out: NDArray[np.float32],
    block: int,
) -> None:
    pi = np.float32(np.pi)
    while True:
        first = take_one(counter.ctypes.data) * block
        if first >= out.shape[0]:
            break
        for n in range(first, min(first + block, out.shape[0])):
            start = n * HOP
            constant = True
            for k in range(1, WINDOW):
                constant = constant and wave[start + k] == wave[start]
            if constant:
                for c in range(2 * BINS):
                    out[n, c] = silence[c]
                continue
            for c in range(BINS):
                real, imaginary = x[n, c], x[n, BINS + c]
                out[n, c] = np.sqrt(real * real + imaginary * imaginary)
                out[n, BINS + c] = np.arctan2(imaginary, real)
            out[n, BINS] = pi if x[n, 0] < 0 else 0
            out[n, 2 * BINS - 1] = -pi if x[n, BINS - 1] < 0 else 0


class SourceSpectrum:
    """``silence`` (22,): what the model's runtime makes of a wave that does not move."""

    def __init__(self, crew: Crew, silence: NDArray[np.float32]) -> None:
        self._crew = crew
        self._silence = silence
        n, k = np.arange(WINDOW)[:, None], np.arange(BINS)
        window = 0.5 - 0.5 * np.cos(2 * np.pi * n / WINDOW)
        angle = 2 * np.pi * n * k / WINDOW
        basis = np.concatenate([window * np.cos(angle), -window * np.sin(angle)], axis=1)
        self._basis = Projection(crew, basis.astype(np.float32))

    def __call__(self, part: NDArray[np.float32], count: int) -> NDArray[np.float32]:
        """``count`` frames, (count, 22), of what `reflected` gave for them."""
        product = aligned(count + ROWS, self._basis.columns)
        self._basis(part, HOP, count, product)
        out = np.empty((count, 2 * BINS), np.float32)
        counter = np.zeros(1, np.int64)
        self._crew.run(lambda: _polar(counter, part, product, self._silence, out, _BLOCK))
        return out


def reflected(wave: Wave, samples: int, first: int, count: int) -> NDArray[np.float32]:
    """What frames ``first`` to ``first + count`` see of a ``wave`` of ``samples`` that is reflected
    at both ends, with room behind for reading whole blocks."""
    begin, end = first * HOP - MARGIN, (first + count - 1) * HOP + MARGIN
    before, after = max(0, -begin), max(0, end - samples)
    padded = np.pad(wave(begin + before, end - after), (before, after), mode="reflect")
    return np.concatenate([padded, np.zeros(ROWS * HOP, np.float32)])
