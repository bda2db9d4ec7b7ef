"""What the doors need of the model: loaded once, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from firstword.tts.ask import DEFAULT_VOICE
from firstword.tts.models.voices import Voice
from firstword.tts.settings import Settings
from firstword.tts.speech import Chunk, Speaker, SpeechJob
from firstword.tts.synthesis import Speaks

WARM_UP = "Ready to speak."


class VoiceList(Protocol):
    """Which voices there are (``models.voices.Voices``)."""

    def language(self, spec: str) -> str: ...

    def list(self) -> tuple[Voice, ...]: ...


@dataclass(frozen=True, slots=True)
class Parts:
    """Ready to speak. ``engine`` is the engine's version, ``about`` what it says of itself."""

    speaker: Speaks
    voices: VoiceList
    engine: str
    about: str = ""
    healthy: Callable[[], bool] = lambda: True
    """False for good once what the engine runs on has failed."""


class TwoPaces:
    """Speaks with an early first clause, or with whole sentences only."""

    def __init__(self, early: Speaker, whole: Speaker) -> None:
        self._early = early
        self._whole = whole

    def speak(self, job: SpeechJob, *, early: bool) -> Iterator[Chunk]:
        """The job's audio. Raises what ``Speaker.speak`` does."""
        return (self._early if early else self._whole).speak(job)


def load(settings: Settings) -> Parts:
    """The real ones, with everything done once that would slow the first request down.

    Raises:
        ModelsError: the model files are not there.
    """
    from firstword.tts.assembly import assemble

    made = assemble(settings)
    speaker = TwoPaces(made.early, made.whole)
    made.engine.warm_up()
    for _ in speaker.speak(SpeechJob(WARM_UP, DEFAULT_VOICE, 1.0, "fast"), early=True):
        pass
    engine = made.engine
    return Parts(speaker, made.voices, engine.version, engine.about, healthy=lambda: engine.healthy)


async def in_a_thread[T](function: Callable[[], T]) -> T:
    """Run what takes seconds without holding up the loop, or the end of the process."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[T] = loop.create_future()

    def settle(value: T | None, error: BaseException | None) -> None:
        if not result.cancelled():
            if error is None:
                result.set_result(value)  # type: ignore[arg-type]
            else:
                result.set_exception(error)

    def run() -> None:
        value: T | None = None
        error: BaseException | None = None
        try:
            value = function()
        except BaseException as failure:  # noqa: BLE001 - it is raised where it is awaited
            error = failure
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, value, error)

    threading.Thread(target=run, name="loading", daemon=True).start()
    return await result
