"""CloudWatch's embedded metric format: a log line that CloudWatch Logs turns into metrics.

A function from values to lines, and a writer. Format and limits: AWS, "Specification: Embedded
metric format" (100 metrics and 30 dimensions in one document, dimension values of 1 to 1024
characters).
"""

from __future__ import annotations

import json
import logging
import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import Literal

from firstword.telemetry.settings import TelemetrySettings

logger = logging.getLogger(__name__)

type Unit = Literal["Count", "Seconds", "Milliseconds", "None"]

MOST_METRICS, MOST_DIMENSIONS, MOST_CHARS = 100, 30, 1024


@dataclass(frozen=True, slots=True)
class Metric:
    """One value. ``Seconds`` and the like are what CloudWatch calls them."""

    name: str
    value: float
    unit: Unit = "None"


def documents(
    namespace: str,
    dimensions: Mapping[str, str],
    sets: Sequence[Sequence[str]],
    metrics: Iterable[Metric],
    *,
    properties: Mapping[str, str],
    now_ms: int,
) -> list[str]:
    """JSON lines. ``sets`` say which of the dimensions each metric is kept under.

    ``properties`` can be searched for in the log and cost no metric: ids belong there. A value
    that is no finite number is left out, as CloudWatch would refuse the whole line.
    """
    if len(dimensions) > MOST_DIMENSIONS:
        raise ValueError(f"{MOST_DIMENSIONS} dimensions at most, got {len(dimensions)}")
    fields = {name: _dimension(value) for name, value in dimensions.items()}
    finite = (metric for metric in metrics if math.isfinite(metric.value))
    lines = []
    for part in batched(finite, MOST_METRICS):
        directive = {
            "Namespace": namespace,
            "Dimensions": [list(one) for one in sets],
            "Metrics": [{"Name": metric.name, "Unit": metric.unit} for metric in part],
        }
        document = {
            **properties,
            **fields,
            **{metric.name: metric.value for metric in part},
            "_aws": {"Timestamp": now_ms, "CloudWatchMetrics": [directive]},
        }
        lines.append(json.dumps(document, separators=(",", ":")))
    return lines


def _dimension(value: str) -> str:
    """ASCII, not blank, not too long: else CloudWatch drops the metric."""
    kept = "".join(symbol if " " <= symbol <= "~" else "?" for symbol in value).strip()
    return kept[:MOST_CHARS] or "none"


def _to_standard_output(line: str) -> None:
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except OSError as error:
        # Whoever read it has left; a turn must not fail for that.
        logger.debug("error=<%s> | metrics were not taken", type(error).__name__)


class Emf:
    """Writes a service's metrics, each under ``Service`` and, where asked, one dimension more."""

    def __init__(
        self,
        settings: TelemetrySettings,
        service: str,
        write: Callable[[str], None] = _to_standard_output,
    ) -> None:
        self.interval_s = settings.emf_interval_s
        self._namespace = settings.emf_namespace
        self._service = service
        self._write = write

    def put(
        self,
        metrics: Iterable[Metric],
        *,
        by: tuple[str, str] | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        """Write values of now. ``by`` is a dimension's name and value, of a bounded set."""
        dimensions = {"Service": self._service}
        sets = [["Service"]]
        if by is not None:
            dimensions[by[0]] = by[1]
            sets.append(["Service", by[0]])
        now_ms = int(1000 * time.time())
        for line in documents(
            self._namespace,
            dimensions,
            sets,
            metrics,
            properties=properties or {},
            now_ms=now_ms,
        ):
            self._write(line)
