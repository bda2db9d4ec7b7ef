"""Which job is served next, and which jobs' forwards are made together with it."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from typing import Any

from firstword.tts.engines import Ticket
from firstword.tts.job import Job
from firstword.tts.policy import Policy

TOGETHER_S = 0.1
"""Jobs due within so many seconds of each other are due together."""

MEMORY = 0.8
"""Share of the running mean of a forward's pace that one more leaves as it was."""


class Forwards:
    """Takes jobs for the workers; called under the scheduler's lock."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._pace = Pace()
        self._busy = False
        self.shared = False
        """Forwards are made for several jobs at once, and so never beside each other."""

    def take(self, jobs: Iterable[Job[Any]], now: float) -> list[Job[Any]]:
        """The job that is served next: one that was cancelled, else the policy's.

        With it, where it waits for a forward, those that go through the same one. There is one
        forward at a time: what comes meanwhile goes through the next one together.
        """
        jobs = list(jobs)
        abandoned = (job for job in jobs if job.cancelled and not job.running)
        if job := next(abandoned, None):
            return [job]
        job = self._policy(job for job in jobs if not (self._busy and job.waiting))
        if job is None:
            return []
        if not job.waiting:
            return [job]
        self._busy = True
        return company(job, jobs, self._policy, self._pace, now)

    def made(self, ticket: Ticket, jobs: Collection[Job[Any]], took_s: float) -> None:
        """These jobs' forward is over."""
        self._busy, self.shared = False, True
        self._pace.learn(ticket.kind, len(jobs), took_s)
        for job in jobs:
            job.running = False
            job.work_s += took_s / len(jobs)


class Pace:
    """How long forwards of each kind take: a fixed part, and one for each unit of size."""

    def __init__(self) -> None:
        self._alone: dict[Hashable, float] = {}
        self._each: dict[Hashable, float] = {}

    def expects(self, kind: Hashable, items: int) -> float:
        """Seconds that a forward of ``items`` will take; 0 before one was seen."""
        return self._alone.get(kind, 0.0) + self._each.get(kind, 0.0) * (items - 1)

    def learn(self, kind: Hashable, items: int, took_s: float) -> None:
        """A forward of ``items`` took that long."""
        if items == 1:
            self._alone[kind] = _mean(self._alone.get(kind), took_s)
            return
        alone = self._alone.setdefault(kind, took_s / items)
        each = max(0.0, took_s - alone) / (items - 1)
        self._each[kind] = _mean(self._each.get(kind), each)


def _mean(before: float | None, now: float) -> float:
    return now if before is None else MEMORY * before + (1 - MEMORY) * now


def company(
    leader: Job[Any], jobs: Iterable[Job[Any]], policy: Policy, pace: Pace, now: float
) -> list[Job[Any]]:
    """``leader``, whose forward comes next, and those whose forwards are made with it.

    Only of its kind, in the policy's order, and as many as may go together. Those that are due
    together go together; another comes along only while the forward still ends before the leader's
    listener runs dry. Nobody is waited for.
    """
    ticket = leader.waiting
    assert ticket is not None
    together = [leader]
    others = [job for job in jobs if job is not leader and _of_kind(job, ticket.kind)]
    while others and len(together) < ticket.most:
        job = policy(others)
        if job is None:
            break
        others.remove(job)
        due_together = job.listener.due <= leader.listener.due + TOGETHER_S
        ends = now + pace.expects(ticket.kind, len(together) + 1)
        if due_together or ends <= leader.listener.due:
            together.append(job)
    return together


def _of_kind(job: Job[Any], kind: Hashable) -> bool:
    return job.ready and job.waiting is not None and job.waiting.kind == kind
