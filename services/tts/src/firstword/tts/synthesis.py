"""The work of one request, for the scheduler: text in, bytes out, one engine block at a time.

Synchronous generators that run in the worker. All that costs time happens here: grapheme to
phoneme, the model, resampling, encoding.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from firstword.chunker import Sentence, SentenceChunker
from firstword.protocol import Word
from firstword.tts.ask import Ask
from firstword.tts.audio import Format, Resampler, encoder, to_int16
from firstword.tts.engines import SAMPLE_RATE, EngineQuality, Ticket, TimedWord
from firstword.tts.job import Work
from firstword.tts.speech import Chunk, SpeechJob


class Speaks(Protocol):
    """What says a job.

    ``early``: someone waits for the first sound, so a first clause may go ahead of its sentence.
    """

    def speak(self, job: SpeechJob, *, early: bool) -> Iterator[Chunk]: ...


@dataclass(frozen=True, slots=True)
class Speech:
    """A piece of a request's audio and the words that begin in it.

    ``data`` is little-endian 16-bit PCM of whole samples, or the next bytes of an encoded file.
    """

    data: bytes
    words: tuple[Word, ...]
    duration_s: float
    waits: Ticket | None = None

    @property
    def size(self) -> int:
        return len(self.data)


@dataclass(frozen=True, slots=True)
class Passage:
    """Text that is spoken in one go, and where in the request's text it begins."""

    text: str
    start: int = 0


class Script(Protocol):
    """Where a request's text comes from."""

    def passages(self) -> Iterator[Passage | None]:
        """What to say next; None while that is not known."""
        ...


class WholeText:
    """A text that is all there."""

    def __init__(self, text: str) -> None:
        self._text = text

    def passages(self) -> Iterator[Passage | None]:
        yield Passage(self._text)


class TextInPieces:
    """A text that is still being written: ``add`` and ``finish`` on the loop, the rest in a worker.

    The pieces are joined and given as sentences, each as soon as it is certain.
    """

    def __init__(self) -> None:
        self.chars = 0
        self.finished = False
        self._pieces: deque[str] = deque()

    def add(self, text: str) -> None:
        """More of it."""
        self.chars += len(text)
        self._pieces.append(text)

    def finish(self) -> None:
        """That was all."""
        self.finished = True

    def passages(self) -> Iterator[Passage | None]:
        chunker = SentenceChunker()
        while True:
            # Read before the pieces are: one that is added between the two is not lost.
            finished = self.finished
            while self._pieces:
                yield from _said(chunker.feed(self._pieces.popleft()))
            if finished:
                break
            yield None
        yield from _said(chunker.flush())


def _said(sentences: Iterable[Sentence]) -> Iterator[Passage]:
    """Those that are spoken; what is only shown, such as a code fence, is left out."""
    return (Passage(one.text, one.start) for one in sentences if one.spoken)


def pcm(speaker: Speaks, script: Script, ask: Ask, quality: EngineQuality) -> Work[Speech]:
    """A request's samples at its rate, without its first ``offset_samples``.

    Words that end before the offset are left out; the others keep their times, which count from
    the first sample of the whole request.
    """
    resampler = Resampler(ask.sample_rate)
    skip = ask.offset_samples
    for chunk in _chunks(speaker, script, ask, quality):
        if chunk is None:
            yield None
            continue
        samples = to_int16(resampler.feed(chunk.samples))
        words = _wire(chunk.words, ask)
        kept = samples[min(skip, samples.size) :]
        skip -= samples.size - kept.size
        if kept.size or words or not chunk.samples.size:
            yield Speech(kept.tobytes(), words, kept.size / ask.sample_rate, chunk.waits)
    rest = to_int16(resampler.flush())[skip:]
    if rest.size:
        yield Speech(rest.tobytes(), (), rest.size / ask.sample_rate)


def encoded(
    speaker: Speaks, script: Script, ask: Ask, quality: EngineQuality, file_format: Format
) -> Work[Speech]:
    """A request's audio as a file in pieces; what needs a header has it in the first one."""
    one = encoder(file_format, ask.sample_rate)
    for chunk in _chunks(speaker, script, ask, quality):
        if chunk is None:
            yield None
        else:
            # A header waits for the first samples: until then a failure is an error with a status.
            data = one.encode(chunk.samples) if chunk.samples.size else b""
            words, seconds = _wire(chunk.words, ask), chunk.samples.size / SAMPLE_RATE
            yield Speech(data, words, seconds, chunk.waits)
    yield Speech(one.finish(), (), 0.0)


def _chunks(
    speaker: Speaks, script: Script, ask: Ask, quality: EngineQuality
) -> Iterator[Chunk | None]:
    """All passages' audio at 24 kHz; words on the request's clock and in the request's text."""
    said, early = 0, quality == "fast"
    for passage in script.passages():
        if passage is None:
            yield None
            continue
        job = SpeechJob(passage.text, ask.voice, ask.speed, quality)
        with _closed(speaker.speak(job, early=early)) as chunks:
            begins, at_s = passage.start, said / SAMPLE_RATE
            for chunk in chunks:
                said += chunk.samples.size
                yield Chunk(chunk.samples, _moved(chunk.words, begins, at_s), chunk.waits)
        early = False


def _moved(words: Iterable[TimedWord], chars: int, by_s: float) -> tuple[TimedWord, ...]:
    return tuple(
        TimedWord(w.text, w.start + chars, w.end + chars, w.start_s + by_s, w.end_s + by_s)
        for w in words
    )


def _wire(words: Iterable[TimedWord], ask: Ask) -> tuple[Word, ...]:
    """The words as callers get them; none where they were not asked for."""
    if not ask.word_timestamps:
        return ()
    skipped_s = ask.offset_samples / ask.sample_rate
    return tuple(
        Word(
            word=word.text,
            start_s=round(word.start_s, 4),
            end_s=round(word.end_s, 4),
            text_start=word.start,
            text_end=word.end,
        )
        for word in words
        if word.end_s > skipped_s or not ask.offset_samples
    )


@contextmanager
def _closed(chunks: Iterator[Chunk]) -> Iterator[Iterator[Chunk]]:
    """Stops the engine when the reader stops reading."""
    try:
        yield chunks
    finally:
        if close := getattr(chunks, "close", None):
            close()
