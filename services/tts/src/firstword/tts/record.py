"""One request as the log, the metrics and the trace see it: ids, lengths, times and codes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

from firstword.telemetry import Metric, Telemetry
from firstword.tts.ask import Ask
from firstword.tts.engines import EngineQuality
from firstword.tts.job import Job
from firstword.tts.metrics import Metrics
from firstword.tts.synthesis import Speech

logger = logging.getLogger(__name__)

NO_FAULT = frozenset({"complete", "cancelled", "disconnected"})
"""Outcomes that are no error of ours or of the request's."""


class Recorder:
    """Begins the records of one server. ``clock`` is the scheduler's, in seconds."""

    def __init__(
        self, metrics: Metrics, telemetry: Telemetry | None, clock: Callable[[], float]
    ) -> None:
        self.metrics = metrics
        self.clock = clock
        self._telemetry = telemetry or Telemetry()

    def begin(self, ask: Ask, door: str, chars: int) -> Record:
        """A request was taken: ``end`` of what this gives must be called."""
        return Record(self, self._telemetry, ask, door, chars)

    def refused(self, door: str, code: str) -> None:
        """A request was not taken."""
        self.metrics.requests.labels(door, code).inc()
        if self._telemetry.emf is not None:
            self._telemetry.emf.put([Metric("Refusals", 1, "Count")], by=("Code", code))

    async def keep_reporting(self) -> None:
        """For ever: tell the gauges at intervals, where that is set."""
        await self._telemetry.keep_reporting(self.metrics.gauges)


class Record:
    """``arrived`` is on the recorder's clock."""

    def __init__(
        self, recorder: Recorder, telemetry: Telemetry, ask: Ask, door: str, chars: int
    ) -> None:
        self.arrived = recorder.clock()
        self.ask = ask
        self.chars = chars
        """Characters of its text so far."""
        self.quality: EngineQuality = "exact"
        """What ``auto`` meant for it."""
        self._recorder = recorder
        self._emf = telemetry.emf
        self._door = door
        self._first_audio_s: float | None = None
        spans = telemetry.spans
        self._span = spans.start(
            "synthesis",
            ask.trace,
            kind="server",
            attributes={
                "firstword.request_id": ask.request_id,
                "firstword.door": door,
                "firstword.voice": ask.voice,
                "firstword.sample_rate": ask.sample_rate,
                "firstword.offset_samples": ask.offset_samples,
            },
        )
        self._waiting = spans.start("first audio", self._span.context)

    def first_audio(self, *, waited: bool = True) -> None:
        """Its first audio is sent. Not ``waited``: it had to stand behind others of its session."""
        self._waiting.end()
        if waited:
            self._first_audio_s = self._recorder.clock() - self.arrived
            self._recorder.metrics.ttfa_s.labels(self._door).observe(self._first_audio_s)

    def end(self, outcome: str, job: Job[Speech] | None) -> None:
        """It is over: ``outcome`` is complete, cancelled, disconnected or an error's code."""
        elapsed_s = self._recorder.clock() - self.arrived
        audio_s = 0.0 if job is None else job.audio_s
        work_s = 0.0 if job is None else job.work_s
        underrun_s = job.listener.take_underrun_s() if job is not None and audio_s > 0 else 0.0
        self._recorder.metrics.count(
            self._door, outcome, audio_s=audio_s, work_s=work_s, underrun_s=underrun_s
        )
        self._span.set(
            {
                "firstword.outcome": outcome,
                "firstword.quality": self.quality,
                "firstword.chars": self.chars,
                "firstword.audio_s": round(audio_s, 4),
                "firstword.work_s": round(work_s, 4),
                "firstword.underrun_s": round(underrun_s, 4),
            }
        )
        if outcome not in NO_FAULT:
            self._span.fail(outcome)
        self._span.end()
        if self._emf is not None:
            self._put(outcome, list(self._values(outcome, audio_s, work_s, underrun_s, elapsed_s)))
        logger.info(
            "%s, door=<%s>, outcome=<%s>, chars=<%d>, audio_s=<%.2f>, quality=<%s>, "
            "elapsed_ms=<%.0f> | spoken",
            self.ask.label,
            self._door,
            outcome,
            self.chars,
            audio_s,
            self.quality,
            1000 * elapsed_s,
        )

    def _values(
        self, outcome: str, audio_s: float, work_s: float, underrun_s: float, elapsed_s: float
    ) -> Iterator[Metric]:
        yield Metric("Requests", 1, "Count")
        yield Metric("Cancels", outcome == "cancelled", "Count")
        yield Metric("Errors", outcome not in NO_FAULT, "Count")
        yield Metric("RequestDuration", round(1000 * elapsed_s, 1), "Milliseconds")
        yield Metric("AudioDuration", round(audio_s, 4), "Seconds")
        yield Metric("ForetoldUnderrun", round(underrun_s, 4), "Seconds")
        if self._first_audio_s is not None:
            yield Metric("FirstAudio", round(1000 * self._first_audio_s, 1), "Milliseconds")
        if audio_s > 0:
            yield Metric("RealTimeFactor", round(work_s / audio_s, 4))

    def _put(self, outcome: str, values: list[Metric]) -> None:
        assert self._emf is not None
        ids = {"request_id": self.ask.request_id}
        if self.ask.trace is not None:
            ids["trace_id"] = self.ask.trace.trace_id
        self._emf.put(values, by=("Door", self._door), properties=ids)
        if outcome not in NO_FAULT:
            self._emf.put([Metric("Faults", 1, "Count")], by=("Code", outcome), properties=ids)
