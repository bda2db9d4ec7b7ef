"""``newcomer``: what another's long sentence costs somebody who comes later."""

from __future__ import annotations

import time
from functools import partial

from firstword.bench.figures import Findings, Sample
from firstword.bench.processes import speech_server
from firstword.bench.runs import Case, Talk, interleaved
from firstword.bench.texts import LONG_SENTENCE, SHORT_SENTENCE
from firstword.bench.wire import Caller, caller
from firstword.protocol import Quality

ALONE = "alone"
BESIDE: dict[str, Quality] = {"beside a long sentence": "auto", "beside an exact one": "exact"}
AFTER_S = (0.05, 0.3, 0.7)
"""How long the long sentence has been in work when the newcomer asks; one after another."""


def measure(runs: int, talk: Talk) -> Findings:
    """First audio of the newcomer in milliseconds."""
    findings = Findings(charts=("first_audio_ms",))
    findings.details.update(long=LONG_SENTENCE, short=SHORT_SENTENCE, after_s=AFTER_S)
    talk.say("starting the service")
    with speech_server() as url, caller(url) as other:
        findings.details["engine"] = other.say(SHORT_SENTENCE).engine
        cases = [Case(ALONE, partial(_alone, url))]
        cases += [Case(name, _Beside(url, other, of)) for name, of in BESIDE.items()]
        for case, samples in interleaved(cases, runs, talk, "newcomer").items():
            findings.add(case, samples)
    for name in BESIDE:
        findings.compare("newcomer", name, ALONE, "first_audio_ms", bar=2.5)
    return findings


def _alone(url: str) -> Sample:
    with caller(url) as newcomer:
        spoken = newcomer.say(SHORT_SENTENCE)
    return {"first_audio_ms": 1000 * spoken.first_audio_s}


class _Beside:
    """Calls come at other moments of the long sentence each time."""

    def __init__(self, url: str, other: Caller, quality: Quality) -> None:
        self._url = url
        self._other = other
        self._quality = quality
        self._calls = 0

    def __call__(self) -> Sample:
        after_s = AFTER_S[self._calls % len(AFTER_S)]
        self._calls += 1
        self._other.ask(LONG_SENTENCE, quality=self._quality)
        time.sleep(after_s)
        try:
            return _alone(self._url)
        finally:
            self._other.cancel()
            # The step that was cancelled may still run: the next case waits for its end here.
            self._other.say(SHORT_SENTENCE)
