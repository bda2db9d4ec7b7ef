"""``peers``: who is first to be heard, and who is fastest, on the same weights and text.

kokoro-onnx (its own stream; fed sentence by sentence), fastkokoro (both of its strategies), plain
ONNX Runtime (behind our text room) and the product, each in a process of its own, in turn.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from firstword.bench.environments import module, peer, ready
from firstword.bench.figures import Findings, Sample
from firstword.bench.plain import Weights, cache_folder, graph, voices_file
from firstword.bench.processes import Program, ProgramError
from firstword.bench.room import VOICE
from firstword.bench.runs import Case, Talk, interleaved
from firstword.bench.texts import FOUR_SENTENCES
from firstword.chunker import split
from firstword.tts.models import ModelFiles
from firstword.tts.settings import Settings

BOTH: tuple[Weights, ...] = ("int8", "fp32")
OURS = ("firstword windows", "firstword exact")
LEFT_OUT = "Kokoro-FastAPI is left out: it is no package of its own and needs torch"

type Start = Callable[[], Program]


def measure(runs: int, talk: Talk) -> Findings:
    """Figures of all peers that start here; those that do not are named in the notes."""
    findings = Findings(charts=("first_audio_ms", "rtf"), notes=[LEFT_OUT])
    findings.details["text"] = FOUR_SENTENCES
    with ExitStack() as running:
        cases: list[Case] = []
        versions: dict[str, dict[str, str]] = {}
        for name, start, offered in _programs():
            talk.say(f"starting {name}")
            try:
                program = running.enter_context(start())
                versions[name] = ready(program)
            except ProgramError as error:
                findings.notes.append(f"{name} is left out: {error}")
                talk.say(f"{name} is left out: {error}")
                continue
            cases += [Case(case, partial(_sample, program, asked)) for case, asked in offered]
        findings.details["versions"] = versions
        for case, samples in interleaved(cases, runs, talk, "peers").items():
            findings.add(case, samples)
    compare(findings)
    return findings


def _programs() -> Iterator[tuple[str, Start, list[tuple[str, dict[str, object]]]]]:
    """Each program with its name and the cases it offers: case to what it is asked."""
    environ = os.environ
    files = ModelFiles.open(Settings.from_env(environ).model_dir)
    voices = str(voices_file(files, environ))
    said: dict[str, object] = {"text": FOUR_SENTENCES, "voice": VOICE}
    sentences = {"sentences": [one.spoken for one in split(FOUR_SENTENCES)], "voice": VOICE}

    worker = "firstword.bench.worker"
    yield (
        "firstword",
        partial(module, "firstword", [worker, "product"]),
        [(OURS[0], {"do": "windows", **said}), (OURS[1], {"do": "exact", **said})],
    )
    for weights in BOTH:
        path = str(graph(files, weights, environ))
        yield (
            f"onnxruntime {weights}",
            partial(module, f"onnxruntime {weights}", [worker, weights]),
            [(f"onnxruntime {weights} sentences", {"do": "exact", **said})],
        )
        name = f"kokoro-onnx {weights}"
        yield (
            name,
            partial(peer, name, "kokoro_onnx_peer.py", path, voices),
            [
                (f"{name} stream", {"do": "stream", **said}),
                (f"{name} sentences", {"do": "sentences", **sentences}),
            ],
        )
        name = f"fastkokoro {weights}"
        cache = cache_folder(environ) / f"fastkokoro-{weights}"
        yield (
            name,
            partial(peer, name, "fastkokoro_peer.py", path, voices, str(_made(cache))),
            [(f"{name} {way}", {"do": way, **said}) for way in ("sentence", "adaptive")],
        )


def _sample(program: Program, asked: dict[str, object]) -> Sample:
    return program.ask(asked)


def _made(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


def compare(findings: Findings) -> None:
    """The bars: the best peer in each measure, and kokoro-onnx's own stream."""
    names = list(dict.fromkeys(figure.case for figure in findings.figures))
    peers = [name for name in names if name not in OURS]
    if not peers or OURS[0] not in names:
        return
    windows, exact = OURS
    first = findings.best(peers, "first_audio_ms")
    findings.compare("first audio", windows, first, "first_audio_ms", bar=0.30)
    streams = [name for name in peers if name.endswith("stream")]
    if streams:
        own = findings.best(streams, "first_audio_ms")
        findings.compare("first audio", windows, own, "first_audio_ms", bar=0.10)
    fastest = findings.best(peers, "rtf")
    findings.compare("real-time factor", exact, fastest, "rtf", bar=0.45)
    findings.compare("real-time factor", windows, fastest, "rtf", bar=0.60)
    quickest = findings.best(peers, "total_ms")
    findings.compare("seconds for the text", exact, quickest, "total_ms")
    findings.compare("seconds for the text", windows, quickest, "total_ms")
