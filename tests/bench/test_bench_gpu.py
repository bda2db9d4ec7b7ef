"""The bench of the torch engine: what it concludes, and all of it once on a processor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from firstword.bench.__main__ import DONE, main
from firstword.bench.figures import Findings
from firstword.bench.gpu import PLAIN, TINY, Bench, Size
from firstword.bench.gpu_load import Load
from firstword.bench.runs import Talk

SIZE = Size((1, 8, 64), (1, 64), "text", 8, ("fp16",))


def concluded(waits: dict[int, float], price: float | None = 1.5, card: str = "NVIDIA A10G") -> Any:
    """Findings of loads in which every session waited so long, at 100 characters a session."""
    bench = Bench(Findings(), Talk(), runs=1)
    bench._card = card
    for sessions, wait in waits.items():
        load = Load(100 * sessions, [wait] * sessions, audio_s=10.0 * sessions, total_s=2.0)
        bench._loads[f"torch fp16, {sessions} sessions, edf"] = [load]
    bench._loads[PLAIN] = [Load(800, [1.0] * 8, audio_s=80.0, total_s=2.0)]
    for count, speed in ((1, 50.0), (64, 800.0)):
        bench._findings.add(f"torch fp16, forward of {count}", [{"times_realtime": speed}])
    bench.conclude(SIZE, price)
    return bench._findings


def test_capacity_is_the_speed_at_the_largest_load_that_is_served_in_time() -> None:
    found = concluded({1: 0.05, 8: 0.2, 64: 0.4})
    assert found.details["served_sessions"] == 8
    machines = found.details["capacity"]["machines"]
    assert machines == {"ml.g5.xlarge": {"audio_s_per_s": 40.0}}
    assert {"date", "source", "machines"} == set(found.details["capacity"])


def test_the_bar_is_five_times_the_plain_package_in_the_same_run() -> None:
    found = concluded({1: 0.05, 8: 0.1, 64: 0.2})
    [ratio] = found.ratios
    assert ratio.values == (8.0,)
    assert ratio.holds


def test_cost_is_the_machines_hour_over_the_characters_of_an_hour() -> None:
    found = concluded({1: 0.05, 8: 0.1, 64: 0.2}, price=3.6)
    characters_an_hour = 64 * 100 / 2.0 * 3600
    expected = 3.6 / characters_an_hour * 1e6
    assert found.details["usd_per_million_characters"] == pytest.approx(expected, abs=1e-3)


def test_a_price_is_taken_from_the_dated_table_where_none_is_given() -> None:
    table = json.loads(Path("infra/prices.json").read_text("utf-8"))
    found = concluded({1: 0.05, 8: 0.1, 64: 0.2}, price=None)
    assert any(table["date"] in note for note in found.notes)
    lacking = concluded({1: 0.05, 8: 0.1, 64: 0.2}, price=None, card="NVIDIA H200")
    assert "usd_per_million_characters" not in lacking.details
    assert any("--price" in note for note in lacking.notes)


@pytest.mark.gpu
@pytest.mark.model
@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("ignore")
def test_the_whole_bench_runs_on_a_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FIRSTWORD_TTS_THREADS", "1")
    path = tmp_path / "gpu.json"
    asked = ["gpu", "--device", "cpu", "--runs", "1", "--price", "1.0", "--json", str(path)]
    assert main(asked) == DONE
    told = json.loads(path.read_text("utf-8"))
    cases = {figure["case"] for figure in told["figures"]}
    for sessions in TINY.sessions:
        assert {f"torch fp32, {sessions} sessions, {p}" for p in ("edf", "fifo")} <= cases
    assert PLAIN in cases
    assert told["details"]["usd_per_million_characters"] > 0
    assert told["details"]["capacity"]["machines"]["cpu"]["audio_s_per_s"] > 0
    assert told["details"]["torch fp32"]["forwards_plain"] > 0
    assert "throughput" in capsys.readouterr().out
