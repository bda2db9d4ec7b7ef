"""Three pairs of normalised, activated convolutions, each added to what went in."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from .convolution import Convolution
from .crew import Crew
from .norms import Normalisation
from .statistics import Sums

DILATIONS = (1, 3, 5)


def layers(name: str) -> list[str]:
    """The normalisations of the block ``name``, in the order of the data."""
    return [f"{name}.adain{half}.{i}" for i in range(len(DILATIONS)) for half in (1, 2)]


class ResBlock:
    """One block; its arrays have `SLACK` rows beyond their length."""

    def __init__(self, crew: Crew, weights: Mapping[str, NDArray[np.float32]], name: str) -> None:
        self._layers = layers(name)
        self._convolutions = [
            Convolution(
                crew,
                weights[f"{name}.convs{half}.{i}.w"],
                weights[f"{name}.convs{half}.{i}.b"],
                dilation=dilation if half == 1 else 1,
                frequency=weights[f"{name}.alpha{half}.{i}"],
            )
            for i, dilation in enumerate(DILATIONS)
            for half in (1, 2)
        ]

    def __call__(
        self,
        x: NDArray[np.float32],
        sums: Sums,
        length: int,
        norm: Normalisation,
        scratch: tuple[NDArray[np.float32], NDArray[np.float32]],
        out: NDArray[np.float32],
        *,
        accumulate: bool = False,
    ) -> None:
        """``x`` with its ``sums`` into ``out`` (it may be ``x``), or added to what is in it."""
        hidden, inner = scratch
        current, last = x, len(self._layers) - 1
        for i, (layer, convolve) in enumerate(zip(self._layers, self._convolutions, strict=True)):
            affine = norm.affine(layer, sums.moments() if norm.measure else None)
            if i % 2 == 0:
                sums = convolve(current, length, affine, hidden, measure=norm.measure)
            elif i < last:
                sums = convolve(
                    hidden, length, affine, inner, residual=current, measure=norm.measure
                )
                current = inner
            else:
                convolve(hidden, length, affine, out, residual=current, accumulate=accumulate)
