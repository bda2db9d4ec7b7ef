"""Room 7: the requests of one connection and their frames, in order. It knows no other session.

Four tasks: one reads and waits for nothing else, one speaks the requests one after another, one
sends what keeps no order (errors, requests cancelled before they began), one waits for the server
to stop. What the second and the third send passes one lock.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from itertools import islice

from firstword.protocol import (
    Audio,
    Cancel,
    Close,
    Error,
    Flush,
    Frame,
    RemoteProtocolError,
    Synthesize,
    Words,
    audio_frames,
    samples_in,
)
from firstword.protocol import Session as Wire
from firstword.tts.ask import check_text
from firstword.tts.connection import Ending, SlowReaderError, Socket
from firstword.tts.job import JobFailedError, SchedulerStoppedError
from firstword.tts.refusal import RefusedError
from firstword.tts.request import Request, asked
from firstword.tts.service import Service
from firstword.tts.synthesis import Speech

logger = logging.getLogger(__name__)

DOOR = "ws"

IN_WORK = 2
"""Requests that are synthesised at once: the one that is being sent and the next."""

UNREAD_NOTICES = 128
"""Frames out of order that may wait for a caller who does not read them."""


class SpeechSession:
    """``run`` serves one connection to its end."""

    def __init__(self, socket: Socket, service: Service) -> None:
        self._socket = socket
        self._service = service
        self._limits = service.settings.limits
        self._wire = Wire("server", max_message_bytes=self._limits.message_bytes)
        self._listener = service.listener()
        self._requests: deque[Request] = deque()
        self._speaking: Request | None = None
        self._notices: asyncio.Queue[Frame] = asyncio.Queue(UNREAD_NOTICES)
        self._changed = asyncio.Event()
        self._sending = asyncio.Lock()
        self._closing: Ending | None = None
        self._over: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()

    async def run(self) -> Ending:
        """Serve until the peer is gone, has closed or the server stops.

        Raises:
            SlowReaderError: nothing was taken for ``send_s``.
            SchedulerStoppedError: the scheduler's worker is gone.
        """
        try:
            async with asyncio.TaskGroup() as group:
                work = (self._read(), self._speak(), self._notify(), self._leave())
                tasks = [group.create_task(one) for one in work]
                ending = await self._over
                for task in tasks:
                    task.cancel()
            return ending
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from None
        finally:
            while self._requests:
                self._requests[0].stop(None)
                self._finished(self._requests.popleft(), "disconnected")

    # What comes in.

    async def _read(self) -> None:
        while (payload := await self._socket.receive()) is not None:
            try:
                for frame in self._wire.receive(payload):
                    self._handle(frame)
            except RemoteProtocolError as fault:
                self._service.recorder.refused(DOOR, fault.code)
                self._note(fault.frame())
        self._end(Ending(None))

    def _handle(self, frame: Frame) -> None:
        match frame:
            case Synthesize(request_id=str(name)) if request := self._find(name):
                self._more(request, frame)
            case Synthesize(request_id=str(name)):
                self._new(name, frame)
            case Flush(request_id=name):
                if request := self._find(name):
                    request.finish_text()
            case Cancel(request_id=name):
                for request in tuple(self._requests):
                    if name is None or name == request.ask.request_id:
                        self._stop(request, None)
                if name is None:
                    self._service.scheduler.silence(self._listener)
            case Close():
                self._close(Ending(1000))

    def _find(self, name: str) -> Request | None:
        return next((r for r in self._requests if r.ask.request_id == name), None)

    def _new(self, name: str, frame: Synthesize) -> None:
        try:
            self._check_room()
            ask = asked(name, frame, self._service)
        except RefusedError as refusal:
            self._service.recorder.refused(DOOR, refusal.code)
            self._note(Error(code=refusal.code, message=str(refusal), request_id=name))
            return
        first = not (self._requests or frame.more)
        self._service.begin()
        record = self._service.recorder.begin(ask, DOOR, len(frame.text))
        self._requests.append(Request(record, frame.text, whole=not frame.more, first=first))
        self._begin_jobs()
        self._changed.set()

    def _check_room(self) -> None:
        if len(self._requests) >= self._limits.requests:
            message = f"{len(self._requests)} requests of this session are open, the most that may"
            raise RefusedError("queue_saturated", message)

    def _more(self, request: Request, frame: Synthesize) -> None:
        try:
            check_text(frame.text, self._limits, before=request.record.chars)
        except RefusedError as refusal:
            self._stop(request, refusal)
            return
        request.add_text(frame.text)
        if not frame.more:
            request.finish_text()

    def _stop(self, request: Request, fault: RefusedError | None) -> None:
        request.stop(fault)
        if request is not self._speaking:
            self._requests.remove(request)
            self._note(request.last_frame(self._service.scheduler.clock()))
            self._finished(request, request.outcome)
            self._begin_jobs()

    def _close(self, ending: Ending) -> None:
        self._closing = self._closing or ending
        self._changed.set()

    def _note(self, frame: Frame) -> None:
        try:
            self._notices.put_nowait(frame)
        except asyncio.QueueFull:
            self._end(Ending(1008, "too many answers go unread"))

    def _end(self, ending: Ending) -> None:
        if not self._over.done():
            self._over.set_result(ending)

    # What goes out.

    async def _speak(self) -> None:
        while self._requests or self._closing is None:
            self._changed.clear()
            if not self._requests:
                await self._changed.wait()
                continue
            self._speaking = request = self._requests[0]
            await self._serve(request)
            self._speaking = None
            self._requests.popleft()
            self._finished(request, request.outcome)
            self._begin_jobs()
        await self._notices.join()
        self._end(self._closing)

    def _begin_jobs(self) -> None:
        ahead_s = 0.0
        for request in islice(self._requests, IN_WORK):
            if request.job is None:
                request.begin(self._service, self._listener, ahead_s)
            ahead_s += request.left_s

    async def _serve(self, request: Request) -> None:
        # Older requests that ended out of order must be over on the wire too.
        await self._notices.join()
        if not request.stopped:
            await self._send(request.start_frame(self._service.parts().engine))
        dead: SchedulerStoppedError | None = None
        try:
            if request.job is not None:
                async for piece in request.job:
                    await self._send_piece(request, piece)
        except JobFailedError as failure:
            logger.error("%s | synthesis failed: %s", request.ask.label, failure.trail())
            request.fault = RefusedError("synthesis_failed", "the synthesis failed on our side")
            dead = failure if isinstance(failure, SchedulerStoppedError) else None
        await self._send(request.last_frame(self._service.scheduler.clock()))
        if dead is not None:
            raise dead

    async def _send_piece(self, request: Request, piece: Speech) -> None:
        if piece.words and not request.stopped:
            request.words += piece.words
            await self._send(Words(request_id=request.ask.request_id, words=piece.words))
        for data in audio_frames(piece.data):
            if request.stopped:
                return
            await self._send(Audio(data))
            if not request.samples:
                request.record.first_audio(waited=request.first)
            request.samples += samples_in(len(data))

    async def _notify(self) -> None:
        while True:
            frame = await self._notices.get()
            await self._send(frame)
            self._notices.task_done()

    async def _leave(self) -> None:
        await self._service.leaving.wait()
        self._close(Ending(1001, "draining"))

    async def _send(self, frame: Frame) -> None:
        async with self._sending:
            message = self._wire.send(frame)
            try:
                async with asyncio.timeout(self._limits.send_s):
                    await self._socket.send(message)
            except TimeoutError:
                raise SlowReaderError(f"nothing was taken for {self._limits.send_s:g} s") from None

    def _finished(self, request: Request, outcome: str) -> None:
        self._service.end()
        request.record.end(outcome, request.job)
