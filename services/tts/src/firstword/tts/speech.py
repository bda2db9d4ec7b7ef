"""From text to float32 speech with timed words: rooms 9 and 10 put in order.

Pure and synchronous: one ``next`` is one unit of work. The same job gives the same samples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from firstword.tts.audio.levels import limit
from firstword.tts.engines import (
    SAMPLE_RATE,
    Block,
    Engine,
    EngineQuality,
    Style,
    Ticket,
    TimedWord,
    Utterance,
)
from firstword.tts.trim import Trimmer

type Samples = NDArray[np.float32]

JUNK_AFTER_S = 0.1
"""What is voiced this long after the last word's end was not written."""


@dataclass(frozen=True, slots=True)
class SpeechJob:
    """What is to be said. ``speed`` 1 is the voice's own; ``voice`` is a name or a blend."""

    text: str
    voice: str
    speed: float
    quality: EngineQuality


@dataclass(frozen=True, slots=True)
class Chunk:
    """Audio as it is ready: float32 (samples,), 24 kHz, within -1 to 1, and the words that begin.

    Word times count from the request's first sample; spans are characters of the request's text.
    ``waits`` is the engine's, see ``Block``.
    """

    samples: Samples
    words: tuple[TimedWord, ...] = ()
    waits: Ticket | None = None


class Reader(Protocol):
    """Text to utterances of at most ``MAX_PHONEMES`` phonemes. ``language`` is a voice's letter."""

    def utterances(self, text: str, language: str) -> Iterable[Utterance]: ...


class VoiceRack(Protocol):
    """Where styles come from (``models.voices.Voices``)."""

    def style(self, spec: str) -> Style: ...

    def language(self, spec: str) -> str: ...


class Speaker:
    """Says jobs, one after another or from several threads at once."""

    def __init__(self, reader: Reader, engine: Engine, voices: VoiceRack) -> None:
        self._reader = reader
        self._engine = engine
        self._voices = voices

    def speak(self, job: SpeechJob) -> Iterator[Chunk]:
        """The job's audio, chunk by chunk; none when there is nothing to be spoken.

        A chunk without samples is a pause of the engine, in which other work may be done.

        Closing the iterator stops the work.

        Raises:
            VoiceError: at once, before the first chunk is asked for.
        """
        style = self._voices.style(job.voice)
        language = self._voices.language(job.voice)
        return self._chunks(job, style, language)

    def _chunks(self, job: SpeechJob, style: Style, language: str) -> Iterator[Chunk]:
        said = 0
        for utterance in self._reader.utterances(job.text, language):
            begins_s = said / SAMPLE_RATE
            placed = replace(utterance, after_s=begins_s)
            for chunk in self._utterance(placed, job, style):
                yield Chunk(limit(chunk.samples), _later(chunk.words, begins_s), chunk.waits)
                said += chunk.samples.size

    def _utterance(self, utterance: Utterance, job: SpeechJob, style: Style) -> Iterator[Chunk]:
        """One utterance's chunks, words timed from its first chunk's first sample."""
        tail = _Tail(utterance)
        waiting: list[TimedWord] = []
        blocks = self._engine.synthesize(utterance, style, job.speed, job.quality)
        try:
            for block in blocks:
                samples = tail.feed(block)
                waiting += block.words
                if samples.size:
                    yield Chunk(samples, tail.placed(waiting))
                    waiting.clear()
                elif not block.samples.size:
                    yield Chunk(samples, waits=block.waits)
        finally:
            if close := getattr(blocks, "close", None):
                close()
        rest = tail.finish()
        if tail.heard or waiting:
            pause = np.zeros(round(utterance.pause_s / job.speed * SAMPLE_RATE), np.float32)
            rest = np.concatenate([rest, pause])
        if rest.size or waiting:
            yield Chunk(rest, tail.placed(waiting))


class _Tail:
    """A trimmer that is told of the words."""

    def __init__(self, utterance: Utterance) -> None:
        self._trimmer = Trimmer()
        self._to_come = len(utterance.words)
        self._words_end: int | None = None
        if not utterance.words:
            self._trimmer.tail_from = 0

    @property
    def heard(self) -> bool:
        return self._trimmer.started

    def feed(self, block: Block) -> Samples:
        self._to_come -= len(block.words)
        if block.words and self._to_come <= 0:
            final = block.words[-1]
            self._words_end = round(final.end_s * SAMPLE_RATE)
            self._trimmer.tail_from = round(final.start_s * SAMPLE_RATE)
            self._trimmer.limit = round((final.end_s + JUNK_AFTER_S) * SAMPLE_RATE)
        return self._trimmer.feed(block.samples)

    def finish(self) -> Samples:
        return self._trimmer.finish()

    def placed(self, words: Iterable[TimedWord]) -> tuple[TimedWord, ...]:
        """The words on the kept audio's clock; an end that the trimming cut off is cut off too."""
        trimmer = self._trimmer
        moved = _later(words, -trimmer.head / SAMPLE_RATE)
        if self._words_end is None or trimmer.fed < self._words_end:
            return moved
        length = (trimmer.end - trimmer.head) / SAMPLE_RATE
        return tuple(
            replace(w, start_s=min(w.start_s, length), end_s=min(w.end_s, length)) for w in moved
        )


def _later(words: Iterable[TimedWord], by_s: float) -> tuple[TimedWord, ...]:
    return tuple(
        replace(word, start_s=max(0.0, word.start_s + by_s), end_s=max(0.0, word.end_s + by_s))
        for word in words
    )
