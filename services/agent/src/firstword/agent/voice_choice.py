"""Which Voice a conversation gets: the wire of the settings, or its fall-back while that fails."""

from __future__ import annotations

import logging
import time
from typing import Protocol

from firstword.agent.errors import VoiceError
from firstword.agent.voice import Ask, Speech, Voice
from firstword.agent.voice_settings import VoiceSettings, Wire
from firstword.agent.voice_websocket import websocket_voice
from firstword.protocol import Mode

logger = logging.getLogger(__name__)

MENDED_BY_FALLING_BACK = frozenset(
    {
        "speech_not_offered",
        "speech_denied",
        "speech_refused",
        "speech_unavailable",
        "speech_timeout",
    }
)
"""Codes for what may be wrong with streaming alone: the operation, its permission, its port."""


class Source(Protocol):
    """Makes Voices of one wire."""

    def voice(self) -> Voice: ...

    def close(self) -> None:
        """Let go of what they share, once they are closed."""
        ...


class WebSockets:
    """See ``Source``."""

    def __init__(self, settings: VoiceSettings) -> None:
        self._settings = settings

    def voice(self) -> Voice:
        return websocket_voice(self._settings)

    def close(self) -> None:
        """They share nothing."""


class Speakers:
    """Makes the Voices of one process.

    AWS's clients are imported where a wire needs them: that takes more than a second.
    """

    def __init__(self, settings: VoiceSettings) -> None:
        self._settings = settings
        wires = {settings.wire, settings.batch_wire or settings.wire}
        if settings.fall_back != "off":
            wires.add(settings.fall_back)
        self._sources = {wire: _source(wire, settings) for wire in wires}
        self._fallen_until = 0.0

    def voice(self) -> Voice:
        """A new Voice for one conversation."""
        if self._settings.fall_back == "http":
            first, second = self._sources["sagemaker"], self._sources["http"]
            return FallBackVoice(first.voice(), second.voice(), self)
        return self._sources[self._settings.wire].voice()

    def batch_voice(self) -> Voice | None:
        """One for its replies of mode batch, where another wire carries those."""
        wire = self._settings.batch_wire
        return None if wire is None else self._sources[wire].voice()

    def wire(self, mode: Mode) -> Wire:
        """What carries the speech of such a reply, as far as is known now."""
        if mode == "batch" and self._settings.batch_wire is not None:
            return self._settings.batch_wire
        return "http" if self.fallen else self._settings.wire

    @property
    def fallen(self) -> bool:
        """Whether the fall-back speaks instead. It is found out again after a while."""
        return time.monotonic() < self._fallen_until

    def fall(self, error: VoiceError) -> None:
        """Streaming is not to be had."""
        if not self.fallen:
            logger.warning(
                "wire=<sagemaker>, code=<%s>, fall_back=<http>, for_s=<%.0f> | %s",
                error.code,
                self._settings.fall_back_s,
                error.message,
            )
        self._fallen_until = time.monotonic() + self._settings.fall_back_s

    async def probe(self) -> None:
        """Find out whether streaming is to be had, so that the first reply can say so."""
        if self._settings.fall_back == "off":
            return
        voice = self.voice()
        try:
            await voice.open()
        except VoiceError as error:
            logger.warning("code=<%s> | %s", error.code, error.message)
        finally:
            await voice.close()

    def close(self) -> None:
        """Let go of what the Voices share, once they are closed."""
        for source in self._sources.values():
            source.close()


def _source(wire: Wire, settings: VoiceSettings) -> Source:
    match wire:
        case "websocket":
            return WebSockets(settings)
        case "sagemaker":
            from firstword.agent.voice_sagemaker import SageMaker

            return SageMaker(settings)
        case "http":
            from firstword.agent.voice_http import ResponseStreams

            return ResponseStreams(settings)


class FallBackVoice:
    """Speaks through ``first``, and through ``second`` where that cannot be had.

    See ``firstword.agent.voice.Voice``.
    """

    def __init__(self, first: Voice, second: Voice, speakers: Speakers) -> None:
        self._first = first
        self._second = second
        self._speakers = speakers

    async def open(self) -> None:
        try:
            await self._current.open()
        except VoiceError as error:
            self._fall_for(error)
            await self._second.open()

    async def ask(self, ask: Ask) -> Speech:
        try:
            return await self._current.ask(ask)
        except VoiceError as error:
            self._fall_for(error)
            return await self._second.ask(ask)

    async def cancel(self) -> None:
        await self._first.cancel()
        await self._second.cancel()

    async def close(self) -> None:
        await self._first.close()
        await self._second.close()

    @property
    def _current(self) -> Voice:
        return self._second if self._speakers.fallen else self._first

    def _fall_for(self, error: VoiceError) -> None:
        if self._speakers.fallen or error.code not in MENDED_BY_FALLING_BACK:
            raise error
        self._speakers.fall(error)
