"""One connection of the speech wire: what it must be able to do, and the state of its protocol."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from firstword.protocol import ProtocolError, Session, SpeechRequest

logger = logging.getLogger(__name__)


class ConnectionLostError(Exception):
    """The connection could not be made, or is gone."""


class Connection(Protocol):
    """Whole messages both ways. Every method but ``abort`` raises ConnectionLostError."""

    async def send(self, message: str | bytes) -> None: ...

    async def receive(self) -> tuple[str | bytes, bool | None]:
        """The next message, and whether it is binary (None: the envelope does not say).

        It may be cancelled safely. There is no deadline: silence is normal between sentences.
        """
        ...

    async def close(self) -> None: ...

    def abort(self) -> None:
        """Drop the connection at once; ``receive`` ends."""
        ...


type Connect = Callable[[], Awaitable[Connection]]


class Link:
    """One connection and the state of its protocol."""

    def __init__(self, connection: Connection, send_s: float) -> None:
        self.connection = connection
        self.session = Session(role="client")
        self._send_s = send_s

    async def send(self, frame: SpeechRequest) -> None:
        """Send a frame, or drop the connection: its reader then sees to what was asked for."""
        try:
            message = self.session.send(frame)
            async with asyncio.timeout(self._send_s):
                await self.connection.send(message)
        except (ConnectionLostError, ProtocolError, TimeoutError) as error:
            logger.warning("error=<%s> | speech connection does not send", type(error).__name__)
            self.connection.abort()
