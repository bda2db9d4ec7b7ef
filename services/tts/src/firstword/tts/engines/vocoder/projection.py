"""Matrix products over rows that may overlap: strided and transposed convolutions without im2col.

The windows of a strided convolution are rows of a matrix whose stride is smaller than its width. A
transposed convolution with a kernel twice its stride is the same over two neighbouring rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .crew import Crew
from .jit import kernel
from .lanes import FEW_ROWS, PANEL, ROWS
from .rows import add_rows, begin_sums, multiply_block, sum_rows, take_one
from .scratch import aligned
from .statistics import Sums, places

BLOCK = 96
"""Rows of a job with all columns, where the matrix stays in the second-level cache."""

TALL = 384
PANELS = 2
"""Rows, and panels of columns, of a job where it does not: so it is read from memory but once."""

LARGE = 128 * 1024
"""Floats from which a matrix counts as large."""


class _Plan(NamedTuple):
    rows: int
    jobs: int
    block: int
    groups: int
    """Jobs side by side, each with ``panels`` panels."""
    panels: int
    depth: int
    stride: int
    columns: int
    measure: bool


class _Places(NamedTuple):
    """Addresses in bytes."""

    counter: int
    x: int
    matrix: int
    bias: int
    out: int
    sums: int


@kernel
def _project(plan: _Plan, at: _Places, rows_of_jobs: NDArray[np.int64]) -> None:
    """Takes jobs from the counter until none is left."""
    while True:
        job = take_one(at.counter)
        if job >= plan.jobs:
            break
        part, group = job // plan.groups, job % plan.groups
        first = part * plan.block
        count = min(plan.block, plan.rows - first)
        last = min((group + 1) * plan.panels, plan.columns // PANEL)
        for panel in range(group * plan.panels, last):
            right = at.matrix + 4 * panel * plan.depth * PANEL
            out = at.out + 4 * (first * plan.columns + panel * PANEL)
            row = 0
            while row < count:
                left = at.x + 4 * (first + row) * plan.stride
                target = out + 4 * row * plan.columns
                if count - row > ROWS - FEW_ROWS:
                    multiply_block(ROWS, left, plan.stride, right, target, plan.columns, plan.depth)
                    row += ROWS
                else:
                    multiply_block(
                        FEW_ROWS, left, plan.stride, right, target, plan.columns, plan.depth
                    )
                    row += FEW_ROWS
            add_rows(out, plan.columns, at.bias + 4 * panel * PANEL, 0, out, plan.columns, count)
            if plan.measure:
                sums = at.sums + 4 * (part * 3 * plan.columns + panel * PANEL)
                begin_sums(out, sums, plan.columns)
                sum_rows(out, plan.columns, count, sums, plan.columns)
        rows_of_jobs[part] = count


class Projection:
    """``out[n] = x[n · stride : n · stride + depth] @ matrix + bias``, ``x`` one run of floats.

    ``matrix`` (depth, columns); the columns are filled up with zeros to whole panels.
    """

    def __init__(
        self, crew: Crew, matrix: NDArray[np.float32], bias: NDArray[np.float32] | None = None
    ) -> None:
        self.depth, given = matrix.shape
        self.columns = -(-given // PANEL) * PANEL
        self._crew = crew
        self._bias = aligned(self.columns)
        self._bias[:] = 0
        if bias is not None:
            self._bias[:given] = bias
        full = np.zeros((self.depth, self.columns), np.float32)
        full[:, :given] = matrix
        panels = full.reshape(self.depth, self.columns // PANEL, PANEL)
        self._matrix = aligned(self.columns // PANEL, self.depth, PANEL)
        self._matrix[:] = panels.transpose(1, 0, 2)

    def __call__(
        self,
        x: NDArray[np.float32],
        stride: int,
        rows: int,
        out: NDArray[np.float32],
        *,
        measure: bool = False,
    ) -> Sums:
        """``rows`` rows into ``out`` (rows + ROWS, columns); ``x`` is contiguous and may be read up
        to ROWS rows beyond what is used. Returns the sums of the rows when ``measure``."""
        panels = self.columns // PANEL
        if self.depth * self.columns >= LARGE:
            parts, group = -(-rows // TALL), PANELS
        else:
            parts, group = -(-rows // BLOCK), panels
            parts = -(-parts // self._crew.size) * self._crew.size
        block = -(-rows // (parts * FEW_ROWS)) * FEW_ROWS
        parts, groups = -(-rows // block), -(-panels // group)
        plan = _Plan(
            rows, parts * groups, block, groups, group, self.depth, stride, self.columns, measure
        )
        sums = places(parts, self.columns if measure else 0)
        counter = np.zeros(1, np.int64)
        at = _Places(
            counter=counter.ctypes.data,
            x=x.ctypes.data,
            matrix=self._matrix.ctypes.data,
            bias=self._bias.ctypes.data,
            out=out.ctypes.data,
            sums=sums.values.ctypes.data,
        )

        def work() -> None:
            _project(plan, at, sums.rows)

        self._crew.run(work)
        return sums
