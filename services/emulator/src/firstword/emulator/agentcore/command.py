"""``python -m firstword.emulator agentcore``."""

from __future__ import annotations

import argparse
import os
import socket
from collections.abc import Mapping

import uvicorn
from starlette.applications import Starlette

from firstword.emulator.agentcore.app import create_app
from firstword.emulator.agentcore.plane import Plane
from firstword.emulator.agentcore.settings import DEFAULT_ARN, Settings
from firstword.emulator.sigv4 import Credentials

NAME = "agentcore"
HELP = "AgentCore Runtime's data plane: HTTP and WebSocket, to an agent's container"

FAILED = 1


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--container", required=True, metavar="URL", help="the agent's container")
    parser.add_argument("--runtime-arn", metavar="ARN", default=DEFAULT_ARN, help="its name")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")


def check(options: argparse.Namespace) -> str | None:
    """What is wrong with the options, if anything."""
    if not options.container.startswith(("http://", "https://")):
        return f"--container must be a URL, got {options.container}"
    if len(options.runtime_arn.split(":")) != 6:
        return f"--runtime-arn must be an ARN, got {options.runtime_arn}"
    return None


def run(options: argparse.Namespace) -> int:
    """Serve until a signal; give the exit status."""
    settings = Settings(
        container=options.container.rstrip("/"),
        credentials=credentials(os.environ),
        runtime_arn=options.runtime_arn,
    )
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", options.port))
        server = _Server(_config(create_app(Plane(settings))))
        server.url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        server.run(sockets=[sock])
    return 0 if server.started else FAILED


def credentials(environ: Mapping[str, str]) -> Credentials:
    """The key that callers must sign with: the one of this environment, else ``emulator``."""
    return Credentials(
        environ.get("AWS_ACCESS_KEY_ID") or "emulator",
        environ.get("AWS_SECRET_ACCESS_KEY") or "emulator",
        environ.get("AWS_SESSION_TOKEN") or None,
    )


def _config(app: Starlette) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=3,
    )


class _Server(uvicorn.Server):
    url = ""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            print(f"ready: {self.url}", flush=True)  # noqa: T201
