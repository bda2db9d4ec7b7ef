"""What a caller asks for, once it was found to make sense. The same checks for all doors."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

from firstword.protocol import Quality
from firstword.telemetry import TraceContext, printable
from firstword.tts.models import VoiceError
from firstword.tts.refusal import RefusedError
from firstword.tts.settings import Limits

DEFAULT_VOICE = "af_heart"

CHARS_PER_SECOND = 15.0
"""Of English at speed 1: what admission reckons with before there is audio."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One synthesis. ``sample_rate`` in Hz; ``offset_samples`` counts at that rate."""

    request_id: str
    voice: str = DEFAULT_VOICE
    speed: float = 1.0
    sample_rate: int = 24_000
    quality: Quality | None = None
    word_timestamps: bool = False
    offset_samples: int = 0
    trace: TraceContext | None = None

    @property
    def label(self) -> str:
        """Who this is, for the log."""
        trace = "" if self.trace is None else f", trace_id=<{self.trace.trace_id}>"
        return f"request_id=<{printable(self.request_id)}>{trace}"


class Allowed(Protocol):
    """What knows which voices can be spoken with (``models.voices.Voices``)."""

    def language(self, spec: str) -> str: ...


def checked_voice(spec: str | None, allowed: Allowed) -> str:
    """The voice, ``DEFAULT_VOICE`` where none was named.

    Raises:
        RefusedError: it does not exist, cannot be read, or speaks a language that is not installed.
    """
    voice = spec or DEFAULT_VOICE
    try:
        allowed.language(voice)
    except VoiceError as error:
        raise RefusedError(error.code, str(error), param="voice") from None
    return voice


def check_text(text: str, limits: Limits, *, before: int = 0, param: str = "text") -> None:
    """``before`` are the characters that came in earlier pieces.

    Raises:
        RefusedError: too much text.
    """
    chars = before + len(text)
    if chars > limits.text_chars:
        message = f"{param} may have {limits.text_chars} characters, got {chars}"
        raise RefusedError("too_large", message, param=param)


def check_not_empty(text: str, *, param: str = "text") -> None:
    """White space counts as text of which nothing is spoken, nothing at all as a mistake.

    Raises:
        RefusedError: the text is empty.
    """
    if not text:
        raise RefusedError("empty_text", f"{param} must not be empty", param=param)


def check_age(timestamp: float | None, limits: Limits, now: float | None = None) -> None:
    """``timestamp`` and ``now`` are seconds since the epoch.

    Raises:
        RefusedError: the request is so old that its caller has given up.
    """
    if timestamp is None:
        return
    age = (time.time() if now is None else now) - timestamp
    if age > limits.request_age_s:
        message = f"the request is {age:.0f} s old, {limits.request_age_s:g} s at most are served"
        raise RefusedError("request_stale", message, param="request_timestamp")


def expected_s(chars: int, speed: float) -> float:
    """Seconds that this much text will last."""
    return chars / (CHARS_PER_SECOND * speed)
