"""How many machines a stated peak needs: from throughput, never from the length of a queue.

A listener hears one second of audio a second. A machine that makes ``audio_s_per_s`` seconds of
audio a second can serve so many listeners that all of them together hear no more than a part of
that, ``utilisation``; the rest is for bursts and for the minutes until a new machine has started.
An open session is silent part of the time: ``speaking_share`` of it, on average, is speech.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firstword.infra.errors import SettingError
from firstword.infra.names import PROJECT
from firstword.infra.settings import FleetSettings

CAPACITY_FILE = "infra/capacity.json"
"""Below the repository's root; made anew from measurements, see docs/operations.md."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """What was measured, or is assumed until then."""

    date: str
    source: str
    utilisation: float
    speaking_share: float
    first_audio_p95_s: float
    """What 95 of 100 listeners wait at most for the first sound at that utilisation."""
    machines: Mapping[str, float]
    """Instance type to seconds of audio that one machine makes in a second."""

    def sessions(self, instance_type: str) -> int | None:
        """Open sessions that one machine of that type serves; None: nothing is known of it."""
        made = self.machines.get(instance_type)
        if made is None:
            return None
        return max(1, math.floor(made * self.utilisation / self.speaking_share))


@dataclass(frozen=True, slots=True)
class Fleet:
    """Machines, the open sessions on one of them that call for another, and what is too slow."""

    least: int
    most: int
    sessions_per_instance: int
    first_audio_p95_s: float

    @property
    def idle_sessions(self) -> float:
        """Sessions on each machine below which one machine less still has room for all of them.

        ``n`` machines with half of what each may have become ``n - 1`` with at most that, n >= 2.
        """
        return self.sessions_per_instance / 2


def read_capacity(path: Path) -> Capacity:
    """The capacity file.

    Raises:
        SettingError: it is missing or does not hold what it must.
    """
    try:
        return _capacity(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SettingError(
            f"{path} is no capacity file ({type(error).__name__}: {error}); "
            f"take back the one that came with the program: git checkout {CAPACITY_FILE}"
        ) from error


def _capacity(data: Mapping[str, Any]) -> Capacity:
    capacity = Capacity(
        date=str(data["date"]),
        source=str(data["source"]),
        utilisation=float(data["utilisation"]),
        speaking_share=float(data["speaking_share"]),
        first_audio_p95_s=float(data["first_audio_p95_s"]),
        machines={name: float(m["audio_s_per_s"]) for name, m in data["machines"].items()},
    )
    shares = (capacity.utilisation, capacity.speaking_share)
    above_zero = (capacity.first_audio_p95_s, *capacity.machines.values())
    if not all(0 < share <= 1 for share in shares) or min(above_zero) <= 0 or not capacity.machines:
        raise ValueError("shares must be in (0, 1], seconds and throughputs above 0")
    return capacity


def plan_fleet(settings: FleetSettings, capacity: Capacity) -> Fleet:
    """The fleet for the stated peak.

    Raises:
        SettingError: the type of machine is unknown, or ``maxInstances`` is too small.
    """
    each = settings.sessions_per_instance or capacity.sessions(settings.instance_type)
    if each is None:
        raise SettingError(
            f"{CAPACITY_FILE} has no figure for {settings.instance_type}: set "
            f"{PROJECT}:sessionsPerInstance, or take one of {', '.join(sorted(capacity.machines))}"
        )
    needed = max(settings.least, math.ceil(settings.peak_sessions / each))
    if settings.most is not None and settings.most < needed:
        raise SettingError(
            f"{PROJECT}:maxInstances is {settings.most}, but {settings.peak_sessions} sessions at "
            f"the peak need {needed} {settings.instance_type} with {each} sessions each: raise "
            f"maxInstances, or lower {PROJECT}:peakSessions"
        )
    return Fleet(settings.least, settings.most or needed, each, capacity.first_audio_p95_s)
