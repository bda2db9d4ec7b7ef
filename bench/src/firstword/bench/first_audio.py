"""``first-audio``: when the first sound of a text is there, by how it is cut and where it is heard.

In this process: when all of the text is made (a server that does not stream), when its first
sentence is, when its first window is; the engine alone; then the service over its socket.
"""

from __future__ import annotations

import os
from functools import partial

from firstword.bench.figures import Findings, Sample
from firstword.bench.plain import PlainEngine, graph
from firstword.bench.processes import speech_server
from firstword.bench.room import VOICE, Room
from firstword.bench.runs import Case, Talk, interleaved
from firstword.bench.texts import FIVE_SECONDS, FOUR_SENTENCES, RECIPE
from firstword.bench.wire import Caller, caller
from firstword.tts.models import ModelFiles

TEXTS = {"four sentences": FOUR_SENTENCES, "recipe": RECIPE, "five seconds": FIVE_SECONDS}
ENGINE, WINDOWS, SENTENCE, SOCKET = "engine", "windows", "first sentence", "service, windows"
BLOCK = "whole block"
"""What a server that does not stream would give: the same audio, once all of it is made."""

ONNX = "onnxruntime, whole"


def measure(runs: int, talk: Talk) -> Findings:
    """Figures for each text."""
    findings = Findings(charts=("first_audio_ms",))
    talk.say("loading the model, starting the service")
    room = Room.load(os.environ)
    files = ModelFiles.open(room.settings.model_dir)
    plain = Room.around(PlainEngine(graph(files, "fp32", os.environ), "fp32"), room.settings)
    findings.details.update(texts=TEXTS, engine=room.engine.version, plain=plain.engine.version)
    with speech_server() as url, caller(url) as socket:
        for name, text in TEXTS.items():
            cases = _cases(name, text, room, plain, socket)
            found = interleaved(cases, runs, talk, name)
            for case, samples in found.items():
                findings.add(case, samples)
            whole = [{"first_audio_ms": one["total_ms"]} for one in found[f"{name}: {SENTENCE}"]]
            findings.add(f"{name}: {BLOCK}", whole)
    for name in TEXTS:
        compare(findings, name)
    return findings


def _cases(name: str, text: str, room: Room, plain: Room, socket: Caller) -> list[Case]:
    measures = {
        ENGINE: partial(room.first_window, text),
        WINDOWS: partial(room.windows, text),
        SENTENCE: partial(room.exact, text),
        SOCKET: partial(_over_socket, socket, text, "fast"),
        "service, exact": partial(_over_socket, socket, text, "exact"),
        ONNX: partial(plain.exact, text),
    }
    return [Case(f"{name}: {case}", measured) for case, measured in measures.items()]


def _over_socket(socket: Caller, text: str, quality: str) -> Sample:
    spoken = socket.say(text, quality="fast" if quality == "fast" else "exact", voice=VOICE)
    return {
        "first_audio_ms": 1000 * spoken.first_audio_s,
        "total_ms": 1000 * spoken.total_s,
        "audio_s": spoken.audio_s,
        "rtf": spoken.total_s / spoken.audio_s,
    }


def compare(findings: Findings, name: str) -> None:
    """The ratios of one text."""

    def case(of: str) -> str:
        return f"{name}: {of}"

    first = "first_audio_ms"
    findings.compare("through the socket", case(SOCKET), case(ENGINE), first, bar=1.10)
    findings.compare("through the socket", case(SOCKET), case(WINDOWS), first)
    findings.compare("windows against the block", case(WINDOWS), case(BLOCK), first)
    findings.compare("windows against a sentence", case(WINDOWS), case(SENTENCE), first)
    if name == "five seconds":
        findings.compare("a window against the whole", case(ENGINE), case(ONNX), first, bar=0.12)
