"""What an environment's dashboard shows, as CloudWatch's JSON: a pure function of names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firstword.infra import metrics
from firstword.infra.capacity import Fleet
from firstword.infra.metrics import dimensions
from firstword.infra.names import PROJECT, Names, metric_namespace

WIDTH, HEIGHT = 12, 6
"""Of one chart, on a grid of 24 columns."""

HOSTS = "/aws/sagemaker/Endpoints"
"""Namespace of what SageMaker measures on the machines."""


@dataclass(frozen=True, slots=True)
class Line:
    """One number over time: a metric of a namespace and what is made of its values."""

    namespace: str
    metric: str
    statistic: str
    dimensions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines under one title, and where a limit lies."""

    title: str
    lines: Sequence[Line]
    limit: float | None = None


def dashboard(names: Names, fleet: Fleet) -> str:
    """Sessions, requests, first sound, errors and machines; then what the services count."""
    charts = (*_of_sagemaker(names, fleet), *_of_the_services(names))
    return json.dumps(
        {"widgets": [_widget(names, place, chart) for place, chart in enumerate(charts)]}
    )


def _of_sagemaker(names: Names, fleet: Fleet) -> Sequence[Chart]:
    def lines(statistic: str, *wanted: str, namespace: str = metrics.NAMESPACE) -> list[Line]:
        return [Line(namespace, name, statistic, dimensions(names)) for name in wanted]

    errors = (metrics.SERVER_ERRORS, metrics.MODEL_ERRORS, metrics.MID_STREAM_ERRORS)
    busy = ("GPUUtilization", "GPUMemoryUtilization", "CPUUtilization")
    percentiles = ("p50", "p95", "p99")
    return (
        Chart(
            "Open sessions on each machine",
            lines("Average", metrics.CONCURRENCY),
            float(fleet.sessions_per_instance),
        ),
        Chart("Requests", lines("Sum", metrics.INVOCATIONS)),
        Chart(
            "First sound as SageMaker sees it, microseconds",
            [line for stat in percentiles for line in lines(stat, metrics.FIRST_CHUNK)],
            1e6 * fleet.first_audio_p95_s,
        ),
        Chart("Errors", lines("Sum", *errors)),
        Chart("Machines, percent", lines("Average", *busy, namespace=HOSTS)),
    )


def _of_the_services(names: Names) -> Sequence[Chart]:
    """Of the metrics that the services write into their logs, by their names there."""

    def lines(service: str, *wanted: tuple[str, str]) -> list[Line]:
        space, where = metric_namespace(names.environment), {"Service": f"{PROJECT}-{service}"}
        return [Line(space, name, stat, where) for name, stat in wanted]

    return (
        Chart(
            "First sound of a request, milliseconds",
            lines("tts", ("FirstAudio", "p50"), ("FirstAudio", "p95")),
        ),
        Chart(
            "Seconds of work for a second of audio; seconds that listeners waited",
            lines("tts", ("RealTimeFactor", "p95"), ("ForetoldUnderrun", "Sum")),
        ),
        Chart("Turns of the agent", lines("agent", ("Turns", "Sum"), ("Errors", "Sum"))),
    )


def _widget(names: Names, place: int, chart: Chart) -> dict[str, object]:
    properties: dict[str, object] = {
        "title": chart.title,
        "region": names.region,
        "view": "timeSeries",
        "period": 60,
        "metrics": [
            [
                line.namespace,
                line.metric,
                *(part for pair in line.dimensions.items() for part in pair),
                {"stat": line.statistic},
            ]
            for line in chart.lines
        ],
    }
    if chart.limit is not None:
        properties["annotations"] = {"horizontal": [{"label": "limit", "value": chart.limit}]}
    return {
        "type": "metric",
        "x": place % 2 * WIDTH,
        "y": place // 2 * HEIGHT,
        "width": WIDTH,
        "height": HEIGHT,
        "properties": properties,
    }
