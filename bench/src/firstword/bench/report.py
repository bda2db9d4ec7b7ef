"""A bench's findings as JSON for machines, a table for people and a chart for both."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import leather  # type: ignore[import-untyped]
from rich import box
from rich.table import Table

from firstword.bench.figures import Figure, Findings, Ratio, percentile
from firstword.bench.machine import machine, versions

FORMAT = 1
_WIDTH, _BAR_HEIGHT, _FRAME_HEIGHT = 900, 30, 160
_COLOUR = "#2b6cb0"


@dataclass(frozen=True, slots=True)
class Run:
    """Which bench was run, how and where. Taken before the measuring."""

    bench: str
    command: tuple[str, ...]
    runs: int
    began: datetime
    machine: dict[str, Any]
    versions: dict[str, str]

    @classmethod
    def here(cls, bench: str, command: Sequence[str], runs: int) -> Run:
        """This machine, now."""
        return cls(bench, tuple(command), runs, datetime.now(UTC), machine(), versions())


def document(run: Run, findings: Findings) -> dict[str, Any]:
    """All there is to know, fit for ``json.dumps``."""
    return {
        "format": FORMAT,
        "bench": run.bench,
        "date": run.began.isoformat(timespec="seconds"),
        "command": list(run.command),
        "runs": run.runs,
        "machine": run.machine,
        "versions": run.versions,
        "figures": [figure.as_dict() for figure in findings.figures],
        "ratios": [ratio.as_dict() for ratio in findings.ratios],
        "notes": findings.notes,
        "details": findings.details,
    }


def write(path: Path, run: Run, findings: Findings) -> list[Path]:
    """The document to ``path`` and, where there is something to draw, a chart beside it."""
    text = json.dumps(document(run, findings), indent=1, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", "utf-8")
    drawing = chart(run.bench, findings)
    if drawing is None:
        return [path]
    picture = path.with_suffix(".svg")
    picture.write_text(drawing, "utf-8")
    return [path, picture]


def chart(bench: str, findings: Findings) -> str | None:
    """An SVG with one panel of bars (medians) for each measure to be drawn; None without any."""
    grid = leather.Grid()
    panels = most = 0
    for measure in findings.charts:
        drawn = [figure for figure in findings.figures if figure.measure == measure]
        if drawn:
            grid.add_one(_panel(f"{bench}: {measure}", drawn))
            panels, most = panels + 1, max(most, len(drawn))
    if not panels:
        return None
    # The library puts panels of one size into a grid as square as can be.
    columns = math.ceil(math.sqrt(panels))
    rows = math.ceil(panels / columns)
    height = _FRAME_HEIGHT + _BAR_HEIGHT * most
    svg: str = grid.to_svg(width=_WIDTH * columns, height=height * rows)
    return svg


def _panel(title: str, figures: Sequence[Figure]) -> Any:
    one = leather.Chart(title)
    longest = max(figure.median for figure in figures)
    one.add_x_scale(0, 1.05 * longest if longest > 0 else 1)
    bars = [(f.median, f"{f.case}: {shown(f.median)} {f.unit}") for f in figures]
    one.add_bars(bars, fill_color=_COLOUR)
    return one


def tables(findings: Findings, *, markdown: bool = False) -> list[Table]:
    """The figures, and the ratios where there are any."""
    lines = box.MARKDOWN if markdown else box.SIMPLE
    figures = Table("case", "measure", box=lines)
    for title in ("median", "min", "max", "p95"):
        figures.add_column(title, justify="right")
    figures.add_column("unit")
    for one in findings.figures:
        row = (one.median, min(one.values), max(one.values), percentile(one.values, 95))
        unit = "" if one.unit == "ratio" else one.unit
        figures.add_row(one.case, one.measure, *map(shown, row), unit)
    if not findings.ratios:
        return [figures]
    ratios = Table("ratio", box=lines)
    for title in ("median", "min", "max", "bar"):
        ratios.add_column(title, justify="right")
    for ratio in findings.ratios:
        ratios.add_row(
            f"{ratio.name}: {ratio.case} / {ratio.to}",
            *map(shown, (ratio.median, min(ratio.values), max(ratio.values))),
            _bar(ratio),
        )
    return [figures, ratios]


def _bar(ratio: Ratio) -> str:
    if ratio.bar is None:
        return ""
    sign = "<=" if ratio.bar_is == "most" else ">="
    return f"{sign} {ratio.bar:g}: {'holds' if ratio.holds else 'MISSED'}"


def shown(value: float) -> str:
    """Three significant digits, without an exponent."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
