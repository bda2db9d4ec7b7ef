"""``models fetch``: from an empty folder, or a broken one, to a whole one."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from firstword.tts.models.derive import STEPS, Step, recipe_keys
from firstword.tts.models.errors import DiskError, ModelsError, SourceUnavailableError
from firstword.tts.models.files import disk_errors, is_intact, new_file, sha256_of
from firstword.tts.models.manifest import Entry, Manifest, read_manifest
from firstword.tts.models.pins import GRAPH, File, Pins, pins
from firstword.tts.models.progress import Progress
from firstword.tts.models.sources import Source, sources

STAGING = ".staging"
DERIVED = "derived"
LOCK = ".lock"


def missing(folder: Path, pins: Pins) -> list[File]:
    """The pinned files that are absent or broken."""
    return [f for f in pins.files if not is_intact(folder / f.path, f.size, f.sha256)]


def fetch(
    folder: Path,
    progress: Progress,
    *,
    asked: Sequence[Source] | None = None,
    wanted: Pins | None = None,
    steps: Sequence[Step] = STEPS,
) -> Manifest:
    """Make ``folder`` hold every model file, verified. What is there and right is kept.

    Two fetches into one folder follow each other; one that was killed goes on where it was.

    Raises:
        SourceUnavailableError: no source could give a file; the text holds each one's reason.
        DiskError: the folder is full or cannot be written.
    """
    folder = folder.absolute()
    wanted = wanted or pins()
    asked = asked if asked is not None else sources()
    with _locked(folder, progress):
        lacking = missing(folder, wanted)
        staging = folder / STAGING
        if lacking:
            _check_space(folder, lacking)
            _obtain(folder, staging, wanted, lacking, asked, progress)
        manifest = _finish(folder, wanted, steps, progress)
        shutil.rmtree(staging, ignore_errors=True)
        return manifest


def _obtain(
    folder: Path,
    staging: Path,
    wanted: Pins,
    lacking: Sequence[File],
    asked: Sequence[Source],
    progress: Progress,
) -> None:
    paths = {file.path for file in lacking}
    voices = {name: file for name, file in wanted.voices.items() if file.path in paths}
    if wanted.graph.path in paths:
        _first(
            "weights",
            asked,
            lambda source: source.graph(wanted, folder, staging, progress.advance),
            progress,
        )
    if voices:
        _first(
            "voices",
            asked,
            lambda source: source.voices(
                _still_lacking(folder, voices), wanted, folder, staging, progress.advance
            ),
            progress,
        )


def _still_lacking(folder: Path, files: Mapping[str, File]) -> dict[str, File]:
    return {n: f for n, f in files.items() if not is_intact(folder / f.path, f.size, f.sha256)}


def _first(
    what: str, asked: Sequence[Source], ask: Callable[[Source], None], progress: Progress
) -> None:
    reasons: list[str] = []
    for source in asked:
        progress.say(f"{what}: from {source.name}")
        try:
            ask(source)
        except DiskError:
            raise
        except ModelsError as error:
            reasons.append(f"{source.name}: {error}")
        else:
            return
    listed = "\n".join(f"  - {reason}" for reason in reasons)
    raise SourceUnavailableError(
        f"the {what} could not be had from anywhere:\n{listed}\n"
        "what has come is kept: run the command again when the network is back"
    )


def _finish(folder: Path, wanted: Pins, steps: Sequence[Step], progress: Progress) -> Manifest:
    entries = [Entry(wanted.graph.path, wanted.graph.size, wanted.graph.sha256, GRAPH)]
    entries += [Entry(file.path, file.size, file.sha256) for file in wanted.voices.values()]
    paths = {GRAPH: folder / wanted.graph.path}
    keys = recipe_keys(wanted.graph.sha256, steps)
    before = _derived_before(folder)
    for step in steps:
        path = f"{DERIVED}/{step.name}-{keys[step.name]}{step.suffix}"
        entry = before.get(path)
        if entry is None or not is_intact(folder / path, entry.size, entry.sha256):
            progress.say(f"{step.name}: making it")
            with new_file(folder / path) as temporary:
                step.build(paths, temporary)
            made = folder / path
            size, digest = made.stat().st_size, sha256_of(made)
            entry = Entry(path, size, digest, step.name, keys[step.name])
        paths[step.name] = folder / path
        entries.append(entry)
    manifest = Manifest(tuple(entries))
    if manifest != _manifest_before(folder):
        manifest.write(folder)
    _drop_stale(folder, manifest)
    return manifest


def _manifest_before(folder: Path) -> Manifest | None:
    try:
        return read_manifest(folder)
    except ModelsError:
        return None


def _derived_before(folder: Path) -> dict[str, Entry]:
    manifest = _manifest_before(folder)
    return {entry.path: entry for entry in manifest.entries} if manifest else {}


def _drop_stale(folder: Path, manifest: Manifest) -> None:
    kept = {folder / entry.path for entry in manifest.entries}
    for path in (folder / DERIVED).glob("*"):
        if path not in kept and path.is_file():
            path.unlink()


def _check_space(folder: Path, lacking: Sequence[File]) -> None:
    # Once in staging, once in its place, and derived files about as large as their source.
    needed = 3 * sum(file.size for file in lacking)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise DiskError(
            f"{folder} has {free / 1e6:.0f} MB free and about {needed / 1e6:.0f} MB are needed: "
            "free some space, or set FIRSTWORD_MODEL_DIR"
        )


@contextmanager
def _locked(folder: Path, progress: Progress) -> Iterator[None]:
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / LOCK).open("w")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.say("another fetch into this folder is running: waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
