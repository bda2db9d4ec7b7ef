"""When a listener could read and hear what, counted from ``agent_start``. No I/O, no clock."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firstword.protocol import BYTES_PER_SAMPLE

type Event = Mapping[str, Any]
"""A turn event as it came, one JSON object."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Milliseconds from ``agent_start``; None for what never came. ``audio_s`` is of speech."""

    first_text_ms: float | None
    first_sentence_ms: float | None
    first_audio_ms: float | None
    last_text_ms: float | None
    end_ms: float | None
    audio_s: float

    def event(self) -> dict[str, Any]:
        """The line that ends ``firstword talk --json``."""
        return {
            "type": "timeline",
            "first_text_ms": self.first_text_ms,
            "first_sentence_ms": self.first_sentence_ms,
            "first_audio_ms": self.first_audio_ms,
            "end_ms": self.end_ms,
            "audio_s": self.audio_s,
        }


class TimelineRecorder:
    """Takes the events of one turn with the second in which each came."""

    def __init__(self) -> None:
        self._began_s: float | None = None
        self._first: dict[str, float] = {}
        self._last_text_ms: float | None = None
        self._samples = 0
        self._sample_rate = 24_000

    def feed(self, event: Event, at_s: float) -> None:
        """Note one event; the first one is the zero. Raises ValueError on an absurd rate."""
        if self._began_s is None:
            self._began_s = at_s
        ms = round((at_s - self._began_s) * 1000, 1)
        kind = str(event.get("type", ""))
        if kind == "audio_chunk" and not event.get("data"):
            return
        self._first.setdefault(kind, ms)
        if kind == "text_delta":
            self._last_text_ms = ms
        elif kind == "audio_stream_start":
            self._sample_rate = stream_rate(event)
        elif kind == "audio_chunk":
            self._samples += pcm_bytes(event) // BYTES_PER_SAMPLE

    def timeline(self) -> Timeline:
        """What was noted up to now."""
        return Timeline(
            first_text_ms=self._first.get("text_delta"),
            first_sentence_ms=self._first.get("sentence"),
            first_audio_ms=self._first.get("audio_chunk"),
            last_text_ms=self._last_text_ms,
            end_ms=self._first.get("agent_end"),
            audio_s=round(self._samples / self._sample_rate, 3),
        )


def stream_rate(event: Event) -> int:
    """The rate of an ``audio_stream_start`` in Hz. Raises ValueError where no player takes it."""
    rate = event.get("sample_rate", 24_000)
    if not isinstance(rate, int) or not 8000 <= rate <= 192_000:
        raise ValueError(f"a sample rate must be 8000 to 192000 Hz, got {rate!r:.40}")
    return rate


def pcm(event: Event) -> bytes:
    """The samples of an ``audio_chunk``, s16le. Raises ValueError on bad base64."""
    return base64.b64decode(str(event.get("data", "")), validate=True)


def pcm_bytes(event: Event) -> int:
    """How many bytes :func:`pcm` would give, without decoding them."""
    data = str(event.get("data", ""))
    return len(data) * 3 // 4 - data[-2:].count("=")


def without_audio(event: Event) -> dict[str, Any]:
    """The event for people and logs: audio replaced by the number of its bytes."""
    if event.get("type") != "audio_chunk":
        return dict(event)
    return {**event, "data": pcm_bytes(event)}
