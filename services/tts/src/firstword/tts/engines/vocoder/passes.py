"""Steps between the convolutions that only read, change and write rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .crew import Crew
from .jit import kernel
from .lanes import PANEL
from .rows import add_rows, begin_sums, sum_rows, take_one
from .statistics import Sums, places

BLOCK = 256
"""Rows of a job."""


@kernel
def _rectify(
    counter: NDArray[np.int64],
    x: NDArray[np.float32],
    slope: float,
    out: NDArray[np.float32],
    block: int,
) -> None:
    factor = np.float32(slope)
    while True:
        first = take_one(counter.ctypes.data) * block
        if first >= x.shape[0]:
            break
        for i in range(first, min(first + block, x.shape[0])):
            out[i] = x[i] if x[i] > 0 else x[i] * factor


def rectify(
    crew: Crew, x: NDArray[np.float32], slope: float, out: NDArray[np.float32], lead: int
) -> None:
    """``out`` = ``lead`` rows of zeros, leaky(x) (rows, channels), and zeros to the end."""
    rows, channels = x.shape
    out[:lead] = 0
    out[lead + rows :] = 0
    counter = np.zeros(1, np.int64)
    flat, target = x.reshape(-1), out[lead : lead + rows].reshape(-1)
    crew.run(lambda: _rectify(counter, flat, slope, target, BLOCK * channels))


class _Places(NamedTuple):
    """Addresses in bytes."""

    counter: int
    x: int
    y: int
    out: int
    sums: int


@kernel
def _add(
    at: _Places, rows: int, columns: int, block: int, measure: bool, counts: NDArray[np.int64]
) -> None:
    while True:
        job = take_one(at.counter)
        first = job * block
        if first >= rows:
            break
        count = min(block, rows - first)
        for panel in range(columns // PANEL):
            place = 4 * (first * columns + panel * PANEL)
            out = at.out + place
            add_rows(at.x + place, columns, at.y + place, columns, out, columns, count)
            if measure:
                sums = at.sums + 4 * (job * 3 * columns + panel * PANEL)
                begin_sums(out, sums, columns)
                sum_rows(out, columns, count, sums, columns)
        counts[job] = count


def add(
    crew: Crew,
    x: NDArray[np.float32],
    y: NDArray[np.float32],
    out: NDArray[np.float32],
    *,
    measure: bool = False,
) -> Sums:
    """out = x + y, all (rows, channels); the sums of ``out``'s rows when ``measure``."""
    rows, columns = out.shape
    sums = places(-(-rows // BLOCK), columns if measure else 0)
    counter = np.zeros(1, np.int64)
    at = _Places(
        counter.ctypes.data,
        x.ctypes.data,
        y.ctypes.data,
        out.ctypes.data,
        sums.values.ctypes.data,
    )
    crew.run(lambda: _add(at, rows, columns, BLOCK, measure, sums.rows))
    return sums
