from __future__ import annotations

from firstword.bench.figures import Findings
from firstword.bench.first_audio import BLOCK, ENGINE, ONNX, SENTENCE, SOCKET, WINDOWS, compare

MEASURED = {ENGINE: 100, WINDOWS: 106, SOCKET: 109, SENTENCE: 500, BLOCK: 2000, ONNX: 1000}


def measured(name: str) -> Findings:
    findings = Findings()
    for case, value in MEASURED.items():
        findings.add(f"{name}: {case}", [{"first_audio_ms": float(value)}] * 3)
    compare(findings, name)
    return findings


def test_the_way_through_the_socket_is_held_against_the_engine_alone() -> None:
    first = measured("recipe").ratios[0]
    assert (first.case, first.to, first.bar) == ("recipe: service, windows", "recipe: engine", 1.1)
    assert first.holds


def test_only_the_five_second_sentence_is_held_against_onnx_runtime() -> None:
    assert not any(ratio.to.endswith(ONNX) for ratio in measured("recipe").ratios)
    last = measured("five seconds").ratios[-1]
    assert (last.to, last.bar, last.median) == (f"five seconds: {ONNX}", 0.12, 0.1)
