"""Threads that help a caller with a piece of work, where the callers leave any to spare."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .steps import Steps

type Work = Callable[[], None]
"""Takes jobs from a common counter until none is left; run by several threads at once."""


class Crew:
    """``size`` threads in all: the callers themselves and, while fewer call, helpers.

    One caller alone has all ``size``; as many callers as ``size`` have one each. Results must not
    depend on how many take part: work is cut by its size alone.
    """

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError(f"a crew needs at least one thread, got {size}")
        self.size = size
        self._lock = threading.Lock()
        self._callers = 0
        self._idle = [_Helper(f"vocoder-{number}") for number in range(1, size)]
        self._helpers = tuple(self._idle)

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Around all the work of one caller, so that others leave it a thread."""
        with self._lock:
            self._callers += 1
        try:
            yield
        finally:
            with self._lock:
                self._callers -= 1

    def called[T](self, steps: Steps[T]) -> Steps[T]:
        """``steps``, each of them `calling`: in the pauses no thread is kept free for them."""
        while True:
            try:
                with self.calling():
                    next(steps)
            except StopIteration as end:
                value: T = end.value
                return value
            yield

    def run(self, work: Work) -> None:
        """``work`` in this thread and in idle helpers; returns, or raises, when all have ended."""
        with self._lock:
            spare = max(0, self.size - max(1, self._callers))
            keep = max(0, len(self._idle) - spare)
            team, self._idle = self._idle[keep:], self._idle[:keep]
        for helper in team:
            helper.begin(work)
        failures: list[BaseException] = []
        try:
            work()
        finally:
            failures += [failure for helper in team if (failure := helper.end()) is not None]
            with self._lock:
                self._idle += team
        if failures:
            raise failures[0]

    def close(self) -> None:
        """End the helpers' threads; the crew goes on with its callers alone."""
        with self._lock:
            self._idle = []
        for helper in self._helpers:
            helper.close()


class _Helper:
    def __init__(self, name: str) -> None:
        self._lock = threading.Lock()
        self._wake = threading.Semaphore(0)
        self._done = threading.Semaphore(0)
        self._work: Work | None = None
        self._failure: BaseException | None = None
        self._closed = False
        threading.Thread(target=self._loop, name=name, daemon=True).start()

    def begin(self, work: Work) -> None:
        self._work, self._failure = work, None
        self._wake.release()

    def end(self) -> BaseException | None:
        """What was begun is over: taken back where the thread has not woken yet."""
        with self._lock:
            taken = self._work is None
            self._work = None
        if taken:
            self._done.acquire()
        return self._failure

    def close(self) -> None:
        self._closed = True
        self._wake.release()

    def _loop(self) -> None:
        while True:
            self._wake.acquire()
            if self._closed:
                return
            with self._lock:
                work, self._work = self._work, None
            if work is None:
                continue
            try:
                work()
            except BaseException as failure:  # noqa: BLE001 - handed to the caller
                self._failure = failure
            self._done.release()
