"""One JSON object a line, in and out: how a peer in its own environment is driven."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import metadata
from typing import Any


def serve(packages: list[str], answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Say that it is ready and with which versions, then answer each line until they end."""
    say({"ready": True, "versions": {name: metadata.version(name) for name in packages}})
    for line in sys.stdin:
        say(answer(json.loads(line)))


def say(message: dict[str, Any]) -> None:
    """One line out."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def sample(began: float, first: float, ended: float, samples: int) -> dict[str, Any]:
    """A measurement: clock readings in seconds, samples at 24 kHz."""
    audio_s = samples / 24_000
    return {
        "first_audio_ms": 1000 * (first - began),
        "total_ms": 1000 * (ended - began),
        "audio_s": audio_s,
        "rtf": (ended - began) / audio_s,
    }
