"""All settings of the local SageMaker runtime: frozen, built once and handed down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from firstword.emulator.sigv4 import Credentials

BIDIRECTIONAL_PATH = "invocations-bidirectional-stream"
"""Where SageMaker opens the container's WebSocket, unless the caller names another path."""

AWS_ACCEPT_S = 0.25
"""SageMaker gives a container this long to accept a WebSocket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """SageMaker's own limits, but for ``accept_s``. Times in seconds, sizes in bytes.

    ``accept_s`` is longer than ``AWS_ACCEPT_S``: a busy laptop is no fault of the container. What
    takes longer than SageMaker would wait is said in the log.
    """

    ping_gate_s: float = 2.0
    accept_s: float = 5.0
    session_s: float = 1800.0
    ping_every_s: float = 60.0
    unanswered_pings: int = 5
    close_s: float = 2.0
    first_byte_s: float = 60.0
    stream_s: float = 480.0
    body_bytes: int = 25 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """``endpoints``: each endpoint's name and the URL of its container."""

    endpoints: Mapping[str, str]
    credentials: Credentials
    limits: Limits = field(default_factory=Limits)
