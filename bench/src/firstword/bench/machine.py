"""On what was measured: figures without it cannot be compared."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

from firstword.tts.engines.threads import cpu_threads

PACKAGES = (
    "firstword-tts",
    "firstword-agent",
    "blis",
    "numba",
    "numpy",
    "onnxruntime",
    "spacy",
    "misaki",
    "websockets",
    "uvicorn",
)


def machine() -> dict[str, Any]:
    """CPU, cores, memory and system of this machine, and how busy it was at the start."""
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "threads": cpu_threads(),
        "memory_gb": round(_memory_bytes() / 1e9, 1),
        "load_before": round(os.getloadavg()[0], 2),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def cpu_model(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The CPU's name as its maker writes it."""
    try:
        for line in cpuinfo.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def versions(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Versions of those packages that are installed."""
    found = {}
    for name in packages:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
