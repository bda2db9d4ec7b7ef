"""The model folder of this machine, as the speech server's manifest describes it.

The folder is made by ``firstword models fetch``. Read here are only the manifest's documented
fields: path, size and sha256 of each file, ``name`` of those that the code asks for, and ``recipe``
of those that were derived from the others.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firstword.infra.errors import InfraError
from firstword.infra.names import MODEL_PREFIX

MANIFEST = "manifest.json"
FORMAT = 1
GRAPH = "graph"
FETCH = "run `firstword models fetch`"
KEY_CHARS = 32


class WeightsError(InfraError):
    """The model folder is missing, broken, or holds other weights than the stack asks for."""


@dataclass(frozen=True, slots=True)
class WeightFile:
    """A file: path inside the folder, bytes, sha256, and what it is known by."""

    path: str
    size: int
    sha256: str
    name: str | None = None
    recipe: str | None = None

    @property
    def identity(self) -> str:
        """What makes it this file and no other.

        A derived file's bytes may differ from machine to machine, its recipe does not.
        """
        return f"{self.path}|{self.recipe or self.sha256}"


@dataclass(frozen=True, slots=True)
class Weights:
    """All files of a model folder, and where they belong in the bucket."""

    folder: Path
    files: tuple[WeightFile, ...]

    @property
    def graph_sha256(self) -> str:
        """Which weights these are."""
        return next(file.sha256 for file in self.files if file.name == GRAPH)

    @property
    def prefix(self) -> str:
        """Folder in the bucket. It follows from the contents: other weights lie elsewhere."""
        lines = sorted(file.identity for file in self.files)
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        return f"{MODEL_PREFIX}{digest[:KEY_CHARS]}/"


def model_folder(environ: Mapping[str, str]) -> Path:
    """Where ``firstword models fetch`` puts the files: the same rule as the speech server's."""
    if named := environ.get("FIRSTWORD_MODEL_DIR"):
        return Path(named).expanduser()
    root = environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "firstword"


def read_weights(folder: Path, wanted_sha256: str) -> Weights:
    """The folder's files by its manifest; none of them is opened.

    Raises:
        WeightsError: no manifest, a file is missing, or or the graph is not ``wanted_sha256``.
    """
    manifest = folder / MANIFEST
    try:
        data = json.loads(manifest.read_text(encoding="utf-8"))
        if data["format"] != FORMAT:
            raise WeightsError(f"{manifest} has format {data['format']}, not {FORMAT}: {FETCH}")
        weights = Weights(folder, tuple(WeightFile(**entry) for entry in data["files"]))
        found = weights.graph_sha256
    except FileNotFoundError as error:
        raise WeightsError(f"no model files in {folder}: {FETCH}") from error
    except (OSError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise WeightsError(f"{manifest} is no manifest: {FETCH}") from error
    if found != wanted_sha256:
        raise WeightsError(
            f"{folder} holds weights {found}, the stack asks for {wanted_sha256}: {FETCH}, "
            "set firstword:weightsSha256 to what is meant, or name another folder with "
            "FIRSTWORD_MODEL_DIR"
        )
    for file in weights.files:
        path = folder / file.path
        if not path.is_file() or path.stat().st_size != file.size:
            raise WeightsError(f"{path} is missing or incomplete: {FETCH}")
    return weights


def check_contents(weights: Weights) -> None:
    """Read every byte and compare it with the manifest.

    Raises:
        WeightsError: a file holds something else.
    """
    for file in weights.files:
        with (weights.folder / file.path).open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        if digest != file.sha256:
            raise WeightsError(f"{weights.folder / file.path} is corrupt: {FETCH}")
