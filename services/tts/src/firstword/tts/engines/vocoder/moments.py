"""What normalisations measure: plain arrays, without any of the compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Moments(NamedTuple):
    """Mean and standard deviation of every channel of every layer, float64 (channels of all,).

    An error in one is the same in every sample, and so heard sooner than noise of its size.
    """

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
