"""What a request leaves in metrics and spans, through the real doors, with a tone for a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from firstword.telemetry import Emf, Telemetry, TelemetrySettings
from firstword.telemetry.otel import OtelSpans
from firstword.tts.app import create_app
from firstword.tts.service import Service
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from starlette.testclient import TestClient, WebSocketDenialResponse
from tts.serving.conftest import Kit

TRACE, ABOVE = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TOLD = f"00-{TRACE}-{ABOVE}-01"
SOCKET = "ws://127.0.0.1/invocations-bidirectional-stream"


class Watched:
    """A server whose spans and lines stay in memory."""

    def __init__(self, kit: Kit) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.lines: list[str] = []
        emf = Emf(TelemetrySettings(emf=True), "firstword-tts", self.lines.append)
        telemetry = Telemetry(OtelSpans(self.provider), emf)
        self.app = create_app(kit.settings, lambda _: kit.parts, telemetry)
        self.client = TestClient(self.app, base_url="http://127.0.0.1")

    @property
    def service(self) -> Service:
        service: Service = self.app.state.service
        return service

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.exporter.get_finished_spans() if span.name == name]

    def sample(self, name: str, **labels: str) -> float | None:
        registry = self.service.metrics.registry
        return registry.get_sample_value(f"firstword_tts_{name}", labels)

    def documents(self, metric: str) -> list[dict[str, Any]]:
        return [one for line in self.lines if metric in (one := json.loads(line))]


@pytest.fixture
def watched(kit: Kit) -> Iterator[Watched]:
    one = Watched(kit)
    with one.client:
        one.client.portal.call(one.service.loaded)  # type: ignore[union-attr]
        yield one
    one.provider.shutdown()


def asked_of(span: ReadableSpan) -> tuple[str, str, Any]:
    assert span.parent is not None
    assert span.attributes is not None
    parent = trace.format_span_id(span.parent.span_id)
    return trace.format_trace_id(span.parent.trace_id), parent, span.attributes


@pytest.mark.parametrize(
    ("path", "door", "body"),
    [
        ("/invocations", "http", {"text": "Hello there.", "format": "pcm"}),
        ("/v1/audio/speech", "openai", {"input": "Hello there.", "response_format": "pcm"}),
    ],
)
def test_a_request_by_http_is_a_span_below_its_callers(
    watched: Watched, path: str, door: str, body: dict[str, str]
) -> None:
    headers = {"traceparent": TOLD, "x-request-id": "r-1"}
    assert watched.client.post(path, json=body, headers=headers).status_code == 200
    [span] = watched.named("synthesis")
    trace_id, parent, attributes = asked_of(span)
    assert (trace_id, parent) == (TRACE, ABOVE)
    assert span.kind is trace.SpanKind.SERVER
    assert attributes["firstword.request_id"] == "r-1"
    assert attributes["firstword.door"] == door
    assert attributes["firstword.outcome"] == "complete"
    assert attributes["firstword.chars"] == 12
    assert attributes["firstword.audio_s"] == 1.0
    [first] = watched.named("first audio")
    assert asked_of(first)[1] == trace.format_span_id(span.get_span_context().span_id)
    [line] = watched.documents("Requests")
    assert (line["trace_id"], line["request_id"], line["Door"]) == (TRACE, "r-1", door)
    assert (line["AudioDuration"], line["Errors"]) == (1.0, 0)
    assert line["FirstAudio"] > 0
    assert line["RealTimeFactor"] > 0


def test_a_synthesis_that_breaks_is_a_span_that_failed_with_its_code(
    kit: Kit, watched: Watched
) -> None:
    kit.engine.fails_at = "unlucky"
    answer = watched.client.post("/invocations", json={"text": "An unlucky line."})
    assert answer.status_code == 500
    [span] = watched.named("synthesis")
    assert span.status.status_code is StatusCode.ERROR
    assert span.attributes is not None
    assert span.attributes["error.type"] == "synthesis_failed"
    assert watched.named("first audio") == []
    assert "unlucky" not in span.to_json() + "".join(watched.lines)
    assert [line["Code"] for line in watched.documents("Faults")] == ["synthesis_failed"]


def test_refusals_are_counted_by_code_and_make_no_span(watched: Watched) -> None:
    watched.client.post("/invocations", json={"text": ""})
    watched.client.post("/v1/audio/speech", json={"input": "Hi.", "voice": "nobody"})
    with watched.client.websocket_connect(SOCKET) as socket:
        socket.send_text("{")
        assert socket.receive_json()["code"] == "invalid_json"
        socket.send_json({"text": "Hi.", "voice": "nobody"})
        assert socket.receive_json()["code"] == "unknown_voice"
    assert watched.sample("requests_total", door="http", outcome="empty_text") == 1
    assert watched.sample("requests_total", door="openai", outcome="unknown_voice") == 1
    assert watched.sample("requests_total", door="ws", outcome="invalid_json") == 1
    assert watched.sample("requests_total", door="ws", outcome="unknown_voice") == 1
    assert watched.named("synthesis") == []
    assert [line["Code"] for line in watched.documents("Refusals")] == [
        "empty_text",
        "unknown_voice",
        "invalid_json",
        "unknown_voice",
    ]


def test_a_session_that_is_not_let_in_is_counted(kit: Kit) -> None:
    kit.limit(sessions=0)
    watched = Watched(kit)
    with watched.client:
        watched.client.portal.call(watched.service.loaded)  # type: ignore[union-attr]
        with (
            pytest.raises(WebSocketDenialResponse),
            watched.client.websocket_connect(SOCKET),
        ):
            pytest.fail("it was let in")
    assert watched.sample("requests_total", door="ws", outcome="too_many_sessions") == 1


def test_a_request_that_stands_behind_another_is_no_measure_of_first_audio(
    watched: Watched,
) -> None:
    with watched.client.websocket_connect(SOCKET) as socket:
        for name in ("a", "b"):
            socket.send_json({"text": "Hello there.", "request_id": name, "traceparent": TOLD})
        ends = 0
        while ends < 2:
            message = socket.receive()
            ends += '"synthesis_complete"' in (message.get("text") or "")
    assert watched.sample("first_audio_seconds_count", door="ws") == 1
    assert ["FirstAudio" in line for line in watched.documents("Requests")] == [True, False]
    assert len(watched.named("first audio")) == 2


def test_an_underrun_that_is_foretold_is_counted_once_for_its_request(watched: Watched) -> None:
    metrics = watched.service.metrics
    metrics.count("ws", "complete", audio_s=2.0, work_s=3.0, underrun_s=0.75)
    metrics.count("ws", "complete", audio_s=2.0, work_s=0.5, underrun_s=0.0)
    assert watched.sample("underruns_total") == 1
    assert watched.sample("underrun_seconds_total") == 0.75
