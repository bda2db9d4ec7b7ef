"""Another sample rate, in a stream."""

from __future__ import annotations

import numpy as np
import soxr  # type: ignore[import-untyped]
from numpy.typing import NDArray

from firstword.tts.engines import SAMPLE_RATE


class Resampler:
    """Mono float32 from the engine's rate to ``rate`` Hz.

    The output does not depend on how the input is cut, and is ``round(n * rate / 24000)`` samples
    long once finished. It runs about 40 ms behind its input until then.
    """

    def __init__(self, rate: int) -> None:
        self._stream = (
            None
            if rate == SAMPLE_RATE
            else soxr.ResampleStream(SAMPLE_RATE, rate, 1, dtype="float32", quality="HQ")
        )

    def feed(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        """The samples that are certain now: float32 (n,), possibly none."""
        if self._stream is None or not samples.size:
            return samples
        return self._resampled(samples, last=False)

    def flush(self) -> NDArray[np.float32]:
        """The rest. Nothing may be fed after it."""
        nothing = np.zeros(0, np.float32)
        return nothing if self._stream is None else self._resampled(nothing, last=True)

    def _resampled(self, samples: NDArray[np.float32], last: bool) -> NDArray[np.float32]:
        assert self._stream is not None
        block = np.ascontiguousarray(samples, np.float32)
        return np.asarray(self._stream.resample_chunk(block, last=last), np.float32)
