"""Settings of the console itself, read once from the environment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

START_TIMEOUT_S = 180.0
LOG_LEVEL = "info"


class SettingError(ValueError):
    """A setting has a value that makes no sense; the text names it and what it takes."""


@dataclass(frozen=True, slots=True)
class Settings:
    """``environ`` is what child processes inherit; ``start_timeout_s`` how long they may take."""

    environ: Mapping[str, str]
    start_timeout_s: float = START_TIMEOUT_S
    log_level: str = LOG_LEVEL

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Settings:
        """FIRSTWORD_START_TIMEOUT_S (seconds) and FIRSTWORD_LOG_LEVEL; empty counts as not set."""
        return cls(
            environ=dict(environ),
            start_timeout_s=_seconds(environ, "FIRSTWORD_START_TIMEOUT_S", START_TIMEOUT_S),
            log_level=(environ.get("FIRSTWORD_LOG_LEVEL") or LOG_LEVEL).lower(),
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
