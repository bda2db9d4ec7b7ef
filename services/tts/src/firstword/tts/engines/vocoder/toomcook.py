"""Toom-Cook (Winograd) matrices: F(m, r) gives m outputs of an r-tap filter for m + r - 1 products.

``y = Aᵀ [(G w) ⊙ (Bᵀ x)]`` for one tile: x holds m + r - 1 inputs, w the r taps, y the m outputs
(Winograd, Arithmetic Complexity of Computations, 1980). The matrices are built in exact fractions
from the interpolation points and rounded once. The points decide the error in float32: these were
chosen among small fractions by it, on filters of the model over noise, slow and constant signals,
and come as pairs (p, -p) so that the transforms can share sums.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

OUTPUTS = {3: 8, 7: 8, 11: 6}
"""Outputs a tile for each filter length in use, where nothing else is said."""

_PAIRS = {
    6: ("5/8", "3/2"),
    10: ("3/8", "3/4", "5/4", "19/8"),
    14: ("1/4", "5/8", "4/5", "5/4", "5/3", "3"),
    16: ("1/4", "1/2", "3/4", "1", "4/3", "2", "4"),
}
"""Points of each tile size m + r - 1, one of each pair; even sizes have the point 0 as well."""


class Transforms(NamedTuple):
    """float64: ``output`` (m, a), ``filter`` (a, r), ``input`` (a, a), with a = m + r - 1."""

    output: NDArray[np.float64]
    filter: NDArray[np.float64]
    input: NDArray[np.float64]


@cache
def transforms(outputs: int, taps: int) -> Transforms:
    """The matrices of F(outputs, taps); KeyError where no points are known for that size."""
    size = outputs + taps - 1
    points = [Fraction(0)] if size % 2 == 0 else []
    for pair in _PAIRS[size]:
        points += [Fraction(pair), -Fraction(pair)]
    last = [Fraction(int(power == outputs - 1)) for power in range(outputs)]
    output = [[p**power for p in points] + [last[power]] for power in range(outputs)]
    weights = [[p**power / _spread(p, points) for power in range(taps)] for p in points]
    weights.append([Fraction(int(power == taps - 1)) for power in range(taps)])
    inputs = [[*_polynomial([q for q in points if q != p]), Fraction(0)] for p in points]
    inputs.append(_polynomial(points))
    a, g, b = (np.array(rows, dtype=np.float64) for rows in (output, weights, inputs))
    # Powers of two cost no accuracy; equal row sums of G and Bᵀ keep their products in range.
    balance = 2.0 ** np.round(np.log2(np.sqrt(np.abs(b).sum(1) / np.abs(g).sum(1))))
    return Transforms(a, g * balance[:, None], b / balance[:, None])


def is_mirrored(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    """Whether two rows belong to points p and -p: equal but for the signs of every other entry."""
    return bool(
        np.any(first) and np.any(first != second) and np.allclose(np.abs(first), np.abs(second))
    )


def _spread(point: Fraction, points: list[Fraction]) -> Fraction:
    product = Fraction(1)
    for other in points:
        if other != point:
            product *= point - other
    return product


def _polynomial(roots: list[Fraction]) -> list[Fraction]:
    """Coefficients, lowest first, of the product of (x - root)."""
    coefficients = [Fraction(1)]
    for root in roots:
        longer = [Fraction(0), *coefficients]
        for power, value in enumerate(coefficients):
            longer[power] -= root * value
        coefficients = longer
    return coefficients
