from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest
from firstword.bench.environments import FOLDER
from firstword.bench.figures import Findings
from firstword.bench.peers import OURS, compare
from firstword.bench.turn import CHUNKERS

SCRIPTS = sorted(path for path in FOLDER.glob("*.py") if path.name != "lines.py")
HEAD = re.compile(r"(?m)^# /// script\n((?:#.*\n)+?)# ///$")


def environment(script: Path) -> dict[str, object]:
    found = HEAD.search(script.read_text("utf-8"))
    if found is None:
        return {}
    lines = [line[2:] for line in found[1].splitlines()]
    return tomllib.loads("\n".join(lines))


def foreign_imports(script: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(script.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    tops = {name.split(".")[0] for name in names}
    return tops - set(sys.stdlib_module_names) - {"lines"}


def test_there_are_peers() -> None:
    assert len(SCRIPTS) >= 5


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_peers_script_pins_its_own_environment(script: Path) -> None:
    if foreign_imports(script) == {"firstword"}:
        return
    head = environment(script)
    dependencies = head["dependencies"]
    assert isinstance(dependencies, list)
    assert all("==" in one for one in dependencies)
    assert "exclude-newer" in str(head["tool"])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_peers_script_imports_what_it_names(script: Path) -> None:
    named = str(environment(script).get("dependencies", "firstword")).replace("-", "_")
    assert all(re.search(top.replace("-", "_"), named) for top in foreign_imports(script))


def test_every_chunkers_script_is_there() -> None:
    assert all((FOLDER / script).is_file() for script, _ in CHUNKERS.values())


def measured(cases: dict[str, tuple[float, float]]) -> Findings:
    findings = Findings()
    for name, (first, rtf) in cases.items():
        sample = {"first_audio_ms": first, "total_ms": 10 * first, "rtf": rtf}
        findings.add(name, [sample, sample])
    return findings


def test_we_are_compared_with_the_best_peer_in_each_measure() -> None:
    windows, exact = OURS
    found = measured(
        {
            windows: (100.0, 0.3),
            exact: (300.0, 0.2),
            "kokoro-onnx int8 stream": (2000.0, 0.6),
            "kokoro-onnx int8 sentences": (500.0, 0.5),
            "fastkokoro int8 adaptive": (400.0, 0.9),
        }
    )
    compare(found)
    told = [(r.name, r.case, r.to, round(r.median, 3), r.bar) for r in found.ratios]
    assert told[:4] == [
        ("first audio", windows, "fastkokoro int8 adaptive", 0.25, 0.3),
        ("first audio", windows, "kokoro-onnx int8 stream", 0.05, 0.1),
        ("real-time factor", exact, "kokoro-onnx int8 sentences", 0.4, 0.45),
        ("real-time factor", windows, "kokoro-onnx int8 sentences", 0.6, 0.6),
    ]


def test_without_any_peer_there_is_nothing_to_compare() -> None:
    found = measured({OURS[0]: (1.0, 1.0), OURS[1]: (1.0, 1.0)})
    compare(found)
    assert not found.ratios
