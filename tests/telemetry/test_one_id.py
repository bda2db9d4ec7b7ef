"""One turn through the two processes, followed by its id; and its words, which are nowhere."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from telemetry.collector import Collector, Span, collecting
from websockets.asyncio.client import connect

HERE = Path(__file__).parent
LIMIT_S = 60.0

TRACE, BROWSER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{BROWSER}-01"
PROMPT = "Zanzibar please."
ANSWER = "Quokkas nibble happily. Wombats yodel loudly. Narwhals juggle quietly."
WORDS = [b"zanzibar", b"quokkas", b"wombats", b"yodel", b"narwhals", b"juggle"]


@dataclass
class Process:
    """A server process whose two streams go to files."""

    process: subprocess.Popen[bytes]
    out: Path
    err: Path
    url: str = ""

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            for line in self.out.read_text("utf-8").splitlines():
                if line.startswith("ready: "):
                    self.url = line.removeprefix("ready: ")
                    return
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        pytest.fail(f"not ready:\n{self.err.read_text('utf-8')}")

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(LIMIT_S)

    def log(self) -> list[dict[str, str]]:
        """Its standard error, which must be JSON lines and nothing else."""
        return [json.loads(line) for line in self.err.read_text("utf-8").splitlines()]

    def metrics(self) -> list[dict[str, Any]]:
        """The EMF documents on its standard output."""
        lines = self.out.read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]


@contextmanager
def process(
    name: str, arguments: list[str], folder: Path, environment: Mapping[str, str]
) -> Iterator[Process]:
    out, err = folder / f"{name}.out", folder / f"{name}.err"
    plain = {key: value for key, value in os.environ.items() if not key.startswith("OTEL_")}
    with out.open("wb") as written, err.open("wb") as told:
        popen = subprocess.Popen(
            [sys.executable, *arguments],
            env={**plain, "PYTHONPATH": str(HERE.parent), **environment},
            stdout=written,
            stderr=told,
        )
        one = Process(popen, out, err)
        try:
            one.wait_until_ready()
            yield one
        finally:
            if popen.poll() is None:
                popen.kill()
                popen.wait(LIMIT_S)


@contextmanager
def both(folder: Path, **environment: str) -> Iterator[tuple[Process, Process]]:
    """The agent's process and the speech server's."""
    script = folder / "answer.txt"
    script.write_text(ANSWER, "utf-8")
    common = {"FIRSTWORD_LOG_LEVEL": "debug", "FIRSTWORD_LOG_FORMAT": "json", **environment}
    speech = {"FIRSTWORD_TTS_PORT": "0", **common}
    with process("speech", [str(HERE / "tone_server.py")], folder, speech) as tts:
        thinking = {
            "FIRSTWORD_AGENT_PORT": "0",
            "FIRSTWORD_LLM": "scripted",
            "FIRSTWORD_SCRIPT_FILE": str(script),
            "FIRSTWORD_SCRIPT_TOKENS_PER_SECOND": "500",
            "FIRSTWORD_TTS_URL": tts.url.replace("http", "ws"),
            **common,
        }
        with process("agent", ["-m", "firstword.agent", "serve"], folder, thinking) as agent:
            yield agent, tts


async def turn(agent: Process, **more: str) -> list[dict[str, Any]]:
    """What the page does for one question; the events of the reply."""
    events: list[dict[str, Any]] = []
    async with asyncio.timeout(LIMIT_S), connect(agent.url.replace("http", "ws") + "/ws") as page:
        await page.send(json.dumps({"type": "prompt", "prompt": PROMPT, **more}))
        async for message in page:
            if isinstance(message, str):
                events.append(json.loads(message))
                if events[-1]["type"] == "agent_end":
                    break
    return events


@dataclass
class Story:
    """All that is left of one turn."""

    events: list[dict[str, Any]]
    agent: Process
    tts: Process
    collector: Collector
    pages: dict[str, str]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    folder = tmp_path_factory.mktemp("one-id")
    with (
        collecting() as collector,
        both(
            folder,
            OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
            FIRSTWORD_EMF="on",
            FIRSTWORD_EMF_NAMESPACE="Firstword/test",
            FIRSTWORD_EMF_INTERVAL_S="1",
        ) as (agent, tts),
    ):
        events = asyncio.run(turn(agent, request_id="req-7", traceparent=TRACEPARENT))
        pages = {
            one.url: httpx.get(f"{one.url}/metrics", trust_env=False).text for one in (agent, tts)
        }
        deadline = time.monotonic() + LIMIT_S
        while not all(
            any("OpenTurns" in line or "Backlog" in line for line in one.metrics())
            for one in (agent, tts)
        ):
            assert time.monotonic() < deadline, "no gauges came"
            time.sleep(0.05)
        assert (agent.stop(), tts.stop()) == (0, 0)
        yield Story(events, agent, tts, collector, pages)


def only(spans: list[Span]) -> Span:
    [span] = spans
    return span


def test_the_turn_was_spoken(story: Story) -> None:
    assert story.events[-1]["status"] == "complete"
    assert len([event for event in story.events if event["type"] == "sentence_end"]) == 3


def test_every_span_of_both_processes_belongs_to_the_browsers_trace(story: Story) -> None:
    spans = story.collector.spans
    assert {span.service for span in spans} == {"firstword-agent", "firstword-tts"}
    assert {span.trace_id for span in spans} == {TRACE}


def test_the_spans_lie_in_each_other_from_the_browser_to_the_engine(story: Story) -> None:
    collector = story.collector
    whole = only(collector.named("turn"))
    assert whole.parent_id == BROWSER
    assert whole.attributes["firstword.request_id"] == "req-7"
    assert only(collector.named("thinking")).parent_id == whole.span_id
    assert only(collector.named("first audio", "agent")).parent_id == whole.span_id
    sentences, wires = collector.named("sentence"), collector.named("wire")
    syntheses = collector.named("synthesis", "tts")
    assert len(sentences) == len(wires) == len(syntheses) == 3
    assert {span.parent_id for span in sentences} == {whole.span_id}
    assert {span.parent_id for span in wires} == {span.span_id for span in sentences}
    assert {span.parent_id for span in syntheses} == {span.span_id for span in wires}
    firsts = collector.named("first audio", "tts")
    assert {span.parent_id for span in firsts} == {span.span_id for span in syntheses}


def test_what_lies_in_a_span_takes_no_longer_than_it(story: Story) -> None:
    known = {span.span_id: span for span in story.collector.spans}
    slack_ns = 50_000_000
    for span in story.collector.spans:
        assert span.start_ns <= span.end_ns
        if above := known.get(span.parent_id):
            assert above.start_ns <= span.start_ns
            assert span.end_ns <= above.end_ns + slack_ns, (span.name, above.name)


def test_strands_own_spans_are_part_of_the_thinking(story: Story) -> None:
    known = {span.span_id: span for span in story.collector.spans}
    theirs = [span for span in story.collector.spans if "strands" in span.scope]
    assert theirs
    for span in theirs:
        above = span
        while above.parent_id in known and above.name != "thinking":
            above = known[above.parent_id]
        assert above.name == "thinking"


def test_the_log_of_each_process_is_found_by_either_id(story: Story) -> None:
    for one in (story.agent, story.tts):
        by_trace = [line for line in one.log() if line.get("trace_id") == TRACE]
        assert by_trace
        assert all(line["request_id"].startswith("req-7") for line in by_trace)
        by_request = [line for line in one.log() if line.get("request_id", "").startswith("req-7")]
        assert {
            line.get("trace_id") for line in by_request if line["message"] != "prompt taken"
        } == {TRACE}
    assert any(line["message"] == "turn ended" for line in story.agent.log())
    assert len([line for line in story.tts.log() if line["message"] == "spoken"]) == 3


def test_the_metrics_for_cloudwatch_are_found_by_the_id_and_not_kept_by_it(story: Story) -> None:
    ended = [line for line in story.agent.metrics() if "Turns" in line]
    assert len(ended) == 1
    assert (ended[0]["trace_id"], ended[0]["request_id"]) == (TRACE, "req-7")
    assert ended[0]["FirstAudio"] > 0
    assert ended[0]["Mode"] == "bidi"
    spoken = [line for line in story.tts.metrics() if "Requests" in line]
    assert len(spoken) == 3
    assert {line["trace_id"] for line in spoken} == {TRACE}
    for line in (*story.agent.metrics(), *story.tts.metrics()):
        [directive] = line["_aws"]["CloudWatchMetrics"]
        assert directive["Namespace"] == "Firstword/test"
        assert {name for one in directive["Dimensions"] for name in one} <= {
            "Service",
            "Mode",
            "Door",
            "Code",
        }


def test_prometheus_finds_the_same_on_both(story: Story) -> None:
    agent, tts = story.pages[story.agent.url], story.pages[story.tts.url]
    assert 'firstword_agent_turns_total{mode="bidi",status="complete"} 1.0' in agent
    assert 'firstword_agent_sentences_total{outcome="said"} 3.0' in agent
    assert 'firstword_agent_first_audio_seconds_count{mode="bidi"} 1.0' in agent
    assert 'firstword_tts_requests_total{door="ws",outcome="complete"} 3.0' in tts
    assert "req-7" not in agent + tts


def test_nothing_that_was_asked_or_said_is_told_anywhere(story: Story) -> None:
    told = [bytes(story.collector.raw)]
    told += [page.encode() for page in story.pages.values()]
    for one in (story.agent, story.tts):
        told += [one.out.read_bytes(), one.err.read_bytes()]
    assert min(len(text) for text in told) > 100
    for text in told:
        assert [word for word in WORDS if word in text.lower()] == []


def test_without_a_collector_one_id_runs_through_the_logs_all_the_same(tmp_path: Path) -> None:
    with both(tmp_path, FIRSTWORD_LOG_FORMAT="text", FIRSTWORD_LOG_LEVEL="info") as (agent, tts):
        events = asyncio.run(turn(agent, request_id="req-8"))
        assert events[-1]["status"] == "complete"
        assert (agent.stop(), tts.stop()) == (0, 0)
        [ended] = [line for line in agent.err.read_text().splitlines() if "turn ended" in line]
        trace_id = ended.partition("trace_id=<")[2].partition(">")[0]
        assert len(trace_id) == 32
        assert tts.err.read_text().count(f"trace_id=<{trace_id}>") == 3
        assert agent.out.read_text().splitlines() == [f"ready: {agent.url}"]


def test_a_collector_that_is_not_there_costs_no_turn_and_little_time_at_the_end(
    tmp_path: Path,
) -> None:
    with collecting() as gone:
        nobody = gone.url
    with both(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=nobody) as (agent, tts):
        assert asyncio.run(turn(agent))[-1]["status"] == "complete"
        began = time.monotonic()
        assert (agent.stop(), tts.stop()) == (0, 0)
        assert time.monotonic() - began < 25.0
