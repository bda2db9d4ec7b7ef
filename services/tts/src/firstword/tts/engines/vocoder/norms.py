"""Adaptive instance normalisation: a voice's style gives gain and shift, the audio or a table gives
mean and deviation. Exact statistics and given ones go the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .convolution import Affine
from .crew import Crew
from .lanes import ROWS
from .moments import Moments
from .projection import Projection
from .scratch import aligned

EPSILON = 1e-5


class Norms:
    """The normalisations of a network, in a fixed order."""

    def __init__(
        self, crew: Crew, weights: Mapping[str, NDArray[np.float32]], layers: Sequence[str]
    ) -> None:
        """Layer L has ``L.w`` (style, 2 · channels), gains before shifts, and ``L.b``."""
        matrices = [weights[f"{layer}.w"] for layer in layers]
        # numpy's product would wake BLAS's threads, which then spin for a tenth of a second on the
        # cores that the kernels need.
        self._heads = Projection(
            crew,
            np.concatenate(matrices, axis=1),
            np.concatenate([weights[f"{layer}.b"] for layer in layers]),
        )
        self._places: dict[str, slice] = {}
        start = 0
        for layer, matrix in zip(layers, matrices, strict=True):
            channels = matrix.shape[1] // 2
            self._places[layer] = slice(start, start + channels)
            start += channels
        self.channels = start

    def begin(self, style: NDArray[np.float32], given: Moments | None) -> Normalisation:
        """For one run with ``style`` (style,): statistics as ``given``, or measured on the way."""
        rows, heads = aligned(1 + ROWS, len(style)), aligned(1 + ROWS, self._heads.columns)
        rows[0], rows[1:] = style, 0
        self._heads(rows, len(style), 1, heads)
        return Normalisation(self._places, heads[0], given, self.channels)


class Normalisation:
    """The normalisations of one run."""

    def __init__(
        self,
        places: Mapping[str, slice],
        heads: NDArray[np.float32],
        given: Moments | None,
        channels: int,
    ) -> None:
        self._places = places
        self._heads = heads
        self._given = given
        self.moments = given or Moments(np.zeros(channels), np.zeros(channels))
        """Those given, or those measured so far."""

    @property
    def measure(self) -> bool:
        """Whether layers must sum up what they give."""
        return self._given is None

    def affine(
        self, layer: str, measured: NDArray[np.float64] | None, width: int | None = None
    ) -> Affine:
        """The affine of ``layer``, filled up with zeros to ``width`` channels.

        ``measured``: mean and variance of its input, (2, channels), if `measure`.
        """
        place = self._places[layer]
        if self._given is None:
            if measured is None:
                raise ValueError(f"{layer} has neither measured nor given statistics")
            self.moments.mean[place] = measured[0]
            self.moments.deviation[place] = np.sqrt(measured[1])
        mean, variance = self.moments.mean[place], self.moments.deviation[place] ** 2
        gains, shifts = self._heads[2 * place.start : 2 * place.stop].reshape(2, -1)
        gain = (1 + gains) / np.sqrt(variance + EPSILON)
        return Affine(_filled(gain, width), _filled(shifts - gain * mean, width))


def _filled(values: NDArray[np.float64], width: int | None) -> NDArray[np.float32]:
    filled = np.zeros(width or len(values), np.float32)
    filled[: len(values)] = values
    return filled
