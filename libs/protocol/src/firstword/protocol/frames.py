"""Every frame of both wires: speech (agent and TTS service) and turn (browser and agent).

A frame is one JSON object in a text message, but for audio, which is a binary message of
little-endian 16-bit PCM. All frames are frozen; a field of None is absent on the wire.
Times are seconds unless the name ends in ``_ms``; samples are counted at ``sample_rate``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

type Quality = Literal["auto", "fast", "exact"]
type Mode = Literal["bidi", "batch"]

MAX_AUDIO_FRAME_BYTES = 16 * 1024
"""Largest binary frame that is sent on either wire (AgentCore closes at 32 KB)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word of the source text and when it is heard, counted from the request's first sample."""

    word: str
    start_s: float
    end_s: float
    text_start: int
    text_end: int


# Speech wire, to the TTS service.


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesize:
    """Speak a text. With ``more`` (``continue`` on the wire) further pieces of it follow."""

    text: str
    request_id: str | None = None
    voice: str | None = None
    speed: float = 1.0
    sample_rate: int = 24000
    word_timestamps: bool = False
    offset_samples: int = 0
    quality: Quality | None = None
    traceparent: str | None = None
    request_timestamp: float | None = None
    more: bool = field(default=False, metadata={"wire": "continue"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Flush:
    """No more pieces of this request follow."""

    request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Stop a request, or all of them. ``heard_s`` is what a player has played of the reply."""

    request_id: str | None = None
    heard_s: float | None = None


@dataclass(frozen=True, slots=True)
class Close:
    """Finish what is queued, then close."""


# Speech wire, from the TTS service.


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthesisStart:
    request_id: str
    format: str = "pcm_s16le"
    sample_rate: int = 24000
    channels: int = 1
    voice: str = ""
    engine: str = ""
    quality: str = ""


@dataclass(frozen=True, slots=True)
class Audio:
    """Whole little-endian 16-bit samples: a binary message, never JSON."""

    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Words of the audio that follows."""

    request_id: str
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthesisComplete:
    request_id: str
    total_duration_s: float
    elapsed_s: float
    samples: int
    words: tuple[Word, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthesisCancelled:
    request_id: str
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Error:
    """Both wires: this request, or this message where no id is known, failed."""

    code: str
    message: str
    request_id: str | None = None


# Turn wire, to the agent.


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    prompt: str
    mode: Mode = "bidi"
    voice: str | None = None
    speed: float = 1.0
    session_id: str | None = None
    request_id: str | None = None


# Turn wire, from the agent.


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStart:
    request_id: str
    mode: Mode
    session_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    request_id: str
    seq: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioStreamStart:
    request_id: str
    voice: str
    sample_rate: int = 24000
    format: str = "pcm_s16le"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceStart:
    """``sentence`` on the wire: the audio that follows, up to its ``sentence_end``, says this.

    ``start`` and ``end`` are the span in the reply's text (all ``text_delta`` joined).
    Word times count from the first sample of this sentence, word spans from ``start``.
    """

    request_id: str
    seq: int
    text: str
    spoken: str | None = None
    start: int | None = None
    end: int | None = None
    words: tuple[Word, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceEnd:
    """All audio of this sentence was sent: a player may begin it without fear of a gap."""

    request_id: str
    seq: int
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioChunk:
    """SSE's way to carry audio: base64 of whole samples. A socket sends binary frames instead."""

    request_id: str
    seq: int
    data: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioStreamEnd:
    request_id: str
    total_chunks: int
    duration_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEnd:
    """The last event of a reply. ``spoken`` is what the conversation keeps as said."""

    request_id: str
    timings: dict[str, Any]
    status: Literal["complete", "cancelled", "failed"] = "complete"
    spoken: str | None = None


type SpeechRequest = Synthesize | Flush | Cancel | Close
type SpeechEvent = (
    SynthesisStart | Audio | Words | SynthesisComplete | SynthesisCancelled | Error
)
type TurnRequest = Prompt | Cancel | Close
type TurnEvent = (
    AgentStart
    | TextDelta
    | AudioStreamStart
    | SentenceStart
    | SentenceEnd
    | Audio
    | AudioChunk
    | Words
    | AudioStreamEnd
    | AgentEnd
    | Error
)
type Frame = SpeechRequest | SpeechEvent | TurnRequest | TurnEvent
