"""Room 4, second half: lines become speech, one asked for while another is said, in order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from uuid import uuid4

from firstword.agent.errors import VoiceError
from firstword.agent.heard import Line
from firstword.agent.output import Output
from firstword.agent.record import TurnRecord
from firstword.agent.sentence_record import SentenceRecord
from firstword.agent.spans import SpanMap
from firstword.agent.timeline import Timeline
from firstword.agent.voice import Ask, Speech, SpokenEvent, Voice
from firstword.protocol import (
    Audio,
    AudioStreamEnd,
    AudioStreamStart,
    Prompt,
    SentenceEnd,
    SentenceStart,
    SynthesisComplete,
    SynthesisStart,
    Words,
    audio_frames,
    duration_s,
    samples_in,
)

logger = logging.getLogger(__name__)

LOOK_AHEAD = 1
"""Lines that are asked for while one is being said."""

WAITING_LINES = 64
"""Lines, among them those that are only shown, that wait to be passed on."""

_NAMED_CHARS = 200

FAILURES_IN_A_ROW = 2
"""Lines that fail one after the other before the rest of a reply is only shown."""


@dataclass(slots=True)
class _Asked:
    """A line on its way to be said: its speech, or why there is none."""

    line: Line
    record: SentenceRecord | None = None
    speech: Speech | None = None
    error: VoiceError | None = None


class Speaking:
    """``ask`` and ``play`` run side by side.

    A line that the service fails at is told as an error in its place, and the reply goes on.
    After ``FAILURES_IN_A_ROW``, or where the service cannot be reached, the rest is only shown.
    """

    def __init__(
        self,
        prompt: Prompt,
        default_voice: str,
        *,
        voice: Voice,
        output: Output,
        timeline: Timeline,
        record: TurnRecord,
    ) -> None:
        self._prompt = prompt
        self._request_id = prompt.request_id or ""
        self._voice_name = prompt.voice or default_voice
        self._voice = voice
        self._output = output
        self._timeline = timeline
        self._record = record
        self._asked: asyncio.Queue[_Asked | None] = asyncio.Queue(WAITING_LINES)
        self._ahead = asyncio.Semaphore(1 + LOOK_AHEAD)
        self._failures = 0
        self._mute = False
        self._chunks = 0
        self._started = False
        self.failed = False

    async def ask(self, next_line: Callable[[], Awaitable[Line | None]]) -> None:
        """Open the voice while the model thinks, then ask for each line in time."""
        with suppress(VoiceError):  # The first line tries again, and tells.
            await self._voice.open()
        name = _speech_name(self._request_id)
        while (line := await next_line()) is not None:
            asked = _Asked(line)
            if line.pieces:
                await self._ahead.acquire()
                if not self._mute:
                    await self._ask_for(asked, f"{name}-{line.seq}")
            await self._asked.put(asked)
        await self._asked.put(None)

    async def play(self) -> None:
        """Pass on what is said, line by line."""
        while (asked := await self._asked.get()) is not None:
            await self._say(asked)
            if asked.line.pieces:
                self._ahead.release()
        if self._started:
            await self._output.put(
                AudioStreamEnd(
                    request_id=self._request_id,
                    total_chunks=self._chunks,
                    duration_s=round(self._timeline.audio_s, 6),
                )
            )

    async def _ask_for(self, asked: _Asked, request_id: str) -> None:
        speed = self._prompt.speed
        asked.record = self._record.sentence(asked.line.seq, len(asked.line.spoken))
        try:
            asked.speech = await self._voice.ask(
                Ask(
                    request_id=request_id,
                    text=asked.line.spoken,
                    voice=self._voice_name,
                    speed=speed,
                    traceparent=asked.record.traceparent,
                )
            )
        except VoiceError as error:
            asked.error = error
            self._mute = True

    async def _say(self, asked: _Asked) -> None:
        line, error = asked.line, asked.error
        if asked.speech is None:
            await self._show(line)
        else:
            error = await self._listen(line, asked.speech)
        if error is not None:
            await self._tell(line, error)
        line.whole = error is None and asked.speech is not None
        line.unsaid = not line.whole and not line.samples
        if asked.record is not None:
            code = None if error is None else error.code
            asked.record.end(line.duration_s, "said" if line.whole else "failed", code)
        await self._output.put(
            SentenceEnd(request_id=self._request_id, seq=line.seq, samples=line.samples)
        )

    async def _listen(self, line: Line, speech: Speech) -> VoiceError | None:
        spans = SpanMap(line.pieces)
        try:
            async with aclosing(speech.events()) as events:
                async for event in events:
                    await self._pass_on(line, event, spans)
        except VoiceError as error:
            return error
        self._failures = 0
        return None

    async def _pass_on(self, line: Line, event: SpokenEvent, spans: SpanMap) -> None:
        match event:
            case SynthesisStart():
                line.sample_rate = event.sample_rate
                await self._start(event)
                await self._show(line)
            case Words():
                words = spans.words(event.words)
                line.words.extend(words)
                await self._output.put(Words(request_id=self._request_id, words=words))
            case Audio():
                for data in audio_frames(event.data):
                    await self._play_frame(line, data)
            case SynthesisComplete():
                """The end of the line is told once it is known how it ended."""

    async def _play_frame(self, line: Line, data: bytes) -> None:
        samples = samples_in(len(data))
        line.samples += samples
        self._chunks += 1
        self._timeline.mark("first_audio")
        seconds = duration_s(samples, line.sample_rate)
        self._timeline.audio_s += seconds
        self._record.audio(seconds)
        await self._output.put(Audio(data))

    async def _start(self, start: SynthesisStart) -> None:
        if not self._started:
            self._started = True
            await self._output.put(
                AudioStreamStart(
                    request_id=self._request_id,
                    voice=start.voice or self._voice_name,
                    sample_rate=start.sample_rate,
                    format=start.format,
                )
            )

    async def _show(self, line: Line) -> None:
        if line.shown:
            return
        line.shown = True
        await self._output.put(
            SentenceStart(
                request_id=self._request_id,
                seq=line.seq,
                text=line.text,
                spoken=line.spoken if line.spoken != line.text else None,
                start=line.start,
                end=line.end,
            )
        )

    async def _tell(self, line: Line, error: VoiceError) -> None:
        logger.warning(
            "request_id=<%s>, seq=<%d>, code=<%s> | sentence was not said",
            self._request_id,
            line.seq,
            error.code,
        )
        self.failed = True
        self._record.error(error.code)
        self._failures += 1
        self._mute = self._mute or self._failures >= FAILURES_IN_A_ROW
        await self._show(line)
        await self._output.put(error.frame(self._request_id))


def _speech_name(request_id: str) -> str:
    """What the speech service's log can be searched for; new for each reply, whatever its id."""
    return f"{request_id[:_NAMED_CHARS]}.{uuid4().hex[:8]}"
