"""``firstword serve``: speech server, agent and page, until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import logging
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import uvicorn
from starlette.applications import Starlette

from firstword.console.app import PageSettings, create_app
from firstword.console.child import Part
from firstword.console.models import with_models
from firstword.console.parts import AGENT, TTS, local_parts
from firstword.console.ports import listen
from firstword.console.settings import Settings
from firstword.console.starting import started
from firstword.console.stopping import run_until_signal
from firstword.console.supervisor import Urls
from firstword.console.terminal import Terminal

NAME = "serve"
HELP = "run speech server, agent and page on this machine"

_logger = logging.getLogger(__name__)

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
"""Hosts that mean every address of this machine, and one at which they can be opened."""

MAX_MESSAGE_BYTES = 64 * 1024
"""Largest message that a page may send."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--host", default="127.0.0.1", help="where the page listens")
    for option, default, what in (
        ("--port", 8000, "page"),
        ("--agent-port", 8080, "agent"),
        ("--tts-port", 8081, "speech server"),
    ):
        parser.add_argument(
            option,
            metavar="N",
            type=_port,
            default=default,
            help=f"port of the {what} (default: {default}; 0 picks a free one)",
        )
    parser.add_argument(
        "--wire",
        choices=("websocket", "sagemaker"),
        default="websocket",
        help="how the agent reaches the speech server",
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show what the servers log, as it comes"
    )
    parser.add_argument(
        "--token", metavar="T", help="what a caller must bring; made up beyond loopback"
    )


def check(options: argparse.Namespace) -> str | None:
    """What is wrong with the options together, if anything."""
    if options.wire == "sagemaker":
        return "--wire sagemaker needs the local SageMaker runtime, which is not installed here"
    ports = [options.port, options.agent_port, options.tts_port]
    fixed = [port for port in ports if port]
    return "the three ports must differ" if len(set(fixed)) < len(fixed) else None


def run(options: argparse.Namespace, settings: Settings, terminal: Terminal) -> int:
    """Serve until a signal or a failure; give the exit status."""
    return with_models(
        lambda: run_until_signal(lambda: _serve(options, settings, terminal), on_term=0), terminal
    )


async def _serve(options: argparse.Namespace, settings: Settings, terminal: Terminal) -> int:
    token = options.token
    if token is None and options.host not in LOOPBACK:
        token = secrets.token_urlsafe(24)
    with listen(options.host, options.port, "--port") as sock:
        parts = local_parts(settings, tts_port=options.tts_port, agent_port=options.agent_port)
        if options.verbose:
            parts = tuple(_echoing(part, terminal) for part in parts)

        async def page(urls: Urls) -> None:
            page_settings = PageSettings(
                agent_url=urls[AGENT],
                tts_url=urls[TTS],
                token=token,
                hosts=None if options.host in LOOPBACK else frozenset({"*"}),
            )
            url = _url(options.host, sock, token)
            app = create_app(page_settings)
            server = _Server(_config(app, settings.log_level), lambda: _ready(url, terminal))
            await _until_cancelled(server, sock)

        await started(parts, page, terminal)
    return 1


def _ready(url: str, terminal: Terminal) -> None:
    terminal.line(f"ready: {url}")
    if "token=" in url:
        terminal.say("Keep the token to yourself. Browsers elsewhere need https or a tunnel.")
    terminal.say("Ctrl-C stops all of it.", style="dim")


def _echoing(part: Part, terminal: Terminal) -> Part:
    return replace(part, on_line=lambda line: terminal.say(f"{part.name}: {line}", style="dim"))


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


def _url(host: str, sock: socket.socket, token: str | None) -> str:
    host = EVERYWHERE.get(host, host)
    shown = f"[{host}]" if ":" in host else host
    query = f"/?token={token}" if token else ""
    return f"http://{shown}:{sock.getsockname()[1]}{query}"


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a port number, 0 to 65535, got {text}")
    return int(text)
