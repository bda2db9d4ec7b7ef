"""How many threads the machine, or the container, gives this process."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")


def cpu_threads(root: Path = _ROOT, own: Path = _OWN) -> int:
    """Cores this process may really use: the smaller of its affinity and its cgroups' quota.

    A container's quota does not show in the number of cores; more threads than the quota allows
    are stopped in the middle of a matrix product and all the others wait for them.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    allowed = min(_quotas(root, own), default=math.inf)
    return max(1, min(cores or 1, math.floor(allowed) if math.isfinite(allowed) else cores or 1))


def _quotas(root: Path, own: Path) -> Iterator[float]:
    """Cores by each cgroup from this process's own up to the root, of versions 2 and 1."""
    for line in _read(own).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        base = root / "cpu" if controllers else root
        relative = Path(path.lstrip("/"))
        for folder in (base / relative, *(base / parent for parent in relative.parents)):
            if (cores := _quota_of(folder)) is not None:
                yield cores


def _quota_of(folder: Path) -> float | None:
    match _read(folder / "cpu.max").split():
        case [quota, period] if quota.isdigit() and period.isdigit() and int(period):
            return int(quota) / int(period)
    quota, period = _read(folder / "cpu.cfs_quota_us"), _read(folder / "cpu.cfs_period_us")
    if quota.strip().isdigit() and period.strip().isdigit() and int(period):
        return int(quota) / int(period)
    return None


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return ""
