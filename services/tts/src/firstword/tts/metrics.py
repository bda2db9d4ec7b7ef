"""What the server counts, in Prometheus' terms. Each app has its own registry."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_TTFA_BUCKETS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 60.0)
_RTF_BUCKETS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5, 2.0, 4.0)


class Metrics:
    """``door`` is http, openai or ws; ``outcome`` is complete, cancelled or an error's code."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
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

    def tell(self, *, engine: str, about: str) -> None:
        """Which engine runs, and why: a gauge that is always 1."""
        info = Gauge(
            "firstword_tts_engine",
            "The engine that runs, its version and why it was chosen",
            ("version", "about"),
            registry=self.registry,
        )
        info.labels(engine, about).set(1)

    def watch(self, *, depth: Callable[[], float], sessions: Callable[[], float]) -> None:
        """Gauges that are read when they are asked for."""
        jobs = Gauge(
            "firstword_tts_queue_depth",
            "Syntheses in work or waiting for it",
            registry=self.registry,
        )
        jobs.set_function(depth)
        sockets = Gauge(
            "firstword_tts_sessions", "WebSocket sessions that are open", registry=self.registry
        )
        sockets.set_function(sessions)

    def text(self) -> bytes:
        """All of it in Prometheus' text format."""
        return generate_latest(self.registry)
