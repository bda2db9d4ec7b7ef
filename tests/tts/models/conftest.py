"""A model that fits on a page: the same shapes of sources and pins, a few bytes of weights."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from firstword.tts.models.derive import Step
from firstword.tts.models.errors import SourceUnavailableError
from firstword.tts.models.files import place
from firstword.tts.models.pins import GRAPH, File, Part, Pins

GRAPH_BYTES = bytes(range(256)) * 40
VOICE_BYTES = {"af_one": b"1" * 64, "bf_two": b"2" * 64}


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def small_pins() -> Pins:
    halves = (GRAPH_BYTES[:6000], GRAPH_BYTES[6000:])
    return Pins(
        graph=File("graph.onnx", len(GRAPH_BYTES), sha(GRAPH_BYTES)),
        parts=tuple(
            Part(f"part-{i}", "1.0", f"part_{i}/part.bin", len(half), sha(half))
            for i, half in enumerate(halves, 1)
        ),
        voice_package="voices-js",
        voice_version="1.0",
        voices={
            name: File(f"voices/{name}.bin", len(data), sha(data))
            for name, data in VOICE_BYTES.items()
        },
    )


@dataclass
class GoodSource:
    """Gives everything, and remembers what it was asked for."""

    name: str = "good"
    asked: list[str] = field(default_factory=list)

    def graph(self, pins: Pins, folder: Path, staging: Path, advance: object) -> None:
        self.asked.append("graph")
        place([GRAPH_BYTES], folder / pins.graph.path, pins.graph.sha256)

    def voices(
        self, wanted: Mapping[str, File], pins: Pins, folder: Path, staging: Path, advance: object
    ) -> None:
        self.asked.extend(sorted(wanted))
        for name, file in wanted.items():
            place([VOICE_BYTES[name]], folder / file.path, file.sha256)


@dataclass
class EmptySource:
    """Has nothing, and says why."""

    reason: str
    name: str = "empty"

    def graph(self, *_: object) -> None:
        raise SourceUnavailableError(self.reason)

    def voices(self, *_: object) -> None:
        raise SourceUnavailableError(self.reason)


class Quiet:
    """A progress that keeps its lines and bytes."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.bytes = 0

    def say(self, line: str) -> None:
        self.lines.append(line)

    def advance(self, count: int) -> None:
        self.bytes += count


def reversed_graph(files: Mapping[str, Path], destination: Path) -> None:
    destination.write_bytes(files[GRAPH].read_bytes()[::-1])


REVERSED = Step("reversed", 1, ".bin", reversed_graph)


@pytest.fixture
def pins() -> Pins:
    return small_pins()


@pytest.fixture
def good() -> GoodSource:
    return GoodSource()


@pytest.fixture
def quiet() -> Quiet:
    return Quiet()


@pytest.fixture
def step() -> Step:
    return REVERSED


@pytest.fixture
def empty() -> type[EmptySource]:
    return EmptySource


@pytest.fixture
def graph_bytes() -> bytes:
    return GRAPH_BYTES


@pytest.fixture
def voice_bytes() -> dict[str, bytes]:
    return dict(VOICE_BYTES)
