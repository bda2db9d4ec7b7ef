"""From text to speech with timed words, over an engine that plays tones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pytest
from firstword.tts.engines import (
    SAMPLE_RATE,
    Block,
    EngineQuality,
    SpokenWord,
    Style,
    TimedWord,
    Utterance,
)
from firstword.tts.models import UnknownVoiceError
from firstword.tts.speech import Chunk, Speaker, SpeechJob
from hypothesis import given, settings
from hypothesis import strategies as st

STYLE = np.zeros((510, 256), np.float32)
WORD_S, LEAD_S, TRAIL_S = 0.3, 0.4, 0.5


class OneSentenceEach:
    """Each line is an utterance; its words are its phonemes."""

    def utterances(self, text: str, language: str) -> Iterable[Utterance]:
        start = 0
        for line in text.splitlines(keepends=True):
            words, at = [], start
            for word in line.split():
                at = text.index(word, at)
                words.append(SpokenWord(word, at, at + len(word), 0, 1))
                at += len(word)
            start += len(line)
            if words:
                yield Utterance(line.strip(), tuple(words), pause_s=0.25)


class Voices:
    def style(self, spec: str) -> Style:
        if spec != "af_heart":
            raise UnknownVoiceError(f"no voice {spec}")
        return STYLE

    def language(self, spec: str) -> str:
        return spec[0]


@dataclass
class ToneEngine:
    """Silence, a tone for each word, silence; in one block or cut at the given seconds."""

    cuts: tuple[float, ...] = ()
    level: float = 0.3
    name: str = "tone"
    version: str = "tone-1"
    closed: int = 0
    made: list[str] = field(default_factory=list)
    after_s: list[float] = field(default_factory=list)

    def warm_up(self) -> None: ...

    def synthesize(
        self, utterance: Utterance, style: Style, speed: float, quality: EngineQuality
    ) -> Iterator[Block]:
        self.made.append(utterance.phonemes)
        self.after_s.append(utterance.after_s)
        total = round((LEAD_S + WORD_S * len(utterance.words) + TRAIL_S) / speed * SAMPLE_RATE)
        first, last = (
            round(LEAD_S / speed * SAMPLE_RATE),
            total - round(TRAIL_S / speed * SAMPLE_RATE),
        )
        audio = np.zeros(total, np.float32)
        # Sine waves that begin and end at nothing, as speech does.
        turns = round((last - first) * 0.1 / np.pi) * np.pi
        audio[first:last] = self.level * np.sin(np.linspace(0, turns, last - first))
        words = [
            TimedWord(
                w.text,
                w.start,
                w.end,
                (LEAD_S + WORD_S * i) / speed,
                (LEAD_S + WORD_S * (i + 1)) / speed,
            )
            for i, w in enumerate(utterance.words)
        ]
        bounds = [0, *sorted(min(total, round(c * SAMPLE_RATE)) for c in self.cuts), total]
        try:
            for low, high in pairwise(bounds):
                begin = [w for w in words if low <= round(w.start_s * SAMPLE_RATE) < high]
                yield Block(audio[low:high], tuple(begin))
        finally:
            self.closed += 1


def speak(text: str, engine: ToneEngine, speed: float = 1.0) -> list[Chunk]:
    speaker = Speaker(OneSentenceEach(), engine, Voices())
    return list(speaker.speak(SpeechJob(text, "af_heart", speed, "exact")))


def joined(chunks: list[Chunk]) -> tuple[np.ndarray, list[TimedWord]]:
    samples = [chunk.samples for chunk in chunks]
    words = [word for chunk in chunks for word in chunk.words]
    return np.concatenate([np.zeros(0, np.float32), *samples]), words


def test_an_utterance_is_trimmed_and_followed_by_its_pause() -> None:
    samples, words = joined(speak("one two", ToneEngine()))
    assert samples.size / SAMPLE_RATE == pytest.approx(0.04 + 2 * WORD_S + 0.06 + 0.25, abs=0.02)
    assert [w.text for w in words] == ["one", "two"]
    assert words[0].start_s == pytest.approx(0.04, abs=0.011)
    assert words[1].end_s == pytest.approx(0.04 + 2 * WORD_S, abs=0.011)
    assert np.all(samples[-round(0.25 * SAMPLE_RATE) :] == 0)


def test_words_count_from_the_requests_first_sample_and_lie_in_its_text() -> None:
    text = "one two\nthree\n"
    samples, words = joined(speak(text, ToneEngine()))
    assert [text[w.start : w.end] for w in words] == ["one", "two", "three"]
    assert words[2].start_s == pytest.approx(0.04 + 2 * WORD_S + 0.06 + 0.25 + 0.04, abs=0.03)
    for word in words:
        inside = samples[round(word.start_s * SAMPLE_RATE) : round(word.end_s * SAMPLE_RATE)]
        assert np.sqrt(np.mean(inside**2)) > 0.15, word


def test_the_speed_shortens_words_and_pauses_alike() -> None:
    plain, _ = joined(speak("one two three four\nfive", ToneEngine()))
    fast, words = joined(speak("one two three four\nfive", ToneEngine(), speed=2.0))
    assert fast.size / plain.size == pytest.approx(0.5, abs=0.06)
    assert words[-1].end_s < fast.size / SAMPLE_RATE


def test_text_with_nothing_to_speak_is_no_audio_and_no_error() -> None:
    assert speak("", ToneEngine()) == []
    assert speak("\n \n", ToneEngine()) == []


def test_an_utterance_that_stays_silent_is_only_its_pause() -> None:
    samples, words = joined(speak("one", ToneEngine(level=0.0)))
    assert samples.size == round(0.25 * SAMPLE_RATE)
    assert [w.text for w in words] == ["one"]


def test_nothing_leaves_the_range_and_nothing_clicks() -> None:
    samples, _ = joined(speak("one two\nthree", ToneEngine(level=3.0)))
    assert np.max(np.abs(samples)) <= 1.0
    assert samples[0] == 0.0
    soft, _ = joined(speak("one two\nthree", ToneEngine()))
    assert np.max(np.abs(np.diff(soft))) < 0.3 * 0.1 + 0.003


def test_an_unknown_voice_is_refused_before_any_work() -> None:
    engine = ToneEngine()
    speaker = Speaker(OneSentenceEach(), engine, Voices())
    with pytest.raises(UnknownVoiceError):
        speaker.speak(SpeechJob("one", "nobody", 1.0, "exact"))
    assert engine.made == []


def test_utterances_are_made_one_at_a_time() -> None:
    engine = ToneEngine()
    speaker = Speaker(OneSentenceEach(), engine, Voices())
    chunks = speaker.speak(SpeechJob("one\ntwo\nthree", "af_heart", 1.0, "exact"))
    next(chunks)
    assert engine.made == ["one"]


def test_an_utterance_is_told_how_much_audio_comes_before_it() -> None:
    engine = ToneEngine()
    chunks = speak("one two\nthree\nfour", engine)
    pieces = [chunk.samples.size for chunk in chunks]
    before = [round(seconds * SAMPLE_RATE) for seconds in engine.after_s]
    assert before[0] == 0
    assert before[1] < before[2] < sum(pieces)
    assert {*before} <= {sum(pieces[:count]) for count in range(len(pieces))}


def test_closing_stops_the_engine() -> None:
    engine = ToneEngine(cuts=(0.6,))
    speaker = Speaker(OneSentenceEach(), engine, Voices())
    chunks = speaker.speak(SpeechJob("one two\nthree", "af_heart", 1.0, "exact"))
    next(chunks)
    assert engine.closed == 0
    chunks.close()  # type: ignore[attr-defined]
    assert engine.closed == 1
    assert engine.made == ["one two"]


def test_a_streaming_engine_is_heard_before_its_sentence_is_done() -> None:
    engine = ToneEngine(cuts=(0.7, 1.0, 1.3))
    speaker = Speaker(OneSentenceEach(), engine, Voices())
    chunks = speaker.speak(SpeechJob("one two three four", "af_heart", 1.0, "exact"))
    first = next(chunks)
    assert engine.closed == 0
    assert first.samples.size / SAMPLE_RATE == pytest.approx(0.7 - LEAD_S + 0.04, abs=0.03)
    assert [w.text for w in first.words] == ["one"]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(0, 3), max_size=6),
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.sampled_from([0.5, 1.0, 2.0]),
)
def test_an_engine_that_streams_sounds_like_one_that_does_not(
    cuts: list[float], lines: list[int], speed: float
) -> None:
    text = "\n".join(" ".join(["word"] * count) for count in lines)
    whole, whole_words = joined(speak(text, ToneEngine(), speed))
    chunks = speak(text, ToneEngine(cuts=tuple(cuts)), speed)
    samples, words = joined(chunks)

    assert np.array_equal(samples, whole)
    assert [w.start_s for w in words] == pytest.approx([w.start_s for w in whole_words])
    assert [(w.start, w.end) for w in words] == [(w.start, w.end) for w in whole_words]
    sent = 0
    for chunk in chunks:
        assert all(round(w.start_s * SAMPLE_RATE) >= sent for w in chunk.words), "never too late"
        sent += chunk.samples.size
