"""Files are whole or absent."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from firstword.tts.models.errors import DiskError, ModelsCorruptError
from firstword.tts.models.files import is_intact, new_file, place


def test_a_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "file"

    def chunks() -> Iterator[bytes]:
        yield b"first"
        assert not target.exists()
        yield b"second"

    place(chunks(), target, hashlib.sha256(b"firstsecond").hexdigest())
    assert target.read_bytes() == b"firstsecond"


def test_a_failure_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")
    with pytest.raises(ModelsCorruptError, match="expected abc"):
        place([b"new"], target, "abc")
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("number", "said"),
    [(errno.ENOSPC, "full"), (errno.EACCES, "cannot be written"), (errno.EROFS, "FIRSTWORD")],
)
def test_what_the_disk_says_is_said_in_words(tmp_path: Path, number: int, said: str) -> None:
    with pytest.raises(DiskError, match=said), new_file(tmp_path / "file"):
        raise OSError(number, "system")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("size", "content"), [(4, b"data"), (3, b"dat"), (4, b"Data"), (4, None)])
def test_intact_means_size_and_sha256(tmp_path: Path, size: int, content: bytes | None) -> None:
    path = tmp_path / "file"
    if content is not None:
        path.write_bytes(content)
    assert is_intact(path, size, hashlib.sha256(b"data").hexdigest()) == (content == b"data")
