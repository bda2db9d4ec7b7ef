"""What all doors share: the loaded parts, the scheduler, who may come in, and the way out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from firstword.tts.ask import Ask, expected_s
from firstword.tts.audio import Format
from firstword.tts.engines import EngineQuality
from firstword.tts.job import Job
from firstword.tts.listener import Listener
from firstword.tts.models import ModelsError
from firstword.tts.parts import Parts, in_a_thread
from firstword.tts.policy import SaturatedError
from firstword.tts.record import Recorder
from firstword.tts.refusal import RefusedError, saturated
from firstword.tts.scheduler import Scheduler
from firstword.tts.settings import Settings
from firstword.tts.synthesis import Script, Speech, encoded, pcm

logger = logging.getLogger(__name__)

type State = Literal["starting", "ready", "draining", "failed"]

FIRST_AUDIO_S = 0.5
"""When the first audio of a newcomer is due, in seconds after its arrival."""

ENOUGH_SLACK_S = 2.0
"""Seconds of audio ahead from which ``auto`` takes the better of the two qualities, if that is also
`SAFE` times what the first utterance will take: nothing is heard before it is whole."""

SAFE = 2.0
LONGEST_UTTERANCE_S = 30.0
"""As long as `MAX_PHONEMES` phonemes are."""


class Service:
    """One server's state. Everything here runs on the event loop."""

    def __init__(self, settings: Settings, scheduler: Scheduler, recorder: Recorder) -> None:
        self.settings = settings
        self.scheduler = scheduler
        self.recorder = recorder
        self.metrics = recorder.metrics
        self.state: State = "starting"
        self.sessions = 0
        self.leaving = asyncio.Event()
        """Set when no new work is taken any more."""
        self._parts: Parts | None = None
        self._loaded = asyncio.Event()
        self._working = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self.metrics.watch(
            depth=lambda: scheduler.depth,
            backlog_s=scheduler.backlog_s,
            sessions=lambda: self.sessions,
        )

    async def load(self, build: Callable[[], Parts]) -> None:
        """Build the parts; from then on the service is ready, or has failed for good."""
        try:
            self._parts = await in_a_thread(build)
            self.metrics.tell(engine=self._parts.engine, about=self._parts.about)
        except ModelsError as error:
            # It says what to do; a traceback's message is not logged.
            logger.error("state=<failed> | %s", error)
            self.state = "failed"
        except Exception:
            logger.exception("state=<failed> | cannot load the model")
            self.state = "failed"
        else:
            if self.state == "starting":
                self.state = "ready"
        finally:
            self._loaded.set()

    async def loaded(self) -> bool:
        """Wait for the end of loading. False when it failed or was given up."""
        await self._loaded.wait()
        return self._parts is not None

    @property
    def healthy(self) -> bool:
        """New work is taken and gets done."""
        works = self._parts is not None and self._parts.healthy()
        return self.state == "ready" and works and self.scheduler.alive

    def parts(self) -> Parts:
        """What speaks.

        Raises:
            RefusedError: it is not loaded.
        """
        if self._parts is None:
            raise RefusedError(
                "failed" if self.state == "failed" else "starting",
                "the model could not be loaded"
                if self.state == "failed"
                else "the model is being loaded, try again in a few seconds",
                retry_after_s=None if self.state == "failed" else 5,
            )
        return self._parts

    def admit(self) -> Parts:
        """May one more synthesis begin? What speaks, if so.

        Raises:
            RefusedError: starting, draining, or too much is waiting.
        """
        parts = self.parts()
        if self.leaving.is_set():
            raise RefusedError("draining", "the server is about to stop, use another one")
        try:
            self.scheduler.admit()
        except SaturatedError as error:
            raise saturated(error) from None
        return parts

    def quality(
        self,
        ask: Ask,
        listener: Listener,
        chars: int,
        *,
        ahead_s: float = 0.0,
        whole: bool = False,
    ) -> EngineQuality:
        """What ``auto`` means now for so many ``chars``: ``fast`` where the listener would wait for
        the first sound.

        ``ahead_s`` are seconds of audio that will be made for this listener before; while they are
        made, some of them are played already. ``whole``: nothing is sent before all is made.
        """
        wanted = ask.quality
        if wanted is None or wanted == "auto":
            wanted = self.settings.quality
        if wanted == "fast" or wanted == "exact":
            return wanted
        slack = listener.slack_s(self.scheduler.clock())
        slack += ahead_s * max(0.0, 1 - self.scheduler.rtf)
        first_s = min(expected_s(chars, ask.speed), LONGEST_UTTERANCE_S / ask.speed)
        enough = max(ENOUGH_SLACK_S, SAFE * first_s * self.scheduler.rtf)
        return "exact" if whole or slack >= enough else "fast"

    def listener(self) -> Listener:
        """A playback that has not begun."""
        return Listener(FIRST_AUDIO_S)

    def speak(
        self, ask: Ask, script: Script, quality: EngineQuality, listener: Listener, chars: int
    ) -> Job[Speech]:
        """A request of a session as PCM. A session may have two such jobs at once."""
        return self.scheduler.submit(
            pcm(self.parts().speaker, script, ask, quality),
            listener,
            ahead_bytes=self.settings.limits.session_bytes // 2,
            expected_s=expected_s(chars, ask.speed),
        )

    def encode(
        self, ask: Ask, script: Script, quality: EngineQuality, form: Format, chars: int
    ) -> Job[Speech]:
        """A request as a file in pieces, to a listener of its own."""
        return self.scheduler.submit(
            encoded(self.parts().speaker, script, ask, quality, form),
            self.listener(),
            ahead_bytes=self.settings.limits.session_bytes,
            expected_s=expected_s(chars, ask.speed),
        )

    @contextmanager
    def working(self) -> Iterator[None]:
        """Something that a drain waits for."""
        self.begin()
        try:
            yield
        finally:
            self.end()

    def begin(self) -> None:
        """One more request is being served; ``end`` must follow."""
        self._working += 1
        self._idle.clear()

    def end(self) -> None:
        """One request less."""
        self._working -= 1
        if self._working == 0:
            self._idle.set()

    def drain(self) -> None:
        """Take no new work. What is in work goes on; ``idle`` waits for it."""
        if self.state in ("starting", "ready"):
            self.state = "draining"
        self.leaving.set()

    async def idle(self) -> None:
        """Wait until nothing is in work."""
        await self._idle.wait()
