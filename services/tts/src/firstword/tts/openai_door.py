"""Room 6 in the shape of OpenAI's speech API, for the clients that know only that."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from firstword.protocol import sse
from firstword.protocol.shapes import Between
from firstword.telemetry import TraceContext
from firstword.tts.ask import Ask, check_not_empty, check_text, checked_voice
from firstword.tts.audio import Format, content_type, encoded_rate
from firstword.tts.body import as_shape, read_json, request_id
from firstword.tts.engines import SAMPLE_RATE
from firstword.tts.refusal import RefusedError
from firstword.tts.reply import WRITE_BYTES, Body, Door, SpeechReply, common_headers
from firstword.tts.service import Service
from firstword.tts.synthesis import Speech, WholeText

MODELS = ("kokoro", "tts-1", "tts-1-hd", "gpt-4o-mini-tts")
"""Names that the lists show. Any other is accepted too: there is one model."""

VOICES = {
    "alloy": "am_adam",
    "ash": "af_nicole",
    "ballad": "bm_fable",
    "cedar": "am_fenrir",
    "coral": "bf_emma",
    "echo": "af_bella",
    "fable": "af_sarah",
    "marin": "af_heart",
    "nova": "bf_isabella",
    "onyx": "bm_george",
    "sage": "am_michael",
    "shimmer": "af_sky",
    "verse": "am_puck",
}
"""OpenAI's voices and who speaks for them here: Kokoro-FastAPI's choice where it has one."""

_CREATED = 1_735_689_600
"""When the model was published (2025-01-01), in seconds since the epoch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechBody:
    """The body of ``POST /v1/audio/speech``. Unknown fields, ``model`` among them, are passed over.

    Speed has OpenAI's range, wider than that of the other doors; the model is asked for just that.
    """

    input: str
    voice: Annotated[str, Between(1, 256)] | None = None
    response_format: Format = "mp3"
    speed: Annotated[float, Between(0.25, 4.0)] = 1.0
    stream_format: Literal["audio", "sse"] = "audio"


class OpenAiDoor:
    """The routes under ``/v1``."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._door = Door("openai", error)

    async def speech(self, request: Request) -> Response:
        """Text in, audio out, as it is made."""
        name = request_id(request)
        try:
            body = await read_json(request, self._service.settings.limits)
            return self._speak(as_shape(SpeechBody, _plain_voice(body)), name, request)
        except RefusedError as refusal:
            self._service.recorder.refused(self._door.name, refusal.code)
            return self._door.error(refusal, name)

    async def models(self, request: Request) -> Response:
        """What may be asked for as ``model``."""
        return JSONResponse({"object": "list", "data": [_model(name) for name in MODELS]})

    async def model(self, request: Request) -> Response:
        """One of them."""
        name = request.path_params["model"]
        if name in MODELS:
            return JSONResponse(_model(name))
        message = f"The model '{name[:80]}' does not exist"
        fault = {"message": message, "type": "invalid_request_error", "param": "model"}
        body = {"error": {**fault, "code": "model_not_found"}}
        return JSONResponse(body, 404, common_headers(request_id(request)))

    async def audio_models(self, request: Request) -> Response:
        """The same, as clients with a list of speech models want it."""
        return JSONResponse({"models": [{"id": name, "name": name} for name in MODELS]})

    async def voices(self, request: Request) -> Response:
        """Who can speak."""
        try:
            listed = self._service.parts().voices.list()
        except RefusedError as refusal:
            return self._door.error(refusal, request_id(request))
        return JSONResponse(
            {
                "voices": [
                    {
                        "id": voice.id,
                        "name": voice.name,
                        "language": voice.language,
                        "gender": voice.gender,
                        "grade": voice.grade,
                    }
                    for voice in listed
                ]
            }
        )

    def _speak(self, asked: SpeechBody, name: str, request: Request) -> Response:
        service = self._service
        check_not_empty(asked.input, param="input")
        check_text(asked.input, service.settings.limits, param="input")
        parts = service.admit()
        voice = VOICES.get(asked.voice or "", asked.voice)
        ask = Ask(
            request_id=name,
            voice=checked_voice(voice, parts.voices),
            speed=asked.speed,
            sample_rate=encoded_rate(asked.response_format, SAMPLE_RATE),
            trace=TraceContext.parse(request.headers.get("traceparent")),
        )
        record = service.recorder.begin(ask, self._door.name, len(asked.input))
        record.quality = quality = service.quality(ask, service.listener(), record.chars)
        job = service.encode(
            ask, WholeText(asked.input), quality, asked.response_format, len(asked.input)
        )
        if asked.stream_format == "sse":
            holds = Body("text/event-stream", events)
        else:
            holds = Body(content_type(asked.response_format, ask.sample_rate))
        return SpeechReply(service, self._door, record, job, holds)


async def events(pieces: AsyncIterator[Speech]) -> AsyncIterator[bytes]:
    """The audio as server-sent events. No tokens are counted here, so ``usage`` is zero."""
    async for piece in pieces:
        for start in range(0, piece.size, WRITE_BYTES):
            part = piece.data[start : start + WRITE_BYTES]
            audio = base64.b64encode(part).decode("ascii")
            yield sse({"type": "speech.audio.delta", "audio": audio})
    usage = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    yield sse({"type": "speech.audio.done", "usage": usage})


def error(refusal: RefusedError, name: str) -> Response:
    """OpenAI's shape of an error. A voice that does not exist is a plain 400 there."""
    status = 400 if refusal.status == 422 else refusal.status
    headers = common_headers(name)
    if refusal.retry_after_s is not None:
        headers["retry-after"] = str(refusal.retry_after_s)
    body = {
        "message": str(refusal),
        "type": "server_error" if status >= 500 else "invalid_request_error",
        "param": refusal.param,
        "code": refusal.code,
    }
    return JSONResponse({"error": body}, status, headers)


def _plain_voice(body: dict[str, Any]) -> dict[str, Any]:
    """OpenAI also allows ``{"id": ...}`` for a voice."""
    voice = body.get("voice")
    return {**body, "voice": voice.get("id")} if isinstance(voice, dict) else body


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": _CREATED, "owned_by": "firstword"}
