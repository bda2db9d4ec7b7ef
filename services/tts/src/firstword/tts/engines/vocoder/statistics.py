"""Mean and variance of each channel, gathered job by job and merged in the order of the jobs.

A job sums differences from its first row, which keeps float32 sums exact enough; the merge (Chan,
Golub, LeVeque, 1979) is in float64 and in a fixed order, so the result does not depend on how many
threads took part.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .jit import kernel


class Sums(NamedTuple):
    """``values`` float32 (jobs, 3, channels): shift, sum, sum of squares; ``rows`` (jobs,)."""

    values: NDArray[np.float32]
    rows: NDArray[np.int64]

    def moments(self) -> NDArray[np.float64]:
        """float64 (2, channels): mean and variance (of the population)."""
        out = np.zeros((2, self.values.shape[2]))
        _merge(self.values, self.rows, out)
        return out


def places(jobs: int, channels: int) -> Sums:
    """Empty places for ``jobs`` jobs."""
    return Sums(np.zeros((jobs, 3, channels), np.float32), np.zeros(jobs, np.int64))


@kernel
def _merge(values: NDArray[np.float32], rows: NDArray[np.int64], out: NDArray[np.float64]) -> None:
    channels = values.shape[2]
    count = 0.0
    for job in range(values.shape[0]):
        new = float(rows[job])
        if new == 0:
            continue
        total = count + new
        for c in range(channels):
            part = np.float64(values[job, 1, c])
            mean = np.float64(values[job, 0, c]) + part / new
            spread = np.float64(values[job, 2, c]) - part * part / new
            difference = mean - out[0, c]
            out[0, c] += difference * new / total
            out[1, c] += spread + difference * difference * count * new / total
        count = total
    for c in range(channels):
        out[1, c] /= count
