"""The data plane's web application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from firstword.emulator.agentcore.errors import answer
from firstword.emulator.agentcore.http_door import HttpDoor
from firstword.emulator.agentcore.plane import Plane
from firstword.emulator.agentcore.ws_door import serve_socket
from firstword.emulator.sagemaker.errors import ServiceError


def create_app(plane: Plane) -> Starlette:
    """``/runtimes/{arn}/invocations`` and ``/runtimes/{arn}/ws``; ``/ping`` is the stand-in's."""
    client = httpx.AsyncClient(trust_env=False)
    invoke = HttpDoor(plane, client)

    async def invocations(request: Request) -> Response:
        return await invoke(request)

    async def socket(caller: WebSocket) -> None:
        await serve_socket(plane, caller)

    async def ping(_request: Request) -> Response:
        return JSONResponse({"status": "Healthy"})

    async def unknown(request: Request) -> Response:
        message = f"There is no {request.method} {request.url.path}."
        return answer(ServiceError("UnknownOperationException", 404, message), "emulated")

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with client:
            yield

    return Starlette(
        routes=[
            Route("/ping", ping),
            Route("/runtimes/{arn:path}/invocations", invocations, methods=["POST"]),
            WebSocketRoute("/runtimes/{arn:path}/ws", socket),
            Route("/{path:path}", unknown, methods=["GET", "POST", "PUT", "DELETE"]),
        ],
        lifespan=lifespan,
    )
