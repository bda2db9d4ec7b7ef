"""The activations, one row of channels at a time; addresses in bytes as in `lanes`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from .jit import intrinsic
from .lanes import Writer


def sine(scale: float, reach: float, terms: int) -> tuple[float, ...]:
    """sin(scale x) / x on (-reach, reach) as a polynomial in x², fitted at Chebyshev nodes."""
    x = (np.cos(np.pi * (np.arange(400) + 0.5) / 400) + 1) * reach / 2
    powers = np.stack([x ** (2 * power) for power in range(terms)], 1)
    found = np.linalg.lstsq(powers, np.sin(scale * x) / x, rcond=None)[0]
    return tuple(float(value) for value in found)


_SINE = sine(1.0, np.pi / 2, 5)
_PI_HIGH = 3.140625
_PI_LOW = float(np.pi - 3.140625)


@intrinsic
def snake(
    _context: Any,
    x: Any,
    gain: Any,
    shift: Any,
    frequency: Any,
    amplitude: Any,
    out: Any,
    columns: Any,
) -> Any:
    """out = t + sin²(frequency t) · amplitude with t = gain x + shift.

    The sine is within half a unit in the last place (Ziyin et al., Neural Networks Fail to Learn
    Periodic Functions and How to Fix It, 2020, for the activation).
    """

    def write(context: Any, builder: Any, _types: Any, arguments: Any) -> Any:
        *sources, out, columns = arguments
        w = Writer(builder)
        with w.columns(columns) as (offset, _):
            x, gain, shift, frequency, amplitude = (
                w.load(builder.add(source, offset)) for source in sources
            )
            t = w.fma(gain, x, shift)
            angle = builder.fmul(frequency, t)
            turns = w.nearest(builder.fmul(angle, w.constant(1 / np.pi)))
            angle = w.fma(turns, w.constant(-_PI_HIGH), angle)
            angle = w.fma(turns, w.constant(-_PI_LOW), angle)
            square = builder.fmul(angle, angle)
            series = w.constant(_SINE[-1])
            for coefficient in reversed(_SINE[:-1]):
                series = w.fma(series, square, w.constant(coefficient))
            sine = builder.fmul(angle, series)
            result = w.fma(builder.fmul(sine, sine), amplitude, t)
            w.store(result, builder.add(out, offset))
        return context.get_dummy_value()

    return types.void(*[types.intp] * 7), write


@intrinsic
def leaky(_context: Any, x: Any, gain: Any, shift: Any, slope: Any, out: Any, columns: Any) -> Any:
    """out = t where t = gain x + shift is positive, else slope · t."""

    def write(context: Any, builder: Any, _types: Any, arguments: Any) -> Any:
        *sources, out, columns = arguments
        w = Writer(builder)
        with w.columns(columns) as (offset, _):
            x, gain, shift, slope = (w.load(builder.add(source, offset)) for source in sources)
            t = w.fma(gain, x, shift)
            positive = builder.fcmp_ordered(">", t, w.constant(0))
            result = builder.select(positive, t, builder.fmul(slope, t))
            w.store(result, builder.add(out, offset))
        return context.get_dummy_value()

    return types.void(*[types.intp] * 6), write


@intrinsic
def clear(_context: Any, out: Any, columns: Any) -> Any:
    """out = 0."""

    def write(context: Any, builder: Any, _types: Any, arguments: Any) -> Any:
        out, columns = arguments
        w = Writer(builder)
        with w.columns(columns) as (offset, _):
            w.store(w.constant(0), builder.add(out, offset))
        return context.get_dummy_value()

    return types.void(types.intp, types.intp), write
