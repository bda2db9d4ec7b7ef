"""Who is served next, and whether one more can be: pure functions over the jobs not done."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from firstword.tts.job import Job

type Policy = Callable[[Iterable[Job[Any]]], Job[Any] | None]
"""Picks a ready job among all that are not done, or none."""


def edf(jobs: Iterable[Job[Any]]) -> Job[Any] | None:
    """Earliest deadline first: the listener who would run dry next; first come among equals."""
    ready = (job for job in jobs if job.ready)
    return min(ready, key=lambda job: (job.listener.due, job.order), default=None)


def fifo(jobs: Iterable[Job[Any]]) -> Job[Any] | None:
    """First come, first served, whoever is listening."""
    return min((job for job in jobs if job.ready), key=lambda job: job.order, default=None)


def one_lock(jobs: Iterable[Job[Any]]) -> Job[Any] | None:
    """One job at a time, to its end: a lock around the model, as most servers have it."""
    first = min(jobs, key=lambda job: (not job.started, job.order), default=None)
    return first if first is not None and first.ready else None


POLICIES: dict[str, Policy] = {"edf": edf, "fifo": fifo, "one-lock": one_lock}


class SaturatedError(Exception):
    """More is waiting than can be served in time. ``retry_after_s`` is whole seconds."""

    def __init__(self, message: str, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


def owed_s(jobs: Iterable[Job[Any]], now: float, within_s: float) -> float:
    """Audio seconds that must be made within ``within_s`` for nobody to run dry.

    Of each job the part that its listener reaches in that time; nothing of one that waits for its
    caller, who must read or send text first.
    """
    owed = 0.0
    for job in jobs:
        if not (job.starved or job.parked or job.cancelled):
            left = max(0.0, job.expected_s - job.audio_s)
            owed += min(left, max(0.0, within_s - max(0.0, job.listener.due - now)))
    return owed


def check(jobs: int, max_jobs: int, backlog_s: float, max_wait_s: float) -> None:
    """Admission.

    Raises:
        SaturatedError: one of the two bounds is reached.
    """
    if jobs >= max_jobs:
        each = max(1, math.ceil(backlog_s / jobs))
        raise SaturatedError(f"{jobs} syntheses are waiting, the most that may", each)
    if backlog_s > max_wait_s:
        seconds = max(1, math.ceil(backlog_s - max_wait_s))
        raise SaturatedError(f"{backlog_s:.0f} s of synthesis are waiting", seconds)
