"""How audio leaves by HTTP: streamed or whole, and with an end to the work when the caller leaves.

Until the first byte everything can still become an error with a status. After it the only honest
way to say that something broke is to break the connection.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from firstword.protocol import Word
from firstword.tts.job import Job, JobFailedError
from firstword.tts.record import Record
from firstword.tts.refusal import RefusedError
from firstword.tts.service import Service
from firstword.tts.synthesis import Speech

logger = logging.getLogger(__name__)

ABORT = "firstword.abort"
"""ASGI extension: a function that drops the connection at once, with what waits to be sent."""

WRITE_BYTES = 16 * 1024
"""Bytes handed to the connection at once: what a slow reader's deadline is counted for."""

type Frames = Callable[[AsyncIterator[Speech]], AsyncIterator[bytes]]
"""Makes the body's bytes of the pieces as they come."""

type Finish = Callable[[bytes, tuple[Word, ...], float], bytes]
"""Makes the body of all bytes, all words and the audio's seconds."""


async def bare(pieces: AsyncIterator[Speech]) -> AsyncIterator[bytes]:
    """The audio as it is."""
    async for piece in pieces:
        yield piece.data


@dataclass(frozen=True, slots=True)
class Body:
    """What an answer holds: with ``finish`` it begins when all is there, else with the first bytes
    of ``frames``."""

    media_type: str
    frames: Frames = bare
    finish: Finish | None = None


class AbortedError(Exception):
    """The connection has to be broken, and the server offers no function for it."""


@dataclass(frozen=True, slots=True)
class Door:
    """What differs from door to door: its name, and how an error (of a request id) looks there."""

    name: str
    error: Callable[[RefusedError, str], Response]


class SpeechReply(Response):
    """One request's audio. The job is stopped when the answer ends, however that is."""

    def __init__(
        self, service: Service, door: Door, record: Record, job: Job[Speech], body: Body
    ) -> None:
        self.status_code = 200
        self.media_type = body.media_type
        self._service = service
        self._door = door
        self._record = record
        self._ask = record.ask
        self._job = job
        self._body = body
        self._started = False
        self._outcome = "disconnected"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._service.working():
            try:
                await _while_connected(receive, self._answer(scope, receive, send))
            finally:
                self._job.cancel()
                self._record.end(self._outcome, self._job)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            if self._body.finish is None:
                await self._write(send, self._body.frames(self._job), None)
            else:
                body = await self._gathered(self._body.finish)
                await self._write(send, _once(body), len(body))
            self._outcome = "complete"
            return
        except JobFailedError as failure:
            logger.error("%s | synthesis failed: %s", self._ask.label, failure.trail())
            fault = RefusedError("synthesis_failed", "the synthesis failed on our side")
        except RefusedError as refusal:
            fault = refusal
        except TimeoutError:
            fault = RefusedError("slow_reader", "nothing was taken for too long")
        self._outcome = fault.code
        if self._started:
            await _abort(scope)
        else:
            await self._door.error(fault, self._ask.request_id)(scope, receive, send)

    async def _write(self, send: Send, body: AsyncIterator[bytes], length: int | None) -> None:
        async for data in body:
            for start in range(0, len(data), WRITE_BYTES):
                await self._start(send, length)
                part = data[start : start + WRITE_BYTES]
                await self._within(
                    send({"type": "http.response.body", "body": part, "more_body": True})
                )
        await self._start(send, length)
        await self._within(send({"type": "http.response.body", "body": b"", "more_body": False}))

    async def _start(self, send: Send, length: int | None) -> None:
        if self._started:
            return
        self._started = True
        self._record.first_audio()
        self.init_headers(common_headers(self._ask.request_id))
        if length is not None:
            self.headers["content-length"] = str(length)
        message = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await self._within(send(message))

    async def _gathered(self, finish: Finish) -> bytes:
        parts: list[bytes] = []
        words: list[Word] = []
        size, seconds, most = 0, 0.0, self._service.settings.limits.whole_bytes
        async for piece in self._job:
            size += piece.size
            if size > most:
                message = f"the audio has more than {most} bytes: ask for it with stream"
                raise RefusedError("too_large", message)
            parts.append(piece.data)
            words += piece.words
            seconds += piece.duration_s
        return finish(b"".join(parts), tuple(words), seconds)

    async def _within(self, sending: Awaitable[None]) -> None:
        async with asyncio.timeout(self._service.settings.limits.send_s):
            await sending


def common_headers(request_id: str) -> dict[str, str]:
    """Headers of every answer that is about one request."""
    return {"x-request-id": request_id, "cache-control": "no-store"}


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


async def _while_connected(receive: Receive, answer: Coroutine[None, None, None]) -> None:
    """Run ``answer``, and stop it when the caller is gone."""
    async with asyncio.TaskGroup() as group:
        tasks = {group.create_task(answer), group.create_task(_gone(receive))}
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _abort(scope: Scope) -> None:
    abort = scope.get("extensions", {}).get(ABORT)
    if abort is None:
        raise AbortedError("the answer cannot be completed")
    abort()
    # Lets the server see that the connection is gone before the application returns.
    await asyncio.sleep(0)
