from __future__ import annotations

import json
from datetime import datetime
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from firstword.bench.figures import Findings
from firstword.bench.report import Run, chart, document, tables, write
from rich.console import Console

SVG = "{http://www.w3.org/2000/svg}"


def test_the_document_says_what_was_run_where_and_with_what(findings: Findings) -> None:
    run = Run.here("peers", ["firstword", "bench", "peers", "--runs", "3"], 3)
    told = json.loads(json.dumps(document(run, findings), allow_nan=False))
    assert told["bench"] == "peers"
    assert told["command"] == ["firstword", "bench", "peers", "--runs", "3"]
    assert told["runs"] == 3
    assert datetime.fromisoformat(told["date"]).tzinfo is not None
    assert {"cpu", "cores", "threads", "memory_gb", "load_before"} <= told["machine"].keys()
    assert {"numpy", "onnxruntime", "firstword-tts"} <= told["versions"].keys()
    assert told["notes"] == ["a note"]


def test_the_document_has_every_figure_and_ratio(findings: Findings) -> None:
    told = document(Run.here("peers", [], 3), findings)
    assert [(f["case"], f["measure"]) for f in told["figures"]] == [
        ("ours", "first_audio_ms"),
        ("ours", "rtf"),
        ("theirs", "first_audio_ms"),
        ("theirs", "rtf"),
    ]
    assert [(r["name"], r["holds"]) for r in told["ratios"]] == [
        ("first audio", True),
        ("real-time factor", False),
    ]


def test_the_chart_is_an_svg_with_a_bar_for_each_case(findings: Findings) -> None:
    drawing = chart("peers", findings)
    assert drawing is not None
    root = ElementTree.fromstring(drawing)
    assert root.tag == f"{SVG}svg"
    texts = {element.text or "" for element in root.iter(f"{SVG}text")}
    assert any(text.startswith("ours") for text in texts)
    assert any(text.startswith("theirs") for text in texts)
    bars = [g for g in root.iter(f"{SVG}g") if g.get("class") == "series bars"]
    assert len(bars) == 1
    drawn = list(bars[0].iter(f"{SVG}rect"))
    assert len(drawn) == 2
    assert all(float(one.attrib["height"]) > 10 for one in drawn)
    assert all(float(one.attrib["width"]) > 10 for one in drawn)


@pytest.mark.parametrize("measures", [1, 2, 3, 4, 5])
def test_every_panel_has_room_for_its_bars(measures: int) -> None:
    names = tuple(f"measure_{number}_ms" for number in range(measures))
    found = Findings(charts=names)
    for case in range(10):
        found.add(f"case {case}", [dict.fromkeys(names, 1.0 + case)])
    drawing = chart("many", found)
    assert drawing is not None
    bars = [
        g
        for g in ElementTree.fromstring(drawing).iter(f"{SVG}g")
        if g.get("class") == "series bars"
    ]
    assert len(bars) == measures
    assert all(float(r.attrib["height"]) > 10 for g in bars for r in g.iter(f"{SVG}rect"))


def test_figures_of_nothing_can_be_drawn() -> None:
    none = Findings(charts=("held_listeners",))
    none.add("edf", [{"held_listeners": 0.0}])
    drawing = chart("streams", none)
    assert drawing is not None
    ElementTree.fromstring(drawing)


def test_without_a_measure_to_draw_there_is_no_chart(findings: Findings, tmp_path: Path) -> None:
    findings.charts = ("underruns",)
    assert chart("peers", findings) is None
    assert write(tmp_path / "x.json", Run.here("peers", [], 3), findings) == [tmp_path / "x.json"]


def test_json_and_chart_lie_side_by_side(findings: Findings, tmp_path: Path) -> None:
    written = write(tmp_path / "peers.json", Run.here("peers", [], 3), findings)
    assert [path.name for path in written] == ["peers.json", "peers.svg"]
    assert json.loads(written[0].read_text("utf-8"))["format"] == 1


def test_the_table_says_which_bars_are_missed(findings: Findings) -> None:
    output = StringIO()
    console = Console(width=200, file=output)
    for table in tables(findings):
        console.print(table)
    text = output.getvalue()
    assert "<= 0.3: holds" in text
    assert "<= 0.3: MISSED" in text
