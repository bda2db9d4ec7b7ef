"""Every frame of both wires: speech (agent and TTS service) and turn (browser and agent).

A frame is one JSON object in a text message, but for audio, which is a binary message of
little-endian 16-bit PCM. All frames are frozen; a field of None is absent on the wire.
Times are seconds unless the name ends in ``_ms``; samples are counted at ``sample_rate``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from firstword.protocol.shapes import Base64Samples, Between, OneOf

type Quality = Literal["auto", "fast", "exact"]
type Mode = Literal["bidi", "batch"]
type Status = Literal["complete", "cancelled", "failed"]

MAX_AUDIO_FRAME_BYTES = 16 * 1024
"""Largest binary frame that is sent on either wire (AgentCore closes at 32 KB)."""

MAX_REQUEST_ID_CHARS = 256

SAMPLE_RATES = (8000, 16000, 22050, 24000, 32000, 44100, 48000)
"""Hz that may be asked for."""

SLOWEST, FASTEST = 0.5, 2.0
"""The range of ``speed``; 1 is the voice's own pace."""

type RequestId = Annotated[str, Between(1, MAX_REQUEST_ID_CHARS)]
type VoiceName = Annotated[str, Between(1, 256)]
type Speed = Annotated[float, Between(SLOWEST, FASTEST)]
type AskedRate = Annotated[int, OneOf(SAMPLE_RATES)]
type Hertz = Annotated[int, Between(1, 384_000)]
type Count = Annotated[int, Between(0)]
type Seconds = Annotated[float, Between(0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word of the source text and when it is heard, counted from the request's first sample."""

    word: str
    start_s: Seconds
    end_s: Seconds
    text_start: Count
    text_end: Count


# Speech wire, to the TTS service.


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesize:
    """Speak a text. With ``more`` (``continue`` on the wire) further pieces of it follow.

    The pieces of one request are joined; its first piece says voice, speed and the rest.
    ``offset_samples`` leaves out that many samples from the front. ``quality`` of None lets the
    server choose, as ``auto`` does. ``request_timestamp`` is in seconds since the epoch,
    ``traceparent`` as in W3C Trace Context.
    """

    text: str
    request_id: RequestId | None = None
    voice: VoiceName | None = None
    speed: Speed = 1.0
    sample_rate: AskedRate = 24000
    word_timestamps: bool = False
    offset_samples: Count = 0
    quality: Quality | None = None
    traceparent: str | None = None
    request_timestamp: Seconds | None = None
    more: bool = field(default=False, metadata={"wire": "continue"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Flush:
    """No more pieces of this request follow."""

    request_id: RequestId


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Stop a request, or all of them. ``heard_s`` is what a player has played of the reply."""

    request_id: RequestId | None = None
    heard_s: Seconds | None = None


@dataclass(frozen=True, slots=True)
class Close:
    """Finish what is queued, then close."""


# Speech wire, from the TTS service.


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthesisStart:
    request_id: RequestId
    format: str = "pcm_s16le"
    sample_rate: Hertz = 24000
    channels: Annotated[int, Between(1, 2)] = 1
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

    request_id: RequestId
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthesisComplete:
    request_id: RequestId
    total_duration_s: Seconds
    elapsed_s: Seconds
    samples: Count
    words: tuple[Word, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthesisCancelled:
    request_id: RequestId
    samples: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class Error:
    """Both wires: this request, or this message where no id is known, failed."""

    code: str
    message: str
    request_id: RequestId | None = None


# Turn wire, to the agent.


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    prompt: str
    mode: Mode = "bidi"
    voice: VoiceName | None = None
    speed: Speed = 1.0
    session_id: str | None = None
    request_id: RequestId | None = None
    traceparent: str | None = None


# Turn wire, from the agent.


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStart:
    """``wire`` says what carries the speech: ``websocket``, ``sagemaker`` or ``http``."""

    request_id: RequestId
    mode: Mode
    session_id: str | None = None
    wire: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    request_id: RequestId
    seq: Count
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioStreamStart:
    request_id: RequestId
    voice: str
    sample_rate: Hertz = 24000
    format: str = "pcm_s16le"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceStart:
    """``sentence`` on the wire: the audio that follows, up to its ``sentence_end``, says this.

    ``start`` and ``end`` are the span in the reply's text (all ``text_delta`` joined).
    Word times count from the first sample of this sentence, word spans from ``start``.
    """

    request_id: RequestId
    seq: Count
    text: str
    spoken: str | None = None
    start: Count | None = None
    end: Count | None = None
    words: tuple[Word, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceEnd:
    """All audio of this sentence was sent: a player may begin it without fear of a gap."""

    request_id: RequestId
    seq: Count
    samples: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioChunk:
    """SSE's way to carry audio: base64 of whole samples. A socket sends binary frames instead."""

    request_id: RequestId
    seq: Count
    data: Annotated[str, Base64Samples()]


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioStreamEnd:
    request_id: RequestId
    total_chunks: Count
    duration_s: Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEnd:
    """The last event of a reply. ``spoken`` is what the conversation keeps as said.

    ``timings`` holds ``first_text_ms``, ``first_sentence_ms``, ``first_audio_ms`` and ``end_ms``,
    counted from ``agent_start``, and ``audio_s``; what did not happen is null or left out.
    """

    request_id: RequestId
    timings: dict[str, Any]
    status: Status = "complete"
    spoken: str | None = None


type SpeechRequest = Synthesize | Flush | Cancel | Close
type SpeechEvent = SynthesisStart | Audio | Words | SynthesisComplete | SynthesisCancelled | Error
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
