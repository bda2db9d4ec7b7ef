from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest
from firstword.bench.__main__ import BENCHES, DONE, FAILED, INTERRUPTED, WRONG_USAGE, main
from firstword.bench.figures import Findings
from firstword.bench.processes import ProgramError
from firstword.bench.runs import Talk
from firstword.console.__main__ import main as firstword


def test_every_bench_has_a_module_that_measures() -> None:
    for module, usual, text in BENCHES.values():
        assert callable(importlib.import_module(f"firstword.bench.{module}").measure)
        assert usual >= 1
        assert text


def test_the_benches_have_the_names_that_are_promised() -> None:
    named = "first-audio peers turn streams codecs newcomer gpu quality wire"
    assert set(BENCHES) == set(named.split())


def test_a_bench_prints_its_figures_and_writes_them(
    findings: Findings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: list[int] = []

    def measure(runs: int, talk: Talk) -> Findings:
        asked.append(runs)
        return findings

    monkeypatch.setattr("firstword.bench.newcomer.measure", measure)
    assert main(["newcomer", "--runs", "3", "--json", str(tmp_path / "n.json")]) == DONE
    printed = capsys.readouterr()
    assert "MISSED" in printed.out
    assert "n.svg" in printed.err
    assert asked == [3]
    told = json.loads((tmp_path / "n.json").read_text("utf-8"))
    assert told["command"][:3] == ["firstword", "bench", "newcomer"]
    assert (tmp_path / "n.svg").is_file()


@pytest.mark.parametrize(
    ("error", "status"),
    [(ProgramError("it said nothing for 9 s"), FAILED), (KeyboardInterrupt(), INTERRUPTED)],
)
def test_a_bench_that_cannot_be_done_has_a_status(
    error: BaseException,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def measure(runs: int, talk: Talk) -> Findings:
        raise error

    monkeypatch.setattr("firstword.bench.newcomer.measure", measure)
    assert main(["newcomer"]) == status
    assert capsys.readouterr().err.strip() in ("", "firstword bench: it said nothing for 9 s")


@pytest.mark.parametrize(
    "arguments",
    [["newcomer", "--runs", "0"], ["newcomer", "--json", "/no/such/folder/n.json"]],
)
def test_wrong_use_is_told_before_anything_is_measured(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == WRONG_USAGE
    assert arguments[1] in capsys.readouterr().err


def test_an_unknown_bench_is_wrong_use() -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["faster"])
    assert stopped.value.code == WRONG_USAGE


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in BENCHES)])
def test_help_can_be_read(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == DONE
    assert "firstword bench" in capsys.readouterr().out


def test_the_firstword_command_hands_over_to_the_bench(capfd: pytest.CaptureFixture[str]) -> None:
    assert firstword(["bench", "newcomer", "--help"]) == DONE
    assert "usage: firstword bench newcomer" in capfd.readouterr().out
    assert firstword(["bench", "newcomer", "--runs", "0"]) == WRONG_USAGE
