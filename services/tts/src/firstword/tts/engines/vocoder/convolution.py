"""A 1-D convolution that multiplies three to four times less than the plain one (see toomcook).

Data lie as rows of channels, one row a time step. A dilation d is d interleaved plain convolutions
(phases). A job is one stretch of time with all its phases: the rows are normalised, activated and
transformed into planes [size][tiles][channels in], each plane is multiplied by its own matrix
[channels in][channels out], and the products of a few tiles are transformed back while they are
still in the first-level cache, together with bias, residuals and the next normalisation's sums.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .crew import Crew
from .lanes import PANEL, ROWS
from .scratch import Pool, aligned
from .statistics import Sums, places
from .tilework import Places, Plan, Scratch, convolve
from .toomcook import OUTPUTS, transforms

SLACK = 64
"""Rows that an output array has beyond its last: a tile is always stored whole."""

TILES = 48
"""Tiles of a job: as many as leave the planes in the second-level cache."""

LARGE = 1024 * 1024
"""Weights from which several jobs share a stretch of time, so that each is read by one thread."""

PANELS = 8
"""Panels of columns of such a job."""

_MORE_TILES = TILES + 2 * ROWS

_NOTHING = aligned(PANEL)
_NOTHING[:] = 0


class Affine(NamedTuple):
    """What normalisation comes to: gain · x + shift, float32 (channels,) each."""

    gain: NDArray[np.float32]
    shift: NDArray[np.float32]


class Convolution:
    """``out = bias + filter * activation(affine(x)) [+ residual] [+ out]``, zeros around ``x``.

    ``weights`` (out, in, taps), ``bias`` (out,); ``frequency`` (in,) is the snake's, or ``slope``
    the leaky rectifier's. Channels are multiples of the panel. ``outputs`` of a tile: more multiply
    less and read more weights.
    """

    def __init__(
        self,
        crew: Crew,
        weights: NDArray[np.float32],
        bias: NDArray[np.float32],
        *,
        dilation: int = 1,
        frequency: NDArray[np.float32] | None = None,
        slope: float = 0.0,
        outputs: int | None = None,
    ) -> None:
        self.columns, self.channels, taps = weights.shape
        self._outputs, self._taps = outputs or OUTPUTS[taps], taps
        self._crew = crew
        self._dilation = dilation
        self._rectify = frequency is None
        self._matrices, self._bias = pack(weights, self._outputs), bias.astype(np.float32)
        self._first = np.full(self.channels, slope, np.float32) if frequency is None else frequency
        self._second = self._first if frequency is None else (1 / frequency).astype(np.float32)
        self._scratch = _scratch_pool(self.channels, self._outputs, taps)
        panels = self.columns // PANEL
        self._panels = PANELS if weights.size >= LARGE else panels
        self._groups = -(-panels // self._panels)

    def jobs(self, length: int) -> tuple[int, int]:
        """Stretches of time for ``length`` rows, and tiles of each phase in one; by the length
        alone."""
        phase_tiles = -(-length // (self._dilation * self._outputs))
        jobs = -(-phase_tiles * self._dilation // TILES)
        if self._groups == 1:
            jobs = -(-jobs // self._crew.size) * self._crew.size
        tiles = -(-phase_tiles // jobs)
        return -(-phase_tiles // tiles), tiles

    def __call__(
        self,
        x: NDArray[np.float32],
        length: int,
        affine: Affine,
        out: NDArray[np.float32],
        *,
        residual: NDArray[np.float32] | None = None,
        accumulate: bool = False,
        measure: bool = False,
    ) -> Sums:
        """The first ``length`` rows of ``x`` (rows, in) into ``out`` (length + SLACK, out).

        Returns the sums of ``out``'s rows when ``measure``. ``residual`` may be ``x`` or ``out``.
        """
        jobs, tiles = self.jobs(length)
        plan = Plan(
            ((0,) * self._outputs, (0,) * self._taps),
            self.channels,
            self.columns,
            self._dilation,
            length,
            jobs * self._groups,
            tiles,
            self._groups,
            self._panels,
            self._rectify,
            measure,
        )
        sums = places(jobs, self.columns if measure else 0)
        counter = np.zeros(1, np.int64)
        at = Places(
            counter=counter.ctypes.data,
            x=x.ctypes.data,
            gain=affine.gain.ctypes.data,
            shift=affine.shift.ctypes.data,
            first=self._first.ctypes.data,
            second=self._second.ctypes.data,
            matrices=self._matrices.ctypes.data,
            bias=self._bias.ctypes.data,
            out=out.ctypes.data,
            residual=0 if residual is None else residual.ctypes.data,
            total=out.ctypes.data if accumulate else 0,
            nothing=_NOTHING.ctypes.data,
            sums=sums.values.ctypes.data,
        )

        def work() -> None:
            with self._scratch.lend() as (scratch, _):
                convolve(plan, at, sums.rows, scratch)

        self._crew.run(work)
        return sums


type _Lent = tuple[Scratch, tuple[NDArray[np.float32], ...]]

_pools: dict[tuple[int, int, int], Pool[_Lent]] = {}


def _scratch_pool(channels: int, outputs: int, taps: int) -> Pool[_Lent]:
    """One pool for all convolutions of a shape."""
    size = outputs + taps - 1

    def make() -> _Lent:
        lines = aligned((_MORE_TILES * outputs + size) * channels)
        # Tiles or planes a multiple of 4 KiB apart would compete for the same cache lines.
        pitch = channels + 16
        planes = aligned(size, _MORE_TILES * pitch + 5 * 16)
        products = aligned(size, ROWS * PANEL)
        lent = Scratch(
            lines.ctypes.data, planes.ctypes.data, products.ctypes.data, planes.shape[1], pitch
        )
        return lent, (lines, planes, products)

    return _pools.setdefault((channels, outputs, taps), Pool(make))


def pack(weights: NDArray[np.float32], outputs: int) -> NDArray[np.float32]:
    """(out, in, taps) -> the transformed filter (panels, size, in, panel)."""
    columns, channels, taps = weights.shape
    matrix = transforms(outputs, taps).filter
    packed = aligned(columns // PANEL, len(matrix), channels, PANEL)
    for panel, rows in zip(packed, weights.reshape(-1, PANEL, channels, taps), strict=True):
        panel[:] = np.matmul(rows.astype(np.float64), matrix.T).transpose(2, 1, 0)
    return packed
