"""The console's web server: the page, and the two doors through which it reaches the parts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import Lifespan

from firstword.console.assets import load_assets
from firstword.console.headers import SecurityHeaders
from firstword.console.http_proxy import HttpProxy
from firstword.console.socket_proxy import SocketProxy
from firstword.protocol import LoopbackGuard


@dataclass(frozen=True, slots=True)
class Access:
    """Who may use the page: ``hosts`` and ``token`` are LoopbackGuard's.

    None and None admit loopback names only.
    """

    token: str | None = None
    hosts: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class PageSettings:
    """Where the parts are, and who may use the page."""

    agent_url: str
    tts_url: str
    access: Access = Access()


def create_app(settings: PageSettings) -> Starlette:
    """The page, ``/api/connection``, and the doors ``/api/voices``, ``/invocations``, ``/ws``.

    Raises ValueError when ``settings`` would leave the page open to foreign pages.
    """
    proxy = HttpProxy(httpx.AsyncClient(trust_env=False))

    async def connection(_request: Request) -> Response:
        return JSONResponse({"url": "/ws"})

    async def voices(_request: Request) -> Response:
        return await proxy.get(f"{settings.tts_url}/v1/audio/voices")

    async def invocations(request: Request) -> Response:
        return await proxy.stream(request, f"{settings.agent_url}/invocations")

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with proxy:
            yield

    routes: list[BaseRoute] = [
        Route("/api/connection", connection, methods=["POST"]),
        Route("/api/voices", voices),
        Route("/invocations", invocations, methods=["POST"]),
        WebSocketRoute("/ws", SocketProxy(settings.agent_url)),
    ]
    return page_app(routes, settings.access, lifespan=lifespan)


def page_app(
    routes: Sequence[BaseRoute],
    access: Access,
    *,
    connect: Sequence[str] = (),
    lifespan: Lifespan[Starlette] | None = None,
) -> Starlette:
    """The page and ``/ping`` with what a kind of agent adds; ``connect`` as in the policy."""
    assets = load_assets()

    async def asset(request: Request) -> Response:
        return assets[request.url.path].response(request.headers.get("if-none-match"))

    async def ping(_request: Request) -> Response:
        return JSONResponse({"status": "Healthy"})

    return Starlette(
        routes=[*(Route(path, asset) for path in assets), Route("/ping", ping), *routes],
        middleware=[
            Middleware(SecurityHeaders, connect=connect),
            Middleware(LoopbackGuard, hosts=access.hosts, token=access.token),
        ],
        lifespan=lifespan,
    )
