"""``GET /runtimes/{arn}/ws``: a socket of the caller's joined to one of the container's ``/ws``."""

from __future__ import annotations

import asyncio
import contextlib

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from firstword.emulator.agentcore.errors import answer, runtime_failed
from firstword.emulator.agentcore.limits import FrameMeter
from firstword.emulator.agentcore.plane import SESSION, Call, Plane, signed_part
from firstword.emulator.sagemaker.errors import ServiceError

NORMAL, GOING_AWAY = 1000, 1001
_NOT_SENDABLE = frozenset({None, 1005, 1006, 1015})

type End = tuple[int, str]
"""A close code and a reason."""


async def serve_socket(plane: Plane, socket: WebSocket) -> None:
    """Admit a caller and join it to the container until either side, or the platform, ends it."""
    query = {name.lower(): value for name, value in socket.query_params.items()}
    try:
        call = plane.admit(
            signed_part(socket, "GET"),
            socket.path_params["arn"],
            socket.headers.get(SESSION) or query.get(SESSION),
        )
        container = await _open(plane, call)
    except ServiceError as error:
        await socket.send_denial_response(answer(error, "emulated"))
        return
    await socket.accept()
    await _Joint(plane, socket, container).run()


async def _open(plane: Plane, call: Call) -> ClientConnection:
    settings = plane.settings
    try:
        return await connect(
            settings.container.replace("http", "ws", 1) + "/ws",
            additional_headers=dict(call.headers),
            proxy=None,
            compression=None,
            open_timeout=settings.limits.open_s,
            close_timeout=settings.limits.close_s,
            max_size=None,
        )
    except (OSError, TimeoutError, InvalidHandshake):
        raise runtime_failed(None) from None


class _Joint:
    def __init__(self, plane: Plane, caller: WebSocket, container: ClientConnection) -> None:
        self._limits = plane.settings.limits
        self._plane = plane
        self._caller = caller
        self._container = container
        self._meter = FrameMeter(self._limits)
        self._cut: asyncio.Future[End] = asyncio.get_running_loop().create_future()
        self._over = asyncio.Event()
        plane.meters.append(self._meter)

    async def run(self) -> None:
        left = self._plane.joined(self._cut_off)
        ways = [
            asyncio.create_task(self._to_container()),
            asyncio.create_task(self._to_caller()),
            asyncio.create_task(self._wait_for_cut()),
        ]
        try:
            done, _ = await asyncio.wait(
                ways, timeout=self._limits.session_s, return_when=asyncio.FIRST_COMPLETED
            )
            code, reason = next(iter(done)).result() if done else (GOING_AWAY, "60 minutes")
        finally:
            left()
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
        await self._close(code, reason)
        self._over.set()

    async def _cut_off(self, code: int, reason: str) -> None:
        if not self._cut.done():
            self._cut.set_result((code, reason))
        await self._over.wait()

    async def _wait_for_cut(self) -> End:
        return await self._cut

    async def _to_container(self) -> End:
        while True:
            message = await self._caller.receive()
            if message["type"] == "websocket.disconnect":
                return message.get("code") or NORMAL, message.get("reason") or ""
            text = message.get("text")
            payload: str | bytes = text if text is not None else message["bytes"]
            if (end := self._excess(payload)) is not None:
                return end
            try:
                await self._container.send(payload)
            except ConnectionClosed:
                return self._containers_end()

    async def _to_caller(self) -> End:
        while True:
            try:
                payload = await self._container.recv()
            except ConnectionClosed:
                return self._containers_end()
            if (end := self._excess(payload)) is not None:
                return end
            try:
                async with asyncio.timeout(self._limits.send_s):
                    if isinstance(payload, str):
                        await self._caller.send_text(payload)
                    else:
                        await self._caller.send_bytes(payload)
            except (WebSocketDisconnect, TimeoutError):
                return GOING_AWAY, ""

    def _excess(self, payload: str | bytes) -> End | None:
        size = len(payload.encode()) if isinstance(payload, str) else len(payload)
        return self._meter.excess(size, asyncio.get_running_loop().time())

    def _containers_end(self) -> End:
        code = self._container.close_code
        # A container that vanishes is a failure of the runtime to its caller.
        return (1011, "") if code in _NOT_SENDABLE else (code or 1011, self._reason())

    def _reason(self) -> str:
        return self._container.close_reason or ""

    async def _close(self, code: int, reason: str) -> None:
        code = GOING_AWAY if code in _NOT_SENDABLE else code
        await self._container.close(code, reason)
        if self._caller.client_state is not WebSocketState.DISCONNECTED:
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await self._caller.close(code, reason)
