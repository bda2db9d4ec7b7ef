"""The events of replies as the messages of one socket: small enough, and as few as can be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from firstword.protocol import (
    MAX_AUDIO_FRAME_BYTES,
    AgentEnd,
    AgentStart,
    Audio,
    AudioStreamEnd,
    SentenceStart,
    TextDelta,
    TurnEvent,
    Words,
    audio_frames,
    encode,
)

MAX_FRAME_BYTES = MAX_AUDIO_FRAME_BYTES
"""Largest message, text or binary. AgentCore closes a socket at 32 KiB."""


def joined(first: TurnEvent, second: TurnEvent) -> TurnEvent | None:
    """One event that says what two neighbours say, where there is one that fits a frame."""
    match first, second:
        case Audio(data=a), Audio(data=b) if len(a) + len(b) <= MAX_FRAME_BYTES:
            return Audio(a + b)
        case TextDelta(), TextDelta() if first.request_id == second.request_id:
            both = replace(first, text=first.text + second.text)
            return both if _fits(both) else None
        case _:
            return None


class Framing:
    """Gives each event its messages. Counts deltas and audio of the reply that runs."""

    def __init__(self) -> None:
        self._deltas = 0
        self._audio = 0

    def messages(self, event: TurnEvent) -> Iterator[str | bytes]:
        """One message or more for one event, each of ``MAX_FRAME_BYTES`` at most.

        Texts and words that are too long are cut into several events. A ``sentence`` keeps its
        span and the beginning of its text, an ``agent_end`` goes without ``spoken``.
        """
        match event:
            case Audio(data=data):
                for frame in audio_frames(data):
                    self._audio += 1
                    yield frame
                return
            case AgentStart():
                self._deltas = self._audio = 0
            case AudioStreamEnd():
                event = replace(event, total_chunks=self._audio)
        for part in _parts(event):
            yield encode(self._numbered(part))

    def _numbered(self, event: TurnEvent) -> TurnEvent:
        if not isinstance(event, TextDelta):
            return event
        self._deltas += 1
        return replace(event, seq=self._deltas - 1)


def _parts(event: TurnEvent) -> Iterator[TurnEvent]:
    if _fits(event):
        yield event
        return
    match event:
        case TextDelta(text=text) if len(text) > 1:
            middle = len(text) // 2
            yield from _parts(replace(event, text=text[:middle]))
            yield from _parts(replace(event, text=text[middle:]))
        case Words(words=words) if len(words) > 1:
            middle = len(words) // 2
            yield from _parts(replace(event, words=words[:middle]))
            yield from _parts(replace(event, words=words[middle:]))
        case SentenceStart(text=text):
            yield from _parts(replace(event, text=text[: len(text) // 2], spoken=None, words=None))
        case AgentEnd():
            yield replace(event, spoken=None)
        case _:
            yield event


def _fits(event: TurnEvent) -> bool:
    return len(encode(event).encode()) <= MAX_FRAME_BYTES
