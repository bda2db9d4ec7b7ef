"""Many sessions that ask the scheduler at the same moment, in this process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from firstword.tts.ask import Ask, expected_s
from firstword.tts.assembly import Reading, languages
from firstword.tts.engines import Utterance
from firstword.tts.engines.choice import FORWARD_WORKERS
from firstword.tts.listener import Listener
from firstword.tts.models.voices import Voices
from firstword.tts.parts import TwoPaces
from firstword.tts.policy import POLICIES
from firstword.tts.scheduler import Scheduler
from firstword.tts.service import FIRST_AUDIO_S
from firstword.tts.speech import Speaker
from firstword.tts.synthesis import WholeText, pcm
from firstword.tts.text import FIRST_CLAUSE_WORDS

if TYPE_CHECKING:
    from firstword.tts.engines.torch.engine import TorchEngine
    from firstword.tts.engines.torch.forwards import Stretch

VOICES = ("af_heart", "am_michael", "bf_emma", "bm_george")
"""The sessions' voices, in turn: a batch holds several."""

STOP_S = 30.0


@dataclass(slots=True)
class Load:
    """What the sessions of one burst got."""

    characters: int
    first_audio_s: list[float] = field(default_factory=list)
    audio_s: float = 0.0
    total_s: float = 0.0

    @property
    def speed(self) -> float:
        """Audio seconds made in a second."""
        return self.audio_s / self.total_s


class Read:
    """Text that was turned into phonemes before."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._known: dict[tuple[str, str], list[Utterance]] = {}

    def utterances(self, text: str, language: str) -> Iterable[Utterance]:
        """The same ones each time."""
        known = self._known.get((text, language))
        if known is None:
            known = self._known[text, language] = list(self._reading.utterances(text, language))
        return known


class Crowd:
    """Sessions to be, each with its voice, and ``text`` to be said by each."""

    def __init__(
        self, engine: TorchEngine, rack: Voices, text: str, voices: Sequence[str] = VOICES
    ) -> None:
        self._voices = voices
        self._engine = engine
        self._rack = rack
        self._text = text
        spoken = languages()
        self._early = Read(Reading(spoken, FIRST_CLAUSE_WORDS))
        early = Speaker(self._early, engine, rack)
        self._speaker = TwoPaces(early, Speaker(Read(Reading(spoken, None)), engine, rack))
        for voice in voices:
            engine.prepare_voice(rack.style(voice))
            for _ in self._early.utterances(text, voice[0]):
                pass

    def ask(self, sessions: int, policy: str) -> Load:
        """All at once; ends when everything is made."""
        return asyncio.run(self._ask(sessions, policy))

    async def _ask(self, sessions: int, policy: str) -> Load:
        load = Load(sessions * len(self._text))
        scheduler = Scheduler(
            policy=POLICIES[policy], workers=FORWARD_WORKERS, max_jobs=sessions, max_wait_s=1e9
        )
        scheduler.start(asyncio.get_running_loop().call_soon_threadsafe)
        began = time.perf_counter()
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(sessions):
                    voice = self._voices[number % len(self._voices)]
                    group.create_task(self._session(scheduler, voice, began, load))
            load.total_s = time.perf_counter() - began
        finally:
            await asyncio.to_thread(scheduler.stop, STOP_S)
        return load

    async def _session(self, scheduler: Scheduler, voice: str, began: float, load: Load) -> None:
        ask = Ask(request_id=voice, voice=voice)
        job = scheduler.submit(
            pcm(self._speaker, WholeText(self._text), ask, "fast"),
            Listener(FIRST_AUDIO_S),
            ahead_bytes=1 << 30,
            expected_s=expected_s(len(self._text), 1.0),
        )
        heard = False
        async for piece in job:
            if piece.duration_s and not heard:
                heard = True
                load.first_audio_s.append(time.perf_counter() - began)
            load.audio_s += piece.duration_s

    def stretch(self, frames: int) -> Stretch:
        """A window of at most so many frames, with its context, and averages."""
        from firstword.tts.engines.torch.shapes import CONTEXT

        voice = self._voices[0]
        said = self._early.utterances(self._text, voice[0])
        phonemes = max((one.phonemes for one in said), key=len)
        return self._engine.window(phonemes, self._rack.style(voice), frames + 2 * CONTEXT)
