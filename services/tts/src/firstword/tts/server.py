"""uvicorn, with what the platform asks for: a ready line, a drain, connections that can be cut."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from firstword.tts.reply import ABORT
from firstword.tts.service import Service
from firstword.tts.settings import Settings

logger = logging.getLogger(__name__)

PING_INTERVAL_S = 30.0
"""Seconds between our WebSocket pings: often enough for balancers that drop what is idle for 60."""

PING_TIMEOUT_S = 60.0
"""Seconds without a pong after which a peer is gone. SageMaker allows its own as many minutes."""

CUT_S = 2
"""Seconds that connections have to close when the drain is over."""

UNACKNOWLEDGED_MS = 120_000
"""Milliseconds after which the kernel gives up a peer that takes nothing (RFC 5482)."""

INTERRUPTED = 130


def serve(app: Starlette, settings: Settings) -> int:
    """Serve ``app`` on the settings' address. Gives the exit status, see ``app.run``."""
    try:
        listener = listen(settings.host, settings.port)
    except OSError as error:
        sys.stderr.write(f"cannot listen on {settings.host}:{settings.port}: {error.strerror}\n")
        return 1
    with listener:
        server = SpeechServer(app, settings)
        server.run(sockets=[listener])
    return server.status


class SpeechServer(uvicorn.Server):
    """Stops by signal; ``status`` is the exit status then."""

    def __init__(self, app: Starlette, settings: Settings) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=SpeechHttp,
                ws=SpeechSocket,
                loop="asyncio",
                lifespan="on",
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                ws_max_size=settings.limits.message_bytes,
                ws_ping_interval=PING_INTERVAL_S,
                ws_ping_timeout=PING_TIMEOUT_S,
                ws_per_message_deflate=False,
                timeout_graceful_shutdown=CUT_S,
            )
        )
        self.status = 0
        self._service: Service = app.state.service
        self._drain_s = settings.limits.drain_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        self._tasks.append(asyncio.create_task(self._announce(_url(sockets or []))))

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal, maybe in the middle of the loop's own code."""
        if self._loop is None:
            self.should_exit = True
        else:
            self._loop.call_soon_threadsafe(self._stop, sig)

    def _stop(self, sig: int) -> None:
        if self._service.leaving.is_set():
            self.force_exit = self.should_exit = True
            return
        self._service.drain()
        if sig == signal.SIGINT:
            self.status = INTERRUPTED
            self.should_exit = True
        else:
            self._tasks.append(asyncio.create_task(self._drain()))

    async def _drain(self) -> None:
        try:
            async with asyncio.timeout(self._drain_s):
                await self._service.idle()
        except TimeoutError:
            logger.warning("drain_s=<%g> | cut off what was still being spoken", self._drain_s)
        self.should_exit = True

    async def _announce(self, url: str) -> None:
        if await self._service.loaded():
            sys.stdout.write(f"ready: {url}\n")
            sys.stdout.flush()
        elif self._service.state == "failed":
            self.status = 1
            self.should_exit = True


class SpeechHttp(H11Protocol):
    """uvicorn's HTTP/1.1, with the ``firstword.abort`` extension."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.app = _with_abort(self.app, self)


class SpeechSocket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket, with the same."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.app = _with_abort(self.app, self)


def _with_abort(app: Any, connection: SpeechHttp | SpeechSocket) -> Any:
    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        abort = connection.transport.abort
        scope["extensions"] = {**scope.get("extensions", {}), ABORT: abort}
        await app(scope, receive, send)

    return wrapped


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 picks a free one. Raises OSError."""
    name = host.strip("[]")
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    listener = socket.create_server((name, port), family=family, backlog=512)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # What is still unsent when we are done with a connection must not wait for ever.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS)
    return listener


def _url(sockets: list[socket.socket]) -> str:
    host, port = sockets[0].getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
