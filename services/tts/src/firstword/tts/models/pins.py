"""Which files make up the model, and what each must hash to (``pinned.json``)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

GRAPH = "graph"
"""Name of Kokoro-82M's int8 graph among the model files."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the graph and the distribution that carries it."""

    distribution: str
    version: str
    member: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class File:
    """One file of the model folder: its path there, bytes and sha256."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Pins:
    """All pinned files, and the packages that hold them."""

    graph: File
    parts: tuple[Part, ...]
    voice_package: str
    voice_version: str
    voices: dict[str, File]
    """Keyed by the voice's name."""

    @property
    def files(self) -> tuple[File, ...]:
        """The graph, then the voices by name."""
        return (self.graph, *self.voices.values())


@cache
def pins() -> Pins:
    """The pins that this version of the package was made with."""
    return read_pins(resources.files(__package__).joinpath("pinned.json").read_text("utf-8"))


def read_pins(text: str) -> Pins:
    """Pins from their JSON text."""
    data = json.loads(text)
    graph, voices = data["graph"], data["voices"]
    return Pins(
        graph=File(graph["path"], graph["size"], graph["sha256"]),
        parts=tuple(Part(**part) for part in graph["parts"]),
        voice_package=voices["package"],
        voice_version=voices["version"],
        voices={
            name: File(f"voices/{name}.bin", voices["size"], sha256)
            for name, sha256 in sorted(voices["sha256"].items())
        },
    )
