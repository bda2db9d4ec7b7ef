"""The page of a deployed agent: served from here, connected to AgentCore by itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from firstword.console.agentcore.door import RuntimeDoor
from firstword.console.app import Access, page_app
from firstword.console.parts import TTS_PROGRAM

_VOICES_S = 20.0

type Voices = Sequence[Mapping[str, Any]]


def create_app(door: RuntimeDoor, voices: Voices, access: Access) -> Starlette:
    """The page, ``/api/connection`` and ``/api/voices``; nothing of it leads to the agent."""

    async def connection(request: Request) -> Response:
        return await door.address(request)

    async def offer(_request: Request) -> Response:
        return JSONResponse({"voices": list(voices)})

    routes: list[BaseRoute] = [
        Route("/api/connection", connection, methods=["POST"]),
        Route("/api/voices", offer),
    ]
    return page_app(routes, access, connect=(door.origin,))


async def known_voices() -> Voices:
    """The voices of the speech server's own catalogue: a runtime has no way to be asked for its.

    None where the catalogue cannot be had; the page then offers the one voice it knows.
    """
    process = await asyncio.create_subprocess_exec(
        *TTS_PROGRAM,
        *("voices", "--json"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(_VOICES_S):
            printed, _ = await process.communicate()
        voices: Voices = json.loads(printed)["voices"]
    except (TimeoutError, ValueError, KeyError, TypeError):
        return []
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return voices
