from __future__ import annotations

import json
import math

import pytest
from firstword.bench.figures import Figure, Findings, percentile, rounded


def test_a_figure_tells_median_spread_and_percentiles() -> None:
    told = Figure("windows", "first_audio_ms", (300.0, 100.0, 200.0)).as_dict()
    assert (told["median"], told["min"], told["max"], told["runs"]) == (200.0, 100.0, 300.0, 3)
    assert told["p50"] == told["median"]
    assert told["values"] == [300.0, 100.0, 200.0]


@pytest.mark.parametrize(
    ("measure", "unit"),
    [
        ("first_audio_ms", "ms"),
        ("audio_s", "s"),
        ("rtf", "ratio"),
        ("size_bytes", "bytes"),
        ("bitrate_kbps", "kbit/s"),
        ("wer_percent", "%"),
        ("held_listeners", "listeners"),
    ],
)
def test_a_measures_name_says_its_unit(measure: str, unit: str) -> None:
    assert Figure("any", measure, (1.0,)).unit == unit


def test_percentiles_lie_between_neighbours() -> None:
    assert percentile([10.0], 95) == 10.0
    assert percentile([4.0, 1.0, 3.0, 2.0], 50) == 2.5
    assert percentile([float(n) for n in range(101)], 95) == 95.0


def test_ratios_are_taken_run_by_run(findings: Findings) -> None:
    first = findings.ratios[0]
    assert first.values == pytest.approx((0.1, 0.2, 0.1))
    assert first.median == pytest.approx(0.1)


def test_a_bar_holds_or_is_missed(findings: Findings) -> None:
    assert [ratio.holds for ratio in findings.ratios] == [True, False]
    findings.compare("sooner", "theirs", "ours", "first_audio_ms", bar=4.0, bar_is="least")
    findings.compare("without a bar", "theirs", "ours", "first_audio_ms")
    assert [ratio.holds for ratio in findings.ratios[2:]] == [True, None]


def test_the_best_case_has_the_lowest_median(findings: Findings) -> None:
    assert findings.best(["theirs", "ours"], "rtf") == "ours"


def test_what_was_not_measured_cannot_be_compared(findings: Findings) -> None:
    with pytest.raises(KeyError, match="nobody"):
        findings.compare("x", "ours", "nobody", "rtf")


def test_a_division_by_nothing_is_no_number_in_json() -> None:
    found = Findings()
    found.add("some", [{"held_listeners": 3.0}])
    found.add("none", [{"held_listeners": 0.0}])
    found.compare("listeners", "some", "none", "held_listeners", bar=2.0, bar_is="least")
    told = found.ratios[0].as_dict()
    assert found.ratios[0].median == math.inf
    assert (told["median"], told["holds"]) == (None, True)
    json.dumps(told, allow_nan=False)


def test_numbers_are_rounded_to_what_was_measured() -> None:
    assert (rounded(0.123456), rounded(123456.78), rounded(math.nan)) == (0.1235, 123456.8, None)
