"""``streams``: how many can listen on one machine until 1 % of their playback stands still.

The product under each of its scheduler's policies, and plain ONNX Runtime's engine under one lock,
each in a server of its own; all with admission wide open, so that it is not what is measured.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from firstword.bench.figures import Findings, percentile, rounded
from firstword.bench.listeners import Heard, climb, listen
from firstword.bench.processes import speech_server
from firstword.bench.runs import Talk
from firstword.bench.texts import ANSWER, FOUR_SENTENCES, LONG_SENTENCE, RECIPE
from firstword.bench.wire import caller
from firstword.tts.policy import POLICIES

STEP_S = 25.0
"""Seconds that one number of listeners is tried for."""

UNDERRUNS = 0.01
MOST = 64
WITHIN_S = (1.0, 2.0, 4.0)
"""Bounds of the 95th percentile of first audio at which listeners are counted as well."""

REPLIES = (FOUR_SENTENCES, LONG_SENTENCE, ANSWER, RECIPE)
ONNX = "onnxruntime, one-lock"

_OPEN = {
    "FIRSTWORD_TTS_MAX_JOBS": "1000",
    "FIRSTWORD_TTS_MAX_SESSIONS": "1000",
    "FIRSTWORD_TTS_MAX_WAIT_S": "100000",
}


def configurations() -> dict[str, Mapping[str, str]]:
    """Name to the server's settings: every policy the scheduler has, then the yardstick."""
    own = {name: {"FIRSTWORD_TTS_POLICY": name} for name in POLICIES}
    onnx = {"FIRSTWORD_TTS_POLICY": "one-lock", "FIRSTWORD_ENGINE": "onnx"}
    return {**own, ONNX: onnx}


def measure(runs: int, talk: Talk, step_s: float = STEP_S, most: int = MOST) -> Findings:
    """Listeners held by each configuration, the configurations in turn."""
    findings = Findings(charts=("held_listeners",))
    findings.details.update(step_s=step_s, bound=UNDERRUNS, replies=REPLIES, steps=[], engines={})
    held: dict[str, list[dict[str, float]]] = {name: [] for name in configurations()}
    for run in range(runs):
        for name, settings in configurations().items():
            talk.say(f"{name}, run {run + 1} of {runs}")
            held[name].append(_climb(name, settings, talk, findings, step_s, most))
    for name, samples in held.items():
        findings.add(name, samples)
    findings.compare("listeners", "edf", ONNX, "held_listeners", bar=2.0, bar_is="least")
    # Who lets newcomers wait for seconds serves more of them: at equal first audio it counts.
    soon, held_soon = f"listeners heard within {WITHIN_S[0]:g} s", _held_within(WITHIN_S[0])
    for policy in ("one-lock", "fifo"):
        findings.compare(soon, "edf", policy, held_soon, bar=1.5, bar_is="least")
        findings.compare("listeners", "edf", policy, "held_listeners")
    return findings


def _climb(
    name: str,
    settings: Mapping[str, str],
    talk: Talk,
    findings: Findings,
    step_s: float,
    most: int,
) -> dict[str, float]:
    steps: list[Heard] = []
    with speech_server({**_OPEN, **settings}) as url:
        with caller(url) as first:
            findings.details["engines"][name] = first.say(FOUR_SENTENCES).engine

        def step(listeners: int) -> Heard:
            return asyncio.run(listen(url, listeners, step_s, REPLIES))

        def seen(heard: Heard) -> None:
            steps.append(heard)
            findings.details["steps"].append({"case": name, **summary(heard)})
            talk.say(
                f"  {heard.listeners} listeners: {100 * heard.underruns:.1f} % stalled, "
                f"first audio p95 {p95(heard):.2f} s"
            )

        held = climb(step, most, UNDERRUNS, seen)
    found = {"held_listeners": float(held)}
    passed = [one for one in steps if one.listeners <= held]
    for bound in WITHIN_S:
        within = [one.listeners for one in passed if p95(one) <= bound]
        found[_held_within(bound)] = float(max(within, default=0))
    found["first_audio_p95_s"] = next((p95(o) for o in passed if o.listeners == held), 0.0)
    return found


def _held_within(bound_s: float) -> str:
    """The measure of listeners held whose first audio comes within the bound."""
    return f"held_within_{bound_s:g}s_listeners"


def p95(heard: Heard) -> float:
    """The 95th percentile of first audio in seconds."""
    return percentile(heard.first_audio_s, 95) if heard.first_audio_s else 0.0


def summary(heard: Heard) -> dict[str, Any]:
    """One step as the report keeps it."""
    return {
        "listeners": heard.listeners,
        "replies": len(heard.first_audio_s),
        "unanswered": heard.unanswered,
        "underruns": rounded(heard.underruns),
        "played_s": rounded(heard.played_s),
        "stalled_s": rounded(heard.stalled_s),
        "first_audio_p95_s": rounded(p95(heard)),
        "failures": heard.failures,
    }
