"""``wire``: how much later the first sound is through SageMaker than straight from the socket.

Two agents say the same sentence through one speech server: one over its WebSocket, one through a
local SageMaker runtime (HTTP/2, TLS, signed events), each in one conversation whose connection
stays. What is timed is in the agent: from the moment in which it knows the sentence to that in
which it has the first audio of it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from firstword.bench.figures import Findings, Sample
from firstword.bench.processes import START_S, Program, agent_server, speech_server
from firstword.bench.runs import Case, Talk, interleaved
from firstword.bench.texts import SHORT_SENTENCE
from firstword.bench.turn import turn
from firstword.bench.wire import caller

DIRECT, THROUGH, DIFFERENCE = "websocket", "sagemaker", "sagemaker less websocket"

ENDPOINT = "firstword-bench"
CONVERSATION = "firstword-bench-wire-conversation-0001"
IN_HASTE = {"FIRSTWORD_QUALITY": "fast"}
"""Turns follow each other before they could be heard; each is to count as the first."""

LATER_MS = 5.0
"""What SageMaker's wire may cost at the median, on loopback."""

KEYS = {
    "AWS_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "AKIDBENCH",
    "AWS_SECRET_ACCESS_KEY": "for the local runtime only",
}


def measure(runs: int, talk: Talk) -> Findings:
    """Milliseconds from the sentence to its first audio, and the difference run by run."""
    findings = Findings(charts=("first_audio_ms",))
    findings.details.update(sentence=SHORT_SENTENCE, later_ms_bar=LATER_MS)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        talk.say("starting the service, the local runtime and two agents")
        speech = running.enter_context(speech_server(IN_HASTE))
        with caller(speech) as voice:
            findings.details["engine"] = voice.say(SHORT_SENTENCE).engine
        wires = _wires(running, speech, Path(folder))
        cases = [Case(name, partial(_first_audio, url)) for name, url in wires.items()]
        found = interleaved(cases, runs, talk, "sentences")
    for name, samples in found.items():
        findings.add(name, samples)
    later = [
        {"later_ms": through["first_audio_ms"] - direct["first_audio_ms"]}
        for through, direct in zip(found[THROUGH], found[DIRECT], strict=True)
    ]
    findings.add(DIFFERENCE, later)
    findings.compare("sagemaker against websocket", THROUGH, DIRECT, "first_audio_ms")
    _judge(findings)
    return findings


def _judge(findings: Findings) -> None:
    median = findings.find(DIFFERENCE, "later_ms").median
    holds = median <= LATER_MS
    findings.details["later_ms_holds"] = holds
    findings.notes.append(
        f"First audio is {median:.1f} ms later at the median "
        f"(bar {LATER_MS:g} ms: {'kept' if holds else 'missed'})."
    )


def _wires(running: ExitStack, speech: str, folder: Path) -> dict[str, str]:
    """The URLs of two agents, by wire."""
    script, authority = folder / "answer.txt", folder / "authority.pem"
    script.write_text(SHORT_SENTENCE, "utf-8")
    scripted = {
        "FIRSTWORD_LLM": "scripted",
        "FIRSTWORD_SCRIPT_FILE": str(script),
        "FIRSTWORD_SCRIPT_TOKENS_PER_SECOND": "1000",
        "FIRSTWORD_FIRST_CLAUSE_WORDS": "0",
    }
    runtime = running.enter_context(_runtime(speech, authority))
    through = {
        **KEYS,
        "FIRSTWORD_WIRE": "sagemaker",
        "FIRSTWORD_SAGEMAKER_ENDPOINT": ENDPOINT,
        "FIRSTWORD_SAGEMAKER_ENDPOINT_URI": runtime,
        "FIRSTWORD_SAGEMAKER_CA_FILE": str(authority),
    }
    return {
        DIRECT: running.enter_context(agent_server(speech, scripted)),
        THROUGH: running.enter_context(agent_server(speech, {**scripted, **through})),
    }


@contextmanager
def _runtime(container: str, authority: Path) -> Iterator[str]:
    """The local SageMaker runtime in front of the speech server; gives its URL."""
    argv = [sys.executable, "-m", "firstword.emulator", "sagemaker", "--container", container]
    argv += ["--endpoint", ENDPOINT, "--ca", str(authority)]
    environ = {**os.environ, **KEYS, "FIRSTWORD_LOG_LEVEL": "error"}
    with Program("local SageMaker runtime", argv, environ) as program:
        while not (line := program.line(START_S)).startswith("ready: "):
            pass
        yield line.removeprefix("ready: ").strip()


def _first_audio(agent_url: str) -> Sample:
    # A connection is opened while the model thinks and kept over a conversation's turns; this model
    # does not think, so only a conversation's later turns tell what the wire costs.
    timings = turn(agent_url, "bidi", session_id=CONVERSATION)
    return {"first_audio_ms": timings["first_audio_ms"] - timings["first_sentence_ms"]}
