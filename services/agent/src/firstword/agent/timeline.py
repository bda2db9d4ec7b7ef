"""When things happened in a reply, in milliseconds from its start."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

type Moment = Literal["first_text", "first_sentence", "first_audio", "end"]


class Timeline:
    """Starts to count when it is made. A moment counts the first time it is marked."""

    def __init__(self) -> None:
        self._started = asyncio.get_running_loop().time()
        self._moments: dict[Moment, float] = {}
        self.audio_s = 0.0

    def mark(self, moment: Moment) -> None:
        now = asyncio.get_running_loop().time()
        self._moments.setdefault(moment, round(1000.0 * (now - self._started), 1))

    def timings(self) -> dict[str, Any]:
        """What ``agent_end`` tells; a moment that never came is null."""
        moments: tuple[Moment, ...] = ("first_text", "first_sentence", "first_audio", "end")
        told: dict[str, Any] = {f"{moment}_ms": self._moments.get(moment) for moment in moments}
        return {**told, "audio_s": round(self.audio_s, 3)}
