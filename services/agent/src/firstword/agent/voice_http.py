"""The speech wire by plain HTTP: InvokeEndpointWithResponseStream, one call for each sentence.

For batch mode, and for where bidirectional streaming is not to be had. boto3 blocks, so each call
has a thread of its own; the container's answer is the speech wire's frames as server-sent events,
so that all else (words, going on at a sample, an end that is no loss) is as over a stream.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import boto3  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import BotoCoreError  # type: ignore[import-untyped]

from firstword.agent.buffer import BufferClosed, ByteBuffer
from firstword.agent.errors import VoiceError
from firstword.agent.voice_faults import Fault, Faults
from firstword.agent.voice_http_call import BUFFER_BYTES, Call
from firstword.agent.voice_link import ConnectionLostError
from firstword.agent.voice_settings import SageMakerSettings, VoiceSettings
from firstword.agent.voice_stream import StreamVoice
from firstword.protocol import (
    AudioChunk,
    Cancel,
    Close,
    Error,
    RemoteProtocolError,
    SynthesisCancelled,
    SynthesisComplete,
    Synthesize,
    decode,
    encode,
)

logger = logging.getLogger(__name__)

OPERATION = "InvokeEndpointWithResponseStream"

REQUESTS = 16
"""Sentences and cancels that may wait."""

MOST_CALLS = 64
"""Connections that boto3 keeps."""


class ResponseStreams:
    """Makes connections that call one endpoint; boto3's client is made once."""

    def __init__(self, settings: VoiceSettings) -> None:
        assert settings.sagemaker is not None
        self._settings = settings
        self._endpoint = settings.sagemaker
        self._faults = Faults(settings.sagemaker, OPERATION)
        self._client: Any = None

    async def connect(self) -> HttpConnection:
        """Ready to call; the network is first used for a sentence.

        Raises:
            VoiceError: boto3 cannot be used as it is set up.
        """
        if self._client is None:
            try:
                self._client = await asyncio.to_thread(self._make_client)
            except (BotoCoreError, ValueError) as error:
                message = f"boto3 cannot be set up: {type(error).__name__}."
                raise VoiceError("speech_unavailable", message) from error
        return HttpConnection(self._invoke, self._faults)

    def voice(self) -> StreamVoice:
        """A new Voice that speaks through the endpoint."""
        return StreamVoice(self.connect, self._settings)

    def close(self) -> None:
        """Close boto3's connections; the next call makes new ones."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _make_client(self) -> Any:
        limits = self._settings
        return boto3.Session().client(
            "sagemaker-runtime",
            region_name=self._endpoint.region,
            endpoint_url=self._endpoint.http_uri,
            verify=_trusted(self._endpoint),
            config=Config(
                connect_timeout=limits.open_s,
                read_timeout=limits.stall_s or limits.receive_s,
                retries={"max_attempts": 0},
                max_pool_connections=MOST_CALLS,
            ),
        )

    def _invoke(self, request: Synthesize) -> Any:
        """The parts of an answer; blocks."""
        response = self._client.invoke_endpoint_with_response_stream(
            EndpointName=self._endpoint.endpoint,
            ContentType="application/json",
            Body=_body(request),
        )
        return response["Body"]


class HttpConnection:
    """See ``firstword.agent.voice_link.Connection``. Says its requests one after the other."""

    def __init__(self, invoke: Callable[[Synthesize], Any], faults: Faults) -> None:
        self._invoke = invoke
        self._faults = faults
        self._fault: Fault | None = None
        self._call: Call | None = None
        self._cancelled: set[str] = set()
        self._waiting: list[str] = []
        self._asked: asyncio.Queue[Synthesize | None] = asyncio.Queue(REQUESTS)
        self._inbox: ByteBuffer[tuple[str | bytes, bool]] = ByteBuffer(BUFFER_BYTES)
        self._speaker = asyncio.create_task(self._speak(), name="speech by http")

    async def send(self, message: str | bytes) -> None:
        if self._fault is not None:
            raise self._fault
        match decode(message):
            case Synthesize(request_id=str(name)) as request:
                self._waiting.append(name)
                await self._asked.put(request)
            case Cancel(request_id=name):
                self._cancelled.update([name] if name is not None else self._waiting)
                if self._call is not None and self._call.name in self._cancelled:
                    self._call.stop()
            case Close():
                await self._asked.put(None)

    async def receive(self) -> tuple[str | bytes, bool]:
        try:
            return await self._inbox.get()
        except BufferClosed:
            raise self._fault or ConnectionLostError() from None

    async def close(self) -> None:
        self.abort()
        await asyncio.wait({self._speaker})

    def abort(self) -> None:
        self._end(ConnectionLostError())

    def _end(self, fault: Fault) -> None:
        if self._fault is None:
            self._fault = fault
            self._inbox.close()
            if self._call is not None:
                self._call.stop()
            self._speaker.cancel()

    async def _speak(self) -> None:
        fault: Fault = ConnectionLostError()
        try:
            while (request := await self._asked.get()) is not None:
                await self._say(request)
        except (ConnectionLostError, VoiceError) as error:
            fault = error
        except RemoteProtocolError as error:
            logger.warning("error=<%s> | speech endpoint broke the protocol", error)
        except BufferClosed:
            """It was left meanwhile."""
        self._end(fault)

    async def _say(self, request: Synthesize) -> None:
        name = request.request_id or ""
        ended = False
        if name not in self._cancelled:
            self._call = call = Call(request, self._invoke, self._faults)
            try:
                async for frame in call.frames():
                    ended = isinstance(frame, SynthesisComplete)
                    await self._pass_on(replace(frame, request_id=name))
            except VoiceError as error:
                ended = True
                failed = Error(code=error.code, message=error.message, request_id=name)
                await self._pass_on(failed)
            finally:
                call.stop()
                self._call = None
        if name in self._cancelled and not ended:
            await self._pass_on(SynthesisCancelled(request_id=name, samples=0))
        elif not ended:
            raise ConnectionLostError  # The answer ended before the sentence did.
        self._waiting.remove(name)
        self._cancelled.discard(name)

    async def _pass_on(self, frame: Any) -> None:
        if isinstance(frame, AudioChunk):
            data = base64.b64decode(frame.data)
            await self._inbox.put((data, True), len(data))
        else:
            text = encode(frame)
            await self._inbox.put((text, False), len(text))


def _trusted(endpoint: SageMakerSettings) -> str | None:
    return None if endpoint.http_ca_file is None else str(endpoint.http_ca_file)


def _body(request: Synthesize) -> bytes:
    body = {
        "text": request.text,
        "voice": request.voice,
        "speed": request.speed,
        "sample_rate": request.sample_rate,
        "quality": request.quality,
        "word_timestamps": request.word_timestamps,
        "offset_samples": request.offset_samples,
        "request_id": request.request_id,
        "traceparent": request.traceparent,
        "stream": True,
        "stream_format": "events",
    }
    return json.dumps({k: v for k, v in body.items() if v is not None}).encode()
