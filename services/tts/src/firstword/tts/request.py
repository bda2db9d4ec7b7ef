"""One synthesis of a session, from the first piece of its text to its last frame."""

from __future__ import annotations

from firstword.protocol import (
    Error,
    SynthesisCancelled,
    SynthesisComplete,
    SynthesisStart,
    Synthesize,
    Word,
    duration_s,
)
from firstword.telemetry import TraceContext
from firstword.tts.ask import (
    Ask,
    check_age,
    check_not_empty,
    check_text,
    checked_voice,
    expected_s,
)
from firstword.tts.job import Job
from firstword.tts.listener import Listener
from firstword.tts.record import Record
from firstword.tts.refusal import RefusedError
from firstword.tts.service import Service
from firstword.tts.synthesis import Speech, TextInPieces, WholeText

type LastFrame = SynthesisComplete | SynthesisCancelled | Error


def asked(name: str, frame: Synthesize, service: Service) -> Ask:
    """What a message asks for.

    Raises:
        RefusedError: it cannot be done, or not now.
    """
    limits = service.settings.limits
    parts = service.admit()
    check_age(frame.request_timestamp, limits)
    check_text(frame.text, limits)
    if not frame.more:
        check_not_empty(frame.text)
    return Ask(
        request_id=name,
        voice=checked_voice(frame.voice, parts.voices),
        speed=frame.speed,
        sample_rate=frame.sample_rate,
        quality=frame.quality,
        word_timestamps=frame.word_timestamps,
        offset_samples=frame.offset_samples,
        trace=TraceContext.parse(frame.traceparent),
    )


class Request:
    """What is known of it.

    ``first``: it waits for nothing, since no other request was open and all of its text is there.
    """

    def __init__(self, record: Record, text: str, *, whole: bool, first: bool) -> None:
        self.record = record
        self.ask = record.ask
        self.first = first
        self.job: Job[Speech] | None = None
        self.stopped = False
        self.fault: RefusedError | None = None
        self.samples = 0
        """Samples sent."""
        self.words: list[Word] = []
        self._pieces = None if whole else TextInPieces()
        self._script = self._pieces or WholeText(text)
        if self._pieces is not None:
            self._pieces.add(text)

    def begin(self, service: Service, listener: Listener, ahead_s: float) -> None:
        """Have it synthesised from now on, after ``ahead_s`` seconds that are not made yet."""
        quality = service.quality(self.ask, listener, self.record.chars, ahead_s=ahead_s)
        self.record.quality = quality
        self.job = service.speak(self.ask, self._script, quality, listener, self.record.chars)

    @property
    def left_s(self) -> float:
        """About how many seconds of its audio are not made yet."""
        return 0.0 if self.job is None else max(0.0, self.job.expected_s - self.job.audio_s)

    def add_text(self, text: str) -> None:
        """More of a text that comes in pieces."""
        if self._pieces is None:
            return
        self.record.chars += len(text)
        self._pieces.add(text)
        if self.job is not None:
            self.job.expected_s += expected_s(len(text), self.ask.speed)
            self.job.wake()

    def finish_text(self) -> None:
        """All of its text is known."""
        if self._pieces is not None:
            self._pieces.finish()
            if self.job is not None:
                self.job.wake()

    def stop(self, fault: RefusedError | None) -> None:
        """Make and send no more of it; ``fault`` is why, None when the caller said so."""
        self.stopped = True
        self.fault = fault
        if self.job is not None:
            self.job.cancel()

    def start_frame(self, engine: str) -> SynthesisStart:
        """What is sent before its audio."""
        return SynthesisStart(
            request_id=self.ask.request_id,
            sample_rate=self.ask.sample_rate,
            voice=self.ask.voice,
            engine=engine,
            quality=self.record.quality,
        )

    def last_frame(self, now: float) -> LastFrame:
        """How it ended."""
        name = self.ask.request_id
        if self.fault is not None:
            return Error(code=self.fault.code, message=str(self.fault), request_id=name)
        if self.stopped:
            return SynthesisCancelled(request_id=name, samples=self.samples)
        return SynthesisComplete(
            request_id=name,
            total_duration_s=round(duration_s(self.samples, self.ask.sample_rate), 4),
            elapsed_s=round(now - self.record.arrived, 4),
            samples=self.samples,
            words=tuple(self.words) if self.ask.word_timestamps else None,
        )

    @property
    def outcome(self) -> str:
        """How it ended, for the books."""
        if self.fault is not None:
            return self.fault.code
        return "cancelled" if self.stopped else "complete"
