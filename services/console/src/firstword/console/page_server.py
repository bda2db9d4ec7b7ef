"""The page's web server inside the command: a port that is held early, a line when it listens."""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from starlette.applications import Starlette

from firstword.console.app import Access
from firstword.console.ports import listen
from firstword.console.terminal import Terminal

_logger = logging.getLogger(__name__)

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
"""Hosts that mean every address of this machine, and one at which they can be opened."""

MAX_MESSAGE_BYTES = 64 * 1024
"""Largest message that a page may send."""


@dataclass(frozen=True, slots=True)
class PageServer:
    """A bound socket, and who may use what it will serve."""

    sock: socket.socket
    host: str
    access: Access
    log_level: str
    terminal: Terminal

    @classmethod
    @contextmanager
    def bound(
        cls, host: str, port: int, token: str | None, log_level: str, terminal: Terminal
    ) -> Iterator[PageServer]:
        """Take the port; beyond loopback a token is made up where there is none. PortError."""
        beyond = host not in LOOPBACK
        if token is None and beyond:
            token = secrets.token_urlsafe(24)
        access = Access(token, frozenset({"*"}) if beyond else None)
        with listen(host, port, "--port") as sock:
            yield cls(sock, host, access, log_level, terminal)

    async def serve(self, app: Starlette) -> None:
        """Serve until cancelled; says ``ready: URL`` once it listens."""
        server = _Server(_config(app, self.log_level), self._ready)
        await _until_cancelled(server, self.sock)

    @property
    def url(self) -> str:
        """The page's address, with the token where there is one."""
        host = EVERYWHERE.get(self.host, self.host)
        shown = f"[{host}]" if ":" in host else host
        query = f"/?token={self.access.token}" if self.access.token else ""
        return f"http://{shown}:{self.sock.getsockname()[1]}{query}"

    def _ready(self) -> None:
        self.terminal.line(f"ready: {self.url}")
        if self.access.token:
            self.terminal.say(
                "Keep the token to yourself. Browsers elsewhere need https or a tunnel."
            )
        self.terminal.say("Ctrl-C stops all of it.", style="dim")


class _Server(uvicorn.Server):
    """Says when it listens, and leaves signals to the command, which has children to stop too."""

    def __init__(self, config: uvicorn.Config, on_listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_listening = on_listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._on_listening()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _config(app: Starlette, log_level: str) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_level="info" if log_level == "debug" else "warning",
        access_log=False,
        ws_max_size=MAX_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        server_header=False,
        timeout_graceful_shutdown=3,
    )


async def _until_cancelled(server: uvicorn.Server, sock: socket.socket) -> None:
    serving = asyncio.create_task(server.serve(sockets=[sock]))
    try:
        await asyncio.shield(serving)
    finally:
        server.should_exit = True
        await asyncio.wait({serving})
        if (error := serving.exception()) is not None:
            _logger.warning("error=<%s> | the page's server did not end well", error)
