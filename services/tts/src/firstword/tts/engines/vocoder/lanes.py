"""Vector code that LLVM does not find by itself, written in its own language.

The transforms read and write two dozen rows at once, and the products of a matrix block live in
registers. From plain loops LLVM makes scalar code of both, since any two of those rows might
overlap; here every load and store is a vector by construction. Addresses are integers (bytes),
strides count floats, and every row a function touches holds whole vectors of `LANES` floats.

What must be known when code is written (the filter's length, the rows of a block) comes as the
length of a tuple or as a constant: both are part of an argument's type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import llvmlite.binding  # type: ignore[import-untyped]
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, config


def _widest() -> int:
    features = config.CPU_FEATURES  # type: ignore[attr-defined]
    if features is None:
        features = llvmlite.binding.get_host_cpu_features().flatten()
    return 16 if "+avx512f" in features else 8


LANES = _widest()
"""Floats in a vector register."""

PANEL = 2 * LANES
"""Columns of a matrix product that are made together."""

ROWS = 12 if LANES == 16 else 6
"""Rows of a matrix product that are made together: ROWS * 2 sums fill the registers."""

FEW_ROWS = 4 if LANES == 16 else 2
"""The step for rows left over; it divides `ROWS`."""

INDEX = ir.IntType(64)
FLOAT = ir.FloatType()
VECTOR = ir.VectorType(FLOAT, LANES)
ZERO = ir.Constant(VECTOR, None)


class Writer:
    """The few instructions needed, at the current place of an LLVM ``builder``."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder
        self._fma = self._function("fma", 3)
        self._nearest = self._function("nearbyint", 1)

    def _function(self, name: str, arguments: int) -> Any:
        signature = ir.FunctionType(VECTOR, [VECTOR] * arguments)
        return cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            self.builder.module, signature, f"llvm.{name}.v{LANES}f32"
        )

    def constant(self, value: float) -> Any:
        return ir.Constant(VECTOR, [float(np.float32(value))] * LANES)

    def bytes_of(self, floats: Any) -> Any:
        return self.builder.mul(floats, ir.Constant(INDEX, 4))

    def plus(self, address: Any, floats: int) -> Any:
        return self.builder.add(address, ir.Constant(INDEX, 4 * floats))

    def rows(self, first: Any, stride: Any, count: int) -> list[Any]:
        """Addresses of ``count`` rows."""
        step = self.bytes_of(stride)
        addresses = [first]
        for _ in range(count - 1):
            addresses.append(self.builder.add(addresses[-1], step))
        return addresses

    def load(self, address: Any) -> Any:
        pointer = self.builder.inttoptr(address, VECTOR.as_pointer())
        return self.builder.load(pointer, align=4)

    def store(self, value: Any, address: Any) -> None:
        self.builder.store(value, self.builder.inttoptr(address, VECTOR.as_pointer()), align=4)

    def spread(self, address: Any) -> Any:
        """One float in all lanes."""
        single = self.builder.load(self.builder.inttoptr(address, FLOAT.as_pointer()), align=4)
        unknown = ir.Constant(VECTOR, ir.Undefined)
        vector = self.builder.insert_element(unknown, single, ir.Constant(ir.IntType(32), 0))
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return self.builder.shuffle_vector(vector, unknown, lanes)

    def fma(self, a: Any, b: Any, c: Any) -> Any:
        return self.builder.call(self._fma, [a, b, c])

    def nearest(self, a: Any) -> Any:
        """The nearest whole numbers."""
        return self.builder.call(self._nearest, [a])

    def weighted(self, weights: Sequence[float], values: Sequence[Any], start: Any = None) -> Any:
        """``start`` + sum of weights * values, leaving out what is multiplied by zero."""
        total = start
        for weight, value in zip(weights, values, strict=True):
            if weight == 0:
                continue
            if total is None:
                total = value if weight == 1 else self.builder.fmul(value, self.constant(weight))
            elif weight == 1:
                total = self.builder.fadd(total, value)
            else:
                total = self.fma(value, self.constant(weight), total)
        return ZERO if total is None else total

    def columns(self, count: Any) -> Any:
        """A loop over ``count`` columns, a vector at a time; a context that gives byte offsets."""
        step = ir.Constant(INDEX, 4 * LANES)
        return cgutils.for_range_slice(
            self.builder, ir.Constant(INDEX, 0), self.bytes_of(count), step, inc=True
        )


def signature(constant: Any, addresses: int) -> Any:
    """The type of an intrinsic: one constant, then so many integers."""
    return types.void(constant, *[types.intp] * addresses)
