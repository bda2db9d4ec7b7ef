"""Kokoro's generator: features and a harmonic source become audio at 24 kHz.

Two stages, each: upsample the features, add the source at that rate (through a residual block of
its own), and average three residual blocks with filters of 3, 7 and 11 taps. The last layer gives
magnitude and phase for the inverse transform.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .convolution import SLACK
from .crew import Crew
from .istft import BINS, HOP, InverseTransform
from .moments import Moments
from .norms import Normalisation, Norms
from .passes import add, rectify
from .projection import Projection
from .resblock import ResBlock, layers
from .scratch import Arena, Pool
from .steps import Steps, finish

FEATURES = 512
STYLE = 128
SOURCE = 2 * BINS
UPSAMPLE = (10, 6)
CHANNELS = (256, 128)
SAMPLES_PER_FEATURE = UPSAMPLE[0] * UPSAMPLE[1] * HOP
"""Samples a row of features: 300, so 80 rows a second."""

_BLOCKS = 3
_SLOPES = (0.1, 0.1, 0.01)
_POST_TAPS = 7


class Audio(NamedTuple):
    """float32 (rows · 300,), and the statistics that normalised it."""

    samples: NDArray[np.float32]
    moments: Moments


class _Rows(NamedTuple):
    """The four arrays (rows, channels) of a stage."""

    source: NDArray[np.float32]
    hidden: NDArray[np.float32]
    inner: NDArray[np.float32]
    mixed: NDArray[np.float32]


class _Stage:
    def __init__(self, crew: Crew, weights: Mapping[str, NDArray[np.float32]], index: int) -> None:
        self.crew = crew
        self.scale, self.channels = UPSAMPLE[index], CHANNELS[index]
        self.last = index == len(UPSAMPLE) - 1
        self.slope = _SLOPES[index]
        noise = weights[f"noise_convs.{index}.w"]
        self.noise_taps = noise.shape[2]
        self.noise = Projection(
            crew,
            noise.transpose(2, 1, 0).reshape(-1, self.channels),
            weights[f"noise_convs.{index}.b"],
        )
        self.noise_block = ResBlock(crew, weights, f"noise_res.{index}")
        names = [f"resblocks.{_BLOCKS * index + j}" for j in range(_BLOCKS)]
        self.blocks = [ResBlock(crew, weights, name) for name in names]
        # Rectifying commutes with a positive factor, so the mean of the blocks before this stage
        # is their sum, and the third goes into this stage's weights.
        upsample = weights[f"ups.{index}.w"] * np.float32(1 if index == 0 else 1 / _BLOCKS)
        first, second = upsample[:, :, self.scale :], upsample[:, :, : self.scale]
        matrix = np.concatenate(
            [part.transpose(0, 2, 1).reshape(len(part), -1) for part in (first, second)]
        )
        self.upsample = Projection(crew, matrix, np.tile(weights[f"ups.{index}.b"], self.scale))

    def __call__(
        self, x: NDArray[np.float32], source: NDArray[np.float32], norm: Normalisation, rows: _Rows
    ) -> Steps[NDArray[np.float32]]:
        """``x`` (rows, 2 · channels), ``source`` (padded rows, SOURCE) -> the sum of the blocks
        (rows · scale [+ 1 in the last stage], channels). Pauses before each block."""
        given, count = len(x), len(x) * self.scale + self.last
        stride = (UPSAMPLE[1] if not self.last else 1) * SOURCE
        measure = norm.measure
        sums = self.noise(source, stride, count, rows.source, measure=measure)
        scratch = rows.hidden, rows.inner
        self.noise_block(rows.source, sums, count, norm, scratch, rows.source)
        padded = rows.inner.reshape(-1)[: (given + 2) * 2 * self.channels].reshape(given + 2, -1)
        rectify(self.crew, x, self.slope, padded, 1)
        upsampled = rows.hidden.reshape(-1)[: (given + 1 + SLACK) * self.scale * self.channels]
        self.upsample(
            padded, 2 * self.channels, given + 1, upsampled.reshape(given + 1 + SLACK, -1)
        )
        mixed = self._mix(upsampled.reshape(-1, self.channels), rows, count)
        sums = add(self.crew, mixed, rows.source[:count], rows.mixed[:count], measure=measure)
        for j, block in enumerate(self.blocks):
            yield
            block(rows.mixed, sums, count, norm, scratch, rows.source, accumulate=j > 0)
        return rows.source[:count]

    def _mix(self, upsampled: NDArray[np.float32], rows: _Rows, count: int) -> NDArray[np.float32]:
        """The rows of the transposed convolution that count; the last stage mirrors one."""
        trim = self.scale // 2
        if not self.last:
            return upsampled[trim : trim + count]
        upsampled[trim - 1] = upsampled[trim + 1]
        return upsampled[trim - 1 : trim - 1 + count]


class Generator:
    """The network with its weights; calls from several threads at once are safe.

    ``weights`` are those that `graphs.vocoder_weights` takes from the model. Results depend on the
    crew's size, not on how many of it had time.
    """

    def __init__(self, weights: Mapping[str, NDArray[np.float32]], crew: Crew) -> None:
        self._crew = crew
        names = [
            layer
            for stage in range(len(UPSAMPLE))
            for block in [f"noise_res.{stage}"]
            + [f"resblocks.{_BLOCKS * stage + j}" for j in range(_BLOCKS)]
            for layer in layers(block)
        ]
        self.norms = Norms(crew, weights, names)
        self._stages = [_Stage(crew, weights, index) for index in range(len(UPSAMPLE))]
        post = (weights["conv_post.w"] / np.float32(_BLOCKS)).transpose(2, 1, 0)
        self._post = Projection(crew, post.reshape(-1, SOURCE), weights["conv_post.b"])
        self._inverse = InverseTransform(crew, weights["basis"], weights["window_sum"])
        self._arenas: Pool[Arena] = Pool(Arena)

    def __call__(
        self,
        features: NDArray[np.float32],
        source: NDArray[np.float32],
        style: NDArray[np.float32],
        given: Moments | None = None,
        *,
        begins: bool = True,
    ) -> Audio:
        """``features`` (rows, 512), ``source`` (60 · rows + 1, 22), ``style`` (128,).

        Statistics are those ``given``, or measured over what is passed. ``begins``: the first row
        is the utterance's first.
        """
        return finish(self.steps(features, source, style, given, begins=begins))

    def steps(
        self,
        features: NDArray[np.float32],
        source: NDArray[np.float32],
        style: NDArray[np.float32],
        given: Moments | None = None,
        *,
        begins: bool = True,
    ) -> Steps[Audio]:
        """The same, paused after each step of a few percent of the work, so that a caller who has
        something more urgent can do that first."""
        norm = self.norms.begin(style, given)
        with self._arenas.lend() as arena:
            run = self._run(features, source, norm, arena, begins)
            samples = yield from self._crew.called(run)
            arena.shrink()
        return Audio(samples, norm.moments)

    def _run(
        self,
        features: NDArray[np.float32],
        source: NDArray[np.float32],
        norm: Normalisation,
        arena: Arena,
        begins: bool,
    ) -> Steps[NDArray[np.float32]]:
        middle = len(features) * UPSAMPLE[0]
        last = middle * UPSAMPLE[1] + 1
        padding = self._stages[0].noise_taps // 4
        arrays = arena.cut(
            [(last + 2 * padding + SLACK, SOURCE)]
            + [(middle + 2 * SLACK * UPSAMPLE[0], CHANNELS[0])] * 4
            + [(last + 2 * SLACK * UPSAMPLE[1], CHANNELS[1])] * 4
        )
        padded = arrays[0]
        padded[:padding] = 0
        padded[padding : padding + last] = source
        padded[padding + last :] = 0
        x = yield from self._stages[0](features, padded, norm, _Rows(*arrays[1:5]))
        rows = _Rows(*arrays[5:])
        yield
        x = yield from self._stages[1](x, padded[padding:], norm, rows)
        wide = rows.hidden[: last + _POST_TAPS - 1]
        rectify(self._crew, x, _SLOPES[2], wide, _POST_TAPS // 2)
        spectrum = rows.inner.reshape(-1)[: (last + SLACK) * self._post.columns]
        spectrum = spectrum.reshape(-1, self._post.columns)
        self._post(wide, CHANNELS[1], last, spectrum)
        polar = rows.mixed.reshape(-1)[: (last + SLACK) * SOURCE].reshape(-1, SOURCE)
        frames = rows.source.reshape(-1)[: (last + SLACK) * self._inverse.columns]
        frames = frames.reshape(-1, self._inverse.columns)
        return self._inverse(spectrum[:last], polar, frames, begins=begins)
