"""Embedded metrics are lines that CloudWatch takes: its format and its limits."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from firstword.telemetry import Emf, Metric, TelemetrySettings
from firstword.telemetry.emf import documents
from hypothesis import given
from hypothesis import strategies as st


def lines(**settings: Any) -> tuple[Emf, list[str]]:
    written: list[str] = []
    chosen = TelemetrySettings(emf=True, **settings)
    return Emf(chosen, "firstword-agent", written.append), written


def read(line: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(line)
    return value


def names(line: str) -> list[str]:
    [directive] = read(line)["_aws"]["CloudWatchMetrics"]
    return [metric["Name"] for metric in directive["Metrics"]]


def test_a_value_has_its_unit_its_dimensions_and_what_can_be_searched_for() -> None:
    emf, written = lines(emf_namespace="Firstword/prod")
    ids = {"request_id": "r-1", "trace_id": "t-1"}
    emf.put([Metric("FirstAudio", 412.5, "Milliseconds")], by=("Mode", "bidi"), properties=ids)
    [line] = written
    document = read(line)
    [directive] = document["_aws"]["CloudWatchMetrics"]
    assert directive == {
        "Namespace": "Firstword/prod",
        "Dimensions": [["Service"], ["Service", "Mode"]],
        "Metrics": [{"Name": "FirstAudio", "Unit": "Milliseconds"}],
    }
    assert document["Service"] == "firstword-agent"
    assert document["Mode"] == "bidi"
    assert document["FirstAudio"] == 412.5
    assert document["request_id"] == "r-1"
    assert not any("_id" in name for one in directive["Dimensions"] for name in one)
    assert "\n" not in line


def test_more_than_a_hundred_metrics_are_told_in_several_lines() -> None:
    emf, written = lines()
    emf.put(Metric(f"M{number}", number, "Count") for number in range(205))
    sizes = [len(read(line)["_aws"]["CloudWatchMetrics"][0]["Metrics"]) for line in written]
    assert sizes == [100, 100, 5]
    assert [read(written[2])[f"M{number}"] for number in range(200, 205)] == [
        200,
        201,
        202,
        203,
        204,
    ]


def test_what_is_no_number_is_left_out_and_the_rest_is_told() -> None:
    emf, written = lines()
    emf.put([Metric("A", math.nan), Metric("B", math.inf), Metric("C", 1.0)])
    assert [
        metric["Name"] for metric in read(written[0])["_aws"]["CloudWatchMetrics"][0]["Metrics"]
    ] == ["C"]
    emf.put([Metric("A", math.nan)])
    assert len(written) == 1


def test_more_dimensions_than_cloudwatch_takes_are_our_mistake() -> None:
    many = {f"D{number}": "x" for number in range(31)}
    with pytest.raises(ValueError, match="30 dimensions"):
        documents("N", many, [["D0"]], [Metric("A", 1)], properties={}, now_ms=0)


@given(st.text(), st.floats(allow_nan=True, allow_infinity=True))
def test_any_value_makes_a_line_that_cloudwatch_takes(name: str, number: float) -> None:
    emf, written = lines()
    emf.put([Metric("A", number), Metric("B", 1)], by=("Code", name), properties={"id": name})
    [line] = written
    document = json.loads(line, parse_constant=lambda _: pytest.fail("no JSON number"))
    assert 1 <= len(document["Code"]) <= 1024
    assert document["Code"].isascii()
    assert document["Code"].strip()
    assert line.isprintable()
    for dimensions in document["_aws"]["CloudWatchMetrics"][0]["Dimensions"]:
        assert all(isinstance(document[dimension], str) for dimension in dimensions)
