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
from starlette.responses import Response
from starlette.websockets import WebSocket
from strands.models.model import Model

from firstword.agent.conversations import Conversations
from firstword.agent.errors import AgentError, ModelError, RefusedError
from firstword.agent.gate import BodyGate
from firstword.agent.models import open_model
from firstword.agent.requests import read_prompt, refusal, request_id_of
from firstword.agent.settings import Settings
from firstword.agent.thinker import Thinker
from firstword.agent.transport_sse import TurnResponse
from firstword.agent.transport_ws import TurnSocket
from firstword.agent.turn import Turn
from firstword.agent.voice import Voice
from firstword.agent.voice_websocket import websocket_voice
from firstword.protocol import LoopbackGuard

logger = logging.getLogger(__name__)

WARM_UP_PROMPT = "Hello."
WARM_UP_S = 120.0


def create_app(
    settings: Settings,
    *,
    model: Model | None = None,
    speak: Callable[[], Voice] | None = None,
) -> BedrockAgentCoreApp:
    """The application, not yet started. Its model is loaded, and warmed up, when it starts.

    ``model`` and ``speak`` (a new Voice for a conversation) replace what the settings name.
    While it runs, ``app.state.conversations`` holds the conversations.
    """
    # The library would install a handler of its own, with times that Python 3.12 warns about.
    logging.getLogger("bedrock_agentcore.app").addHandler(logging.NullHandler())
    app = BedrockAgentCoreApp(
        lifespan=lambda app: _lifespan(app, settings, model, speak),
        middleware=_middleware(settings),
    )

    async def invoke(payload: Any, context: RequestContext) -> Response:
        # AgentCore's library runs this on another thread and loop: it must only look.
        try:
            prompt = read_prompt(payload, settings.turn, context.session_id)
        except RefusedError as error:
            return refusal(error, 400, request_id_of(payload))
        except Exception:
            # The library would answer with the text of the exception.
            logger.exception("request was not understood")
            return refusal(AgentError("internal", "The agent failed."), 500)
        return TurnResponse(
            lambda: Turn(prompt, app.state.conversations, settings), settings.server
        )

    async def converse(socket: WebSocket, context: RequestContext) -> None:
        await TurnSocket(socket, context.session_id, app.state.conversations, settings).serve()

    def status() -> PingStatus:
        busy = app.state.conversations.active > 0
        return PingStatus.HEALTHY_BUSY if busy else PingStatus.HEALTHY

    app.entrypoint(invoke)
    app.websocket(converse)
    app.ping(status)
    return app


def _middleware(settings: Settings) -> list[Middleware]:
    gate = Middleware(BodyGate, max_bytes=settings.server.max_body_bytes)
    return [Middleware(LoopbackGuard), gate] if settings.server.loopback else [gate]


@asynccontextmanager
async def _lifespan(
    app: BedrockAgentCoreApp,
    settings: Settings,
    model: Model | None,
    speak: Callable[[], Voice] | None,
) -> AsyncIterator[None]:
    opened: AbstractAsyncContextManager[Model] = (
        open_model(settings.model) if model is None else nullcontext(model)
    )
    async with _told(opened) as thinking:
        if settings.model.llm == "local" and model is None:
            await _warm_up(Thinker(thinking, settings.model))
        conversations = Conversations(
            settings.conversations,
            think=lambda: Thinker(thinking, settings.model),
            speak=speak or (lambda: websocket_voice(settings.voice)),
            voice_idle_s=settings.voice.idle_s,
        )
        app.state.conversations = conversations
        tidying = asyncio.create_task(conversations.keep_tidy(), name="tidy conversations")
        try:
            yield
        finally:
            tidying.cancel()
            await conversations.close()


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
