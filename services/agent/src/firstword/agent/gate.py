"""Lets only small JSON bodies through to ``POST /invocations``, with errors of our own wording."""

from __future__ import annotations

import json

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firstword.agent.errors import RefusedError
from firstword.agent.requests import refusal


class BodyGate:
    """ASGI middleware. Reads a request's body, up to ``max_bytes``, and hands it on whole."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body = await self._read(receive)
        if body is None:
            message = f"A request may have {self._max_bytes} bytes."
            await refusal(RefusedError("too_large", message), 413)(scope, receive, send)
        elif not _is_json(body):
            message = "The request must be JSON in UTF-8."
            await refusal(RefusedError("invalid_json", message), 400)(scope, receive, send)
        else:
            await self._app(scope, _Replay(body, receive), send)

    async def _read(self, receive: Receive) -> bytes | None:
        body = bytearray()
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return bytes(body)
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._max_bytes:
                return None
        return bytes(body)


class _Replay:
    """Gives the body once, then whatever the client still does."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return True
