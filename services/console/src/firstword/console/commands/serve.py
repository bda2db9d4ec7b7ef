"""``firstword serve``: speech server, agent and page, until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace

from starlette.applications import Starlette

from firstword.console.agentcore.options import add_runtime, runtime_complaint
from firstword.console.agentcore.runtime import Runtime
from firstword.console.app import Access, PageSettings, create_app
from firstword.console.child import Part
from firstword.console.models import with_models
from firstword.console.page_server import PageServer
from firstword.console.parts import AGENT, TTS, local_parts
from firstword.console.ports import port_number
from firstword.console.settings import Settings
from firstword.console.starting import started
from firstword.console.stopping import run_until_signal
from firstword.console.supervisor import Urls
from firstword.console.terminal import Terminal
from firstword.console.wire import SageMakerWire, add_wire, chosen_wire, wire_complaint

NAME = "serve"
HELP = "run speech server, agent and page on this machine"


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
            type=port_number,
            default=default,
            help=f"port of the {what} (default: {default}; 0 picks a free one)",
        )
    add_wire(parser)
    add_runtime(parser, "serve only the page, which talks to the deployed agent of that name")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show what the servers log, as it comes"
    )
    parser.add_argument(
        "--token", metavar="T", help="what a caller must bring; made up beyond loopback"
    )


def check(options: argparse.Namespace) -> str | None:
    """What is wrong with the options together, if anything."""
    if (complaint := runtime_complaint(options) or wire_complaint(options)) is not None:
        return complaint
    ports = [options.port, options.agent_port, options.tts_port]
    fixed = [port for port in ports if port]
    return "the three ports must differ" if len(set(fixed)) < len(fixed) else None


def run(options: argparse.Namespace, settings: Settings, terminal: Terminal) -> int:
    """Serve until a signal or a failure; give the exit status."""
    return with_models(
        lambda: run_until_signal(lambda: _serve(options, settings, terminal), on_term=0), terminal
    )


async def _serve(options: argparse.Namespace, settings: Settings, terminal: Terminal) -> int:
    with PageServer.bound(
        options.host, options.port, options.token, settings.log_level, terminal
    ) as server:
        if options.runtime_arn is not None:
            await server.serve(await _runtime_app(options, settings, server.access, terminal))
            return 1
        with chosen_wire(options.wire, settings) as wire:
            await _serve_parts(options, settings, terminal, server, wire)
    return 1


async def _serve_parts(
    options: argparse.Namespace,
    settings: Settings,
    terminal: Terminal,
    server: PageServer,
    wire: SageMakerWire | None,
) -> None:
    parts = local_parts(
        settings, tts_port=options.tts_port, agent_port=options.agent_port, wire=wire
    )
    if options.verbose:
        parts = tuple(_echoing(part, terminal) for part in parts)

    async def page(urls: Urls) -> None:
        await server.serve(create_app(PageSettings(urls[AGENT], urls[TTS], server.access)))

    await started(parts, page, terminal)


async def _runtime_app(
    options: argparse.Namespace, settings: Settings, access: Access, terminal: Terminal
) -> Starlette:
    """The page alone, for a deployed agent."""
    # AWS's client is slow to import.
    from firstword.console.agentcore import page
    from firstword.console.agentcore.door import RuntimeDoor

    runtime = Runtime.parse(options.runtime_arn, options.region, settings.agentcore_endpoint)
    door = await asyncio.to_thread(RuntimeDoor, runtime)
    terminal.say(f"the page connects to {door.origin}", style="dim")
    return page.create_app(door, await page.known_voices(), access)


def _echoing(part: Part, terminal: Terminal) -> Part:
    return replace(part, on_line=lambda line: terminal.say(f"{part.name}: {line}", style="dim"))
