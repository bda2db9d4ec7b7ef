"""Kokoro's decoder: text features, pitch and energy become the generator's features.

Five residual blocks over frames (40 a second), all after the first also given the text features
(fewer), the pitch and the energy again; the last one doubles the rate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .convolution import SLACK, Affine, Convolution
from .crew import Crew
from .lanes import LANES, ROWS
from .norms import Normalisation, Norms
from .projection import Projection
from .scratch import aligned

TEXT = 512
_BLOCKS = ("encode", "decode.0", "decode.1", "decode.2", "decode.3")
_SLOPE = 0.2
_TAPS = 3
_OUTPUTS = 4
"""Of a tile: an utterance has few rows, so reading the weights takes longer than multiplying."""
_HALF = np.float32(1 / np.sqrt(2))

type Rows = NDArray[np.float32]
type Measured = NDArray[np.float64]
"""Mean and variance of each channel, (2, channels)."""


class _Frames(NamedTuple):
    """What the blocks are given for every frame."""

    entry: Rows
    """Text, pitch, energy: (frames, 514, filled up with zeros to whole vectors)."""
    beside: Rows
    """Text narrowed to 64, pitch, energy: (frames, 66)."""


class _Block:
    def __init__(self, crew: Crew, weights: Mapping[str, Rows], name: str) -> None:
        self.name = name
        first, second = weights[f"{name}.conv1.w"], weights[f"{name}.conv2.w"]
        self.channels = first.shape[1]
        self.width = -(-self.channels // LANES) * LANES
        pool = weights.get(f"{name}.pool.w")
        # A block that doubles the rate has rectified its rows before the first convolution.
        slope = _SLOPE if pool is None else 1.0
        filled = np.zeros((len(first), self.width, _TAPS), np.float32)
        filled[:, : self.channels] = first
        self.first = Convolution(
            crew, filled, weights[f"{name}.conv1.b"], slope=slope, outputs=_OUTPUTS
        )
        self.second = Convolution(
            crew, second * _HALF, weights[f"{name}.conv2.b"] * _HALF, slope=_SLOPE, outputs=_OUTPUTS
        )
        shortcut = weights[f"{name}.conv1x1.w"] * _HALF
        self.shortcut = Projection(crew, _matrix(shortcut, self.width))
        self.doubling = None
        if pool is not None:
            self.doubling = np.zeros((4, self.width), np.float32)
            self.doubling[:3, : self.channels] = pool[:, 0].T
            self.doubling[3, : self.channels] = weights[f"{name}.pool.b"]

    def __call__(self, x: Rows, measured: Measured, norm: Normalisation) -> tuple[Rows, Measured]:
        """``x`` (rows, width) -> (rows or twice as many, channels out) and its statistics."""
        rows = len(x)
        affine = norm.affine(f"{self.name}.norm1", measured, self.width)
        skip = aligned(2 * rows + SLACK, self.shortcut.columns)
        self.shortcut(x, self.width, rows, skip)
        if self.doubling is not None:
            x, affine = _doubled(_rectified(x, affine), self.doubling), _identity(self.width)
            skip[: 2 * rows] = np.repeat(skip[:rows], 2, 0)
            rows *= 2
        hidden = aligned(rows + SLACK, self.first.columns)
        sums = self.first(x, rows, affine, hidden, measure=True)
        affine = norm.affine(f"{self.name}.norm2", sums.moments())
        out = aligned(rows + SLACK, self.second.columns)
        sums = self.second(hidden, rows, affine, out, residual=skip, measure=True)
        return out[:rows], sums.moments()


class Decoder:
    """The blocks with their weights; calls from several threads at once are safe."""

    def __init__(self, weights: Mapping[str, Rows], crew: Crew) -> None:
        self._crew = crew
        self._narrow = Projection(
            crew, _matrix(weights["asr_res.asr_res.0.w"], TEXT), weights["asr_res.asr_res.0.b"]
        )
        self._curves = [
            (weights[f"{name}.w"].ravel(), weights[f"{name}.b"]) for name in ("F0_conv", "N_conv")
        ]
        self._blocks = [_Block(crew, weights, name) for name in _BLOCKS]
        names = [f"{name}.norm{half}" for name in _BLOCKS for half in (1, 2)]
        self._norms = Norms(crew, weights, names)

    def __call__(self, text: Rows, pitch: Rows, energy: Rows, style: Rows) -> Rows:
        """Features (2 · frames, 512) from ``text`` (frames, 512), ``pitch`` (Hz) and ``energy``
        (2 · frames,) for ``style`` (128,), normalised by their own statistics."""
        norm = self._norms.begin(style, None)
        first = self._blocks[0]
        with self._crew.calling():
            entry, beside = self._frames(text, pitch, energy)
            seen = _moments(beside)
            x, measured = first(entry, _moments(entry[:, : first.channels]), norm)
            for block in self._blocks[1:]:
                wide = np.zeros((len(x) + ROWS, block.width), np.float32)
                wide[: len(x), : block.channels] = np.concatenate([x, beside], 1)
                x, measured = block(wide[: len(x)], np.concatenate([measured, seen], 1), norm)
        return x

    def _frames(self, text: Rows, pitch: Rows, energy: Rows) -> _Frames:
        count = len(text)
        curves = [
            _every_second(curve, taps, bias)
            for curve, (taps, bias) in zip((pitch, energy), self._curves, strict=True)
        ]
        entry = np.zeros((count + ROWS, self._blocks[0].width), np.float32)
        entry[:count, :TEXT] = text
        narrow = aligned(count + ROWS, self._narrow.columns)
        self._narrow(
            np.concatenate([text, np.zeros((ROWS, TEXT), np.float32)]), TEXT, count, narrow
        )
        for column, curve in enumerate(curves):
            entry[:count, TEXT + column] = curve
        beside = np.concatenate([narrow[:count, :64], *(curve[:, None] for curve in curves)], 1)
        return _Frames(entry[:count], beside)


def _matrix(weights: Rows, width: int) -> Rows:
    """(out, in, taps) -> (taps · width, out), the channels in filled up with zeros to ``width``."""
    columns, channels, taps = weights.shape
    matrix = np.zeros((taps, width, columns), np.float32)
    matrix[:, :channels] = weights.transpose(2, 1, 0)
    return matrix.reshape(taps * width, columns)


def _moments(x: Rows) -> Measured:
    wide = x.astype(np.float64)
    return np.stack([wide.mean(0), wide.var(0)])


def _every_second(curve: Rows, taps: Rows, bias: Rows) -> Rows:
    """A filter of 3 taps at every second point of ``curve`` (2 n,): (n,)."""
    padded = np.pad(curve, 1)
    result: Rows = taps[0] * padded[:-2:2] + taps[1] * padded[1:-1:2] + taps[2] * padded[2::2]
    return result + bias


def _rectified(x: Rows, affine: Affine) -> Rows:
    t = x * affine.gain + affine.shift
    return np.where(t > 0, t, np.float32(_SLOPE) * t)


def _identity(channels: int) -> Affine:
    return Affine(np.ones(channels, np.float32), np.zeros(channels, np.float32))


def _doubled(x: Rows, taps: Rows) -> Rows:
    """Twice the rate, each channel by a transposed filter of 3 taps (and bias, the fourth row)."""
    following = np.concatenate([x[1:], np.zeros((1, x.shape[1]), np.float32)])
    out = aligned(2 * len(x), x.shape[1])
    out[::2] = x * taps[1] + taps[3]
    out[1::2] = x * taps[2] + following * taps[0] + taps[3]
    return out
