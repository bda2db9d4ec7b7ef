"""Where model files come from, in the order in which they are asked.

Each source gives the graph and the voices or says why it cannot; what it gives is verified on the
way into the folder.
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Protocol

from firstword.tts.models import clients, hub
from firstword.tts.models.errors import SourceUnavailableError
from firstword.tts.models.files import chunks_of, is_intact, place
from firstword.tts.models.pins import File, Part, Pins

type Advance = Callable[[int], None]
"""Told of each stretch of bytes that has come; less than zero when some are asked for again."""


class Source(Protocol):
    """One way to the files. ``folder`` is the model folder; ``staging`` keeps unfinished work."""

    name: str

    def graph(self, pins: Pins, folder: Path, staging: Path, advance: Advance) -> None:
        """Place the graph, or raise SourceUnavailableError or ModelsCorruptError."""
        ...

    def voices(
        self, wanted: Mapping[str, File], pins: Pins, folder: Path, staging: Path, advance: Advance
    ) -> None:
        """Place the wanted voices, or raise SourceUnavailableError or ModelsCorruptError."""
        ...


class InstalledSource:
    """Distributions that are installed already."""

    name = "installed packages"

    def graph(self, pins: Pins, folder: Path, staging: Path, advance: Advance) -> None:
        """The graph from its parts, when all are installed."""
        paths = [self._part(part) for part in pins.parts]
        place(chunks_of(paths), folder / pins.graph.path, pins.graph.sha256, advance)

    def voices(
        self, wanted: Mapping[str, File], pins: Pins, folder: Path, staging: Path, advance: Advance
    ) -> None:
        """No Python distribution carries the voices."""
        raise SourceUnavailableError("no installed package carries the voices")

    def _part(self, part: Part) -> Path:
        try:
            distribution = metadata.distribution(part.distribution)
        except metadata.PackageNotFoundError:
            raise SourceUnavailableError(f"{part.distribution} is not installed") from None
        path = Path(str(distribution.locate_file(part.member)))
        if not path.is_file():
            raise SourceUnavailableError(f"{part.distribution} is installed without {part.member}")
        return path


class PackageSource:
    """The packages that carry the files, by way of uv or pip, and npm."""

    name = "package clients"

    def graph(self, pins: Pins, folder: Path, staging: Path, advance: Advance) -> None:
        """The graph from its parts; a part that came earlier is not asked for again."""
        paths = [self._part(part, staging, advance) for part in pins.parts]
        place(chunks_of(paths), folder / pins.graph.path, pins.graph.sha256)

    def _part(self, part: Part, staging: Path, advance: Advance) -> Path:
        kept = staging / f"{part.distribution}-{part.version}.part"
        if not is_intact(kept, part.size, part.sha256):
            target = staging / part.distribution
            clients.install_package(f"{part.distribution}=={part.version}", target)
            path = target / part.member
            if not path.is_file():
                raise SourceUnavailableError(f"{part.distribution} came without {part.member}")
            place(chunks_of([path]), kept, part.sha256)
        advance(part.size)
        return kept

    def voices(
        self, wanted: Mapping[str, File], pins: Pins, folder: Path, staging: Path, advance: Advance
    ) -> None:
        """The voices out of the JavaScript package's archive."""
        spec = f"{pins.voice_package}@{pins.voice_version}"
        archive = clients.pack_node_package(spec, staging / "voices")
        left = dict(wanted)
        try:
            for name, chunks in _members(archive, left):
                place(chunks, folder / left[name].path, left.pop(name).sha256, advance)
        except tarfile.TarError as error:
            raise SourceUnavailableError(f"{archive.name} is no archive: {error}") from error
        finally:
            archive.unlink()
        if left:
            raise SourceUnavailableError(f"{spec} came without {', '.join(sorted(left))}")


def _members(archive: Path, wanted: Mapping[str, File]) -> Iterator[tuple[str, Iterator[bytes]]]:
    names = {f"package/{file.path}": name for name, file in wanted.items()}
    with tarfile.open(archive, "r:gz") as tar:
        for member in tar:
            name = names.get(member.name)
            stream = tar.extractfile(member) if name and member.isfile() else None
            if name and stream:
                yield name, iter([stream.read(wanted[name].size + 1)])


class HubSource:
    """The places where the files were published first."""

    name = "hub"

    def __init__(self, graph_url: str = hub.GRAPH_URL, voices_url: str = hub.VOICES_URL) -> None:
        self._graph_url = graph_url
        self._voices_url = voices_url

    def graph(self, pins: Pins, folder: Path, staging: Path, advance: Advance) -> None:
        """The graph as one download that can be resumed."""
        hub.download(self._graph_url, pins.graph, folder, staging, advance)

    def voices(
        self, wanted: Mapping[str, File], pins: Pins, folder: Path, staging: Path, advance: Advance
    ) -> None:
        """Each voice as a download of its own."""
        for name, file in wanted.items():
            hub.download(f"{self._voices_url}{name}.bin", file, folder, staging, advance)


def sources() -> Sequence[Source]:
    """All sources, the nearest first."""
    return (InstalledSource(), PackageSource(), HubSource())
