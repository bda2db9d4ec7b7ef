"""What the server counts, in Prometheus' terms. Each app has its own registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from firstword.telemetry import Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_TTFA_BUCKETS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 60.0)
_RTF_BUCKETS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5, 2.0, 4.0)


class Metrics:
    """``door`` is http, openai or ws; ``outcome`` is complete, cancelled or an error's code."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._gauges: Callable[[], Iterator[Metric]] = lambda: iter(())
        self.requests = Counter(
            "firstword_tts_requests",
            "Requests that ended",
            ("door", "outcome"),
            registry=self.registry,
        )
        self.ttfa_s = Histogram(
            "firstword_tts_first_audio_seconds",
            "From the arrival of a request that waits for no other of its session to its first "
            "audio sent",
            ("door",),
            buckets=_TTFA_BUCKETS,
            registry=self.registry,
        )
        self.rtf = Histogram(
            "firstword_tts_real_time_factor",
            "Synthesis seconds per audio second, of each request",
            buckets=_RTF_BUCKETS,
            registry=self.registry,
        )
        self.audio_s = Counter(
            "firstword_tts_audio_seconds", "Seconds of audio made", registry=self.registry
        )
        self.underrun_s = Counter(
            "firstword_tts_underrun_seconds",
            "Seconds in which listeners had nothing to hear, as their playback is estimated",
            registry=self.registry,
        )
        self.underruns = Counter(
            "firstword_tts_underruns",
            "Requests during which their listener had nothing to hear, as playback is estimated",
            registry=self.registry,
        )

    def count(
        self, door: str, outcome: str, *, audio_s: float, work_s: float, underrun_s: float
    ) -> None:
        """A request has ended. ``work_s`` are the seconds that its synthesis took."""
        self.requests.labels(door, outcome).inc()
        if audio_s > 0:
            self.audio_s.inc(audio_s)
            self.rtf.observe(work_s / audio_s)
        if underrun_s > 0:
            self.underrun_s.inc(underrun_s)
            self.underruns.inc()

    def tell(self, *, engine: str, about: str) -> None:
        """Which engine runs, and why: a gauge that is always 1."""
        info = Gauge(
            "firstword_tts_engine",
            "The engine that runs, its version and why it was chosen",
            ("version", "about"),
            registry=self.registry,
        )
        info.labels(engine, about).set(1)

    def watch(
        self,
        *,
        depth: Callable[[], float],
        backlog_s: Callable[[], float],
        sessions: Callable[[], float],
    ) -> None:
        """Gauges that are read when they are asked for."""
        jobs = Gauge(
            "firstword_tts_queue_depth",
            "Syntheses in work or waiting for it",
            registry=self.registry,
        )
        jobs.set_function(depth)
        owed = Gauge(
            "firstword_tts_backlog_seconds",
            "Seconds of synthesis owed to those who are being served",
            registry=self.registry,
        )
        owed.set_function(backlog_s)
        sockets = Gauge(
            "firstword_tts_sessions", "WebSocket sessions that are open", registry=self.registry
        )
        sockets.set_function(sessions)
        self._gauges = lambda: iter(
            (
                Metric("QueueDepth", depth(), "Count"),
                Metric("Backlog", round(backlog_s(), 4), "Seconds"),
                Metric("Sessions", sessions(), "Count"),
            )
        )

    def gauges(self) -> Iterator[Metric]:
        """What is so now, as CloudWatch gets it."""
        return self._gauges()

    def text(self) -> bytes:
        """All of it in Prometheus' text format."""
        return generate_latest(self.registry)
