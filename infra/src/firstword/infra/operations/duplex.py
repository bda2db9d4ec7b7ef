"""One sentence over InvokeEndpointWithBidirectionalStream, by AWS's client for HTTP/2."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any

import boto3  # type: ignore[import-untyped]
from aws_sdk_sagemaker_runtime_http2.client import (  # type: ignore[import-untyped]
    AsyncSageMakerRuntimeHTTP2Client,
)
from aws_sdk_sagemaker_runtime_http2.config import (  # type: ignore[import-untyped]
    AsyncSageMakerRuntimeHTTP2Config,
)
from aws_sdk_sagemaker_runtime_http2.models import (  # type: ignore[import-untyped]
    InvokeEndpointWithBidirectionalStreamInput,
    RequestPayloadPart,
    RequestStreamEventPayloadPart,
)
from smithy_aws_core.identity import AWSCredentialsIdentity
from smithy_aws_core.identity.static import StaticCredentialsResolver
from smithy_core.exceptions import SmithyError
from smithy_http.aio.crt import AWSCRTHTTPClient, AWSCRTHTTPClientConfig

from firstword.infra.operations.hearing import Heard
from firstword.infra.operations.wires import RATE, Clock, WireError

ADDRESS = "FIRSTWORD_SAGEMAKER_ENDPOINT_URI"
OPEN_S, PART_S, CLOSE_S = 20.0, 75.0, 5.0


def invoke_duplex(endpoint: str, region: str, text: str) -> Heard:
    """Text one way, audio the other, on one stream."""
    return asyncio.run(_invoke(endpoint, region, text))


async def _invoke(endpoint: str, region: str, text: str) -> Heard:
    clock = Clock()
    transport = AWSCRTHTTPClient(client_config=AWSCRTHTTPClientConfig(force_http_2=True))
    stream: Any = None
    try:
        # The operation lives on a port of its own, which the client does not know.
        address = f"https://runtime.sagemaker.{region}.amazonaws.com:8443"
        config = await AsyncSageMakerRuntimeHTTP2Config.resolve(
            region=region,
            endpoint_uri=os.environ.get(ADDRESS) or address,
            transport=transport,
            aws_credentials_identity_resolver=StaticCredentialsResolver(_identity()),
        )
        client = AsyncSageMakerRuntimeHTTP2Client(config=config)
        request = InvokeEndpointWithBidirectionalStreamInput(endpoint_name=endpoint)
        opened = client.invoke_endpoint_with_bidirectional_stream(request)
        stream = await _within(OPEN_S, opened, "opening the stream")
        asked = json.dumps({"text": text, "sample_rate": RATE, "request_id": "smoke"})
        await _within(OPEN_S, _send(stream, asked), "sending the sentence")
        _, receiver = await _within(PART_S, stream.await_output(), "the answer's head")
        return clock.heard(await _audio(receiver, clock))
    except (SmithyError, OSError) as error:
        raise WireError(f"{type(error).__name__}: {error}") from error
    finally:
        await _leave(stream, transport)


async def _send(stream: Any, message: str) -> None:
    part = RequestPayloadPart(
        bytes_=message.encode(), data_type="UTF8", completion_state="COMPLETE"
    )
    await stream.input_stream.send(RequestStreamEventPayloadPart(value=part))


async def _audio(receiver: Any, clock: Clock) -> bytes:
    """The samples up to the sentence's end. A stream that ends before it has failed."""
    pcm = bytearray()
    while (event := await _within(PART_S, receiver.receive(), "the next part")) is not None:
        part = event.value
        data = getattr(part, "bytes_", None)
        if data is None:
            raise WireError(f"{type(part).__name__}: {getattr(part, 'message', '')}")
        frame = _frame(data, part.data_type)
        if frame is None:
            pcm += data
            clock.audio()
        elif frame["type"] == "synthesis_complete":
            return bytes(pcm)
        elif frame["type"] in ("error", "synthesis_cancelled"):
            raise WireError(f"{frame.get('code', frame['type'])}: {frame.get('message', '')}")
    raise WireError("the stream ended before the sentence did")


def _frame(data: bytes, data_type: str | None) -> dict[str, Any] | None:
    """A control frame; None for samples. Where the envelope is silent, the contents decide."""
    if data_type == "BINARY":
        return None
    try:
        found = json.loads(data)
    except ValueError:
        found = None
    if isinstance(found, dict) and isinstance(found.get("type"), str):
        return found
    if data_type == "UTF8":
        raise WireError(f"a text part of {len(data)} bytes is no frame")
    return None


def _identity() -> AWSCredentialsIdentity:
    """From boto3's chain, which knows roles and single sign-on too."""
    found = boto3.Session().get_credentials()
    if found is None:
        raise WireError("no AWS credentials were found")
    frozen = found.get_frozen_credentials()
    return AWSCredentialsIdentity(
        access_key_id=frozen.access_key,
        secret_access_key=frozen.secret_key,
        session_token=frozen.token,
    )


async def _within[T](seconds: float, work: Awaitable[T], what: str) -> T:
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError:
        raise WireError(f"{what} took more than {seconds:.0f} s") from None


async def _leave(stream: Any, transport: AWSCRTHTTPClient) -> None:
    """End the session, then the connection; neither may hang."""
    with suppress(WireError, SmithyError, OSError):
        if stream is not None:
            await _within(CLOSE_S, stream.input_stream.close(), "closing the stream")
    with suppress(WireError, SmithyError, OSError):
        await _within(CLOSE_S, transport.close(), "closing the connection")
