"""What the agent counts, in Prometheus' terms. Each app has its own registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from firstword.telemetry import Bounded, Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_LATENCY_BUCKETS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 60.0)
_RTF_BUCKETS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5, 2.0, 4.0)


class Metrics:
    """``mode`` is bidi or batch, ``status`` complete, cancelled or failed, ``code`` an error's."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._codes = Bounded()
        self._gauges: Callable[[], Iterator[Metric]] = lambda: iter(())
        self.turns = self._counter("turns", "Replies that ended", "mode", "status")
        self.cancels = self._counter(
            "cancels", "Replies cut off while being made, or while only playing", "stage"
        )
        self.sentences = self._counter("sentences", "Sentences asked of the voice", "outcome")
        self._errors = self._counter("errors", "Errors told to clients", "code")
        self.audio_s = self._counter("audio_seconds", "Seconds of audio passed on")
        self.underrun_s = self._counter(
            "underrun_seconds", "Seconds in which a perfect player would have had nothing to play"
        )
        self.underruns = self._counter("underruns", "Replies in which that happened")
        self.first_text_s = self._histogram(
            "first_text_seconds", "From a prompt to its first text", _LATENCY_BUCKETS, "mode"
        )
        self.first_audio_s = self._histogram(
            "first_audio_seconds", "From a prompt to its first audio", _LATENCY_BUCKETS, "mode"
        )
        self.rtf = self._histogram(
            "real_time_factor",
            "Seconds that a sentence took the voice, after the one before it, per audio second",
            _RTF_BUCKETS,
        )

    def error(self, code: str) -> str:
        """Count an error; gives the label it was counted under, of which there are few."""
        label = self._codes.label(code)
        self._errors.labels(label).inc()
        return label

    def watch(self, *, turns: Callable[[], float], conversations: Callable[[], float]) -> None:
        """Gauges that are read when they are asked for."""
        self._gauge("turns_open", "Turns that run, or wait for the one before them", turns)
        self._gauge("conversations", "Conversations that are remembered", conversations)
        self._gauges = lambda: iter(
            (
                Metric("OpenTurns", turns(), "Count"),
                Metric("Conversations", conversations(), "Count"),
            )
        )

    def gauges(self) -> Iterator[Metric]:
        """What is so now, as CloudWatch gets it."""
        return self._gauges()

    def text(self) -> bytes:
        """All of it in Prometheus' text format."""
        return generate_latest(self.registry)

    def _counter(self, name: str, about: str, *labels: str) -> Counter:
        return Counter(f"firstword_agent_{name}", about, labels, registry=self.registry)

    def _histogram(
        self, name: str, about: str, buckets: tuple[float, ...], *labels: str
    ) -> Histogram:
        full = f"firstword_agent_{name}"
        return Histogram(full, about, labels, buckets=buckets, registry=self.registry)

    def _gauge(self, name: str, about: str, read: Callable[[], float]) -> None:
        Gauge(f"firstword_agent_{name}", about, registry=self.registry).set_function(read)
