"""A pair of ears for synthesised speech: what is understood, and how it sounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from firstword.bench.ear import EAR_RATE, Ear, errors
from firstword.bench.mos import Mos, Opinion
from firstword.tts.audio import Resampler
from firstword.tts.engines import SAMPLE_RATE, EngineQuality, TimedWord
from firstword.tts.speech import Chunk, Speaker, SpeechJob
from firstword.tts.trim import FRAME, VOICED_RMS

type Samples = NDArray[np.float32]


class Said(NamedTuple):
    """Speech as it is heard: float32 (samples,) at 24 kHz and its words in order."""

    samples: Samples
    words: tuple[TimedWord, ...]


class Understands(Protocol):
    """Writes down float32 (samples,) at ``EAR_RATE``."""

    def understand(self, audio: Samples) -> str: ...


class Judges(Protocol):
    """Says what it thinks of float32 (samples,) at ``EAR_RATE``."""

    def judge(self, audio: Samples) -> Opinion: ...


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of one text."""

    wrong: int
    """Words that were written down wrong, left out or made up."""
    opinion: Opinion


@dataclass(frozen=True, slots=True)
class Hearing:
    """Listens to what was said. The same audio is heard the same way each time."""

    ear: Understands
    judge: Judges

    @classmethod
    def load(cls, threads: int) -> Hearing:
        """Whisper tiny.en and DNSMOS.

        Raises:
            EarError: one of the two is not installed.
        """
        return cls(Ear(threads), Mos(threads))

    def hear(self, samples: Samples, text: str) -> Heard:
        """``samples`` at 24 kHz, in which ``text`` is said."""
        resampler = Resampler(EAR_RATE)
        audio = np.concatenate([resampler.feed(samples), resampler.flush()])
        return Heard(errors(text, self.ear.understand(audio)), self.judge.judge(audio))


def say(speaker: Speaker, text: str, voice: str, quality: EngineQuality) -> Said:
    """All of ``text``."""
    return whole(speaker.speak(SpeechJob(text, voice, 1.0, quality)))


def whole(chunks: Iterable[Chunk]) -> Said:
    """Chunks as one piece.

    Raises:
        ValueError: there is nothing to be heard.
    """
    samples: list[Samples] = []
    words: list[TimedWord] = []
    for chunk in chunks:
        samples.append(chunk.samples)
        words += chunk.words
    joined = np.concatenate(samples) if samples else np.zeros(0, np.float32)
    if not joined.size:
        raise ValueError("nothing was said")
    return Said(joined, tuple(words))


def first_chunk(chunks: Callable[[], Iterable[Chunk]]) -> tuple[float, float]:
    """(Milliseconds, milliseconds of processor time) until the first samples are there; the rest
    is not made."""
    began, busy = time.perf_counter(), time.process_time()
    row = iter(chunks())
    try:
        for chunk in row:
            if chunk.samples.size:
                break
        took, used = time.perf_counter() - began, time.process_time() - busy
    finally:
        if close := getattr(row, "close", None):
            close()
    return 1000 * took, 1000 * used


def pause_ms(said: Said, count: int) -> float:
    """The longest near silence between the middles of word ``count`` (from 1) and the next one.

    Near silence is what the trimmer takes for it: 10 ms under -52 dB of full scale.
    """
    before, after = said.words[count - 1], said.words[count]
    begin = round((before.start_s + before.end_s) / 2 * SAMPLE_RATE)
    end = round((after.start_s + after.end_s) / 2 * SAMPLE_RATE)
    frames = said.samples[begin:end]
    frames = frames[: frames.size // FRAME * FRAME].reshape(-1, FRAME)
    quiet = np.sqrt(np.mean(np.square(frames, dtype=np.float64), axis=1)) < VOICED_RMS
    longest = run = 0
    for silent in quiet:
        run = run + 1 if silent else 0
        longest = max(longest, run)
    return 1000.0 * longest * FRAME / SAMPLE_RATE
