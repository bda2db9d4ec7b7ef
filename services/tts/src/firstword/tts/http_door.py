"""Room 6 by HTTP: ``/ping``, ``/invocations`` and ``/metrics``."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass, field
from typing import Literal

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from firstword.protocol import SynthesisStart, Word, wav_header
from firstword.protocol.frames import (
    AskedRate,
    Count,
    Quality,
    RequestId,
    Seconds,
    Speed,
    VoiceName,
)
from firstword.telemetry import TraceContext
from firstword.tts.ask import Ask, check_age, check_not_empty, check_text, checked_voice
from firstword.tts.audio import Format, content_type, encoded_rate
from firstword.tts.body import as_shape, read_json, request_id
from firstword.tts.engines import EngineQuality
from firstword.tts.http_events import MEDIA_TYPE, speech_events
from firstword.tts.job import Job
from firstword.tts.metrics import CONTENT_TYPE
from firstword.tts.refusal import RefusedError
from firstword.tts.reply import Body, Door, Finish, SpeechReply, common_headers
from firstword.tts.service import Service
from firstword.tts.synthesis import Speech, WholeText


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """The body of ``POST /invocations``. Unknown fields are passed over."""

    text: str
    voice: VoiceName | None = None
    speed: Speed = 1.0
    stream: bool = True
    file_format: Format = field(default="wav", metadata={"wire": "format"})
    sample_rate: AskedRate = 24_000
    quality: Quality | None = None
    word_timestamps: bool = False
    request_timestamp: Seconds | None = None
    request_id: RequestId | None = None
    stream_format: Literal["audio", "events"] = "audio"
    offset_samples: Count = 0
    traceparent: str | None = None


class HttpDoor:
    """The three routes over one service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._door = Door("http", error)

    async def ping(self, request: Request) -> Response:
        """200 when new work is taken and gets done, else 503."""
        if self._service.healthy:
            return JSONResponse({"status": "ready"})
        state = self._service.state
        return JSONResponse({"status": "stalled" if state == "ready" else state}, 503)

    async def metrics(self, request: Request) -> Response:
        """Prometheus' text format."""
        return Response(self._service.metrics.text(), headers={"content-type": CONTENT_TYPE})

    async def invocations(self, request: Request) -> Response:
        """Text in, audio out."""
        name = request_id(request)
        try:
            body = await read_json(request, self._service.settings.limits)
            given = body.get("request_id")
            name = request_id(request, given if isinstance(given, str) else None)
            return self._speak(as_shape(Invocation, body), name, request)
        except RefusedError as refusal:
            self._service.recorder.refused(self._door.name, refusal.code)
            return self._door.error(refusal, name)

    def _speak(self, asked: Invocation, name: str, request: Request) -> Response:
        service, limits = self._service, self._service.settings.limits
        check_age(asked.request_timestamp, limits)
        check_not_empty(asked.text)
        check_text(asked.text, limits)
        _check_shape(asked)
        parts = service.admit()
        events = asked.stream_format == "events"
        rate = asked.sample_rate if events else encoded_rate(asked.file_format, asked.sample_rate)
        ask = Ask(
            request_id=name,
            voice=checked_voice(asked.voice, parts.voices),
            speed=asked.speed,
            sample_rate=rate,
            quality=asked.quality,
            word_timestamps=asked.word_timestamps,
            offset_samples=asked.offset_samples,
            trace=TraceContext.parse(asked.traceparent or request.headers.get("traceparent")),
        )
        record = service.recorder.begin(ask, self._door.name, len(asked.text))
        record.quality = quality = service.quality(
            ask, service.listener(), record.chars, whole=not asked.stream
        )
        job, holds = self._work(asked, ask, quality, parts.engine)
        return SpeechReply(service, self._door, record, job, holds)

    def _work(
        self, asked: Invocation, ask: Ask, quality: EngineQuality, engine: str
    ) -> tuple[Job[Speech], Body]:
        """The synthesis, and what is made of it."""
        service, script, chars = self._service, WholeText(asked.text), len(asked.text)
        if asked.stream_format == "events":
            start = SynthesisStart(
                request_id=ask.request_id,
                sample_rate=ask.sample_rate,
                voice=ask.voice,
                engine=engine,
                quality=quality,
            )
            frames = speech_events(start, ask, service.scheduler.clock)
            job = service.speak(ask, script, quality, service.listener(), chars)
            return job, Body(MEDIA_TYPE, frames)
        job = service.encode(ask, script, quality, asked.file_format, chars)
        media_type = content_type(asked.file_format, ask.sample_rate)
        if asked.stream:
            return job, Body(media_type)
        finish = with_length(asked.file_format, ask.sample_rate)
        if asked.word_timestamps:
            with_words = _with_words(finish, asked, ask, media_type)
            return job, Body("application/json", finish=with_words)
        return job, Body(media_type, finish=finish)


def _check_shape(asked: Invocation) -> None:
    """Whether the options go together."""
    if asked.stream_format == "events":
        if not asked.stream:
            message = '"stream_format": "events" needs "stream": true'
            raise RefusedError("invalid_request", message, param="stream_format")
        return
    if asked.word_timestamps and asked.stream:
        message = 'word_timestamps needs "stream": false or "stream_format": "events"'
        raise RefusedError("invalid_request", message, param="word_timestamps")
    if asked.offset_samples:
        message = 'offset_samples needs "stream_format": "events"'
        raise RefusedError("invalid_request", message, param="offset_samples")


def error(refusal: RefusedError, name: str) -> Response:
    """The contract's shape of an error."""
    headers = common_headers(name)
    if refusal.retry_after_s is not None:
        headers["retry-after"] = str(refusal.retry_after_s)
    body = {"code": refusal.code, "message": str(refusal), "request_id": name}
    return JSONResponse({"error": body}, refusal.status, headers)


def with_length(file_format: Format, rate: int) -> Finish:
    """A whole WAV tells its length, unlike a streamed one."""

    def finish(data: bytes, words: tuple[Word, ...], seconds: float) -> bytes:
        if file_format != "wav":
            return data
        samples = data[len(wav_header(rate)) :]
        return wav_header(rate, len(samples)) + samples

    return finish


def _with_words(finish: Finish, asked: Invocation, ask: Ask, media_type: str) -> Finish:
    """The audio in base64 beside its words."""

    def finish_json(data: bytes, words: tuple[Word, ...], seconds: float) -> bytes:
        answer = {
            "request_id": ask.request_id,
            "format": asked.file_format,
            "content_type": media_type,
            "sample_rate": ask.sample_rate,
            "duration_s": round(seconds, 4),
            "words": [asdict(word) for word in words],
            "audio": base64.b64encode(finish(data, words, seconds)).decode("ascii"),
        }
        return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()

    return finish_json
