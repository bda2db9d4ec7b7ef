"""From the engine's float32 to samples that fit: a soft limit, then 16 bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

KNEE = 0.9
"""Below this magnitude (full scale is 1) the limiter leaves every sample as it is."""

_FULL_SCALE = 32_768.0


def limit(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """Bend what is above ``KNEE`` so that nothing passes 1: float32 (n,) to float32 (n,).

    Sample by sample, without memory, so that it does not matter how the audio is cut. At the knee
    the slope is 1; there is no corner to hear.
    """
    over = np.abs(samples) > KNEE
    if not over.any():
        return samples
    limited = samples.copy()
    loud = samples[over]
    room = np.float32(1 - KNEE)
    bent = KNEE + room * np.tanh((np.abs(loud) - KNEE) / room)
    limited[over] = np.copysign(np.minimum(bent, 1.0), loud)
    return limited


def to_int16(samples: NDArray[np.float32]) -> NDArray[np.int16]:
    """Round to the nearest of 16 bits; what is too large is clipped, never wrapped; NaN is 0."""
    bounded = np.nan_to_num(np.clip(samples, -1.0, 1.0), nan=0.0)
    return np.minimum(np.rint(bounded * _FULL_SCALE), 32_767).astype("<i2")
