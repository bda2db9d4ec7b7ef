"""One part of the product as a child process: started, watched, stopped."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

GRACE_S = 5.0
"""How long a child may take to end after SIGTERM."""

TAIL_LINES = 15
"""How many of a child's last lines are told when it dies."""

_MAX_LINE = 400
_READY = re.compile(r"^ready: (https?://\S+)$")
_LEASH = Path(__file__).with_name("leash.py")


@dataclass(frozen=True, slots=True)
class Part:
    """A program to run beside this one. It prints ``ready: URL`` once it answers.

    ``on_line`` is given each line that it prints. ``pings``: its /ping tells when it is warm; where
    it has none, that line does. ``before_others``: those that follow need it when they start.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    deadline_s: float
    on_line: Callable[[str], None] | None = None
    pings: bool = True
    before_others: bool = False


class ChildError(Exception):
    """A child ended or did not become ready; the text holds its last lines."""

    def __init__(self, name: str, what: str, tail: tuple[str, ...]) -> None:
        lines = "".join(f"\n  {line}" for line in tail) or "\n  (it printed nothing)"
        super().__init__(f"{name} {what}. Its last lines:{lines}")
        self.name = name


class Child:
    """A running part. Its output is kept as the last lines only, never in full."""

    def __init__(self, part: Part, process: asyncio.subprocess.Process) -> None:
        self.part = part
        self._process = process
        self._tail: deque[str] = deque(maxlen=TAIL_LINES)
        self._url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, part: Part) -> Child:
        """Start the part in a session of its own, so that Ctrl-C reaches only the parent."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", str(_LEASH), str(GRACE_S)),
            *part.argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=dict(part.env),
            start_new_session=True,
        )
        return cls(part, process)

    @property
    def pid(self) -> int:
        """The process group's id."""
        return self._process.pid

    async def ready(self) -> str:
        """The URL that the child printed. ChildError when it does not in time."""
        try:
            async with asyncio.timeout(self.part.deadline_s):
                return await asyncio.shield(self._url)
        except TimeoutError:
            raise self.failure(f"was not ready after {self.part.deadline_s:.0f} s") from None

    async def died(self) -> ChildError:
        """Wait until the child ends, and say so."""
        status = await self._process.wait()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._reading), 1.0)
        return self.failure(f"stopped with status {status}")

    def failure(self, what: str) -> ChildError:
        """The error that names this child and its last lines."""
        return ChildError(self.part.name, what, tuple(self._tail))

    async def stop(self) -> None:
        """SIGTERM to the whole group, a bounded wait, SIGKILL to what is left of it."""
        self._signal(signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), GRACE_S)
        self._signal(signal.SIGKILL)
        await self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._reading
        self._url.cancel()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    async def _read(self) -> None:
        """Split the output into lines of bounded length until it ends."""
        assert self._process.stdout is not None
        rest = b""
        while data := await self._process.stdout.read(16384):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._take(line)
            rest = rest[-4 * _MAX_LINE :]
        if rest:
            self._take(rest)

    def _take(self, raw: bytes) -> None:
        line = raw.decode("utf-8", "replace").rstrip()
        if (found := _READY.match(line)) and not self._url.done():
            self._url.set_result(found[1])
        elif line:
            self._tail.append(line[:_MAX_LINE])
            if self.part.on_line is not None:
                self.part.on_line(line)
