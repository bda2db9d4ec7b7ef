"""Memory that is lent and given back: for a thread's share of the work, for a call's arrays."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_LINE = 64
"""Bytes of a cache line."""


class Scratch(NamedTuple):
    """``lines`` (rows · channels,): activated input; ``planes`` (size, tiles · channels + odd):
    transformed input; ``products`` (size, rows · panel): a few tiles of the product."""

    lines: NDArray[np.float32]
    planes: NDArray[np.float32]
    products: NDArray[np.float32]


def aligned(*shape: int) -> NDArray[np.float32]:
    """float32 array of that shape, not initialised, that begins at a cache line."""
    size = int(np.prod(shape))
    raw = np.empty(size + _LINE // 4, np.float32)
    start = (-raw.ctypes.data % _LINE) // 4
    return raw[start : start + size].reshape(shape)


class Pool[T]:
    """Things of one kind that threads borrow; made when there is none to lend."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._free: list[T] = []
        self._lock = threading.Lock()

    @contextmanager
    def lend(self) -> Iterator[T]:
        with self._lock:
            thing = self._free.pop() if self._free else None
        if thing is None:
            thing = self._make()
        try:
            yield thing
        finally:
            with self._lock:
                self._free.append(thing)


class Arena:
    """One block of memory cut into arrays, used again by the next call.

    It grows to what was asked; what is beyond ``keep`` floats goes back to the system afterwards.
    """

    def __init__(self, keep: int = 32 * 1024 * 1024) -> None:
        self._keep = keep
        self._block = aligned(0)

    def cut(self, shapes: list[tuple[int, int]]) -> list[NDArray[np.float32]]:
        """Arrays of these shapes, not initialised; earlier ones are no longer valid."""
        # A little apart, so that equal rows of two arrays do not compete for the same cache lines.
        spans = [-(-rows * columns // 16) * 16 + 5 * 16 for rows, columns in shapes]
        if sum(spans) > self._block.size:
            self._block = aligned(sum(spans))
        arrays, start = [], 0
        for (rows, columns), span in zip(shapes, spans, strict=True):
            arrays.append(self._block[start : start + rows * columns].reshape(rows, columns))
            start += span
        return arrays

    def shrink(self) -> None:
        """Give memory beyond ``keep`` back; the arrays that were cut must no longer be in use."""
        if self._block.size > self._keep:
            self._block = aligned(0)
