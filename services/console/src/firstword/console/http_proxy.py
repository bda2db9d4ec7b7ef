"""The page's HTTP requests, passed on to the parts behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self

import httpx
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

MAX_BODY_BYTES = 64 * 1024

_CONNECT_S = 5.0
_ANSWER_S = 10.0
_SILENCE_S = 120.0
"""How long a stream may be silent before it is given up."""


class HttpProxy:
    """Forwards to fixed addresses only. Nothing but body and content type crosses."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.__aexit__(kind, error, trace)

    async def get(self, url: str) -> Response:
        """The answer to a GET, whole."""
        try:
            answer = await self._client.get(url, timeout=_ANSWER_S)
        except httpx.HTTPError:
            return _unreachable()
        return Response(
            answer.content, answer.status_code, media_type=answer.headers.get("content-type")
        )

    async def stream(self, request: Request, url: str) -> Response:
        """The answer to the same POST, as it comes. A caller that leaves ends it there too."""
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return _error(415, "unsupported_media_type", "the body must be application/json")
        body = await _bounded_body(request)
        if body is None:
            return _error(413, "too_large", f"the body may have {MAX_BODY_BYTES} bytes at most")
        outgoing = self._client.build_request(
            "POST",
            url,
            content=body,
            headers={"content-type": "application/json", "accept": "text/event-stream"},
            timeout=httpx.Timeout(_SILENCE_S, connect=_CONNECT_S),
        )
        try:
            answer = await self._client.send(outgoing, stream=True)
        except httpx.HTTPError:
            return _unreachable()
        return StreamingResponse(
            _body_of(answer), answer.status_code, media_type=answer.headers.get("content-type")
        )


async def _body_of(answer: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for data in answer.aiter_raw():
            yield data
    finally:
        await answer.aclose()


async def _bounded_body(request: Request) -> bytes | None:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY_BYTES:
            return None
    return bytes(body)


def _unreachable() -> Response:
    return _error(502, "unreachable", "the part behind the page does not answer")


def _error(status: int, code: str, message: str) -> Response:
    error = {"code": code, "message": message, "request_id": None}
    return JSONResponse({"error": error}, status)
