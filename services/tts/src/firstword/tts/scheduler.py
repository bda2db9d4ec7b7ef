"""Room 8: whose sentence is spoken next. It knows nothing of sockets, JSON or models.

Jobs are synchronous iterators. A worker thread takes the job that the policy names, advances it by
one ``next`` and hands the result to the event loop: the only crossing between the two. Where the
job waits for a forward of the model that others can go through too, the worker makes that for all
of them at once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from firstword.tts.batching import Forwards
from firstword.tts.job import Job, JobFailedError, Piece, SchedulerStoppedError, Work
from firstword.tts.listener import Listener
from firstword.tts.pace import RealTimeFactor
from firstword.tts.policy import Policy, check, edf, owed_s

type Deliver = Callable[..., object]
"""Calls a function with arguments on the loop: ``loop.call_soon_threadsafe``."""

STALL_S = 120.0
"""A step that takes longer is not going to end: the worker counts as dead."""


class Scheduler:
    """Serves the jobs of all sessions with ``workers`` threads once started.

    Not started, it is driven by hand: ``step`` does one unit of work and delivers in place.
    """

    def __init__(
        self,
        *,
        policy: Policy = edf,
        workers: int = 1,
        max_jobs: int = 64,
        max_wait_s: float = 120.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.clock = clock
        self._workers = workers
        self._max_jobs = max_jobs
        self._max_wait_s = max_wait_s
        self._jobs: dict[int, Job[Any]] = {}
        self._orders = 0
        self._pace = RealTimeFactor()
        self._steps: dict[int, float] = {}
        self._forwards = Forwards(policy)
        self._changed = threading.Condition()
        self._stopping = False
        self._threads: list[threading.Thread] = []
        self._deliver: Deliver = _call

    # On the event loop.

    def start(self, deliver: Deliver) -> None:
        """Start the workers; from now on results are handed over through ``deliver``."""
        self._deliver = deliver
        for number in range(self._workers):
            thread = threading.Thread(target=self._serve, name=f"speech-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self, timeout_s: float) -> bool:
        """End all jobs and workers; False when a worker is still in a step. Blocks."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        deadline = self.clock() + timeout_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - self.clock()))
        return not any(thread.is_alive() for thread in self._threads)

    @property
    def alive(self) -> bool:
        """Every worker runs, and none has been in one step for longer than ``STALL_S``."""
        with self._changed:
            stalled = any(self.clock() - since > STALL_S for since in self._steps.values())
        running = all(thread.is_alive() for thread in self._threads)
        return running and not stalled and not self._stopping

    @property
    def depth(self) -> int:
        """Jobs that are not done."""
        return len(self._jobs)

    @property
    def rtf(self) -> float:
        """Synthesis seconds that a second of audio took of late."""
        return self._pace.value

    def backlog_s(self) -> float:
        """Seconds of work that those being served need within ``max_wait_s`` not to run dry."""
        with self._changed:
            audio_s = owed_s(self._jobs.values(), self.clock(), self._max_wait_s)
        return audio_s * self.rtf / (1 if self._forwards.shared else self._workers)

    def admit(self) -> None:
        """May one more be served?

        Raises:
            SaturatedError: too many jobs, or so much work that those who listen would run dry.
        """
        check(self.depth, self._max_jobs, self.backlog_s(), self._max_wait_s)

    def submit[P: Piece](
        self, work: Work[P], listener: Listener, *, ahead_bytes: int, expected_s: float
    ) -> Job[P]:
        """Queue a job. It may lead its consumer by ``ahead_bytes`` and the piece that passes it."""
        with self._changed:
            self._orders += 1
            job = Job(
                work,
                listener,
                self,
                order=self._orders,
                ahead_bytes=ahead_bytes,
                expected_s=expected_s,
            )
            if self._stopping:
                job.end(SchedulerStoppedError("the scheduler has stopped"))
                return job
            self._jobs[job.order] = job
            listener.asked(self.clock())
            self._changed.notify()
        return job

    def release(self, job: Job[Any], size: int) -> None:
        """The consumer is done with ``size`` bytes."""
        with self._changed:
            was_parked = job.parked
            job.ahead -= size
            if was_parked and not job.parked:
                job.listener.resumed(self.clock())
                self._changed.notify()

    def wake(self, job: Job[Any]) -> None:
        """A starved job has something to do again."""
        with self._changed:
            job.woken = not job.starved
            if job.starved:
                job.starved = False
                job.listener.resumed(self.clock())
                self._changed.notify()

    def silence(self, listener: Listener) -> None:
        """Nothing of what was made for ``listener`` is played any more."""
        with self._changed:
            listener.stopped(self.clock())

    def cancel(self, job: Job[Any]) -> None:
        """The job's iterator is closed by a worker, after the step that it may be in."""
        with self._changed:
            if job.order in self._jobs:
                job.cancelled = True
                self._changed.notify()

    # In a worker.

    def step(self) -> bool:
        """Do one unit of work if any is due. True when something was done."""
        with self._changed:
            taken = self._take()
        if taken:
            self._do(taken)
        return bool(taken)

    def _take(self) -> list[Job[Any]]:
        """The job whose step is next, or all those whose forward is; none when nothing is due."""
        taken = self._forwards.take(self._jobs.values(), self.clock())
        for job in taken:
            job.running = job.started = True
        if taken:
            self._steps[taken[0].order] = self.clock()
        return taken

    def _do(self, taken: list[Job[Any]]) -> None:
        job, ticket = taken[0], taken[0].waiting
        if ticket is None or job.cancelled:
            self._advance(job)
            return
        began = self.clock()
        try:
            ticket.serve([job.waits for job in taken[1:]])
        finally:
            with self._changed:
                self._steps.pop(job.order, None)
                self._forwards.made(ticket, taken, self.clock() - began)
                self._changed.notify_all()

    def _advance(self, job: Job[Any]) -> None:
        began = self.clock()
        error: JobFailedError | None = SchedulerStoppedError("the worker died")
        done, piece = True, None
        try:
            if job.cancelled:
                _close(job)
            else:
                piece = next(job.work)
                done = False
            error = None
        except StopIteration:
            error = None
        except Exception as failure:  # noqa: BLE001 - whatever it is, the consumer must see it
            error = JobFailedError(type(failure).__name__)
            error.__cause__ = failure
        finally:
            self._settle(job, piece, self.clock() - began, done=done, error=error)

    def _settle(
        self,
        job: Job[Any],
        piece: Piece | None,
        took_s: float,
        *,
        done: bool,
        error: JobFailedError | None,
    ) -> None:
        with self._changed:
            self._steps.pop(job.order, None)
            job.running = False
            job.work_s += took_s
            job.waits = None if piece is None else piece.waits
            if done:
                self._jobs.pop(job.order, None)
                job.listener.answered()
            elif piece is None:
                # A wake counts from the last time there was nothing to do: what the iterator looked
                # at in earlier steps may be older than it.
                job.starved, job.woken = not job.woken, False
            else:
                self._count(job, piece)
            # Still under the lock: another worker may take this job next, and overtake.
            if done:
                self._hand_over(job, job.end, error)
            elif piece is not None:
                self._hand_over(job, job.arrive, piece)
            self._changed.notify()

    def _hand_over(self, job: Job[Any], function: Callable[[Any], None], what: object) -> None:
        try:
            self._deliver(function, what)
        except RuntimeError:
            # The loop is closed: nobody is left to read this.
            self.cancel(job)

    def _count(self, job: Job[Any], piece: Piece) -> None:
        job.ahead += piece.size
        job.audio_s += piece.duration_s
        if not job.cancelled:
            job.listener.produced(piece.duration_s, self.clock())
        self._pace.learn(job.work_s - job.counted_s, piece.duration_s)
        job.counted_s = job.work_s

    def _serve(self) -> None:
        try:
            while True:
                with self._changed:
                    while not (taken := self._take()) and not self._stopping:
                        self._changed.wait()
                    if self._stopping:
                        for job in taken:
                            job.running = False
                        return
                self._do(taken)
        finally:
            self._give_up()

    def _give_up(self) -> None:
        """A worker ends: when it is the last one, no job will ever be done."""
        with self._changed:
            others = [t for t in self._threads if t is not threading.current_thread()]
            if any(thread.is_alive() for thread in others):
                return
            self._stopping = True
            jobs = list(self._jobs.values())
            self._jobs.clear()
        for job in jobs:
            self._hand_over(job, job.end, SchedulerStoppedError("the scheduler has stopped"))
        for job in jobs:
            _close(job)


def _close(job: Job[Any]) -> None:
    close = getattr(job.work, "close", None)
    if close is not None:
        close()


def _call(function: Callable[..., object], *arguments: object) -> object:
    return function(*arguments)
