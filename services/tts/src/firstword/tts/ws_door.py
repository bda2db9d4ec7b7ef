"""Room 6 by WebSocket: ``/invocations-bidirectional-stream``. The session does the rest."""

from __future__ import annotations

import asyncio
import logging

from starlette.responses import JSONResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from firstword.tts.connection import Ending, SlowReaderError
from firstword.tts.job import SchedulerStoppedError
from firstword.tts.refusal import RefusedError
from firstword.tts.reply import ABORT
from firstword.tts.service import Service
from firstword.tts.session import DOOR, SpeechSession

logger = logging.getLogger(__name__)


class WsDoor:
    """The one route over one service."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def bidirectional(self, websocket: WebSocket) -> None:
        """Accept at once, or refuse with a status, and serve to the end."""
        service = self._service
        try:
            self._check()
        except RefusedError as refusal:
            service.recorder.refused(DOOR, refusal.code)
            body = {"error": {"code": refusal.code, "message": str(refusal), "request_id": None}}
            await websocket.send_denial_response(JSONResponse(body, refusal.status))
            return
        service.sessions += 1
        try:
            await websocket.accept()
            ending = await _served(websocket, service)
        finally:
            service.sessions -= 1
        if ending.code is not None:
            await _close(websocket, ending)

    def _check(self) -> None:
        self._service.parts()
        if self._service.leaving.is_set():
            raise RefusedError("draining", "the server is about to stop, use another one")
        most = self._service.settings.limits.sessions
        if self._service.sessions >= most:
            raise RefusedError("too_many_sessions", f"{most} sessions are open, no more may be")


async def _served(websocket: WebSocket, service: Service) -> Ending:
    try:
        return await SpeechSession(_Peer(websocket), service).run()
    except WebSocketDisconnect:
        return Ending(None)
    except SlowReaderError as error:
        logger.warning("reason=<%s> | dropped a session", error)
        abort = websocket.scope.get("extensions", {}).get(ABORT)
        if abort is not None:
            abort()
            return Ending(None)
        return Ending(1008, str(error))
    except SchedulerStoppedError:
        return Ending(1011, "the speech worker has stopped")
    except Exception:
        # An exception that leaves the door makes the server drop TCP without a Close frame.
        logger.exception("code=<1011> | a session failed")
        return Ending(1011, "internal error")


async def _close(websocket: WebSocket, ending: Ending) -> None:
    try:
        async with asyncio.timeout(5):
            await websocket.close(ending.code or 1000, ending.reason)
    except (WebSocketDisconnect, TimeoutError):
        logger.debug("code=<%s> | the peer left before it was told", ending.code)


class _Peer:
    """A WebSocket as the session wants it."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket

    async def receive(self) -> str | bytes | None:
        message = await self._websocket.receive()
        if message["type"] == "websocket.disconnect":
            return None
        text: str | None = message.get("text")
        data: bytes | None = message.get("bytes")
        return text if text is not None else data or b""

    async def send(self, message: str | bytes) -> None:
        if isinstance(message, bytes):
            await self._websocket.send_bytes(message)
        else:
            await self._websocket.send_text(message)
