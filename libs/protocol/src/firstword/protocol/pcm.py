"""Facts of the audio on both wires: mono, signed 16-bit, little-endian."""

from __future__ import annotations

from collections.abc import Iterator

from firstword.protocol.frames import MAX_AUDIO_FRAME_BYTES

PCM_FORMAT = "pcm_s16le"
BYTES_PER_SAMPLE = 2
CHANNELS = 1


def samples_in(data_bytes: int) -> int:
    """Whole samples in that many bytes."""
    return data_bytes // BYTES_PER_SAMPLE


def duration_s(samples: int, sample_rate: int) -> float:
    """How long samples last, in seconds; ``sample_rate`` in Hz."""
    return samples / sample_rate


def audio_frames(data: bytes, max_bytes: int = MAX_AUDIO_FRAME_BYTES) -> Iterator[bytes]:
    """PCM cut into frames of whole samples, ``max_bytes`` (2 or more) at most each."""
    step = max_bytes - max_bytes % BYTES_PER_SAMPLE
    for start in range(0, len(data), step):
        yield data[start : start + step]


class PcmAligner:
    """Makes whole samples of bytes that were cut anywhere: an odd byte waits for its other half.

    One aligner serves one synthesis; the next one starts with a fresh half.
    """

    def __init__(self) -> None:
        self._half = b""

    def feed(self, data: bytes) -> bytes:
        """The whole samples that are complete now, in order; maybe none."""
        joined = self._half + data
        whole = len(joined) - len(joined) % BYTES_PER_SAMPLE
        self._half = joined[whole:]
        return joined[:whole]

    def flush(self) -> int:
        """Ends the stream; gives how many bytes (0 or 1) had no other half and were dropped."""
        dropped, self._half = len(self._half), b""
        return dropped
