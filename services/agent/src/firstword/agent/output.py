"""The events of one reply on their way to its client, and how much of them the client has."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from firstword.agent.buffer import BufferClosed, ByteBuffer
from firstword.agent.framing import joined
from firstword.protocol import (
    AgentEnd,
    Audio,
    SentenceStart,
    TextDelta,
    TurnEvent,
    Words,
)

_EVENT_BYTES = 256
_WORD_BYTES = 100


class Output:
    """A queue bounded in bytes: a client that reads slowly holds the speech back."""

    def __init__(self, max_bytes: int) -> None:
        self._events: ByteBuffer[TurnEvent] = ByteBuffer(max_bytes)
        self._last: AgentEnd | None = None
        self._ended = asyncio.Event()
        self.audio_bytes_taken = 0
        self.first_audio_at: float | None = None

    @property
    def finished(self) -> bool:
        """Whether the client has the last event."""
        return self._ended.is_set() and self._last is None

    async def put(self, event: TurnEvent) -> None:
        """Add an event; waits while the client is behind. Dropped after ``silence`` or ``end``."""
        with suppress(BufferClosed):
            await self._events.put(event, _size(event))

    def silence(self) -> None:
        """Drop what the client has not taken, and all that still comes but the last event."""
        self._events.clear()
        self._events.close()

    def end(self, event: AgentEnd) -> None:
        """Add the last event, or replace it while the client does not have it."""
        self._last = event
        self._events.close()
        self._ended.set()

    async def get(self) -> TurnEvent:
        """The next event. Raises BufferClosed after the last. May be cancelled safely."""
        try:
            event = await self._events.get()
        except BufferClosed:
            return await self._get_last()
        self._note_taken(event)
        return event

    def join(self, event: TurnEvent) -> TurnEvent:
        """``event`` with what waits behind it, as far as one event can say it."""
        while (following := self._events.peek()) is not None:
            both = joined(event, following)
            if both is None:
                break
            self._note_taken(self._events.pop())
            event = both
        return event

    def _note_taken(self, event: TurnEvent) -> None:
        if isinstance(event, Audio):
            if self.first_audio_at is None:
                self.first_audio_at = asyncio.get_running_loop().time()
            self.audio_bytes_taken += len(event.data)

    async def _get_last(self) -> AgentEnd:
        await self._ended.wait()
        last, self._last = self._last, None
        if last is None:
            raise BufferClosed
        return last


def _size(event: TurnEvent) -> int:
    match event:
        case Audio(data=data):
            return len(data)
        case TextDelta(text=text) | SentenceStart(text=text):
            return _EVENT_BYTES + len(text)
        case Words(words=words):
            return _EVENT_BYTES + _WORD_BYTES * len(words)
        case _:
            return _EVENT_BYTES
