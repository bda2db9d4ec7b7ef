"""How many words a first clause must have to go ahead of its sentence: what each size gives in
time, and what it costs in speech."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from firstword.bench.ear import words
from firstword.bench.figures import Findings, Sample
from firstword.bench.hearing import Heard, Hearing, Said, first_chunk, pause_ms, say
from firstword.bench.runs import Case, Talk, interleaved
from firstword.chunker import SentenceChunker
from firstword.tts.assembly import Reading
from firstword.tts.engines import Engine
from firstword.tts.speech import Speaker, SpeechJob, VoiceRack
from firstword.tts.text import G2P

SIZES: Mapping[str, int | None] = {
    "whole sentence": None,
    **{f"from {count} words": count for count in (2, 3, 4, 5, 6, 8)},
}
TOKENS_PER_SECOND = 20.0
"""How fast the answer is written: about what the local model gives beside speech."""

_TOKEN = re.compile(r"\s*\w{1,6}|\s*[^\w\s]|\s+")


@dataclass(frozen=True, slots=True)
class Stage:
    """What answers are said with."""

    engine: Engine
    rack: VoiceRack
    spoken: Mapping[str, G2P]

    def reading(self, size: int | None) -> Reading:
        return Reading(self.spoken, size)

    def speaker(self, size: int | None) -> Speaker:
        return Speaker(self.reading(size), self.engine, self.rack)

    def first_words(self, text: str, voice: str, size: int | None) -> int:
        """Words of ``text`` that are made first, in one go."""
        reading = self.reading(size)
        return len(next(iter(reading.utterances(text, self.rack.language(voice)))).words)


@dataclass(frozen=True, slots=True)
class Cut:
    """An answer, a voice, and how many words go first. Sizes that cut alike sound alike."""

    reply: int
    voice: str
    words: int


@dataclass(frozen=True, slots=True)
class Take:
    """A cut as it was said and heard."""

    said: Said
    heard: Heard


def measure_clauses(
    findings: Findings,
    stage: Stage,
    hearing: Hearing,
    replies: Sequence[str],
    voices: Sequence[str],
    runs: int,
    talk: Talk,
) -> None:
    """A case for each of ``SIZES``.

    ``first_audio_ms`` (and of processor time) is the mean over the answers, all of the text being
    there; ``written_ms`` the time in which the text of the first piece is written, and
    ``unwritten_ms`` how long the next one is not there yet when the first was heard;
    ``join_pause_ms`` the silence heard behind each early clause, ``own_pause_ms`` the silence that
    the model itself makes there when it says the sentence whole.
    """
    cuts = {name: _cuts(stage, replies, voices, size) for name, size in SIZES.items()}
    sizes = {cut: size for name, size in SIZES.items() for cut in cuts[name]}
    takes: dict[Cut, Take] = {}
    with talk.steps("first clauses", len(sizes)) as begin:
        for cut, size in sizes.items():
            begin(f"{cut.words} words first")
            said = say(stage.speaker(size), replies[cut.reply], cut.voice, "fast")
            takes[cut] = Take(said, hearing.hear(said.samples, replies[cut.reply]))
    times = _times(stage, replies, sizes, voices[0], runs, talk)
    for name, size in SIZES.items():
        timed = [cut for cut in cuts[name] if cut.voice == voices[0]]
        findings.add(name, [_mean([times[cut][run] for cut in timed]) for run in range(runs)])
        findings.add(name, [{"written_ms": written_ms(text, size)[0]} for text in replies])
        findings.add(name, [_waits(takes[cut], cut, replies, size) for cut in cuts[name]])
        findings.add(name, [judged([takes[cut].heard for cut in cuts[name]], replies, cuts[name])])
        pairs = list(zip(cuts[name], cuts["whole sentence"], strict=True))
        early = [(takes[c].said, takes[w].said, c.words) for c, w in pairs if c.words < w.words]
        findings.add(name, [{"early_percent": 100 * len(early) / len(pairs)}])
        findings.add(name, [_pauses(*one) for one in early])


def judged(heard: Sequence[Heard], replies: Sequence[str], cuts: Sequence[Cut]) -> Sample:
    """Word errors over all, and the mean of the opinions."""
    said = sum(len(words(replies[cut.reply])) for cut in cuts)
    return {
        "wer_percent": 100 * sum(one.wrong for one in heard) / said,
        "dnsmos": fmean(one.opinion.overall for one in heard),
        "p808": fmean(one.opinion.p808 for one in heard),
    }


def written_ms(text: str, size: int | None) -> list[float]:
    """When the chunker lets each piece go, if the text comes token by token."""
    chunker = SentenceChunker(first_clause_words=size)
    moments: list[float] = []
    for number, token in enumerate(tokens := _TOKEN.findall(text), start=1):
        let_go = sum(bool(sentence.spoken) for sentence in chunker.feed(token))
        moments += [1000 * number / TOKENS_PER_SECOND] * let_go
    rest = sum(bool(sentence.spoken) for sentence in chunker.flush())
    return [*moments, *[1000 * len(tokens) / TOKENS_PER_SECOND] * rest]


def unwritten_ms(said: Said, count: int, moments: Sequence[float]) -> float:
    """How long the next piece is still being written once the first (``count`` words) was heard."""
    if len(moments) < 2:
        return 0.0
    first, following, *_ = moments
    return max(0.0, following - first - 1000 * said.words[count].start_s)


def _cuts(
    stage: Stage, replies: Sequence[str], voices: Sequence[str], size: int | None
) -> list[Cut]:
    return [
        Cut(number, voice, stage.first_words(text, voice, size))
        for voice in voices
        for number, text in enumerate(replies)
    ]


def _times(
    stage: Stage,
    replies: Sequence[str],
    sizes: Mapping[Cut, int | None],
    voice: str,
    runs: int,
    talk: Talk,
) -> dict[Cut, list[Sample]]:
    """First audio of each cut of one voice, in turn."""

    def first(cut: Cut) -> Sample:
        speaker = stage.speaker(sizes[cut])
        job = SpeechJob(replies[cut.reply], cut.voice, 1.0, "fast")
        took, busy = first_chunk(lambda: speaker.speak(job))
        return {"first_audio_ms": took, "first_audio_cpu_ms": busy}

    named = {f"answer {cut.reply}, {cut.words} words": cut for cut in sizes if cut.voice == voice}
    cases = [Case(name, partial(first, cut)) for name, cut in named.items()]
    found = interleaved(cases, runs, talk, "first audio by first clause")
    return {cut: found[name] for name, cut in named.items()}


def _mean(samples: Sequence[Sample]) -> Sample:
    return {measure: fmean(one[measure] for one in samples) for measure in samples[0]}


def _waits(take: Take, cut: Cut, replies: Sequence[str], size: int | None) -> Sample:
    moments = written_ms(replies[cut.reply], size)
    return {"unwritten_ms": unwritten_ms(take.said, cut.words, moments)}


def _pauses(early: Said, unbroken: Said, count: int) -> Sample:
    return {"join_pause_ms": pause_ms(early, count), "own_pause_ms": pause_ms(unbroken, count)}
