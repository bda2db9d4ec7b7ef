"""The numbers of SageMaker that are watched and scaled by, spelled as AWS spells them."""

from __future__ import annotations

from dataclasses import dataclass

from firstword.infra.capacity import Fleet
from firstword.infra.names import VARIANT, Names

NAMESPACE = "AWS/SageMaker"

CONCURRENCY = "ConcurrentRequestsPerModel"
"""Open requests on one machine, written every 10 s; a bidirectional stream counts while open."""

CONCURRENCY_PREDEFINED = "SageMakerVariantConcurrentRequestsPerModelHighResolution"
"""The same as Application Auto Scaling's target tracking names it."""

SERVER_ERRORS = "Invocation5XXErrors"
MODEL_ERRORS = "InvocationModelErrors"
MID_STREAM_ERRORS = "MidStreamErrors"
FIRST_CHUNK = "FirstChunkModelLatency"
"""From the request to the container's first byte, in microseconds."""
INVOCATIONS = "Invocations"


@dataclass(frozen=True, slots=True)
class Watch:
    """An alarm: when ``metric`` is at ``threshold`` or above in ``hits`` of ``periods``.

    ``period_s`` in seconds. ``rolls_back``: a deployment during which it rings is taken back.
    """

    name: str
    about: str
    metric: str
    statistic: str
    threshold: float
    period_s: int
    periods: int
    hits: int
    rolls_back: bool = False


def watches(fleet: Fleet) -> tuple[Watch, ...]:
    """All alarms of an endpoint that somebody should hear of."""
    return (
        Watch(
            "server-errors",
            "SageMaker or the container answered with 5xx: see the container's log group",
            SERVER_ERRORS,
            "Sum",
            5,
            60,
            3,
            2,
            rolls_back=True,
        ),
        Watch(
            "model-errors",
            "the container failed or answered too late: see its log group",
            MODEL_ERRORS,
            "Sum",
            5,
            60,
            3,
            2,
            rolls_back=True,
        ),
        Watch(
            "broken-streams",
            "streams broke after they had begun: see the container's log group",
            MID_STREAM_ERRORS,
            "Sum",
            10,
            60,
            5,
            3,
        ),
        Watch(
            "slow-first-audio",
            f"one listener in twenty waits over {fleet.first_audio_p95_s:g} s for the first sound",
            FIRST_CHUNK,
            "p95",
            1e6 * fleet.first_audio_p95_s,
            60,
            5,
            3,
        ),
        Watch(
            "full",
            "each machine has more sessions than it serves well: raise maxInstances",
            CONCURRENCY,
            "Average",
            1.3 * fleet.sessions_per_instance,
            60,
            10,
            10,
        ),
    )


def dimensions(names: Names) -> dict[str, str]:
    """What tells an endpoint's numbers from another's."""
    return {"EndpointName": names.endpoint, "VariantName": VARIANT}
