"""Files on the disk: hashed, and never seen half written."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from firstword.tts.models.errors import DiskError, ModelsCorruptError

CHUNK = 1 << 20


def sha256_of(path: Path) -> str:
    """The file's sha256 in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_intact(path: Path, size: int, sha256: str) -> bool:
    """Whether the file is there with that size (bytes) and that sha256."""
    return path.is_file() and path.stat().st_size == size and sha256_of(path) == sha256


def chunks_of(paths: Iterable[Path]) -> Iterator[bytes]:
    """The contents of the files one after the other."""
    for path in paths:
        with path.open("rb") as file:
            while data := file.read(CHUNK):
                yield data


def place(
    chunks: Iterable[bytes],
    destination: Path,
    sha256: str | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> None:
    """Write ``chunks`` to ``destination``: whole and with that sha256, or not at all.

    Raises:
        ModelsCorruptError: the bytes have another sha256.
        DiskError: the folder cannot be written.
    """
    with new_file(destination) as temporary:
        digest = hashlib.sha256()
        with temporary.open("wb") as file:
            for data in chunks:
                file.write(data)
                digest.update(data)
                advance(len(data))
        if sha256 is not None and digest.hexdigest() != sha256:
            raise ModelsCorruptError(
                f"{destination.name} came with sha256 {digest.hexdigest()}, expected {sha256}"
            )


@contextmanager
def new_file(destination: Path) -> Iterator[Path]:
    """A path beside ``destination`` to write to; it takes its place when the block ends well."""
    with disk_errors(destination.parent):
        destination.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{destination.name}.", dir=destination.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            temporary.chmod(0o644)
            _sync(temporary)
            temporary.replace(destination)
            _sync(destination.parent)
        finally:
            temporary.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Turn the system's words about a disk into ours."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskError(f"the disk that holds {folder} is full: free some space") from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
            raise DiskError(
                f"{folder} cannot be written ({error.strerror}): set FIRSTWORD_MODEL_DIR to a "
                "folder of yours"
            ) from error
        raise
