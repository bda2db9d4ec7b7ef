"""One piece of work of the scheduler, and how what it makes reaches its consumer."""

from __future__ import annotations

import asyncio
import traceback
from collections import deque
from collections.abc import Iterator
from typing import Any, Protocol

from firstword.tts.engines import Ticket
from firstword.tts.listener import Listener


class Piece(Protocol):
    """What a job makes: the scheduler needs to know only how much of it there is."""

    @property
    def size(self) -> int:
        """Bytes that wait in memory until the consumer is done with them."""
        ...

    @property
    def duration_s(self) -> float:
        """Seconds that a listener is busy with it."""
        ...

    @property
    def waits(self) -> Ticket | None:
        """What the job's next step does, where that can be done together with other jobs'."""
        ...


type Work[P: Piece] = Iterator[P | None]
"""Advanced by one ``next`` at a time; ``None`` says that there is nothing to do until woken."""


class JobFailedError(Exception):
    """The iterator raised; its exception is the cause."""

    def trail(self) -> str:
        """The cause and where it was raised, without its message: that may quote the text."""
        cause = self.__cause__ or self
        frames = traceback.format_tb(cause.__traceback__)
        return f"{type(cause).__name__}\n{''.join(frames)}"


class SchedulerStoppedError(JobFailedError):
    """The worker is gone and the job not done."""


class Desk(Protocol):
    """What a job needs of its scheduler; called on the event loop."""

    def release(self, job: Job[Any], size: int) -> None: ...

    def wake(self, job: Job[Any]) -> None: ...

    def cancel(self, job: Job[Any]) -> None: ...


class Job[P: Piece]:
    """An iterator that the scheduler advances, read with ``async for`` on the event loop.

    The public fields are the scheduler's, under its lock; the others the loop's. Asking for the
    next piece says that the one before is done with, which lets more of them be made ahead.
    """

    def __init__(
        self,
        work: Work[P],
        listener: Listener,
        desk: Desk,
        *,
        order: int,
        ahead_bytes: int,
        expected_s: float,
    ) -> None:
        self.work = work
        self.listener = listener
        self.order = order
        self.ahead_bytes = ahead_bytes
        self.expected_s = expected_s
        self.ahead = 0
        self.audio_s = 0.0
        self.work_s = self.counted_s = 0.0
        self.started = self.running = self.starved = self.woken = self.cancelled = False
        self.waits: Ticket | None = None

        self._desk = desk
        self._pieces: deque[P] = deque()
        self._taken = 0
        self._ended = False
        self._error: JobFailedError | None = None
        self._arrived = asyncio.Event()

    @property
    def parked(self) -> bool:
        """Enough is made ahead of the consumer."""
        return self.ahead >= self.ahead_bytes

    @property
    def waiting(self) -> Ticket | None:
        """A forward that must be made before the job's next step, and can be made in company."""
        return None if self.waits is None or self.waits.done else self.waits

    @property
    def ready(self) -> bool:
        """A worker may advance it, or make the forward that it waits for."""
        return not (self.running or self.starved or self.parked or self.cancelled)

    def __aiter__(self) -> Job[P]:
        return self

    async def __anext__(self) -> P:
        """The next piece.

        Raises:
            JobFailedError: after what was made before the failure.
        """
        if self._taken:
            self._desk.release(self, self._taken)
            self._taken = 0
        while not self._pieces:
            if self._error is not None:
                raise self._error
            if self._ended:
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        piece = self._pieces.popleft()
        self._taken = piece.size
        return piece

    def wake(self) -> None:
        """There is something to do again."""
        self._desk.wake(self)

    def cancel(self) -> None:
        """Stop. Nothing more arrives; the worker closes the iterator. Harmless when done."""
        self._pieces.clear()
        self._ended = True
        self._arrived.set()
        self._desk.cancel(self)

    def arrive(self, piece: P) -> None:
        """The scheduler's delivery, on the loop."""
        if not self._ended:
            self._pieces.append(piece)
            self._arrived.set()

    def end(self, error: JobFailedError | None) -> None:
        """The scheduler's last word, on the loop. What arrived before is still read."""
        if not self._ended:
            self._ended = True
            self._error = error
            self._arrived.set()
