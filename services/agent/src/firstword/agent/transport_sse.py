"""Room 11: a reply as server-sent events. Audio travels in base64."""

from __future__ import annotations

import asyncio
import logging
from base64 import b64encode
from collections.abc import Callable

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from firstword.agent.buffer import BufferClosed
from firstword.agent.settings import ServerSettings
from firstword.agent.turn import Turn
from firstword.protocol import Audio, AudioChunk, TurnEvent, sse

logger = logging.getLogger(__name__)

KEEP_ALIVE = b": keep-alive\n\n"

_HEADERS = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
}


class TurnResponse(Response):
    """Runs a turn and streams its events; a client that leaves, or stops reading, ends it at once.

    ``make_turn`` is called on the loop that serves the response.
    """

    def __init__(self, make_turn: Callable[[], Turn], settings: ServerSettings) -> None:
        self.status_code = 200
        self.background = None
        self.init_headers(_HEADERS)
        self._make_turn = make_turn
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        turn = self._make_turn()
        await send(
            {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        )
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(turn.run())
            watcher = tasks.create_task(_stop_when_gone(turn, receive))
            try:
                await self._stream(turn, send)
            except (OSError, TimeoutError):
                logger.info("request_id=<%s> | client stopped reading", turn.request_id)
            finally:
                turn.stop()
                watcher.cancel()

    async def _stream(self, turn: Turn, send: Send) -> None:
        chunks = 0
        while True:
            try:
                async with asyncio.timeout(self._settings.keep_alive_s):
                    event = await turn.output.get()
            except TimeoutError:
                await self._send(send, KEEP_ALIVE)
                continue
            except BufferClosed:
                break
            await self._send(send, _line(event, turn.request_id, chunks))
            chunks += isinstance(event, Audio)
        await self._send(send, b"")

    async def _send(self, send: Send, body: bytes) -> None:
        async with asyncio.timeout(self._settings.send_s):
            await send({"type": "http.response.body", "body": body, "more_body": bool(body)})


def _line(event: TurnEvent, request_id: str, chunks: int) -> bytes:
    if isinstance(event, Audio):
        data = b64encode(event.data).decode("ascii")
        return sse(AudioChunk(request_id=request_id, seq=chunks, data=data))
    return sse(event)


async def _stop_when_gone(turn: Turn, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        """The rest of a request's body."""
    turn.stop()
