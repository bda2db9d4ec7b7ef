"""The speech wire through SageMaker: InvokeEndpointWithBidirectionalStream by HTTP/2.

One stream carries all sentences of a conversation: text parts to the container, its frames back.
The stream's input stays open until the connection is left, since its end ends the session.
"""

from __future__ import annotations

import asyncio
import logging
import re
from contextlib import suppress
from typing import Any

from aws_sdk_sagemaker_runtime_http2.client import (  # type: ignore[import-untyped]
    AsyncSageMakerRuntimeHTTP2Client,
)
from aws_sdk_sagemaker_runtime_http2.config import (  # type: ignore[import-untyped]
    AsyncSageMakerRuntimeHTTP2Config,
)
from aws_sdk_sagemaker_runtime_http2.models import (  # type: ignore[import-untyped]
    InvokeEndpointWithBidirectionalStreamInput,
    ModelError,
    ModelStreamError,
    RequestPayloadPart,
    RequestStreamEventPayloadPart,
    ResponseStreamEventPayloadPart,
)
from awscrt.exceptions import AwsCrtError  # type: ignore[import-untyped]
from smithy_core.exceptions import CallError, SmithyError, SmithyIdentityError

from firstword.agent.buffer import BufferClosed, ByteBuffer
from firstword.agent.voice_credentials import SessionCredentials
from firstword.agent.voice_faults import Answer, Fault, Faults
from firstword.agent.voice_http2 import Http2Transport, Network
from firstword.agent.voice_link import ConnectionLostError
from firstword.agent.voice_parts import TEXT, PartReader
from firstword.agent.voice_settings import VoiceSettings
from firstword.agent.voice_stream import StreamVoice
from firstword.protocol import ProtocolError

logger = logging.getLogger(__name__)

OPERATION = "InvokeEndpointWithBidirectionalStream"

NETWORK_SHARE = 0.8
"""What of the time to open may go into reaching the runtime; the rest is for the call."""

INBOX_BYTES = 256 * 1024
OUTBOX_MESSAGES = 16

_ERROR_ID = re.compile(r" - id: (?:[^#\s]*#)?([A-Za-z][A-Za-z0-9]{0,80})")
"""The name of an error that the client has no class for, in its message."""


class SageMaker:
    """Opens connections to one endpoint; what they share is made once, by the first of them."""

    def __init__(self, settings: VoiceSettings) -> None:
        assert settings.sagemaker is not None
        self._settings = settings
        self._endpoint = settings.sagemaker
        self._faults = Faults(settings.sagemaker, OPERATION)
        self._credentials = SessionCredentials(settings.sagemaker.credentials_s)
        self._network: Network | None = None

    async def connect(self) -> SageMakerConnection:
        """A stream to the endpoint, ready to be spoken on.

        Raises:
            ConnectionLostError: there is none now; the cause says why.
            VoiceError: trying again would not help.
        """
        try:
            await self._credentials.get_identity(properties={})
        except SmithyIdentityError as error:
            raise self._faults.no_credentials() from error
        if self._network is None:
            self._network = Network(self._endpoint.stream_ca_files)
        try:
            async with asyncio.timeout(self._settings.open_s * NETWORK_SHARE):
                transport = await self._network.connect(self._endpoint.stream_uri)
        except TimeoutError:
            raise self._faults.unreachable() from None
        except AwsCrtError as error:
            raise self._unreachable(error) from error
        try:
            return await self._open(transport)
        except BaseException:
            transport.abort()
            await transport.close()
            raise

    async def _open(self, transport: Http2Transport) -> SageMakerConnection:
        config = await AsyncSageMakerRuntimeHTTP2Config.resolve(
            region=self._endpoint.region,
            endpoint_uri=self._endpoint.stream_uri,
            transport=transport,
            aws_credentials_identity_resolver=self._credentials,
        )
        client = AsyncSageMakerRuntimeHTTP2Client(config=config)
        stream = await client.invoke_endpoint_with_bidirectional_stream(
            InvokeEndpointWithBidirectionalStreamInput(endpoint_name=self._endpoint.endpoint)
        )
        connection = SageMakerConnection(stream, transport, self._settings, self._faults)
        try:
            await connection.accepted()
        except BaseException:
            await connection.close()
            raise
        return connection

    def voice(self) -> StreamVoice:
        """A new Voice that speaks through the endpoint."""
        return StreamVoice(self.connect, self._settings)

    def close(self) -> None:
        """Let go of what the connections share; its thread ends with the last of them."""
        self._network = None

    def _unreachable(self, error: Any) -> Fault:
        if error.name == "AWS_ERROR_HTTP_UNSUPPORTED_PROTOCOL" or "ALPN" in error.name:
            return self._faults.not_offered()
        return self._faults.unreachable()


class SageMakerConnection:
    """See ``firstword.agent.voice_link.Connection``."""

    def __init__(
        self, stream: Any, transport: Http2Transport, settings: VoiceSettings, faults: Faults
    ) -> None:
        assert settings.sagemaker is not None
        self._stream = stream
        self._transport = transport
        self._settings = settings
        self._limits = settings.sagemaker
        self._faults = faults
        self._fault: Fault | None = None
        self._answered = asyncio.Event()
        self._answer_due: asyncio.TimerHandle | None = None
        self._inbox: ByteBuffer[tuple[bytes, bool]] = ByteBuffer(INBOX_BYTES)
        self._outbox: asyncio.Queue[str | bytes] = asyncio.Queue(OUTBOX_MESSAGES)
        self._reader = asyncio.create_task(self._read(), name="speech stream reader")
        self._writer = asyncio.create_task(self._write(), name="speech stream writer")

    async def accepted(self) -> None:
        """Wait for the endpoint's answer to the call; not for long, since it may come late.

        Raises:
            ConnectionLostError, VoiceError: the answer is no.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limits.accept_s):
                await self._answered.wait()
        if self._fault is not None:
            raise self._fault

    async def send(self, message: str | bytes) -> None:
        if self._fault is not None:
            raise self._fault
        if not self._answered.is_set() and self._answer_due is None:
            loop = asyncio.get_running_loop()
            self._answer_due = loop.call_later(
                self._limits.first_response_s, self._end, self._faults.silent()
            )
        await self._outbox.put(message)

    async def receive(self) -> tuple[bytes, bool]:
        try:
            return await self._inbox.get()
        except BufferClosed:
            raise self._fault or ConnectionLostError() from None

    async def close(self) -> None:
        if self._fault is None:
            # An empty signed part ends the session in good order.
            with suppress(TimeoutError, OSError, SmithyError):
                async with asyncio.timeout(self._settings.close_s / 2):
                    await self._stream.input_stream.close()
        self.abort()
        with suppress(TimeoutError):
            async with asyncio.timeout(self._settings.close_s):
                await self._transport.close()
        await asyncio.wait({self._reader, self._writer})

    def abort(self) -> None:
        self._end(ConnectionLostError())

    def _end(self, fault: Fault) -> None:
        if self._fault is not None:
            return
        self._fault = fault
        if self._answer_due is not None:
            self._answer_due.cancel()
        self._inbox.close()
        self._answered.set()
        self._transport.abort()
        self._reader.cancel()
        self._writer.cancel()

    async def _read(self) -> None:
        try:
            fault = await self._receive_all()
        except (SmithyError, OSError) as error:
            fault = self._fault_of(error)
            fault.__cause__ = error
        except ProtocolError as error:
            logger.warning("error=<%s> | speech stream broke the protocol", error)
            fault = ConnectionLostError()
        except BufferClosed:
            fault = ConnectionLostError()
        self._end(fault)

    async def _receive_all(self) -> Fault:
        _, events = await self._stream.await_output()
        self._answered.set()
        if self._answer_due is not None:
            self._answer_due.cancel()
        parts = PartReader()
        while (event := await events.receive()) is not None:
            if not isinstance(event, ResponseStreamEventPayloadPart):
                continue
            for message in parts.feed(event.value.bytes_ or b"", event.value.data_type):
                await self._inbox.put(message, len(message[0]))
        return ConnectionLostError()

    async def _write(self) -> None:
        fault: Fault = ConnectionLostError()
        try:
            while True:
                message = await self._outbox.get()
                async with asyncio.timeout(self._settings.send_s):
                    await self._stream.input_stream.send(_part(message))
        except SmithyIdentityError:
            fault = self._faults.no_credentials("cannot be renewed")
        except (SmithyError, OSError, TimeoutError) as error:
            fault.__cause__ = error
        self._end(fault)

    def _fault_of(self, error: Exception) -> Fault:
        match error:
            case ModelError():
                return self._faults.of(
                    Answer(
                        name="ModelError",
                        model_status=error.original_status_code,
                        model_message=error.original_message or "",
                        retry_after_s=error.retry_after or 0.0,
                    )
                )
            case ModelStreamError():
                return self._faults.of(Answer(name="ModelStreamError", model_code=error.error_code))
            case CallError():
                named = _ERROR_ID.search(error.message)
                return self._faults.of(
                    Answer(
                        name=named[1] if named else type(error).__name__,
                        status=error.response_metadata.http_status_code,
                        message=error.message,
                        retry_after_s=error.retry_after or 0.0,
                    )
                )
            case _:
                return ConnectionLostError()


def _part(message: str | bytes) -> Any:
    binary = isinstance(message, bytes)
    return RequestStreamEventPayloadPart(
        value=RequestPayloadPart(
            bytes_=message if isinstance(message, bytes) else message.encode(),
            data_type="BINARY" if binary else TEXT,
            completion_state="COMPLETE",
        )
    )
