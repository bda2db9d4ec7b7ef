"""InvokeEndpoint and InvokeEndpointWithResponseStream: what boto3 speaks, over either HTTP."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import httpx

from firstword.emulator.sagemaker.container import Container
from firstword.emulator.sagemaker.errors import ServiceError, StreamError
from firstword.emulator.sagemaker.events import EVENT_STREAM, Part, encode_error
from firstword.emulator.sagemaker.exchange import Exchange
from firstword.emulator.sagemaker.fault_script import CallFaults
from firstword.emulator.sagemaker.faults import Kind
from firstword.emulator.sagemaker.outlet import Outlet, StruckError
from firstword.emulator.sagemaker.settings import Settings
from firstword.emulator.sagemaker.signature import check_request

_VARIANT = {"x-amzn-invoked-production-variant": "AllTraffic"}
_STREAM_ERRORS = {
    Kind.STREAM_ERROR: "ModelStreamError",
    Kind.STREAM_FAILURE: "InternalStreamFailure",
}


async def invoke(exchange: Exchange, container: Container, settings: Settings) -> None:
    """Answer with the container's answer, whole.

    Raises:
        ServiceError: the call fails.
        PeerGoneError: the caller has left.
    """
    body = await _body(exchange, settings)
    await container.check_ready()
    async with container.invoke(body, exchange.request.headers) as answer:
        content = await answer.aread()
        kind = answer.headers.get("content-type", "application/octet-stream")
    length = {"content-length": str(len(content))}
    await exchange.respond(200, {"content-type": kind, **length, **_VARIANT})
    await exchange.send(content)
    await exchange.finish()


async def invoke_stream(
    exchange: Exchange, container: Container, settings: Settings, faults: CallFaults
) -> None:
    """Answer with the container's bytes as they come, each piece as a part.

    Raises:
        ServiceError: the call fails before its answer has begun.
        StruckError: a fault ends it.
        PeerGoneError: the caller has left.
    """
    body = await _body(exchange, settings)
    await container.check_ready()
    async with container.invoke(body, exchange.request.headers) as answer:
        kind = answer.headers.get("content-type", "application/octet-stream")
        await exchange.respond(
            200,
            {"content-type": EVENT_STREAM, "x-amzn-sagemaker-content-type": kind, **_VARIANT},
        )
        try:
            await _pass_on(answer, Outlet(exchange, faults), settings.limits.stream_s)
        except StreamError as error:
            await exchange.send(encode_error(error))
    await exchange.finish()


async def _pass_on(answer: httpx.Response, outlet: Outlet, limit_s: float) -> None:
    try:
        async with asyncio.timeout(limit_s):
            await outlet.opened()
            async for data in answer.aiter_raw():
                await outlet.part(Part(data))
    except TimeoutError as error:
        message = f"The model did not finish within {limit_s:g} s."
        raise StreamError(
            "ModelStreamError", message, code="ModelInvocationTimeExceeded"
        ) from error
    except httpx.TransportError as error:
        message = "The connection to the model was lost."
        raise StreamError("ModelStreamError", message, code="StreamBroken") from error
    except StruckError as error:
        name = _STREAM_ERRORS.get(error.fault.kind)
        if name is not None:
            message = "The stream broke, as the fault script asked."
            raise StreamError(name, message, code="StreamBroken") from error
        if error.fault.kind is not Kind.CUT:
            raise


async def _body(exchange: Exchange, settings: Settings) -> bytes:
    """The whole body of a request whose signature is right.

    Raises:
        ServiceError: it is too large, or the signature is wrong.
    """
    whole = bytearray()
    while data := await exchange.read():
        whole += data
        if len(whole) > settings.limits.body_bytes:
            message = f"The payload is larger than {settings.limits.body_bytes} bytes."
            raise ServiceError("ValidationException", 400, message)
    body = bytes(whole)
    check_request(exchange.request, body, settings.credentials, datetime.now(UTC))
    return body
