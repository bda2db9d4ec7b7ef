"""The settings of an environment's speech endpoint."""

from __future__ import annotations

from firstword.infra.keys import IMAGE, Key, by_kind
from firstword.infra.values import flag, integer, number, records, text

WEIGHTS_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
"""Kokoro-82M's graph as the speech server pins it."""

ENDPOINT = (
    Key(
        "instanceType",
        ("endpoint",),
        text(r"ml\.[a-z0-9\-]+\.[a-z0-9]+", "a SageMaker instance type such as ml.g5.xlarge"),
        "the machine that speaks",
        "ml.g5.xlarge",
    ),
    Key(
        "peakSessions",
        ("endpoint",),
        integer(1, 100_000),
        "open speech sessions at the busiest moment; the fleet is made for them",
        by_kind(20, 200),
    ),
    Key(
        "sessionsPerInstance",
        ("endpoint",),
        integer(1, 10_000),
        "open sessions that one machine serves well; left out: computed from capacity.json",
        example="40",
    ),
    Key(
        "minInstances",
        ("endpoint",),
        integer(1, 1000),
        "machines that always run",
        by_kind(1, 2),
    ),
    Key(
        "maxInstances",
        ("endpoint",),
        integer(1, 1000),
        "machines at most; left out: as many as peakSessions need",
        example="4",
    ),
    Key(
        "schedule",
        ("endpoint",),
        records(("name", "when", "zone", "min", "max")),
        "other limits at some hours",
        (),
        example='[{name: night, when: "cron(0 20 * * ? *)", zone: Europe/Paris, min: 1, max: 2}]',
    ),
    Key(
        "inferenceAmi",
        ("endpoint",),
        text(r"[a-z0-9\-]+", "a SageMaker inference AMI version"),
        "the host's system; the old default of GPU machines opens no bidirectional socket",
        "al2023-ami-sagemaker-inference-gpu-4-1",
    ),
    Key(
        "startupTimeoutS",
        ("endpoint",),
        integer(60, 3600),
        "seconds until a new container must answer /ping",
        600,
    ),
    Key(
        "downloadTimeoutS",
        ("endpoint",),
        integer(60, 3600),
        "seconds that copying the weights to a machine may take",
        600,
    ),
    Key(
        "networkIsolation",
        ("endpoint",),
        flag,
        "no network at all inside the speech server's container",
        True,
    ),
    Key(
        "maxWaitS",
        ("endpoint", "local"),
        number(0.1, 3600),
        "seconds of work owed to listeners above which newcomers are refused",
        {"dev": 2.0, "prod": 2.0, "local": 300.0},
    ),
    Key(
        "ttsImage",
        ("endpoint",),
        text(IMAGE, "an image by digest: REPOSITORY@sha256:..."),
        "a speech server image that exists already; left out: built from this tree",
        example="123456789012.dkr.ecr.us-west-2.amazonaws.com/firstword/dev/tts@sha256:...",
    ),
    Key(
        "weightsSha256",
        ("endpoint",),
        text(r"[0-9a-f]{64}", "a sha256 in hexadecimal"),
        "the graph that the endpoint runs; what this machine has must be the same",
        WEIGHTS_SHA256,
    ),
    Key(
        "alarmEmail",
        ("endpoint",),
        text(r"[^@\s]+@[^@\s]+\.[^@\s]+", "an e-mail address"),
        "who hears of alarms, after a click on the link in the first mail",
        example="oncall@example.com",
    ),
)
