"""Work that pauses on the way, so that whoever does it may do something more urgent first."""

from __future__ import annotations

from collections.abc import Generator

type Steps[T] = Generator[None, None, T]
"""Pauses, and what has come of it."""


def finish[T](steps: Steps[T]) -> T:
    """Do all of it."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            value: T = end.value
            return value
