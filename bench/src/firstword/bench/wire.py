"""The speech wire as a caller sees it: one sentence over a WebSocket, timed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from websockets.sync.client import ClientConnection, connect

from firstword.protocol import (
    Audio,
    Cancel,
    Error,
    Frame,
    Quality,
    Session,
    SynthesisComplete,
    SynthesisStart,
    Synthesize,
    duration_s,
)

PATH = "/invocations-bidirectional-stream"
SAMPLE_RATE = 24_000
ANSWER_S = 120.0


class SpeechError(Exception):
    """The service refused or failed."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """When what came, in seconds after the request was sent."""

    first_audio_s: float
    total_s: float
    audio_s: float
    engine: str
    quality: str


class Caller:
    """One connection."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._wire = Session("client")
        self._frames: list[Frame] = []

    def say(self, text: str, *, quality: Quality | None = None, voice: str = "af_heart") -> Spoken:
        """Have ``text`` spoken to its end."""
        began = self.ask(text, quality=quality, voice=voice)
        first: float | None = None
        start: SynthesisStart | None = None
        size = 0
        while True:
            match self._next():
                case SynthesisStart() as start:
                    pass
                case Audio(data=data):
                    first = first or time.perf_counter()
                    size += len(data)
                case SynthesisComplete():
                    break
        ended = time.perf_counter()
        if first is None or start is None:
            raise SpeechError("the service sent no audio")
        audio_s = duration_s(size // 2, SAMPLE_RATE)
        return Spoken(first - began, ended - began, audio_s, start.engine, start.quality)

    def ask(self, text: str, *, quality: Quality | None = None, voice: str = "af_heart") -> float:
        """Ask only; gives the time at which it was sent."""
        message = self._wire.send(
            Synthesize(text=text, voice=voice, quality=quality, sample_rate=SAMPLE_RATE)
        )
        began = time.perf_counter()
        self._socket.send(message)
        return began

    def first_audio(self) -> float:
        """Wait for the next audio; gives when it came."""
        while not isinstance(self._next(), Audio):
            pass
        return time.perf_counter()

    def cancel(self) -> None:
        """Stop all that was asked for, and wait until it has stopped."""
        self._socket.send(self._wire.send(Cancel()))
        self._frames.clear()
        while self._wire.open_requests:
            payload = self._socket.recv(ANSWER_S)
            self._wire.receive(payload, binary=isinstance(payload, bytes))

    def _next(self) -> Frame:
        while not self._frames:
            payload = self._socket.recv(ANSWER_S)
            self._frames += self._wire.receive(payload, binary=isinstance(payload, bytes))
        frame = self._frames.pop(0)
        if isinstance(frame, Error):
            raise SpeechError(f"{frame.code}: {frame.message}")
        return frame


@contextmanager
def caller(url: str) -> Iterator[Caller]:
    """A connection to the speech server at ``url`` (``http://...``)."""
    with connect(
        url.replace("http://", "ws://") + PATH, max_size=None, compression=None, proxy=None
    ) as socket:
        yield Caller(socket)
