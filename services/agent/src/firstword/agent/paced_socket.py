"""The sending side of one socket: whole messages, paced, each within a deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from firstword.agent.framing import Framing
from firstword.agent.pace import FramePace
from firstword.agent.settings import ServerSettings
from firstword.protocol import TurnEvent

type Join = Callable[[TurnEvent], TurnEvent]
"""Adds to an event what has come meanwhile and can be said with it."""


class PacedSocket:
    """Frames leave in order. What comes while the pace forbids to send is joined, not queued."""

    def __init__(self, socket: WebSocket, settings: ServerSettings) -> None:
        self._socket = socket
        self._send_s = settings.send_s
        self._pace = FramePace(settings.frames_per_second, settings.frame_burst)
        self._framing = Framing()
        self._sending = asyncio.Lock()

    async def send(self, event: TurnEvent, join: Join | None = None) -> None:
        """Send an event. Raises WebSocketDisconnect, or TimeoutError when it is not taken."""
        async with self._sending:
            await self._await_turn()
            for message in self._framing.messages(event if join is None else join(event)):
                await self._await_turn()
                await self._send(message)

    async def close(self, code: int, reason: str) -> None:
        """Close the socket, where it is open still."""
        if self._socket.application_state is WebSocketState.CONNECTED:
            async with self._sending, asyncio.timeout(self._send_s):
                await self._socket.close(code, reason)

    async def _await_turn(self) -> None:
        wait_s = self._pace.wait_s(asyncio.get_running_loop().time())
        if wait_s > 0:
            await asyncio.sleep(wait_s)

    async def _send(self, message: str | bytes) -> None:
        if self._socket.application_state is not WebSocketState.CONNECTED:
            raise WebSocketDisconnect
        self._pace.spend(asyncio.get_running_loop().time())
        async with asyncio.timeout(self._send_s):
            if isinstance(message, str):
                await self._socket.send_text(message)
            else:
                await self._socket.send_bytes(message)
