"""One sentence as the trace sees it: what its listener waits for, and the wire within."""

from __future__ import annotations

import time
from typing import Literal, Protocol

from firstword.telemetry import Spans, TraceContext

type Outcome = Literal["said", "failed", "cancelled"]


class Over(Protocol):
    """Is told of a sentence that has ended, and of the seconds of audio that came of it."""

    def __call__(self, one: SentenceRecord, outcome: Outcome, audio_s: float) -> None: ...


class SentenceRecord:
    """From when the voice is asked for it to when its last audio was passed on."""

    def __init__(
        self, spans: Spans, turn: TraceContext, *, seq: int, chars: int, over: Over
    ) -> None:
        self.asked_at = time.monotonic()
        self._over = over
        told: dict[str, str | int] = {"firstword.seq": seq, "firstword.chars": chars}
        self._span = spans.start("sentence", turn, attributes=told)
        self._wire = spans.start("wire", self._span.context, kind="client", attributes=told)

    @property
    def traceparent(self) -> str:
        """What the speech service is told: the wire's span is the parent of its own."""
        return self._wire.context.traceparent

    def end(self, audio_s: float, outcome: Outcome, code: str | None = None) -> None:
        """It was said, or not; ``code`` is the error's."""
        for span in (self._wire, self._span):
            span.set({"firstword.outcome": outcome, "firstword.audio_s": round(audio_s, 4)})
            if code is not None:
                span.fail(code)
            span.end()
        self._over(self, outcome, audio_s)
