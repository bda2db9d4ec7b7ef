"""From log magnitude and phase to samples: the inverse short-time Fourier transform.

Windows of 20 samples, 5 apart; a frame is two rows' worth of 11 numbers (Kaneko et al., iSTFTNet,
2022). The inverse transform with its window is one small matrix.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .crew import Crew
from .jit import kernel
from .projection import Projection
from .rows import take_one

HOP = 5
WINDOW = 20
BINS = 11
OVERLAP = 1.5
"""Sum of the squared windows at every sample but the first and last few."""

_EDGE = WINDOW // 2
"""Samples that are cut at both ends."""

_BLOCK = 256


@kernel
def _spectrum(
    counter: NDArray[np.int64], x: NDArray[np.float32], out: NDArray[np.float32], block: int
) -> None:
    while True:
        first = take_one(counter.ctypes.data) * block
        if first >= out.shape[0]:
            break
        for n in range(first, min(first + block, out.shape[0])):
            for c in range(BINS):
                magnitude, phase = np.exp(x[n, c]), np.sin(x[n, BINS + c])
                out[n, c] = magnitude * np.cos(phase)
                out[n, BINS + c] = magnitude * np.sin(phase)


@kernel
def _overlap(frames: NDArray[np.float32], scale: float, samples: NDArray[np.float32]) -> None:
    factor = np.float32(scale)
    for hop in range(samples.shape[0] // HOP):
        for j in range(HOP):
            total = np.float32(0)
            for part in range(WINDOW // HOP):
                frame = hop + _EDGE // HOP - part
                if 0 <= frame < frames.shape[0]:
                    total += frames[frame, j + HOP * part]
            samples[hop * HOP + j] = total * factor


class InverseTransform:
    """``basis`` (2 · BINS, WINDOW) and ``window_sum`` as the model carries them."""

    def __init__(
        self, crew: Crew, basis: NDArray[np.float32], window_sum: NDArray[np.float32]
    ) -> None:
        self._crew = crew
        self._basis = Projection(crew, basis)
        self._edge = (OVERLAP / window_sum[_EDGE:WINDOW]).astype(np.float32)
        self.columns = self._basis.columns

    def __call__(
        self,
        x: NDArray[np.float32],
        spectrum: NDArray[np.float32],
        frames: NDArray[np.float32],
        *,
        begins: bool,
    ) -> NDArray[np.float32]:
        """``x`` (frames, ≥ 2 · BINS) to float32 (HOP · (frames - 1),).

        ``spectrum`` (frames + ROWS, 2 · BINS) and ``frames`` (frames + ROWS, columns) are scratch.
        ``begins``: the first sample is the utterance's, where fewer windows overlap.
        """
        count = len(x)
        counter = np.zeros(1, np.int64)
        self._crew.run(lambda: _spectrum(counter, x, spectrum[:count], _BLOCK))
        self._basis(spectrum, 2 * BINS, count, frames)
        samples = np.empty(HOP * (count - 1), np.float32)
        _overlap(frames[:count], WINDOW / HOP / OVERLAP, samples)
        if begins:
            samples[:_EDGE] *= self._edge
        return samples
