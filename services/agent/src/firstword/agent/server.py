"""The process around the application: a line when it is ready, a drain when it is to stop."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from types import FrameType

import uvicorn

from firstword.agent.app import create_app
from firstword.agent.settings import Settings
from firstword.telemetry import Telemetry, open_telemetry

logger = logging.getLogger(__name__)

INTERRUPTED = 130
FAILED = 1


def run(settings: Settings) -> int:
    """Serve until SIGTERM (running turns may end first) or SIGINT. Gives the exit status."""
    with open_telemetry(settings.telemetry, "firstword-agent") as telemetry:
        return _run(AgentServer(settings, telemetry))


def _run(server: AgentServer) -> int:
    try:
        server.run()
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit:
        # uvicorn leaves this way when the application does not start, or the port is taken.
        return FAILED
    if server.interrupted:
        return INTERRUPTED
    return 0 if server.started else FAILED


class AgentServer(uvicorn.Server):
    """Prints ``ready: URL`` once it answers. The first SIGTERM drains, the second does not wait."""

    def __init__(self, settings: Settings, telemetry: Telemetry | None = None) -> None:
        self._settings = settings
        self._app = create_app(settings, telemetry=telemetry)
        self._draining: asyncio.Task[None] | None = None
        self.interrupted = False
        super().__init__(
            uvicorn.Config(
                self._app,
                host=settings.server.host,
                port=settings.server.port,
                lifespan="on",
                log_config=None,
                access_log=False,
                ws="websockets-sansio",
                ws_max_size=1024 * 1024,
                ws_per_message_deflate=False,
                timeout_graceful_shutdown=5,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            shown = f"[{host}]" if ":" in host else host
            print(f"ready: http://{shown}:{port}", flush=True)  # noqa: T201

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal came. Not in the loop's own step, so what follows is left to the loop."""
        if sig == signal.SIGTERM and self.started and self._draining is None:
            loop = asyncio.get_running_loop()
            loop.call_soon_threadsafe(self._begin_drain)
            return
        self.interrupted = sig == signal.SIGINT
        self.should_exit = True

    def _begin_drain(self) -> None:
        if self._draining is None:
            logger.info("signal=<SIGTERM> | draining")
            self._draining = asyncio.create_task(self._drain(), name="drain")

    async def _drain(self) -> None:
        await self._app.state.conversations.drain(self._settings.server.drain_s)
        self.should_exit = True
