"""What ``firstword talk`` does with the events of a reply: show, play, record, time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from firstword.console.playback import Player
from firstword.console.recording import Recording
from firstword.console.terminal import printable
from firstword.console.timeline import (
    Event,
    Timeline,
    TimelineRecorder,
    pcm,
    stream_rate,
    without_audio,
)
from firstword.console.turn import TurnError


@dataclass(slots=True)
class Listener:
    """Takes the events of one turn. ``words`` gets text for people, ``lines`` JSON for programs."""

    words: Callable[[str], None]
    lines: Callable[[str], None] | None = None
    player: Player | None = None
    recording: Recording | None = None
    _times: TimelineRecorder = field(default_factory=TimelineRecorder)
    _failure: str | None = None
    _begun: bool = False

    async def take(self, event: Event) -> None:
        """One event, as soon as it came. Raises TurnError when the reply has failed."""
        try:
            self._times.feed(event, time.monotonic())
            if self.lines is not None:
                self.lines(json.dumps(without_audio(event), ensure_ascii=False))
            await self._follow(event)
        except ValueError as error:
            raise TurnError(f"the agent sent what cannot be played: {error}") from error

    async def _follow(self, event: Event) -> None:
        match event.get("type"):
            case "text_delta":
                self.words(printable(str(event.get("text", ""))))
            case "audio_stream_start":
                await self._begin(stream_rate(event))
            case "sentence" if self.player is not None:
                await self.player.sentence(str(event.get("text", "")))
            case "audio_chunk":
                await self._sound(pcm(event))
            case "sentence_end" if self.player is not None:
                await self.player.sentence_end()
            case "error":
                self._failure = f"{event.get('message')} ({event.get('code')})"
            case "agent_end" if event.get("status", "complete") != "complete":
                raise TurnError(self._failure or f"the reply was {event.get('status')}")

    def timeline(self) -> Timeline:
        """When what came."""
        return self._times.timeline()

    async def finish(self) -> None:
        """Hear the rest out."""
        if self.player is not None:
            await self.player.finish()

    async def stop(self) -> None:
        """Silence at once."""
        if self.player is not None:
            await self.player.stop()

    async def _begin(self, sample_rate: int) -> None:
        self._begun = True
        if self.recording is not None:
            self.recording.begin(sample_rate)
        if self.player is not None:
            await self.player.begin(sample_rate)

    async def _sound(self, samples: bytes) -> None:
        if not self._begun:
            raise ValueError("audio came before its audio_stream_start")
        if self.recording is not None:
            self.recording.write(samples)
        if self.player is not None:
            await self.player.write(samples)
