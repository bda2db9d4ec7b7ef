"""``turn``: from the prompt to the first sound, by the agent and the speech server together.

``bidi`` (speak while thinking) and ``batch`` (think, then speak) on the same token stream, and
with the local language model. Then the same token stream cut by our chunker and by those of
RealtimeTTS and Pipecat, spoken by the same speech server.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import httpx

from firstword.bench.environments import peer, ready
from firstword.bench.figures import Findings, Sample
from firstword.bench.processes import Program, ProgramError, agent_server, speech_server
from firstword.bench.runs import Case, Talk, interleaved
from firstword.bench.texts import ANSWER, PROMPT
from firstword.bench.wire import caller
from firstword.protocol import SseParser

TOKENS_PER_SECOND = 20.0
"""About what the local model gives beside speech, and a slow hosted one."""

MODES = ("bidi", "batch")
MOMENTS = ("first_text_ms", "first_sentence_ms", "first_audio_ms", "end_ms", "audio_s")
CHUNKERS = {
    "firstword": ("chunker_firstword.py", True),
    "RealtimeTTS": ("chunker_realtimetts.py", False),
    "Pipecat": ("chunker_pipecat.py", False),
}
"""Whose rules: the script that applies them, and whether it runs in our own environment."""

_TURN_S = 180.0
_TOKEN = re.compile(r"\s*\w{1,6}|\s*[^\w\s]|\s+")


class Chunker(Protocol):
    """A chunker's program: tokens in, pieces of text out as they come."""

    name: str

    def say(self, message: Mapping[str, Any]) -> None: ...

    def heard(self, within_s: float) -> dict[str, Any] | None: ...


class TurnError(Exception):
    """The agent did not answer to the end."""


def measure(runs: int, talk: Talk) -> Findings:
    """Milliseconds from ``agent_start``, or from the first token where chunkers are compared."""
    findings = Findings(charts=("first_audio_ms",))
    findings.details.update(answer=ANSWER, prompt=PROMPT, tokens_per_second=TOKENS_PER_SECOND)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        script = Path(folder) / "answer.txt"
        script.write_text(ANSWER, "utf-8")
        talk.say("starting the service and two agents")
        speech = running.enter_context(speech_server())
        with caller(speech) as voice:
            findings.details["engine"] = voice.say(PROMPT).engine
        scripted = {
            "FIRSTWORD_LLM": "scripted",
            "FIRSTWORD_SCRIPT_FILE": str(script),
            "FIRSTWORD_SCRIPT_TOKENS_PER_SECOND": str(TOKENS_PER_SECOND),
        }
        agents = {
            "scripted": running.enter_context(agent_server(speech, scripted)),
            "local model": running.enter_context(agent_server(speech, {"FIRSTWORD_LLM": "local"})),
        }
        cases = [
            Case(f"{model}, {mode}", partial(turn, url, mode))
            for model, url in agents.items()
            for mode in MODES
        ]
        for case, samples in interleaved(cases, runs, talk, "turns").items():
            findings.add(case, samples)
        _chunkers(running, speech, runs, talk, findings)
    for model, bar in (("scripted", 4.0), ("local model", None)):
        findings.compare(
            "batch against bidi",
            f"{model}, batch",
            f"{model}, bidi",
            "first_audio_ms",
            bar=bar,
            bar_is="least",
        )
    return findings


def turn(agent_url: str, mode: str, session_id: str | None = None) -> Sample:
    """One question and its spoken answer, as ``agent_end`` tells it.

    It is the next one of the conversation ``session_id``, else one of its own.

    Raises:
        TurnError: it was not answered to the end.
    """
    asked = {"prompt": PROMPT, "mode": mode}
    if session_id is not None:
        asked["session_id"] = session_id
    parser = SseParser(max_event_bytes=1 << 20)
    last: dict[str, Any] = {}
    with (
        httpx.Client(trust_env=False, timeout=_TURN_S) as client,
        client.stream("POST", f"{agent_url}/invocations", json=asked) as response,
    ):
        if response.status_code != httpx.codes.OK:
            raise TurnError(f"the agent answered {response.status_code}")
        for data in response.iter_bytes():
            for event in parser.feed(data):
                last = event
    timings = last.get("timings")
    if last.get("type") != "agent_end" or last.get("status") != "complete" or timings is None:
        raise TurnError(f"the turn ended in {last.get('type')}: {last.get('status')}")
    if silent := [moment for moment in MOMENTS if timings[moment] is None]:
        raise TurnError(f"the answer has no {silent[0]}")
    return {moment: timings[moment] for moment in MOMENTS}


def _chunkers(
    running: ExitStack, speech_url: str, runs: int, talk: Talk, findings: Findings
) -> None:
    cases, versions = [], {}
    for name, (script, own) in CHUNKERS.items():
        talk.say(f"starting {name}'s chunker")
        try:
            program = running.enter_context(peer(name, script, own=own))
            versions[name] = ready(program)
        except ProgramError as error:
            findings.notes.append(f"{name}'s chunker is left out: {error}")
            talk.say(findings.notes[-1])
            continue
        cases.append(Case(f"{name}'s chunker", partial(cut, program, speech_url)))
    findings.details["chunkers"] = versions
    for case, samples in interleaved(cases, runs, talk, "chunkers").items():
        findings.add(case, samples)
    ours = f"{next(iter(CHUNKERS))}'s chunker"
    for other in cases:
        if ours != other.name:
            findings.compare("first audio", ours, other.name, "first_audio_ms")


def cut(chunker: Program, speech_url: str) -> Sample:
    """Feed the token stream at its pace until the first piece comes, and have that spoken."""
    with caller(speech_url) as voice:
        began = time.perf_counter()
        text = first_piece(chunker, began)
        known_s = time.perf_counter() - began
        # To its end, so that nothing of it is still being made when the next case begins.
        spoken = voice.say(text)
    _finish(chunker)
    return {
        "first_sentence_ms": 1000 * known_s,
        "first_audio_ms": 1000 * (known_s + spoken.first_audio_s),
        "words": len(text.split()),
    }


def first_piece(chunker: Chunker, began: float) -> str:
    """Feed tokens when they are due until the first piece comes.

    Raises:
        TurnError: the text ended without one.
    """
    for number, token in enumerate([*_TOKEN.findall(ANSWER), ""], start=1):
        due = began + number / TOKENS_PER_SECOND
        found = chunker.heard(max(0.0, due - time.perf_counter()))
        if found is not None:
            return str(found["sentence"])
        chunker.say({"token": token})
    raise TurnError(f"{chunker.name} gave nothing of five sentences")


def _finish(chunker: Program) -> None:
    """Tell it that the text ended, and let it give what is left."""
    chunker.say({"token": None})
    while chunker.hear()["sentence"] is not None:
        pass
