"""Spans by OpenTelemetry. The only module that imports it, and only when something is traced."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, StatusCode, TraceFlags

from firstword.telemetry.settings import TelemetrySettingsError
from firstword.telemetry.spans import Kind, Span, Spans, Value
from firstword.telemetry.trace import TraceContext

logger = logging.getLogger(__name__)

SCOPE = "firstword"
"""Instrumentation scope of all spans that are ours."""

FLUSH_S = 3.0
"""How long the end of the process may wait for the collector."""

_KINDS = {"internal": SpanKind.INTERNAL, "server": SpanKind.SERVER, "client": SpanKind.CLIENT}


class OtelSpan:
    """See ``firstword.telemetry.spans.Span``."""

    __slots__ = ("_context", "_span")

    def __init__(self, span: trace.Span) -> None:
        self._span = span
        self._context = _ours(span.get_span_context())

    @property
    def context(self) -> TraceContext:
        return self._context

    def set(self, attributes: Mapping[str, Value]) -> None:
        self._span.set_attributes(attributes)

    def fail(self, code: str) -> None:
        self._span.set_attribute("error.type", code)
        self._span.set_status(StatusCode.ERROR, code)

    def end(self) -> None:
        self._span.end()

    def current(self) -> AbstractContextManager[object]:
        # An exception's message may quote a prompt; a failure is told by ``fail``.
        return trace.use_span(self._span, record_exception=False, set_status_on_exception=False)


class OtelSpans:
    """See ``firstword.telemetry.spans.Spans``."""

    def __init__(self, provider: trace.TracerProvider) -> None:
        self._tracer = provider.get_tracer(SCOPE)

    def start(
        self,
        name: str,
        parent: TraceContext | None,
        *,
        kind: Kind = "internal",
        attributes: Mapping[str, Value] | None = None,
    ) -> Span:
        above = trace.INVALID_SPAN if parent is None else _theirs(parent, remote=kind == "server")
        context = trace.set_span_in_context(above)
        span = self._tracer.start_span(name, context, kind=_KINDS[kind], attributes=attributes)
        return OtelSpan(span)

    def surrounding(self) -> TraceContext | None:
        context = trace.get_current_span().get_span_context()
        return _ours(context) if context.is_valid else None


def instrumented() -> Spans | None:
    """Spans to the provider that ``opentelemetry-instrument`` (ADOT too) has installed, if any."""
    provider = trace.get_tracer_provider()
    return OtelSpans(provider) if isinstance(provider, TracerProvider) else None


@contextmanager
def exported(service: str) -> Iterator[Spans]:
    """Spans to the collector that ``OTEL_EXPORTER_OTLP_*`` names, sent in batches by a thread.

    The SDK reads its other variables itself (sampler, headers, time-outs, resource). The provider
    becomes the process's own, so that libraries that make spans join in.
    """
    provider = TracerProvider(resource=_resource(service), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(_exporter()))
    trace.set_tracer_provider(provider)
    try:
        yield OtelSpans(provider)
    finally:
        # Its own limit is half a minute, more than a container has left after SIGTERM.
        leaving = threading.Thread(target=provider.shutdown, name="last spans", daemon=True)
        leaving.start()
        leaving.join(FLUSH_S)
        if leaving.is_alive():
            logger.warning("waited_s=<%g> | the last spans were not taken in time", FLUSH_S)


def _exporter() -> SpanExporter:
    # Where a provider is there already, its exporter is too, and ours need not be.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    for variable in ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"):
        protocol = os.environ.get(variable, "").strip()
        if protocol and protocol != "http/protobuf":
            problem = f"is {protocol!r}; spans are sent by http/protobuf (port 4318) only"
            raise TelemetrySettingsError(variable, problem)
        if protocol:
            break
    try:
        return OTLPSpanExporter()
    except (ImportError, RuntimeError, ValueError) as error:
        problem = f"or another of OTEL_EXPORTER_OTLP_* cannot be used ({type(error).__name__})"
        raise TelemetrySettingsError("OTEL_EXPORTER_OTLP_ENDPOINT", problem) from error


def _resource(service: str) -> Resource:
    told = Resource.create()
    named = not str(told.attributes.get("service.name", "")).startswith("unknown_service")
    return told if named else told.merge(Resource({"service.name": service}))


def _ours(context: SpanContext) -> TraceContext:
    return TraceContext(
        trace.format_trace_id(context.trace_id),
        trace.format_span_id(context.span_id),
        int(context.trace_flags) & TraceFlags.SAMPLED,
    )


def _theirs(context: TraceContext, *, remote: bool) -> trace.Span:
    return NonRecordingSpan(
        SpanContext(
            int(context.trace_id, 16),
            int(context.span_id, 16),
            is_remote=remote,
            trace_flags=TraceFlags(context.flags),
        )
    )
