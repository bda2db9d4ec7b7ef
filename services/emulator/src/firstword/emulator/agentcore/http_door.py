"""``POST /runtimes/{arn}/invocations``: one request to the container, its answer as it comes."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from firstword.emulator.agentcore.errors import answer, invalid, runtime_failed
from firstword.emulator.agentcore.plane import SESSION, Call, Plane, signed_part
from firstword.emulator.sagemaker.errors import ServiceError


class HttpDoor:
    """A caller that leaves closes the connection to the container, too."""

    def __init__(self, plane: Plane, client: httpx.AsyncClient) -> None:
        self._plane = plane
        self._client = client

    async def __call__(self, request: Request) -> Response:
        try:
            body = await self._body(request)
            call = self._plane.admit(
                signed_part(request, "POST", body),
                request.path_params["arn"],
                request.headers.get(SESSION),
            )
            return await self._pass_on(call, body)
        except ServiceError as error:
            return answer(error, "emulated")

    async def _body(self, request: Request) -> bytes:
        most = self._plane.settings.limits.body_bytes
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > most:
                raise invalid(f"The payload may have {most} bytes.")
        return bytes(body)

    async def _pass_on(self, call: Call, body: bytes) -> Response:
        limits = self._plane.settings.limits
        outgoing = self._client.build_request(
            "POST",
            f"{self._plane.settings.container}/invocations",
            content=body,
            headers=dict(call.headers),
            timeout=httpx.Timeout(limits.silence_s, connect=limits.open_s),
        )
        try:
            reply = await self._client.send(outgoing, stream=True)
        except httpx.HTTPError:
            raise runtime_failed(None) from None
        if not reply.is_success:
            await reply.aclose()
            raise runtime_failed(reply.status_code)
        headers = {
            SESSION: call.session_id,
            "x-amzn-requestid": call.request_id,
            "content-type": reply.headers.get("content-type", "application/octet-stream"),
        }
        return StreamingResponse(_pieces(reply), reply.status_code, headers)


async def _pieces(reply: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for piece in reply.aiter_raw():
            yield piece
    finally:
        await reply.aclose()
