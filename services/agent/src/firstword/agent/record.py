"""One turn as the log, the metrics and the trace see it: ids, lengths, times and codes."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import contextmanager

from firstword.agent.metrics import Metrics
from firstword.agent.sentence_record import Outcome, SentenceRecord
from firstword.protocol import Prompt, Status
from firstword.telemetry import Metric, Span, Telemetry, TraceContext, identified

logger = logging.getLogger(__name__)


class Recorder:
    """Begins the records of one agent's turns."""

    def __init__(self, metrics: Metrics | None = None, telemetry: Telemetry | None = None) -> None:
        self.metrics = metrics or Metrics()
        self.telemetry = telemetry or Telemetry()

    def begin(self, prompt: Prompt, traceparent: str | None = None) -> TurnRecord:
        """A prompt was taken, in a request with this header; ``end`` must follow.

        The turn belongs to the trace that the prompt itself names, else to the request's. Where
        both are one trace the request's span is the nearer parent.
        """
        named = TraceContext.parse(prompt.traceparent)
        near = self.telemetry.spans.surrounding() or TraceContext.parse(traceparent)
        same = named is not None and near is not None and named.trace_id == near.trace_id
        return TurnRecord(self, prompt, near if same else named or near)

    def error(self, code: str, ids: Mapping[str, str] | None = None) -> None:
        """A client was told of an error."""
        label = self.metrics.error(code)
        emf = self.telemetry.emf
        if emf is not None:
            emf.put([Metric("Faults", 1, "Count")], by=("Code", label), properties=ids)

    async def keep_reporting(self) -> None:
        """For ever: tell the gauges at intervals, where that is set."""
        await self.telemetry.keep_reporting(self.metrics.gauges)


class TurnRecord:
    """From the prompt to the last event of its reply."""

    def __init__(self, recorder: Recorder, prompt: Prompt, parent: TraceContext | None) -> None:
        self.underrun_s = 0.0
        self._recorder = recorder
        self._mode = prompt.mode
        self._spans = recorder.telemetry.spans
        self._span = self._spans.start(
            "turn",
            parent,
            kind="server",
            attributes={
                "firstword.request_id": prompt.request_id or "",
                "session.id": prompt.session_id or "",
                "firstword.mode": prompt.mode,
                "firstword.prompt_chars": len(prompt.prompt),
            },
        )
        self._waiting: Span | None = self._spans.start("first audio", self.context)
        self._ids = {
            "request_id": prompt.request_id or "",
            "session_id": prompt.session_id or "",
            "trace_id": self.context.trace_id,
        }
        self._open: list[SentenceRecord] = []
        self._rtf: list[float] = []
        self._errors = 0
        self._sentences = 0
        self._played_until: float | None = None
        self._voice_free_at = 0.0

    @property
    def context(self) -> TraceContext:
        """The turn's trace and span."""
        return self._span.context

    @contextmanager
    def running(self) -> Iterator[None]:
        """Log lines of this task and of those that it starts carry the turn's ids."""
        with identified(**self._ids):
            yield

    async def thinking(self, work: Awaitable[None]) -> None:
        """Await ``work``; the spans that Strands makes meanwhile belong to it."""
        span = self._spans.start("thinking", self.context)
        try:
            with span.current():
                await work
        finally:
            span.end()

    def sentence(self, seq: int, chars: int) -> SentenceRecord:
        """A sentence is about to be asked of the voice; its ``end`` must follow."""
        self._sentences += 1
        one = SentenceRecord(self._spans, self.context, seq=seq, chars=chars, over=self._over)
        self._open.append(one)
        return one

    def audio(self, duration_s: float) -> None:
        """So much audio is passed on; a player is assumed to play it as soon as it can."""
        now = time.monotonic()
        if self._waiting is not None:
            self._waiting.end()
            self._waiting = None
        if self._played_until is not None and self._played_until < now:
            self.underrun_s += now - self._played_until
        self._played_until = max(now, self._played_until or now) + duration_s

    def error(self, code: str) -> None:
        """The client was told of an error."""
        self._errors += 1
        self._recorder.error(code, self._ids)

    def stopped_playing(self) -> None:
        """The player was stopped after the reply had ended."""
        self._recorder.metrics.cancels.labels("playing").inc()
        logger.info("request_id=<%s> | stopped while it played", self._ids["request_id"])

    def end(self, status: Status, timings: Mapping[str, float | None]) -> None:
        """It is over. ``timings`` are those of ``agent_end``."""
        for one in tuple(self._open):
            one.end(0.0, "cancelled")
        told = {name: value for name, value in timings.items() if value is not None}
        self._count(status, told)
        self._span.set({"firstword.status": status, "firstword.errors": self._errors})
        self._span.set({f"firstword.{name}": value for name, value in told.items()})
        self._span.set({"firstword.underrun_s": round(self.underrun_s, 4)})
        if status == "failed":
            self._span.fail(status)
        self._span.end()
        if self._recorder.telemetry.emf is not None:
            values = self._values(status, told)
            self._recorder.telemetry.emf.put(values, by=("Mode", self._mode), properties=self._ids)
        logger.info(
            "request_id=<%s>, mode=<%s>, status=<%s>, sentences=<%d>, errors=<%d>, "
            "first_audio_ms=<%s>, end_ms=<%s>, audio_s=<%s> | turn ended",
            self._ids["request_id"],
            self._mode,
            status,
            self._sentences,
            self._errors,
            told.get("first_audio_ms"),
            told.get("end_ms"),
            told.get("audio_s"),
        )

    def _over(self, one: SentenceRecord, outcome: Outcome, audio_s: float) -> None:
        """A sentence has ended. The voice says one after the other, so it began after the last."""
        self._open.remove(one)
        self._recorder.metrics.sentences.labels(outcome).inc()
        began, self._voice_free_at = max(one.asked_at, self._voice_free_at), time.monotonic()
        if outcome == "said" and audio_s > 0:
            self._rtf.append((self._voice_free_at - began) / audio_s)
            self._recorder.metrics.rtf.observe(self._rtf[-1])

    def _count(self, status: Status, told: Mapping[str, float]) -> None:
        metrics = self._recorder.metrics
        metrics.turns.labels(self._mode, status).inc()
        if status == "cancelled":
            metrics.cancels.labels("answering").inc()
        if "first_text_ms" in told:
            metrics.first_text_s.labels(self._mode).observe(told["first_text_ms"] / 1000)
        if "first_audio_ms" in told:
            metrics.first_audio_s.labels(self._mode).observe(told["first_audio_ms"] / 1000)
        metrics.audio_s.inc(told.get("audio_s", 0.0))
        if self.underrun_s > 0:
            metrics.underrun_s.inc(self.underrun_s)
            metrics.underruns.inc()

    def _values(self, status: Status, told: Mapping[str, float]) -> Iterator[Metric]:
        yield Metric("Turns", 1, "Count")
        yield Metric("Cancels", status == "cancelled", "Count")
        yield Metric("Errors", self._errors, "Count")
        yield Metric("AudioDuration", told.get("audio_s", 0.0), "Seconds")
        yield Metric("ForetoldUnderrun", round(self.underrun_s, 4), "Seconds")
        for name, key in (
            ("FirstText", "first_text_ms"),
            ("FirstSentence", "first_sentence_ms"),
            ("FirstAudio", "first_audio_ms"),
            ("TurnDuration", "end_ms"),
        ):
            if key in told:
                yield Metric(name, told[key], "Milliseconds")
        if self._rtf:
            yield Metric("RealTimeFactor", round(sum(self._rtf) / len(self._rtf), 4))
