"""A reply as a WAV file that is there whole or not at all."""

from __future__ import annotations

import os
import tempfile
import wave
from pathlib import Path
from types import TracebackType
from typing import Self

from firstword.protocol import BYTES_PER_SAMPLE


class Recording:
    """Takes s16le mono samples as they come; the file appears when the block ends without error."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._wave: wave.Wave_write | None = None
        self._temporary: Path | None = None

    def begin(self, sample_rate: int) -> None:
        """Open the temporary file beside the final one. Raises OSError."""
        handle, name = tempfile.mkstemp(prefix=f".{self._path.name}.", dir=self._path.parent)
        os.close(handle)
        self._temporary = Path(name)
        self._wave = wave.open(name, "wb")  # noqa: SIM115 (closed in __exit__)
        self._wave.setnchannels(1)
        self._wave.setsampwidth(BYTES_PER_SAMPLE)
        self._wave.setframerate(sample_rate)

    def write(self, samples: bytes) -> None:
        """Append whole samples."""
        assert self._wave is not None, "begin() comes first"
        self._wave.writeframes(samples)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._wave is None or self._temporary is None:
            return
        self._wave.close()
        if kind is None:
            self._temporary.chmod(0o644)
            self._temporary.replace(self._path)
        else:
            self._temporary.unlink()
