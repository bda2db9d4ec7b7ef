"""Keeps foreign web pages away from a server on this machine.

A browser lets any page send requests to loopback, and a name that its owner points at 127.0.0.1
(DNS rebinding) makes them same-origin. So each HTTP request and each WebSocket must name a host
of ours in ``Host``, must not come from another origin's page, and must bring the token where one
is set. Pure ASGI; lifespan passes through.
"""

from __future__ import annotations

import hmac
import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

from firstword.protocol.authority import (
    DEFAULT_PORTS,
    Authority,
    host_name,
    listed_origin,
    parse_authority,
    parse_origin,
)

type Message = MutableMapping[str, Any]
type Scope = MutableMapping[str, Any]
type Receive = Callable[[], Awaitable[Message]]
type Send = Callable[[Message], Awaitable[None]]
type App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
ANY_HOST = "*"
TOKEN_COOKIE = "firstword_token"  # noqa: S105
OPEN_PATH = "/ping"

_logger = logging.getLogger(__name__)
_TOKEN = re.compile(r"[A-Za-z0-9._~-]+")
_POLICY_VIOLATION = 1008


@dataclass(frozen=True, slots=True)
class _Refusal:
    code: str
    message: str


_BAD_HOST = _Refusal("forbidden_host", "The Host header must name this server, once.")
_BAD_ORIGIN = _Refusal("forbidden_origin", "Pages of other origins may not use this server.")
_NO_TOKEN = _Refusal("token_required", "Open the address with ?token= that the server printed.")


class LoopbackGuard:
    """ASGI middleware that answers 403, or refuses the WebSocket, unless the caller is ours.

    ``hosts``: names (without port) that Host may have; None means localhost, 127.0.0.1 and [::1];
    ``"*"`` among them means any, and needs a token. ``origins``: further pages that may call, as
    ``http://127.0.0.1:8000``; same-origin pages always may. ``token``: wanted as
    ``Authorization: Bearer``, as ``?token=`` or as the cookie ``firstword_token``, which an HTTP
    response to the second sets, so that a page works on from there. ``GET /ping`` needs none.

    Raises ValueError for settings that would guard nothing.
    """

    def __init__(
        self,
        app: App,
        *,
        hosts: frozenset[str] | None = None,
        origins: frozenset[str] | None = None,
        token: str | None = None,
    ) -> None:
        if token is not None and not _TOKEN.fullmatch(token):
            raise ValueError("a token must be letters, digits, '.', '_', '~' and '-', at least one")
        names = LOOPBACK_HOSTS if hosts is None else hosts
        if ANY_HOST in names and token is None:
            raise ValueError("a server that answers to any host name needs a token")
        self._app = app
        self._any_host = ANY_HOST in names
        self._hosts = frozenset(host_name(name) for name in names - {ANY_HOST})
        self._origins = frozenset(listed_origin(origin) for origin in origins or ())
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        caller = _Caller.of(scope)
        refusal = self._refusal(scope, caller)
        if refusal is not None:
            _logger.warning("code=<%s>, kind=<%s> | refused a caller", refusal.code, scope["type"])
            await _refuse(scope, receive, send, refusal)
        elif scope["type"] == "http" and self._matches(caller.query_tokens):
            await self._app(scope, receive, self._with_cookie(scope, send))
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope, caller: _Caller) -> _Refusal | None:
        host = _single_authority(caller.hosts)
        if host is None or not (self._any_host or host.name in self._hosts):
            return _BAD_HOST
        if not self._same_site(scope, caller, host):
            return _BAD_ORIGIN
        if self._token is None or _is_ping(scope) or self._matches(caller.tokens()):
            return None
        return _NO_TOKEN

    def _same_site(self, scope: Scope, caller: _Caller, host: Authority) -> bool:
        if not caller.origins:
            return not caller.is_foreign_subresource()
        if len(caller.origins) > 1:
            return False
        origin = parse_origin(caller.origins[0])
        if origin is None:
            return False
        secure = scope.get("scheme") in ("https", "wss")
        same = (origin.name, origin.port) == (host.name, host.port or DEFAULT_PORTS[origin.scheme])
        return (same and (origin.scheme == "https" or not secure)) or origin in self._origins

    def _matches(self, tokens: Iterable[str]) -> bool:
        wanted = (self._token or "").encode()
        return self._token is not None and any(
            hmac.compare_digest(token.encode("utf-8", "replace"), wanted) for token in tokens
        )

    def _with_cookie(self, scope: Scope, send: Send) -> Send:
        secure = "; Secure" if scope.get("scheme") == "https" else ""
        cookie = f"{TOKEN_COOKIE}={self._token}; Path=/; HttpOnly; SameSite=Strict{secure}"

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), (b"set-cookie", cookie.encode())]
                message = {**message, "headers": headers}
            await send(message)

        return send_with_cookie


@dataclass(frozen=True, slots=True)
class _Caller:
    """What a request says of where it comes from; every value of a header that came twice."""

    headers: dict[str, list[str]]
    query_tokens: list[str]

    @classmethod
    def of(cls, scope: Scope) -> _Caller:
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        return cls(headers, query.get("token", []))

    @property
    def hosts(self) -> list[str]:
        return self.headers.get("host", [])

    @property
    def origins(self) -> list[str]:
        return self.headers.get("origin", [])

    def is_foreign_subresource(self) -> bool:
        """Whether a browser says that another site's page fetches this (W3C Fetch Metadata).

        A link that a person follows is allowed; a script, an image or a frame is not.
        """
        site = self.headers.get("sec-fetch-site", ["none"])
        if all(value in ("none", "same-origin") for value in site):
            return False
        mode, dest = self.headers.get("sec-fetch-mode"), self.headers.get("sec-fetch-dest")
        return (mode, dest) != (["navigate"], ["document"])

    def tokens(self) -> list[str]:
        found = list(self.query_tokens)
        for value in self.headers.get("authorization", []):
            scheme, _, credentials = value.partition(" ")
            if scheme.lower() == "bearer":
                found.append(credentials.strip())
        for value in self.headers.get("cookie", []):
            for pair in value.split(";"):
                name, _, content = pair.strip().partition("=")
                if name == TOKEN_COOKIE:
                    found.append(content)
        return found


def _is_ping(scope: Scope) -> bool:
    return (
        scope["type"] == "http" and scope.get("method") == "GET" and scope.get("path") == OPEN_PATH
    )


def _single_authority(values: list[str]) -> Authority | None:
    return parse_authority(values[0]) if len(values) == 1 else None


async def _refuse(scope: Scope, receive: Receive, send: Send, refusal: _Refusal) -> None:
    if scope["type"] == "websocket":
        await receive()  # The connect event; a close before accept becomes a plain 403.
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION, "reason": refusal.code})
        return
    error = {"code": refusal.code, "message": refusal.message, "request_id": None}
    body = json.dumps({"error": error}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
