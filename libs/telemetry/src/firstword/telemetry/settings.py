"""What the environment says about telemetry. The same names for both services."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

type LogFormat = Literal["text", "json"]

DEFAULT_NAMESPACE = "Firstword"
NAMESPACE = re.compile(r"[0-9A-Za-z.\-_/#]{1,255}")
"""What CloudWatch takes; names that begin with ``AWS/`` are its own."""


class TelemetrySettingsError(ValueError):
    """A variable holds what it cannot. The text names it."""

    def __init__(self, variable: str, problem: str) -> None:
        super().__init__(f"{variable} {problem}")
        self.variable = variable
        self.problem = problem


@dataclass(frozen=True, slots=True, kw_only=True)
class TelemetrySettings:
    """How a service tells about itself. Nothing leaves it but log lines by default.

    ``emf``: the metrics also go to standard output, in CloudWatch's embedded metric format, under
    ``emf_namespace``; gauges every ``emf_interval_s`` seconds. ``otlp``: spans are exported.
    """

    log_format: LogFormat = "text"
    emf: bool = False
    emf_namespace: str = DEFAULT_NAMESPACE
    emf_interval_s: float = 60.0
    otlp: bool = False

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> TelemetrySettings:
        """Read them; an empty variable counts as not set.

        Raises:
            TelemetrySettingsError: a value cannot be used.
        """
        word = _choice(environ, "FIRSTWORD_LOG_FORMAT", get_args(LogFormat.__value__))
        return cls(
            log_format=cast(LogFormat, word),
            emf=_choice(environ, "FIRSTWORD_EMF", ("off", "on")) == "on",
            emf_namespace=_namespace(environ, "FIRSTWORD_EMF_NAMESPACE"),
            emf_interval_s=_interval(environ, "FIRSTWORD_EMF_INTERVAL_S"),
            otlp=_exports(environ),
        )


def _text(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name, "").strip()


def _choice(environ: Mapping[str, str], name: str, allowed: tuple[str, ...]) -> str:
    """One of ``allowed``, of which the first is the default."""
    value = _text(environ, name).lower() or allowed[0]
    if value not in allowed:
        raise TelemetrySettingsError(name, f"must be one of {', '.join(allowed)}, got {value!r}")
    return value


def _namespace(environ: Mapping[str, str], name: str) -> str:
    value = _text(environ, name) or DEFAULT_NAMESPACE
    if NAMESPACE.fullmatch(value) is None or value.startswith("AWS/"):
        problem = f"must have 1 to 255 letters, digits or . - _ / # and no AWS/, got {value!r}"
        raise TelemetrySettingsError(name, problem)
    return value


def _interval(environ: Mapping[str, str], name: str) -> float:
    text = _text(environ, name)
    try:
        value = float(text or 60.0)
    except ValueError:
        value = 0.0
    if not 1.0 <= value <= 3600.0:
        problem = f"must be a number of seconds from 1 to 3600, got {text!r}"
        raise TelemetrySettingsError(name, problem)
    return value


def _exports(environ: Mapping[str, str]) -> bool:
    """Whether OpenTelemetry's own variables ask for spans to be sent to a collector."""
    if _text(environ, "OTEL_SDK_DISABLED").lower() == "true":
        return False
    if _text(environ, "OTEL_TRACES_EXPORTER").lower() == "none":
        return False
    names = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
    return any(_text(environ, name) for name in names)
