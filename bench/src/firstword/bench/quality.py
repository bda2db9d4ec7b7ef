"""``quality``: whether fast speech is as good as exact speech, and what an early clause costs.

Word errors by Whisper tiny.en and naturalness by DNSMOS, voice by voice, of the same sentences;
then whole answers by the size of the clause that goes ahead.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from statistics import fmean

from firstword.bench.clauses import SIZES, Stage, measure_clauses
from firstword.bench.ear import words
from firstword.bench.figures import Findings
from firstword.bench.hearing import Heard, Hearing, say
from firstword.bench.runs import Talk
from firstword.bench.texts import CLIPS, REPLIES
from firstword.tts.assembly import engine, languages, voices
from firstword.tts.engines import EngineQuality
from firstword.tts.engines.threads import cpu_threads
from firstword.tts.settings import Settings
from firstword.tts.speech import Speaker
from firstword.tts.text import FIRST_CLAUSE_WORDS

VOICES = ("af_heart", "am_michael", "bf_emma", "bm_george")
SENTENCES = CLIPS[::2]
"""A dozen."""

CLAUSE_VOICES = ("af_heart", "bm_george")
EXACT: EngineQuality = "exact"
FAST: EngineQuality = "fast"
QUALITIES = (EXACT, FAST)
"""As a server speaks: whole sentences, or in windows and with a first clause that may go ahead."""

MOST_WRONG_PERCENT = 5.0
LEAST_DIFFERENCE = -0.1


def measure(runs: int, talk: Talk) -> Findings:
    """Speech is the same each time, so ``runs`` count for times of first audio only."""
    findings = Findings(charts=("wer_percent", "dnsmos", "join_pause_ms"))
    talk.say("loading the model, Whisper and DNSMOS")
    hearing = Hearing.load(cpu_threads())
    settings = Settings.from_env(os.environ)
    model = engine(settings)
    model.warm_up()
    stage = Stage(model, voices(settings), languages())
    findings.details.update(
        engine=model.version,
        sentences=list(SENTENCES),
        replies=list(REPLIES),
        clause_voices=list(CLAUSE_VOICES),
        default_first_clause_words=FIRST_CLAUSE_WORDS,
        sizes=SIZES,
    )
    whole, early = stage.speaker(None), stage.speaker(FIRST_CLAUSE_WORDS)
    speakers = {EXACT: whole, FAST: early}
    compare_qualities(findings, speakers, hearing, VOICES, SENTENCES, talk)
    measure_clauses(findings, stage, hearing, REPLIES, CLAUSE_VOICES, runs, talk)
    return findings


def compare_qualities(
    findings: Findings,
    speakers: Mapping[EngineQuality, Speaker],
    hearing: Hearing,
    names: Sequence[str],
    sentences: Sequence[str],
    talk: Talk,
) -> None:
    """A case for each voice and quality and one for all voices, then what is lost to ``exact``."""
    heard: dict[str, list[Heard]] = {}
    with talk.steps("quality", len(names) * len(QUALITIES) * len(sentences)) as begin:
        for voice in names:
            for quality, speaker in speakers.items():
                case = f"{voice}, {quality}"
                for sentence in sentences:
                    begin(case)
                    said = say(speaker, sentence, voice, quality)
                    one = hearing.hear(said.samples, sentence)
                    heard.setdefault(case, []).append(one)
                    heard.setdefault(f"all voices, {quality}", []).append(one)
    count = sum(len(words(sentence)) for sentence in sentences)
    for case, each in heard.items():
        of = count * len(each) / len(sentences)
        findings.add(case, [{"wer_percent": 100 * sum(one.wrong for one in each) / of}])
        opinions = [{"dnsmos": o.opinion.overall, "p808": o.opinion.p808} for o in each]
        findings.add(case, opinions)
    for voice in ("all voices", *names):
        exact, fast = heard[f"{voice}, {EXACT}"], heard[f"{voice}, {FAST}"]
        findings.notes.append(lost(voice, exact, fast))
    for quality in QUALITIES:
        wrong = findings.find(f"all voices, {quality}", "wer_percent").median
        held = "holds" if wrong <= MOST_WRONG_PERCENT else "MISSED"
        findings.notes.append(
            f"{quality}: {wrong:.1f} % of words wrong (at most {MOST_WRONG_PERCENT:g}: {held})"
        )


def lost(voice: str, exact: Sequence[Heard], fast: Sequence[Heard]) -> str:
    """The difference of the means, against the bar."""
    overall = fmean(o.opinion.overall for o in fast) - fmean(o.opinion.overall for o in exact)
    p808 = fmean(o.opinion.p808 for o in fast) - fmean(o.opinion.p808 for o in exact)
    held = "holds" if min(overall, p808) >= LEAST_DIFFERENCE else "MISSED"
    return (
        f"{voice}, fast less exact: DNSMOS {overall:+.3f}, P.808 {p808:+.3f} "
        f"(at least {LEAST_DIFFERENCE:g}: {held})"
    )
