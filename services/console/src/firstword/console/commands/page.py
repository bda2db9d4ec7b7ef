"""``firstword page``: the page alone, for an agent and a speech server that run elsewhere."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from firstword.console.app import Access, PageSettings, create_app
from firstword.console.page_server import PageServer
from firstword.console.ports import listen, port_number
from firstword.console.settings import Settings
from firstword.console.stopping import run_until_signal
from firstword.console.terminal import Terminal

NAME = "page"
HELP = "serve the page alone, for an agent that already runs"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--agent", metavar="URL", type=_url, required=True, help="the agent")
    parser.add_argument("--tts", metavar="URL", type=_url, required=True, help="the speech server")
    parser.add_argument("--host", default="127.0.0.1", help="where the page listens")
    parser.add_argument("--port", metavar="N", type=port_number, default=8000, help="and its port")
    entry = parser.add_mutually_exclusive_group()
    entry.add_argument(
        "--token", metavar="T", help="what a caller must bring; made up beyond loopback"
    )
    entry.add_argument(
        "--no-token",
        action="store_true",
        help="want none, and answer only to the names of loopback: in a container whose port is "
        "published on 127.0.0.1",
    )


def check(options: argparse.Namespace) -> str | None:
    """What is wrong with the options together, if anything."""
    return None


def run(options: argparse.Namespace, settings: Settings, terminal: Terminal) -> int:
    """Serve until a signal; give the exit status."""
    return run_until_signal(lambda: _serve(options, settings, terminal), on_term=0)


async def _serve(options: argparse.Namespace, settings: Settings, terminal: Terminal) -> int:
    with _server(options, settings.log_level, terminal) as server:
        await server.serve(create_app(PageSettings(options.agent, options.tts, server.access)))
    return 1


@contextmanager
def _server(
    options: argparse.Namespace, log_level: str, terminal: Terminal
) -> Iterator[PageServer]:
    if not options.no_token:
        with PageServer.bound(
            options.host, options.port, options.token, log_level, terminal
        ) as server:
            yield server
        return
    with listen(options.host, options.port, "--port") as sock:
        yield PageServer(sock, options.host, Access(), log_level, terminal)


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise argparse.ArgumentTypeError(f"must be http://HOST:PORT, got {text}")
    return text.rstrip("/")
