"""One connection of the speech wire: what it must be able to do, and the state of its protocol."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from firstword.agent.errors import VoiceError
from firstword.protocol import ProtocolError, Session, SpeechRequest

logger = logging.getLogger(__name__)


class ConnectionLostError(Exception):
    """The connection could not be made, or is gone; another one may do.

    ``reason`` is what to tell where no other one does, ``pause_s`` how long the service wants to
    be left alone. What no other connection would mend is a VoiceError instead.
    """

    def __init__(self, reason: VoiceError | None = None, pause_s: float = 0.0) -> None:
        super().__init__(reason.code if reason is not None else "lost")
        self.reason = reason
        self.pause_s = pause_s


class Connection(Protocol):
    """Whole messages both ways. Every method but ``abort`` raises ConnectionLostError.

    ``receive`` and ``send`` raise VoiceError where a new connection would not help.
    """

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
    """One connection and the state of its protocol.

    ``retiring``: it finishes what it was asked for, and is asked for nothing more.
    """

    def __init__(self, connection: Connection, send_s: float) -> None:
        self.connection = connection
        self.session = Session(role="client")
        self.retiring = False
        self._send_s = send_s

    async def send(self, frame: SpeechRequest) -> None:
        """Send a frame, or drop the connection: its reader then sees to what was asked for."""
        try:
            message = self.session.send(frame)
            async with asyncio.timeout(self._send_s):
                await self.connection.send(message)
        except (ConnectionLostError, ProtocolError, TimeoutError, VoiceError) as error:
            logger.warning("error=<%s> | speech connection does not send", type(error).__name__)
            self.connection.abort()

    def retire(self) -> None:
        """Leave it at the next pause between sentences: at once where there is one."""
        self.retiring = True
        if not self.session.open_requests:
            self.connection.abort()
