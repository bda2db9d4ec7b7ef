"""What a bench finds: values by case and by what was measured, and how they compare."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

type Unit = Literal["ms", "s", "ratio", "bytes", "kbit/s", "%", "listeners", "dB"]
type Sample = Mapping[str, float]
"""One measurement of a case: what was measured (``first_audio_ms``, ...) to its value."""

UNITS: Mapping[str, Unit] = {
    "ms": "ms",
    "s": "s",
    "bytes": "bytes",
    "kbps": "kbit/s",
    "percent": "%",
    "listeners": "listeners",
}
"""The last word of a measure's name to its unit; anything else is a ratio (``rtf``)."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measure of one case, all its values in the order of the runs."""

    case: str
    measure: str
    values: tuple[float, ...]

    @property
    def unit(self) -> Unit:
        return UNITS.get(self.measure.rsplit("_", 1)[-1], "ratio")

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def as_dict(self) -> dict[str, Any]:
        """The figure with its median, spread and percentiles."""
        return {
            "case": self.case,
            "measure": self.measure,
            "unit": self.unit,
            "runs": len(self.values),
            "median": rounded(self.median),
            "min": rounded(min(self.values)),
            "max": rounded(max(self.values)),
            "p50": rounded(percentile(self.values, 50)),
            "p95": rounded(percentile(self.values, 95)),
            "values": [rounded(value) for value in self.values],
        }


@dataclass(frozen=True, slots=True)
class Ratio:
    """How ``case`` compares with ``to`` in one measure, run by run; ``bar`` is what it may be.

    ``bar_is`` says on which side of the bar the ratio has to be.
    """

    name: str
    case: str
    to: str
    measure: str
    values: tuple[float, ...]
    bar: float | None = None
    bar_is: Literal["most", "least"] = "most"

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def holds(self) -> bool | None:
        """Whether the median keeps to the bar; None without one."""
        if self.bar is None:
            return None
        return self.median <= self.bar if self.bar_is == "most" else self.median >= self.bar

    def as_dict(self) -> dict[str, Any]:
        """The ratio with its median and spread."""
        return {
            "name": self.name,
            "case": self.case,
            "to": self.to,
            "measure": self.measure,
            "median": rounded(self.median),
            "min": rounded(min(self.values)),
            "max": rounded(max(self.values)),
            "bar": self.bar,
            "bar_is": None if self.bar is None else self.bar_is,
            "holds": self.holds,
        }


@dataclass(slots=True)
class Findings:
    """All figures of a bench, the ratios between them, and what has to be said besides.

    ``charts`` names the measures that are drawn; ``details`` holds what is no figure (settings of
    the runs, curves, versions of peers).
    """

    figures: list[Figure] = field(default_factory=list)
    ratios: list[Ratio] = field(default_factory=list)
    charts: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)

    def add(self, case: str, samples: Sequence[Sample]) -> None:
        """Take a case's samples, each with the same measures."""
        for measure in samples[0] if samples else ():
            values = tuple(float(sample[measure]) for sample in samples)
            self.figures.append(Figure(case, measure, values))

    def find(self, case: str, measure: str) -> Figure:
        """The figure of that name.

        Raises:
            KeyError: it was not measured.
        """
        for figure in self.figures:
            if (figure.case, figure.measure) == (case, measure):
                return figure
        raise KeyError(f"{case} has no {measure}")

    def best(self, cases: Iterable[str], measure: str) -> str:
        """The case with the lowest median."""
        return min(cases, key=lambda case: self.find(case, measure).median)

    def compare(
        self,
        name: str,
        case: str,
        to: str,
        measure: str,
        *,
        bar: float | None = None,
        bar_is: Literal["most", "least"] = "most",
    ) -> None:
        """Note ``case`` divided by ``to``, pair by pair of the same run."""
        pairs = zip(self.find(case, measure).values, self.find(to, measure).values, strict=True)
        values = tuple(own / other if other else math.inf for own, other in pairs)
        self.ratios.append(Ratio(name, case, to, measure, values, bar, bar_is))


def percentile(values: Sequence[float], percent: float) -> float:
    """The value that ``percent`` of the values do not exceed, linear between neighbours."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def rounded(value: float) -> float | None:
    """Four significant digits; None for what JSON has no number for."""
    if not math.isfinite(value):
        return None
    return float(f"{value:.4g}") if abs(value) < 1000 else round(value, 1)
