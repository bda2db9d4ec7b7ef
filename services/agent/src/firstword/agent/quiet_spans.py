"""Strands' own spans without what was said: it would put prompts and answers into them.

Its tracer is wrapped, whoever has set up tracing. What passes are numbers, and text under names
that hold no content; events, which hold the messages, and the messages of exceptions do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, Status, StatusCode, Tracer
from strands.telemetry.tracer import get_tracer

HARMLESS = frozenset(
    {
        "error.type",
        "event_loop.cycle_id",
        "event_loop.parent_cycle_id",
        "gen_ai.agent.name",
        "gen_ai.event.end_time",
        "gen_ai.event.start_time",
        "gen_ai.operation.name",
        "gen_ai.provider.name",
        "gen_ai.request.model",
        "gen_ai.system",
        "gen_ai.tool.call.id",
        "gen_ai.tool.name",
        "gen_ai.tool.status",
        "strands.cancellation.type",
    }
)
"""Attributes whose text is a name, a time or an id."""


def quieten_strands() -> None:
    """From now on Strands records no text. Doing it again changes nothing."""
    strands = get_tracer()
    if not isinstance(strands.tracer, QuietTracer):
        strands.tracer = QuietTracer(strands.tracer)


class QuietTracer(Tracer):
    """Starts spans that keep text to themselves."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def start_span(
        self,
        name: str,
        context: Context | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
        attributes: Mapping[str, Any] | None = None,
        links: Sequence[Link] | None = None,
        start_time: int | None = None,
        record_exception: bool = True,
        set_status_on_exception: bool = True,
    ) -> Span:
        span = self._tracer.start_span(
            name,
            context,
            kind,
            None,
            links,
            start_time,
            record_exception=False,
            set_status_on_exception=False,
        )
        quiet = QuietSpan(span)
        quiet.set_attributes(attributes or {})
        return quiet

    @contextmanager
    def start_as_current_span(  # type: ignore[override]
        self, name: str, *arguments: Any, end_on_exit: bool = True, **more: Any
    ) -> Iterator[Span]:
        span = self.start_span(name, *arguments, **more)
        with trace.use_span(span, end_on_exit=end_on_exit):
            yield span


class QuietSpan(Span):
    """A span that is told of content and does not keep it."""

    def __init__(self, span: Span) -> None:
        self._span = span

    def end(self, end_time: int | None = None) -> None:
        self._span.end(end_time)

    def get_span_context(self) -> SpanContext:
        return self._span.get_span_context()

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        for key, value in attributes.items():
            self.set_attribute(key, value)

    def set_attribute(self, key: str, value: Any) -> None:
        if key in HARMLESS or isinstance(value, bool | int | float):
            self._span.set_attribute(key, value)

    def add_event(self, name: str, attributes: Any = None, timestamp: int | None = None) -> None:
        """Events hold messages."""

    def update_name(self, name: str) -> None:
        self._span.update_name(name)

    def is_recording(self) -> bool:
        return self._span.is_recording()

    def set_status(self, status: Status | StatusCode, description: str | None = None) -> None:
        self._span.set_status(status.status_code if isinstance(status, Status) else status)

    def record_exception(
        self,
        exception: BaseException,
        attributes: Any = None,
        timestamp: int | None = None,
        escaped: bool = False,
    ) -> None:
        self._span.set_attribute("error.type", type(exception).__name__)
