from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib import metadata

import numpy as np
import pytest
from firstword.bench.__main__ import FAILED, main
from firstword.bench.clauses import SIZES, Stage, measure_clauses, unwritten_ms, written_ms
from firstword.bench.ear import Ear, EarError, words
from firstword.bench.figures import Findings
from firstword.bench.hearing import Heard, Hearing, Said, first_chunk, pause_ms, whole
from firstword.bench.mos import Mos, Opinion, mel_filters
from firstword.bench.quality import compare_qualities, lost
from firstword.bench.runs import Talk
from firstword.bench.texts import REPLIES
from firstword.chunker import SentenceChunker
from firstword.tts.engines import (
    SAMPLE_RATE,
    Block,
    EngineQuality,
    SpokenWord,
    Style,
    TimedWord,
    Utterance,
)
from firstword.tts.speech import Chunk, Speaker
from numpy.typing import NDArray

WORD_S = 0.2


def tone(seconds: float) -> NDArray[np.float32]:
    return np.full(round(seconds * SAMPLE_RATE), 0.1, np.float32)


def hush(seconds: float) -> NDArray[np.float32]:
    return np.zeros(round(seconds * SAMPLE_RATE), np.float32)


def swelling(seconds: float) -> NDArray[np.float32]:
    """Something like a voice at 16 kHz, the same each time."""
    at = np.arange(round(16_000 * seconds)) / 16_000
    pitch = 120 + 30 * np.sin(2 * np.pi * 0.7 * at)
    phase = 2 * np.pi * np.cumsum(pitch) / 16_000
    tones = np.sum([np.sin(k * phase) / k for k in range(1, 20)], axis=0)
    noise = 0.002 * np.random.default_rng(3).standard_normal(at.size)
    voice = 0.2 * tones * (0.5 + 0.5 * np.sin(2 * np.pi * 3 * at)) + noise
    return np.clip(voice, -1, 1).astype(np.float32)


class TestNaturalness:
    @pytest.mark.parametrize(
        ("seconds", "overall", "p808"),
        [(0.5, 2.6875, 2.4733), (3, 2.6026, 2.6065), (9.5, 2.4517, 2.6637), (12.3, 2.4205, 2.6816)],
    )
    def test_is_what_the_package_itself_says(
        self, seconds: float, overall: float, p808: float
    ) -> None:
        # Said by speechmos 0.0.1.1 with librosa 1.0, short ones repeated to 9.01 s.
        judged = Mos(1).judge(swelling(seconds))
        assert judged.overall == pytest.approx(overall, abs=2e-4)
        assert judged.p808 == pytest.approx(p808, abs=2e-4)

    def test_of_nothing_is_refused(self) -> None:
        with pytest.raises(ValueError, match="no sample"):
            Mos(1).judge(hush(0))

    def test_is_heard_in_bands_that_overlap(self) -> None:
        filters = mel_filters()
        assert filters.shape == (161, 120)
        assert (filters.sum(axis=0) > 0).all()
        assert (np.diff(filters.argmax(axis=0)) >= 0).all()

    def test_says_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def absent(name: str) -> None:
            raise metadata.PackageNotFoundError(name)

        monkeypatch.setattr("firstword.bench.mos.metadata.distribution", absent)
        with pytest.raises(EarError, match=r"needs speechmos: install firstword-bench\[ear\]"):
            Mos(1)


def test_an_ear_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    with pytest.raises(EarError, match=r"needs faster_whisper: install firstword-bench\[ear\]"):
        Ear(1)
    assert main(["quality"]) == FAILED
    assert "firstword-bench[ear]" in capsys.readouterr().err


class TestPauses:
    def said(self, silence_s: float) -> Said:
        """Two words of half a second; the second begins where the silence ends."""
        first = TimedWord("one", 0, 3, 0.0, 0.5)
        second = TimedWord("two", 4, 7, 0.5 + silence_s, 1.0 + silence_s)
        audio = np.concatenate([tone(0.5), hush(silence_s), tone(0.5)])
        return Said(audio, (first, second))

    @pytest.mark.parametrize("silence_s", [0.05, 0.1, 0.28])
    def test_are_as_long_as_it_is_still(self, silence_s: float) -> None:
        assert pause_ms(self.said(silence_s), 1) == pytest.approx(1000 * silence_s, abs=10)

    def test_are_none_where_words_run_on(self) -> None:
        assert pause_ms(self.said(0.0), 1) == 0

    def test_are_the_longest_silence_of_several(self) -> None:
        audio = np.concatenate([tone(0.4), hush(0.03), tone(0.07), hush(0.1), tone(0.5)])
        told = self.said(0.1).words
        assert pause_ms(Said(audio, told), 1) == pytest.approx(100, abs=10)


def test_chunks_are_joined_with_their_words() -> None:
    word = TimedWord("one", 0, 3, 0.0, 0.1)
    said = whole([Chunk(hush(0)), Chunk(tone(0.1), (word,)), Chunk(tone(0.2))])
    assert said.samples.size == round(0.3 * SAMPLE_RATE)
    assert said.words == (word,)
    with pytest.raises(ValueError, match="nothing was said"):
        whole([])


def test_what_comes_after_the_first_sound_is_not_made() -> None:
    made: list[int] = []

    def chunks() -> Iterator[Chunk]:
        try:
            for number, seconds in enumerate((0.0, 0.1, 0.1)):
                made.append(number)
                yield Chunk(tone(seconds))
        finally:
            made.append(-1)

    took, _ = first_chunk(chunks)
    assert took > 0
    assert made == [0, 1, -1]


def test_the_replies_have_their_first_mark_where_they_say() -> None:
    counts = []
    for text in REPLIES:
        first, *_ = SentenceChunker(first_clause_words=1).feed(text)
        counts.append(len(words(first.text)))
    assert counts == [1, 2, 3, 4, 5, 7, 8, 14]


def test_a_shorter_first_clause_is_written_sooner() -> None:
    text = REPLIES[0]
    waits = [written_ms(text, size)[0] for size in (1, 4, None)]
    assert waits == sorted(set(waits))
    # "Yes", ",", " you": the mark is a clause's end once white space is seen behind it.
    assert waits[0] == 150


def test_who_has_heard_the_first_clause_may_have_to_wait_for_the_writer() -> None:
    moments = written_ms("As I said, we go home. It is late.", 3)
    assert moments == sorted(moments)
    assert len(moments) == 3
    said = Said(tone(1), tuple(TimedWord("w", n, n + 1, n / 10, n / 10) for n in range(9)))
    assert unwritten_ms(said, 3, [500, 1300]) == pytest.approx(500)
    assert unwritten_ms(said, 8, [500, 1300]) == 0
    assert unwritten_ms(said, 8, [500]) == 0


class ToneEngine:
    """Each word a tone, each utterance with silence around."""

    name, version, about, healthy = "tone", "tone-1", "tones", True

    def warm_up(self) -> None: ...

    def synthesize(
        self, utterance: Utterance, style: Style, speed: float, quality: EngineQuality
    ) -> Iterator[Block]:
        timed = tuple(
            TimedWord(w.text, w.start, w.end, 0.2 + WORD_S * n, 0.2 + WORD_S * (n + 1))
            for n, w in enumerate(utterance.words)
        )
        audio = [hush(0.2), tone(WORD_S * len(timed)), hush(0.3)]
        yield Block(np.concatenate(audio), timed)


class Letters:
    """A text in the chunker's pieces, its characters for phonemes."""

    def __init__(self, size: int | None) -> None:
        self._size = size

    def utterances(self, text: str, language: str) -> Iterator[Utterance]:
        chunker = SentenceChunker(first_clause_words=self._size)
        for piece in (*chunker.feed(text), *chunker.flush()):
            spoken = []
            at = 0
            for word in piece.text.split():
                first = piece.text.index(word, at)
                at = first + len(word)
                spoken.append(SpokenWord(word, piece.start + first, piece.start + at, first, at))
            yield Utterance(piece.text, tuple(spoken), 0.1)


class OneVoice:
    def style(self, spec: str) -> Style:
        return np.zeros((510, 256), np.float32)

    def language(self, spec: str) -> str:
        return "a"


class TonedStage(Stage):
    def reading(self, size: int | None) -> Letters:  # type: ignore[override]
        return Letters(size)


class Deaf:
    """Understands nothing, and thinks the better of a text the longer it is."""

    def understand(self, audio: NDArray[np.float32]) -> str:
        return ""

    def judge(self, audio: NDArray[np.float32]) -> Opinion:
        return Opinion(3.0, audio.size / 16_000)


def test_the_size_of_the_first_clause_is_weighed() -> None:
    findings = Findings()
    stage = TonedStage(ToneEngine(), OneVoice(), {})
    replies = ("As I said, we go home. It is late.", "Well, we stay.")
    measure_clauses(findings, stage, Hearing(Deaf(), Deaf()), replies, ("a", "b"), 2, Talk())
    assert {figure.case for figure in findings.figures} == set(SIZES)
    first = findings.find("from 3 words", "first_audio_ms")
    assert len(first.values) == 2
    assert findings.find("from 3 words", "wer_percent").median == 100
    assert findings.find("from 3 words", "early_percent").median == 50
    assert findings.find("from 4 words", "early_percent").median == 0
    assert len(findings.find("from 3 words", "unwritten_ms").values) == 4
    # The pause of the cut, and what the trimmer leaves on both sides of it.
    assert findings.find("from 3 words", "join_pause_ms").median == pytest.approx(200, abs=10)
    assert findings.find("from 3 words", "own_pause_ms").median == 0
    with pytest.raises(KeyError):
        findings.find("whole sentence", "join_pause_ms")


def test_qualities_are_compared_voice_by_voice() -> None:
    findings = Findings()
    speaker = Speaker(Letters(None), ToneEngine(), OneVoice())
    sentences = ("We go home.", "It is late.")
    hearing = Hearing(Deaf(), Deaf())
    speakers: dict[EngineQuality, Speaker] = {"exact": speaker, "fast": speaker}
    compare_qualities(findings, speakers, hearing, ("x", "y"), sentences, Talk())
    assert findings.find("x, fast", "dnsmos").values == (3.0, 3.0)
    assert findings.find("all voices, exact", "wer_percent").median == 100
    assert len(findings.find("all voices, exact", "p808").values) == 4
    assert findings.notes[0] == (
        "all voices, fast less exact: DNSMOS +0.000, P.808 +0.000 (at least -0.1: holds)"
    )
    assert findings.notes[-1] == "fast: 100.0 % of words wrong (at most 5: MISSED)"


def heard(*overall: float) -> Sequence[Heard]:
    return [Heard(0, Opinion(value, 4.0)) for value in overall]


def test_what_is_lost_is_the_difference_of_the_means() -> None:
    assert "DNSMOS -0.150" in lost("v", heard(3.4, 3.6), heard(3.3, 3.4))
    assert lost("v", heard(3.4, 3.6), heard(3.3, 3.4)).endswith("MISSED)")
    assert lost("v", heard(3.4), heard(3.35)).endswith("holds)")
