"""Room 5: the seam between a turn and whatever speaks. Sentences go in, frames and PCM come out."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from firstword.protocol import Audio, SynthesisComplete, SynthesisStart, Words

type SpokenEvent = SynthesisStart | Words | Audio | SynthesisComplete


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A text to be said. ``request_id`` is new for every text; ``traceparent`` as on the wire."""

    request_id: str
    text: str
    voice: str
    speed: float = 1.0
    traceparent: str | None = None


class Speech(Protocol):
    """One text on its way to being said."""

    def events(self) -> AsyncGenerator[SpokenEvent, None]:
        """SynthesisStart, then Words and Audio (whole samples), then SynthesisComplete.

        One reader. A lost connection in between is not seen, but for the time it takes. Words are
        counted from the first sample of the text, their spans in the text.

        Raises:
            VoiceError: the text will not be said to its end. What came before stays valid.
        """
        ...


class Voice(Protocol):
    """Says texts in the order in which they are asked for. One conversation has one.

    Every wait on the service has a deadline. All methods belong to one event loop.
    """

    async def open(self) -> None:
        """Be ready to speak; does nothing where that is so. Call it while the model thinks.

        Raises:
            VoiceError: the service cannot be reached.
        """
        ...

    async def ask(self, ask: Ask) -> Speech:
        """Have a text said after those asked for before. The caller asks for one ahead at most.

        Raises:
            VoiceError: the service cannot be reached.
        """
        ...

    async def cancel(self) -> None:
        """Stop all that was asked for; none of its events come any more. Never raises."""
        ...

    async def close(self) -> None:
        """Cancel, and leave the service. ``open`` works again afterwards. Never raises."""
        ...
