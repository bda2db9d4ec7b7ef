"""What a session needs of its connection, and how one ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Socket(Protocol):
    """One connection, as a session sees it."""

    async def receive(self) -> str | bytes | None:
        """The next message; None when the peer is gone."""
        ...

    async def send(self, message: str | bytes) -> None:
        """Hand a message over; waits while the peer's side is full."""
        ...


@dataclass(frozen=True, slots=True)
class Ending:
    """How the connection is to be closed (RFC 6455, section 7.4). ``code`` None: it is gone."""

    code: int | None
    reason: str = ""


class SlowReaderError(Exception):
    """The peer did not take what was sent to it."""
