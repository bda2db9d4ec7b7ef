"""``POST /api/connection``: where the page finds its agent's socket."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from botocore.credentials import ReadOnlyCredentials  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidHandshake, InvalidStatus

from firstword.console.agentcore.failure import (
    INVOKE_SOCKET,
    failure_of,
    no_credentials,
    refusal,
    unreachable,
)
from firstword.console.agentcore.runtime import SESSION_ID, Runtime, RuntimeFailure
from firstword.console.agentcore.signing import LASTS_S, presigned_url, socket_address

_CREDENTIALS_S = 20.0
_PROBE_S = 20.0
_MAX_BODY_BYTES = 4096
_NO_STORE = {"cache-control": "no-store"}


class RuntimeDoor:
    """Signs an address for each connection. It is a key to the runtime: never logged or kept.

    A browser does not learn why a socket was refused. A page that says ``refused`` has the door
    knock by itself, and hears the reason in words.
    """

    def __init__(self, runtime: Runtime) -> None:
        """Raises RuntimeFailure where this machine's AWS settings or credentials are of no use."""
        self._runtime = runtime
        try:
            self._session = runtime.session()
            endpoint = runtime.client(self._session).meta.endpoint_url
            self._credentials()
        except BotoCoreError as error:
            raise (failure_of(error, runtime) or no_credentials()) from error
        self.endpoint: str = endpoint.rstrip("/")

    @property
    def origin(self) -> str:
        """What the page must be allowed to connect to."""
        return socket_address(self.endpoint)

    async def address(self, request: Request) -> Response:
        """The answer to a page that wants to connect: a URL, or an error in words."""
        wish = await _wish(request)
        session_id = wish.get("session_id")
        if not isinstance(session_id, str) or SESSION_ID.fullmatch(session_id) is None:
            message = "session_id must have 33 to 256 letters, digits, - or _"
            return _told(RuntimeFailure("invalid_session", message), 400)
        try:
            url = await self._signed(session_id)
            if wish.get("refused") is True:
                await self._knock(url)
        except RuntimeFailure as failure:
            return _told(failure, 502)
        return JSONResponse({"url": url, "expires_s": LASTS_S}, headers=_NO_STORE)

    async def _signed(self, session_id: str) -> str:
        try:
            # Credentials may have to be fetched or renewed, over the network.
            async with asyncio.timeout(_CREDENTIALS_S):
                return await asyncio.to_thread(self._sign, session_id)
        except TimeoutError:
            message = f"AWS credentials could not be had in {_CREDENTIALS_S:.0f} s"
            raise RuntimeFailure("no_credentials", message, passing=True) from None

    def _sign(self, session_id: str) -> str:
        return presigned_url(self._runtime, self.endpoint, session_id, self._credentials())

    def _credentials(self) -> ReadOnlyCredentials:
        try:
            found = self._session.get_credentials()
            if found is None:
                raise no_credentials()
            return found.get_frozen_credentials()
        except (BotoCoreError, ClientError) as error:
            raise (failure_of(error, self._runtime) or no_credentials()) from error

    async def _knock(self, url: str) -> None:
        try:
            async with asyncio.timeout(_PROBE_S), connect(url, open_timeout=None):
                """It is open: what was wrong has passed."""
        except InvalidStatus as error:
            raise self._reason(error) from None
        except (OSError, TimeoutError, InvalidHandshake):
            raise unreachable(self._runtime) from None

    def _reason(self, error: InvalidStatus) -> RuntimeFailure:
        name = error.response.headers.get("x-amzn-errortype", "").partition(":")[0]
        try:
            said = str(json.loads(error.response.body or b"{}").get("message", ""))
        except (ValueError, AttributeError):
            said = ""
        status = error.response.status_code
        if not name:
            name = {403: "AccessDeniedException", 404: "ResourceNotFoundException"}.get(
                status, f"HTTP {status}"
            )
        return refusal(name, said, self._runtime, INVOKE_SOCKET)


async def _wish(request: Request) -> dict[str, Any]:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > _MAX_BODY_BYTES:
            return {}
    try:
        wish = json.loads(body)
    except ValueError:
        return {}
    return wish if isinstance(wish, dict) else {}


def _told(failure: RuntimeFailure, status: int) -> Response:
    error = {"code": failure.code, "message": failure.message, "passing": failure.passing}
    return JSONResponse({"error": error}, status, headers=_NO_STORE)
