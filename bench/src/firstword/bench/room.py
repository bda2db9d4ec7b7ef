"""The speech pipeline inside this process, timed: no service, no socket."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from firstword.bench.figures import Sample
from firstword.tts.assembly import Reading, engine, languages, voices
from firstword.tts.engines import SAMPLE_RATE, Engine, EngineQuality, Style
from firstword.tts.settings import Settings
from firstword.tts.speech import Chunk, Speaker, SpeechJob
from firstword.tts.text import FIRST_CLAUSE_WORDS

VOICE = "af_heart"


@dataclass(frozen=True, slots=True)
class Room:
    """An engine and all that the speech server puts around it."""

    engine: Engine
    settings: Settings
    hurried: Reading
    style: Style
    early: Speaker
    """Lets a first clause go ahead, as the server does for who waits."""
    whole: Speaker
    """Whole sentences only."""

    @classmethod
    def load(cls, environ: Mapping[str, str]) -> Room:
        """The product as the settings of ``environ`` say, compiled and warm.

        Raises:
            ModelsError: the model files are missing.
        """
        return cls.around(engine(settings := Settings.from_env(environ)), settings)

    @classmethod
    def around(cls, model: Engine, settings: Settings) -> Room:
        """The product's text and voices around any engine."""
        rack, spoken = voices(settings), languages()
        model.warm_up()
        hurried = Reading(spoken, FIRST_CLAUSE_WORDS)
        early = Speaker(hurried, model, rack)
        whole = Speaker(Reading(spoken, None), model, rack)
        return cls(model, settings, hurried, rack.style(VOICE), early, whole)

    def windows(self, text: str) -> Sample:
        """``text`` as someone gets it who waits: an early first clause, quality ``fast``."""
        return timed(self.early, text, "fast")

    def exact(self, text: str) -> Sample:
        """``text`` sentence by sentence, each rendered whole."""
        return timed(self.whole, text, "exact")

    def first_window(self, text: str) -> Sample:
        """The engine alone: phonemes of the first clause in, first samples out."""
        utterance = next(self.hurried.utterances(text, VOICE[0]))
        began = time.perf_counter()
        blocks = self.engine.synthesize(utterance, self.style, 1.0, "fast")
        samples = next((block.samples for block in blocks if block.samples.size), None)
        took = time.perf_counter() - began
        if samples is None:
            raise ValueError("the engine gave no samples")
        return {"first_audio_ms": 1000 * took, "audio_s": samples.size / SAMPLE_RATE}


def timed(speaker: Speaker, text: str, quality: EngineQuality) -> Sample:
    """Say ``text`` and look at the clock.

    ``first_audio_ms`` is when the first samples are there, ``total_ms`` when all are;
    ``rtf`` is synthesis seconds for each second of audio, pauses included.
    """
    began = time.perf_counter()
    return of_chunks(speaker.speak(SpeechJob(text, VOICE, 1.0, quality)), began)


def of_chunks(chunks: Iterator[Chunk], began: float) -> Sample:
    """The sample of chunks that are made while they are counted."""
    first, samples = 0.0, 0
    for chunk in chunks:
        if chunk.samples.size and not samples:
            first = time.perf_counter() - began
        samples += chunk.samples.size
    total, audio_s = time.perf_counter() - began, samples / SAMPLE_RATE
    return {
        "first_audio_ms": 1000 * first,
        "total_ms": 1000 * total,
        "audio_s": audio_s,
        "rtf": total / audio_s if audio_s else 0.0,
    }
