"""The agent's web application: ``/invocations``, ``/ws`` and ``/ping`` of AgentCore's contract."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any

from bedrock_agentcore.runtime import BedrockAgentCoreApp
from bedrock_agentcore.runtime.context import RequestContext
from bedrock_agentcore.runtime.models import PingStatus
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.websockets import WebSocket
from strands.models.model import Model

from firstword.agent.activity import Activity, ActivityMeter
from firstword.agent.conversations import Conversations
from firstword.agent.errors import AgentError, ModelError, RefusedError
from firstword.agent.gate import BodyGate
from firstword.agent.metrics import CONTENT_TYPE
from firstword.agent.models import open_model
from firstword.agent.quiet_spans import quieten_strands
from firstword.agent.record import Recorder
from firstword.agent.requests import Caller, read_prompt, refusal, request_id_of
from firstword.agent.settings import Settings
from firstword.agent.thinker import Thinker
from firstword.agent.transport_sse import TurnResponse
from firstword.agent.transport_ws import TurnSocket
from firstword.agent.turn import Turn
from firstword.agent.voice import Voice
from firstword.agent.voice_choice import Speakers
from firstword.protocol import LoopbackGuard
from firstword.telemetry import Telemetry

logger = logging.getLogger(__name__)

WARM_UP_PROMPT = "Hello."
WARM_UP_S = 120.0


def create_app(
    settings: Settings,
    *,
    model: Model | None = None,
    speak: Callable[[], Voice] | None = None,
    telemetry: Telemetry | None = None,
) -> BedrockAgentCoreApp:
    """The application, not yet started. Its model is loaded, and warmed up, when it starts.

    ``model`` and ``speak`` (a new Voice for a conversation) replace what the settings name.
    While it runs, ``app.state.conversations`` holds the conversations.
    """
    # The library would install a handler of its own, with times that Python 3.12 warns about.
    logging.getLogger("bedrock_agentcore.app").addHandler(logging.NullHandler())
    activity = Activity()
    recorder = Recorder(telemetry=telemetry)
    app = BedrockAgentCoreApp(
        lifespan=lambda app: _lifespan(app, settings, recorder, model, speak),
        middleware=_middleware(settings, activity),
    )

    async def invoke(payload: Any, context: RequestContext) -> Response:
        # AgentCore's library runs this on another thread and loop: it must only look.
        caller = _caller(context)
        try:
            prompt = read_prompt(payload, settings.turn, caller)
        except RefusedError as error:
            recorder.error(error.code)
            return refusal(error, 400, request_id_of(payload))
        except Exception:
            # The library would answer with the text of the exception.
            logger.exception("request was not understood")
            return refusal(AgentError("internal", "The agent failed."), 500)

        def begin() -> Turn:
            record = recorder.begin(prompt, caller.traceparent)
            return Turn(prompt, app.state.conversations, settings, record)

        return TurnResponse(begin, settings.server)

    async def converse(socket: WebSocket, context: RequestContext) -> None:
        conversations = app.state.conversations
        await TurnSocket(socket, _caller(context), conversations, settings, recorder).serve()

    def status() -> PingStatus:
        return PingStatus.HEALTHY_BUSY if activity.busy else PingStatus.HEALTHY

    async def metrics(request: Request) -> Response:
        return Response(recorder.metrics.text(), headers={"content-type": CONTENT_TYPE})

    app.router.routes.append(Route("/metrics", metrics))
    app.entrypoint(invoke)
    app.websocket(converse)
    app.ping(status)
    # The library dates a status from when it first sees it, so it has to look at each change.
    activity.changed = app.get_current_ping_status
    return app


def _caller(context: RequestContext) -> Caller:
    return Caller() if context.request is None else Caller.of(context.request.headers)


def _middleware(settings: Settings, activity: Activity) -> list[Middleware]:
    guard = [Middleware(LoopbackGuard)] if settings.server.loopback else []
    return [
        *guard,
        Middleware(ActivityMeter, activity=activity),
        Middleware(BodyGate, max_bytes=settings.server.max_body_bytes),
    ]


@asynccontextmanager
async def _lifespan(
    app: BedrockAgentCoreApp,
    settings: Settings,
    recorder: Recorder,
    model: Model | None,
    speak: Callable[[], Voice] | None,
) -> AsyncIterator[None]:
    quieten_strands()
    opened: AbstractAsyncContextManager[Model] = (
        open_model(settings.model) if model is None else nullcontext(model)
    )
    async with _told(opened) as thinking:
        if settings.model.llm == "local" and model is None:
            await _warm_up(Thinker(thinking, settings.model))
        speakers = Speakers(settings.voice)
        conversations = Conversations(
            settings.conversations,
            think=lambda: Thinker(thinking, settings.model),
            speak=speak or speakers.voice,
            voice_idle_s=settings.voice.idle_s,
            speak_batch=speakers.batch_voice,
            wire=speakers.wire,
        )
        app.state.conversations = conversations
        recorder.metrics.watch(
            turns=lambda: conversations.active, conversations=lambda: len(conversations)
        )
        reporting = asyncio.create_task(recorder.keep_reporting(), name="report gauges")
        tidying = asyncio.create_task(conversations.keep_tidy(), name="tidy conversations")
        probing = asyncio.create_task(speakers.probe(), name="probe the speech wire")
        try:
            yield
        finally:
            tidying.cancel()
            probing.cancel()
            await asyncio.wait({probing})
            reporting.cancel()
            await conversations.close()
            speakers.close()


@asynccontextmanager
async def _told[T](opened: AbstractAsyncContextManager[T]) -> AsyncIterator[T]:
    """The same, with a line in the log that says what is missing when it does not open."""
    try:
        async with opened as value:
            yield value
    except ModelError as error:
        logger.error("code=<%s> | %s", error.code, error.message)
        raise


async def _warm_up(thinker: Thinker) -> None:
    """A first answer: later ones then find the weights, the imports and the prompt in memory."""
    async with asyncio.timeout(WARM_UP_S):
        await thinker.think(thinker.begin(WARM_UP_PROMPT), lambda text: None)
