"""``manifest.json``: what a model folder holds. It is written last: a folder with one is whole."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from firstword.tts.models.errors import ModelsCorruptError, ModelsMissingError
from firstword.tts.models.files import is_intact, place
from firstword.tts.models.pins import GRAPH, Pins

MANIFEST_NAME = "manifest.json"
FORMAT = 1
FETCH_COMMAND = "firstword models fetch"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file: path inside the folder, bytes, sha256, and for a derived one its recipe's key."""

    path: str
    size: int
    sha256: str
    name: str | None = None
    """What the code asks for it by (``graph``, ``timed``); None for a voice."""
    recipe: str | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files of one folder."""

    entries: tuple[Entry, ...]

    def named(self, name: str) -> Entry | None:
        """The entry of that name."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def write(self, folder: Path) -> None:
        """Write it into ``folder``, whole or not at all."""
        files = [{k: v for k, v in asdict(e).items() if v is not None} for e in self.entries]
        text = json.dumps({"format": FORMAT, "files": files}, indent=1) + "\n"
        place([text.encode()], folder / MANIFEST_NAME)


def read_manifest(folder: Path) -> Manifest | None:
    """The folder's manifest, or None where there is none.

    Raises:
        ModelsCorruptError: it cannot be read, or is of a later format.
    """
    path = folder / MANIFEST_NAME
    try:
        data = json.loads(path.read_text("utf-8"))
        if data["format"] != FORMAT:
            raise ModelsCorruptError(
                f"{path} has format {data['format']}, this version reads {FORMAT}: "
                f"run `{FETCH_COMMAND}`"
            )
        return Manifest(tuple(Entry(**entry) for entry in data["files"]))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelsCorruptError(f"{path} is no manifest: run `{FETCH_COMMAND}`") from error


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A folder that is known to hold a whole set of model files."""

    folder: Path
    manifest: Manifest

    @classmethod
    def open(cls, folder: Path) -> ModelFiles:
        """Look that the folder holds every file of its manifest, by size.

        Raises:
            ModelsMissingError: no manifest, or a file is absent or of another size.
            ModelsCorruptError: the manifest cannot be read.
        """
        manifest = read_manifest(folder)
        if manifest is None:
            raise ModelsMissingError(f"no model files in {folder}: run `{FETCH_COMMAND}`")
        for entry in manifest.entries:
            path = folder / entry.path
            if not path.is_file() or path.stat().st_size != entry.size:
                raise ModelsMissingError(f"{path} is missing or incomplete: run `{FETCH_COMMAND}`")
        return cls(folder, manifest)

    def path(self, name: str) -> Path:
        """Where the named file lies.

        Raises:
            ModelsMissingError: the folder was made by a version that had no such file.
        """
        return self.folder / self._entry(name).path

    def identity(self, name: str) -> str:
        """What the named file was made from: sha256 of the graph, and the recipe's key."""
        graph = self._entry(GRAPH).sha256
        recipe = self._entry(name).recipe
        return f"{graph[:12]}-{recipe}" if recipe else graph[:12]

    def _entry(self, name: str) -> Entry:
        entry = self.manifest.named(name)
        if entry is None:
            raise ModelsMissingError(f"{self.folder} has no {name!r} file: run `{FETCH_COMMAND}`")
        return entry


def problems(folder: Path, pins: Pins) -> list[str]:
    """All that is wrong with a folder, by reading every byte; empty when it is sound."""
    try:
        manifest = read_manifest(folder)
    except ModelsCorruptError as error:
        return [str(error)]
    if manifest is None:
        return [f"no {MANIFEST_NAME} in {folder}: run `{FETCH_COMMAND}`"]
    found: list[str] = []
    listed = {entry.path: entry for entry in manifest.entries}
    for file in pins.files:
        entry = listed.get(file.path)
        if entry is None:
            found.append(f"{file.path}: not in the manifest")
        elif entry.sha256 != file.sha256:
            found.append(f"{file.path}: the manifest names another sha256 than this version")
    for entry in manifest.entries:
        path = folder / entry.path
        if not path.is_file():
            found.append(f"{entry.path}: missing")
        elif not is_intact(path, entry.size, entry.sha256):
            found.append(f"{entry.path}: corrupt")
    return found
