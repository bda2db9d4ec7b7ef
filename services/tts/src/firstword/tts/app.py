"""The speech server put together: ``create_app`` for whoever has a server, ``run`` for the rest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route, WebSocketRoute

from firstword.protocol import LOOPBACK_HOSTS, LoopbackGuard
from firstword.telemetry import Telemetry, configure, open_telemetry
from firstword.tts.engines.choice import FORWARD_WORKERS, torch_runs
from firstword.tts.http_door import HttpDoor
from firstword.tts.metrics import Metrics
from firstword.tts.openai_door import OpenAiDoor
from firstword.tts.parts import Parts, load
from firstword.tts.policy import POLICIES
from firstword.tts.record import Recorder
from firstword.tts.scheduler import Scheduler
from firstword.tts.service import Service
from firstword.tts.settings import Settings
from firstword.tts.ws_door import WsDoor

STOP_S = 1.0
"""Seconds that the model may take to end its step when the server stops."""

type Build = Callable[[Settings], Parts]
"""Loads what speaks; runs in a thread, may take a minute."""


def create_app(
    settings: Settings, build: Build = load, telemetry: Telemetry | None = None
) -> Starlette:
    """The server's application. Its ``state.service`` is the ``Service``.

    It answers from the start; ``/ping`` is 200 once ``build`` is done.
    """
    service = create_service(settings, telemetry)
    http, openai, ws = HttpDoor(service), OpenAiDoor(service), WsDoor(service)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service.scheduler.start(asyncio.get_running_loop().call_soon_threadsafe)
        loading = asyncio.create_task(service.load(lambda: build(settings)))
        reporting = asyncio.create_task(service.recorder.keep_reporting())
        try:
            yield
        finally:
            loading.cancel()
            reporting.cancel()
            service.drain()
            await asyncio.to_thread(service.scheduler.stop, STOP_S)

    app = Starlette(
        lifespan=lifespan,
        middleware=_guard(settings),
        routes=[
            Route("/ping", http.ping),
            Route("/metrics", http.metrics),
            Route("/invocations", http.invocations, methods=["POST"]),
            WebSocketRoute("/invocations-bidirectional-stream", ws.bidirectional),
            Route("/v1/audio/speech", openai.speech, methods=["POST"]),
            Route("/v1/audio/voices", openai.voices),
            Route("/v1/audio/models", openai.audio_models),
            Route("/v1/models", openai.models),
            Route("/v1/models/{model:path}", openai.model),
        ],
    )
    app.state.service = service
    return app


def _guard(settings: Settings) -> list[Middleware]:
    """On a person's machine, pages of other sites must not be able to use the server."""
    if not settings.loopback:
        return []
    return [Middleware(LoopbackGuard, hosts=LOOPBACK_HOSTS | {settings.host.strip("[]")})]


def create_service(settings: Settings, telemetry: Telemetry | None = None) -> Service:
    """The server's state before anything is loaded."""
    scheduler = Scheduler(
        policy=POLICIES[settings.policy],
        workers=max(settings.workers, FORWARD_WORKERS if torch_runs(settings.engine) else 1),
        max_jobs=settings.limits.jobs,
        max_wait_s=settings.limits.wait_s,
    )
    return Service(settings, scheduler, Recorder(Metrics(), telemetry, scheduler.clock))


def run(settings: Settings, build: Build = load) -> int:
    """Serve until a signal; gives the exit status.

    SIGTERM lets what is being spoken end (``drain_s`` at most): 0. SIGINT ends at once: 130. So
    does a second signal. 1 when the model cannot be loaded or the port not be had.
    """
    from firstword.tts.server import serve

    configure(settings.log_level, settings.telemetry.log_format)
    with open_telemetry(settings.telemetry, "firstword-tts") as telemetry:
        return serve(create_app(settings, build, telemetry), settings)
