"""What the browser may do with the page, said on every response."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


def content_security_policy(connect: Sequence[str] = ()) -> str:
    """Nothing but the page's own files and server; no inline script or style, no frames.

    ``connect``: further origins that the page may open connections to.
    """
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self'",
            " ".join(("connect-src 'self'", *connect)),
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


class SecurityHeaders:
    """ASGI middleware that adds HEADERS and the policy to each HTTP response."""

    def __init__(self, app: ASGIApp, connect: Sequence[str] = ()) -> None:
        self._app = app
        self._headers = {"content-security-policy": content_security_policy(connect), **HEADERS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        await self._app(scope, receive, send_with_headers)
