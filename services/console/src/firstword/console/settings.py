"""Settings of the console itself, read once from the environment."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

_ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?")

START_TIMEOUT_S = 180.0
LOG_LEVEL = "info"


class SettingError(ValueError):
    """A setting has a value that makes no sense; the text names it and what it takes."""


@dataclass(frozen=True, slots=True)
class Settings:
    """``environ`` is what child processes inherit; ``start_timeout_s`` how long they may take.

    ``agentcore_endpoint``: another origin than AWS's own, for a VPC endpoint or a stand-in.
    """

    environ: Mapping[str, str]
    start_timeout_s: float = START_TIMEOUT_S
    log_level: str = LOG_LEVEL
    agentcore_endpoint: str | None = None

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Settings:
        """The FIRSTWORD_ variables that this reads; empty counts as not set."""
        return cls(
            environ=dict(environ),
            start_timeout_s=_seconds(environ, "FIRSTWORD_START_TIMEOUT_S", START_TIMEOUT_S),
            log_level=(environ.get("FIRSTWORD_LOG_LEVEL") or LOG_LEVEL).lower(),
            agentcore_endpoint=_origin(environ, "FIRSTWORD_AGENTCORE_ENDPOINT_URI"),
        )


def _seconds(environ: Mapping[str, str], name: str, default: float) -> float:
    text = environ.get(name)
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise SettingError(f"{name} is {text!r}, but must be a number of seconds above 0")
    return value


def _origin(environ: Mapping[str, str], name: str) -> str | None:
    uri = (environ.get(name) or "").rstrip("/")
    if uri and _ORIGIN.fullmatch(uri) is None:
        raise SettingError(f"{name} is {uri!r}, but must be https:// and a host, without a path")
    return uri or None
