"""What a turn leaves in metrics and spans, in process: outcomes, codes, parents, and no text."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from firstword.agent.metrics import Metrics
from firstword.agent.quiet_spans import QuietTracer
from firstword.agent.record import Recorder
from firstword.protocol import Prompt
from firstword.telemetry import Emf, Telemetry, TelemetrySettings, TraceContext
from firstword.telemetry.otel import OtelSpans
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

TRACE = "0af7651916cd43dd8448eb211c80319c"
OTHER = "4bf92f3577b34da6a3ce929d0e0e4736"
SECRET = "Quokkas nibble"


class Stage:
    """A recorder whose spans and lines stay in memory."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.lines: list[str] = []
        emf = Emf(TelemetrySettings(emf=True), "firstword-agent", self.lines.append)
        self.recorder = Recorder(Metrics(), Telemetry(OtelSpans(self.provider), emf))

    @property
    def spans(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in self.exporter.get_finished_spans()}

    def sample(self, name: str, **labels: str) -> float | None:
        return self.recorder.metrics.registry.get_sample_value(f"firstword_agent_{name}", labels)

    def documents(self, metric: str) -> list[dict[str, Any]]:
        return [one for line in self.lines if metric in (one := json.loads(line))]


@pytest.fixture
def stage() -> Iterator[Stage]:
    one = Stage()
    yield one
    one.provider.shutdown()


def prompt(**more: Any) -> Prompt:
    return Prompt(prompt=SECRET, request_id="r-1", session_id="s-1", **more)


def told(trace_id: str, span_id: str = "b7ad6b7169203331") -> str:
    return f"00-{trace_id}-{span_id}-01"


def parent_of(span: ReadableSpan) -> str:
    assert span.parent is not None
    return trace.format_span_id(span.parent.span_id)


def test_the_prompts_own_trace_goes_before_the_requests(stage: Stage) -> None:
    record = stage.recorder.begin(prompt(traceparent=told(TRACE)), told(OTHER))
    assert record.context.trace_id == TRACE


def test_of_one_trace_the_request_is_the_nearer_parent(stage: Stage) -> None:
    near = "00f067aa0ba902b7"
    stage.recorder.begin(prompt(traceparent=told(TRACE)), told(TRACE, near)).end("complete", {})
    assert parent_of(stage.spans["turn"]) == near


def test_an_instrumented_servers_span_is_the_parent_where_the_prompt_names_none(
    stage: Stage,
) -> None:
    with stage.provider.get_tracer("server").start_as_current_span("POST /invocations") as above:
        record = stage.recorder.begin(prompt(), told(OTHER))
        record.end("complete", {})
    assert parent_of(stage.spans["turn"]) == trace.format_span_id(above.get_span_context().span_id)


def test_a_bad_traceparent_begins_a_trace(stage: Stage) -> None:
    record = stage.recorder.begin(prompt(traceparent="?"), "??")
    assert TraceContext.parse(record.context.traceparent) is not None


async def test_a_turn_cut_off_ends_what_it_had_begun(stage: Stage) -> None:
    record = stage.recorder.begin(prompt())
    record.sentence(0, 14)
    record.end("cancelled", {"first_text_ms": 40.0, "end_ms": 90.0, "audio_s": 0.0})
    assert set(stage.spans) == {"turn", "sentence", "wire"}
    assert stage.sample("sentences_total", outcome="cancelled") == 1
    assert stage.sample("cancels_total", stage="answering") == 1
    assert stage.spans["turn"].status.status_code is not StatusCode.ERROR
    [line] = stage.documents("Turns")
    assert (line["Cancels"], line["FirstText"], line["TurnDuration"]) == (1, 40.0, 90.0)
    assert "FirstAudio" not in line


async def test_a_sentence_that_is_not_said_tells_its_code(stage: Stage) -> None:
    record = stage.recorder.begin(prompt())
    one = record.sentence(0, 14)
    record.error("queue_saturated")
    one.end(0.0, "failed", "queue_saturated")
    record.end("failed", {"audio_s": 0.0})
    assert stage.sample("errors_total", code="queue_saturated") == 1
    for name in ("wire", "sentence"):
        span = stage.spans[name]
        assert span.status.status_code is StatusCode.ERROR
        assert span.attributes is not None
        assert span.attributes["error.type"] == "queue_saturated"
    [fault] = stage.documents("Faults")
    assert (fault["Code"], fault["request_id"]) == ("queue_saturated", "r-1")


def test_a_service_that_makes_codes_up_does_not_make_up_series(stage: Stage) -> None:
    for number in range(500):
        stage.recorder.error(f"code-{number}")
    codes = {
        sample.labels["code"]
        for metric in stage.recorder.metrics.registry.collect()
        for sample in metric.samples
        if sample.name == "firstword_agent_errors_total"
    }
    assert len(codes) == 65
    assert stage.sample("errors_total", code="other") == 436
    assert len({line["Code"] for line in stage.documents("Faults")}) == 65


def test_late_audio_is_foretold_as_an_underrun(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("firstword.agent.record.time.monotonic", lambda: now)
    record = stage.recorder.begin(prompt())
    for at, seconds in ((100.0, 1.0), (100.5, 0.5), (101.75, 1.0), (110.0, 1.0)):
        now = at
        record.audio(seconds)
    assert record.underrun_s == pytest.approx(0.25 + 7.25)
    record.end("complete", {"audio_s": 3.5})
    assert stage.sample("underrun_seconds_total") == pytest.approx(7.5)
    assert stage.sample("underruns_total") == 1


async def test_what_strands_records_belongs_to_the_thinking(stage: Stage) -> None:
    tracer = QuietTracer(stage.provider.get_tracer("strands"))

    async def think() -> None:
        await asyncio.sleep(0)
        tracer.start_span("invoke_agent").end()

    record = stage.recorder.begin(prompt())
    await record.thinking(think())
    thinking = stage.spans["thinking"].get_span_context()
    assert thinking is not None
    assert parent_of(stage.spans["invoke_agent"]) == trace.format_span_id(thinking.span_id)
    assert not trace.get_current_span().get_span_context().is_valid


@contextmanager
def _as_current(tracer: QuietTracer) -> Iterator[Any]:
    with tracer.start_as_current_span("chat", attributes={"gen_ai.prompt": SECRET}) as span:
        yield span


@pytest.mark.parametrize(
    "leak",
    [
        lambda span: span.add_event("gen_ai.user.message", {"content": SECRET}),
        lambda span: span.set_attribute("gen_ai.input.messages", SECRET),
        lambda span: span.set_attributes({"system_prompt": [SECRET], "a": SECRET}),
        lambda span: span.set_status(StatusCode.ERROR, SECRET),
        lambda span: span.set_status(trace.Status(StatusCode.ERROR, SECRET)),
        lambda span: span.record_exception(ValueError(SECRET)),
    ],
    ids=["event", "attribute", "attributes", "status", "status object", "exception"],
)
def test_text_does_not_get_into_the_spans_of_strands(
    stage: Stage, leak: Callable[[Any], object]
) -> None:
    tracer = QuietTracer(stage.provider.get_tracer("strands"))
    with _as_current(tracer) as span:
        span.set_attributes({"gen_ai.usage.input_tokens": 7, "gen_ai.request.model": "m-1"})
        leak(span)
    [told] = stage.exporter.get_finished_spans()
    assert "Quokkas" not in told.to_json()
    assert told.attributes is not None
    assert told.attributes["gen_ai.usage.input_tokens"] == 7
    assert told.attributes["gen_ai.request.model"] == "m-1"


def test_an_exception_that_leaves_a_span_of_strands_tells_its_kind_alone(stage: Stage) -> None:
    tracer = QuietTracer(stage.provider.get_tracer("strands"))
    with pytest.raises(KeyError), _as_current(tracer):
        raise KeyError(SECRET)
    [told] = stage.exporter.get_finished_spans()
    assert "Quokkas" not in told.to_json()
    assert told.status.status_code is StatusCode.ERROR
    assert told.attributes is not None
    assert told.attributes["error.type"] == "KeyError"


async def test_the_agent_serves_its_metrics(make_agent: Any) -> None:
    async with make_agent(lambda m: ["One sentence."]) as agent, agent.client() as client:
        answer = await client.post("/invocations", json={"prompt": "Hi", "request_id": "r-9"})
        assert answer.status_code == 200
        refused = await client.post("/invocations", json={"prompt": " "})
        assert refused.status_code == 400
        page = await client.get("/metrics")
    assert page.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'firstword_agent_turns_total{mode="bidi",status="complete"} 1.0' in page.text
    assert 'firstword_agent_errors_total{code="empty_prompt"} 1.0' in page.text
    assert "firstword_agent_conversations 1.0" in page.text
    assert "r-9" not in page.text
    assert "sentence." not in page.text


async def test_the_speech_service_is_told_the_trace(make_agent: Any) -> None:
    async with make_agent(lambda m: ["One sentence. Two."]) as agent, agent.client() as client:
        headers = {"traceparent": told(TRACE)}
        await client.post("/invocations", json={"prompt": "Hi"}, headers=headers)
        asked = [request.traceparent for request in agent.speech.requests]
    assert asked == [told(TRACE)] * len(asked)
    assert asked
