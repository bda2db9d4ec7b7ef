"""G.711, the telephone's eight bits a sample (ITU-T G.711, 1988)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BIAS = 132
_MULAW_LARGEST = 32_635


def mulaw(samples: NDArray[np.int16]) -> NDArray[np.uint8]:
    """µ-law: int16 (n,) to uint8 (n,)."""
    value = samples.astype(np.int32)
    sign = (value < 0).astype(np.int32) << 7
    magnitude = np.minimum(np.abs(value), _MULAW_LARGEST) + _BIAS
    segment = _log2(magnitude) - 7
    mantissa = (magnitude >> (segment + 3)) & 0x0F
    return (~(sign | segment << 4 | mantissa)).astype(np.uint8)


def alaw(samples: NDArray[np.int16]) -> NDArray[np.uint8]:
    """A-law: int16 (n,) to uint8 (n,)."""
    value = samples.astype(np.int32) >> 3
    positive = value >= 0
    magnitude = np.where(positive, value, -value - 1)
    segment = np.maximum(_log2(np.maximum(magnitude, 1)) - 4, 0)
    mantissa = (magnitude >> np.where(segment > 1, segment, 1)) & 0x0F
    return ((segment << 4 | mantissa) ^ np.where(positive, 0xD5, 0x55)).astype(np.uint8)


def _log2(magnitude: NDArray[np.int32]) -> NDArray[np.int32]:
    """Position of the highest set bit of positive numbers."""
    return np.frexp(magnitude.astype(np.float64))[1].astype(np.int32) - 1
