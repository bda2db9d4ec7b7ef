"""One text that is being said over a stream: what has come of it, and where to go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import replace

from firstword.agent.buffer import BufferClosed, ByteBuffer
from firstword.agent.errors import VoiceError
from firstword.agent.settings import VoiceSettings
from firstword.agent.voice import Ask, SpokenEvent
from firstword.agent.voice_fade import Joint
from firstword.protocol import (
    Audio,
    Quality,
    SynthesisComplete,
    SynthesisStart,
    Synthesize,
    Words,
    duration_s,
    samples_in,
)

_EVENT_BYTES = 256
_WORD_BYTES = 100


class StreamSpeech:
    """The inbox of one text. The connection's task fills it, the turn reads ``events``.

    ``stalled`` is called when the service is silent for long enough to try another connection,
    ``given_up`` when it is silent beyond the deadline.
    """

    def __init__(
        self,
        ask: Ask,
        settings: VoiceSettings,
        *,
        stalled: Callable[[StreamSpeech], None],
        given_up: Callable[[StreamSpeech], None],
    ) -> None:
        self.ask = ask
        self.resumed = 0
        self.refusal: VoiceError | None = None
        """Why the service does not say it now, where it may do so later."""
        self._settings = settings
        self._stalled = stalled
        self._given_up = given_up
        self._start: SynthesisStart | None = None
        self._joint = Joint(0)
        self._copied = 0
        self._last_word_s = -1.0
        self._known_until_s = -1.0
        self._inbox: ByteBuffer[SpokenEvent | VoiceError] = ByteBuffer(settings.buffer_bytes)

    @property
    def received(self) -> int:
        """Samples that have come."""
        return self._joint.received

    def request(self) -> Synthesize:
        """What to send: all of the text, or from shortly before the sample that is missing."""
        self._known_until_s = self._last_word_s
        self._copied = 0
        self.refusal = None
        start = self._start if self.received else None
        return Synthesize(
            text=self.ask.text,
            request_id=self.ask.request_id,
            voice=self.ask.voice,
            speed=self.ask.speed,
            word_timestamps=True,
            offset_samples=self._joint.begin_again(),
            quality=_quality(start.quality) if start is not None else None,
            traceparent=self.ask.traceparent,
        )

    async def take(self, event: SpokenEvent) -> None:
        """Put an event of the service into the inbox; waits while that is full.

        Raises:
            VoiceError: the rest comes from another engine than the part that was said, or some of
                it is missing.
        """
        match event:
            case SynthesisStart():
                await self._take_start(event)
            case Audio(data=data):
                self._copied += samples_in(len(data))
                await self._put_audio(self._joint.feed(data))
            case Words(words=words):
                fresh = tuple(word for word in words if word.start_s > self._known_until_s)
                if fresh:
                    self._last_word_s = fresh[-1].start_s
                    await self._put(replace(event, words=fresh), _WORD_BYTES * len(fresh))
            case SynthesisComplete():
                await self._take_end(event)

    async def _take_start(self, start: SynthesisStart) -> None:
        before, self._start = self._start, start
        if before is None:
            self._joint = Joint(round(self._settings.fade_s * start.sample_rate))
            await self._put(start, _EVENT_BYTES)
        elif self.received and _source(before) != _source(start):
            message = "The speech engine changed in the middle of this sentence."
            raise VoiceError("engine_changed", message)

    async def _take_end(self, end: SynthesisComplete) -> None:
        await self._put_audio(self._joint.flush())
        if end.samples != self._copied:
            message = "Some audio of this sentence was lost on its way."
            raise VoiceError("speech_incomplete", message)
        rate = self._start.sample_rate if self._start is not None else 24_000
        total = duration_s(self.received, rate)
        whole = replace(end, samples=self.received, total_duration_s=total)
        await self._put(whole, _EVENT_BYTES)

    async def _put_audio(self, data: bytes) -> None:
        if data:
            await self._put(Audio(data), len(data))

    def fail(self, error: VoiceError) -> None:
        """End the text after what has come of it."""
        if not self._inbox.closed:
            self._inbox.push(error, _EVENT_BYTES)
            self._inbox.close()

    def drop(self) -> None:
        """Nothing of this text is wanted any more."""
        self._inbox.clear()
        self._inbox.close()

    async def events(self) -> AsyncGenerator[SpokenEvent, None]:
        limit = self._settings.first_frame_s
        while True:
            event = await self._next(limit)
            yield event
            if isinstance(event, SynthesisComplete):
                return
            limit = self._settings.receive_s

    async def _next(self, limit: float) -> SpokenEvent:
        try:
            event = await self._await_next(limit)
        except TimeoutError:
            self._given_up(self)
            message = "The speech service was silent for too long."
            raise VoiceError("speech_timeout", message) from None
        except BufferClosed:
            raise VoiceError("speech_cancelled", "This sentence was cancelled.") from None
        if isinstance(event, VoiceError):
            raise event
        return event

    async def _await_next(self, limit: float) -> SpokenEvent | VoiceError:
        """The next event. Raises TimeoutError after ``limit`` seconds without one."""
        patience = self._settings.stall_s
        while patience is not None and patience < limit:
            with suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    return await self._inbox.get()
            limit -= patience
            self._stalled(self)
        async with asyncio.timeout(limit):
            return await self._inbox.get()

    async def _put(self, event: SpokenEvent, size: int) -> None:
        try:
            await self._inbox.put(event, size)
        except BufferClosed:
            """Its reader has left; what still comes is passed over."""


def _source(start: SynthesisStart) -> tuple[str, str, str, int]:
    return start.engine, start.quality, start.voice, start.sample_rate


def _quality(name: str) -> Quality | None:
    match name:
        case "fast" | "exact":
            return name
        case _:
            return None
