"""InvokeEndpointWithBidirectionalStream: one WebSocket to the container for each call."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from datetime import UTC, datetime
from urllib.parse import unquote

from smithy_aws_event_stream.exceptions import EventError

from firstword.emulator.sagemaker.container import Container
from firstword.emulator.sagemaker.container_socket import (
    ContainerSocket,
    SocketEndedError,
    SocketRefusedError,
    open_socket,
)
from firstword.emulator.sagemaker.errors import ServiceError, StreamError, model_error
from firstword.emulator.sagemaker.events import EVENT_STREAM, MessageReader, Part, encode_error
from firstword.emulator.sagemaker.exchange import Exchange, PeerGoneError, Request
from firstword.emulator.sagemaker.fault_script import CallFaults
from firstword.emulator.sagemaker.faults import Fault, Kind
from firstword.emulator.sagemaker.outlet import Outlet, StruckError
from firstword.emulator.sagemaker.settings import AWS_ACCEPT_S, BIDIRECTIONAL_PATH, Limits, Settings
from firstword.emulator.sagemaker.signature import Chain, Signed, check_request

logger = logging.getLogger(__name__)

GOING_AWAY = 1001
NORMAL = 1000

_HEADER = "x-amzn-sagemaker-"


class _OverError(Exception):
    """The session has ended as it should, or was cut."""


async def bidirectional(
    exchange: Exchange, container: Container, settings: Settings, faults: CallFaults
) -> None:
    """Answer one call; returns when its stream has ended.

    Raises:
        ServiceError: the call fails before its answer has begun.
        StruckError: a fault ends it.
        PeerGoneError: the caller has left.
    """
    request = exchange.request
    if not request.duplex:
        raise ServiceError("InputValidationError", 400, "This operation needs HTTP/2.")
    signed = check_request(request, None, settings.credentials, datetime.now(UTC))
    if request.headers.get("content-type") != EVENT_STREAM:
        raise ServiceError("InputValidationError", 400, f"The body must be {EVENT_STREAM}.")
    await container.check_ready()
    socket = await _socket(request, container, settings.limits)
    session = _Session(exchange, socket, settings.limits, faults)
    try:
        await session.run(signed)
    finally:
        await session.leave()


async def _socket(request: Request, container: Container, limits: Limits) -> ContainerSocket:
    path = request.headers.get(f"{_HEADER}model-invocation-path", BIDIRECTIONAL_PATH)
    if path.startswith("/"):
        message = "ModelInvocationPath must not begin with a slash."
        raise ServiceError("InputValidationError", 400, message)
    query = request.headers.get(f"{_HEADER}model-query-string", "")
    start = time.monotonic()
    try:
        socket = await open_socket(container.socket_url(unquote(path), query), limits.accept_s)
    except SocketRefusedError as error:
        why = f"The model did not accept the WebSocket connection: {error.reason}."
        raise model_error(error.status, error.reason, why) from error
    took_s = time.monotonic() - start
    if took_s > AWS_ACCEPT_S:
        logger.warning("took_ms=<%d> | SageMaker would not have waited so long", took_s * 1000)
    return socket


class _Session:
    """Two pumps and two clocks, of which the first to end ends all."""

    def __init__(
        self, exchange: Exchange, socket: ContainerSocket, limits: Limits, faults: CallFaults
    ) -> None:
        self._exchange = exchange
        self._socket = socket
        self._limits = limits
        self._faults = faults
        self._outlet = Outlet(exchange, faults)
        self._close_code = GOING_AWAY

    async def run(self, signed: Signed) -> None:
        await self._exchange.respond(
            200,
            {"content-type": EVENT_STREAM, "x-amzn-invoked-production-variant": "AllTraffic"},
        )
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._upwards(Chain(signed)))
                group.create_task(self._downwards())
                group.create_task(self._pings())
                group.create_task(self._end_in_time())
                for second in self._faults.seconds():
                    group.create_task(self._strike_at(second))
        except ExceptionGroup as group_error:
            await self._end(_leaves(group_error)[0])

    async def leave(self) -> None:
        await self._socket.close(self._close_code, self._limits.close_s)

    async def _upwards(self, chain: Chain) -> None:
        messages = MessageReader()
        while data := await self._exchange.read():
            try:
                for signed_message in messages.feed(data):
                    message = chain.unwrap(signed_message)
                    if message is None:
                        raise _OverError
                    await self._socket.send(Part.read(message))
                    self._faults.count(asked=1)
                    while (fault := self._faults.now()) is not None:
                        await self._outlet.strike(fault)
            except EventError as error:
                raise StreamError("ValidationException", str(error), modelled=False) from error
        raise _OverError

    async def _downwards(self) -> None:
        await self._outlet.opened()
        while True:
            await self._outlet.part(await self._socket.receive())

    async def _pings(self) -> None:
        while self._socket.unanswered < self._limits.unanswered_pings:
            await asyncio.sleep(self._limits.ping_every_s)
            await self._socket.ping()
        raise SocketEndedError(None, "no answer to pings")

    async def _end_in_time(self) -> None:
        await asyncio.sleep(self._limits.session_s)
        raise _OverError

    async def _strike_at(self, second: float) -> None:
        await asyncio.sleep(second)
        if (fault := self._faults.at_second(second)) is not None:
            await self._outlet.strike(fault)

    async def _end(self, why: Exception) -> None:
        match why:
            case _OverError():
                self._close_code = NORMAL
                await self._exchange.finish()
            case StreamError():
                await self._tell(why)
            case SocketEndedError():
                await self._tell(_model_ended(why))
            case StruckError(fault=Fault(kind=Kind.CUT)):
                await self._exchange.finish()
            case StruckError(fault=Fault(kind=Kind.STREAM_ERROR)):
                await self._tell(_struck("ModelStreamError"))
            case StruckError(fault=Fault(kind=Kind.STREAM_FAILURE)):
                await self._tell(_struck("InternalStreamFailure"))
            case _:
                raise why

    async def _tell(self, error: StreamError) -> None:
        logger.info("error=<%s>, code=<%s> | stream ends", error.name, error.code)
        with suppress(PeerGoneError):
            await self._exchange.send(encode_error(error))
            await self._exchange.finish()


def _model_ended(why: SocketEndedError) -> StreamError:
    """A Close frame of the model, 1000 too, is a ModelStreamError; a lost connection is ours."""
    if why.code is None:
        return StreamError("InternalStreamFailure", "The connection to the model was lost.")
    reason = f": {why.reason}" if why.reason else ""
    message = f"Model closed the connection with code {why.code}{reason}"
    return StreamError("ModelStreamError", message, code="ModelConnectionClosed")


def _struck(name: str) -> StreamError:
    return StreamError(name, "The stream broke, as the fault script asked.", code="StreamBroken")


def _leaves(group: ExceptionGroup[Exception]) -> list[Exception]:
    found: list[Exception] = []
    for error in group.exceptions:
        found += _leaves(error) if isinstance(error, ExceptionGroup) else [error]
    return found
