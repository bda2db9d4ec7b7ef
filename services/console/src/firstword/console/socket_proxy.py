"""The page's WebSocket, joined to one to the agent: every message in both directions, in order.

No queue of its own: a message is taken from one side only after the other side took the last one,
so what waits is bounded by the two sockets' buffers, and a slow page slows the agent.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging

from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

MAX_MESSAGE_BYTES = 1 << 20
"""Largest message that is taken from the agent."""

_OPEN_S = 5.0
_SEND_S = 30.0
"""How long a side may refuse to take a message before it counts as gone."""
_CLOSE_S = 2.0

_NO_STATUS, _ABNORMAL, _NO_TLS, _GOING_AWAY = 1005, 1006, 1015, 1001

_logger = logging.getLogger(__name__)


class SocketProxy:
    """ASGI endpoint: one agent connection for each page connection.

    A page is accepted once the agent has accepted: one that is refused knows to try later.
    """

    def __init__(self, agent_url: str) -> None:
        self._url = agent_url.replace("http", "ws", 1) + "/ws"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        page = WebSocket(scope, receive, send)
        try:
            agent = await connect(
                self._url,
                proxy=None,
                compression=None,
                open_timeout=_OPEN_S,
                close_timeout=_CLOSE_S,
                max_size=MAX_MESSAGE_BYTES,
            )
        except (OSError, TimeoutError, InvalidHandshake) as error:
            _logger.warning("error=<%s> | the agent cannot be reached", type(error).__name__)
            await page.close()
            return
        await page.accept()
        await _join(page, agent)


async def _join(page: WebSocket, agent: ClientConnection) -> None:
    """Pass messages until either side ends, then end the other with the same code."""
    directions = (
        asyncio.create_task(_to_agent(page, agent)),
        asyncio.create_task(_to_page(agent, page)),
    )
    try:
        await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in directions:
            task.cancel()
        ends = await asyncio.gather(*directions, return_exceptions=True)
        code, reason = next((end for end in ends if isinstance(end, tuple)), (_GOING_AWAY, ""))
        try:
            await agent.close(code, reason)
        finally:
            agent.transport.abort()
        await _close_page(page, code, reason)
    for end in ends:
        if isinstance(end, Exception):
            raise end


async def _to_agent(page: WebSocket, agent: ClientConnection) -> tuple[int, str]:
    try:
        while True:
            message = await page.receive()
            if message["type"] == "websocket.disconnect":
                return _sendable(message.get("code")), message.get("reason") or ""
            payload = message.get("text")
            async with asyncio.timeout(_SEND_S):
                await agent.send(message["bytes"] if payload is None else payload)
    except (ConnectionClosed, TimeoutError):
        return _end_of(agent)


async def _to_page(agent: ClientConnection, page: WebSocket) -> tuple[int, str]:
    try:
        while True:
            payload = await agent.recv()
            async with asyncio.timeout(_SEND_S):
                if isinstance(payload, str):
                    await page.send_text(payload)
                else:
                    await page.send_bytes(payload)
    except ConnectionClosed:
        return _end_of(agent)
    except (WebSocketDisconnect, TimeoutError):
        return _GOING_AWAY, ""


def _end_of(agent: ClientConnection) -> tuple[int, str]:
    return _sendable(agent.close_code), agent.close_reason or ""


def _sendable(code: int | None) -> int:
    """A code that may stand in a Close frame (RFC 6455, section 7.4)."""
    if code is None or code in (_NO_STATUS, _ABNORMAL, _NO_TLS):
        return _GOING_AWAY
    return code


async def _close_page(page: WebSocket, code: int, reason: str) -> None:
    if page.client_state is WebSocketState.DISCONNECTED:
        return
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        await page.close(code, reason)
