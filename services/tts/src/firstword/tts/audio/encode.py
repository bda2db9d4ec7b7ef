"""Room 10's way out: the engine's float32 as the bytes of one response.

An encoder belongs to one response: ``encode`` gives the bytes that are certain, as early as the
codec allows; ``finish`` gives all that is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from firstword.protocol import wav_header
from firstword.tts.audio.formats import CODECS, Format, content_type, encoded_rate
from firstword.tts.audio.g711 import alaw, mulaw
from firstword.tts.audio.levels import to_int16
from firstword.tts.audio.resample import Resampler

type Samples = NDArray[np.float32]


class Encoder(Protocol):
    """One response's audio. ``sample_rate`` is what it really has, in Hz."""

    content_type: str
    sample_rate: int

    def encode(self, samples: Samples) -> bytes:
        """Take float32 (n,) at the engine's 24 kHz; give the bytes that are certain now."""
        ...

    def finish(self) -> bytes:
        """Give the rest, once."""
        ...


def encoder(format: Format, sample_rate: int) -> Encoder:  # noqa: A002
    """An encoder for one response in ``format``, asked for at ``sample_rate`` Hz.

    Raises:
        ValueError: the rate is not one of the contract's.
    """
    rate = encoded_rate(format, sample_rate)
    media_type = content_type(format, rate)
    if format in CODECS:
        from firstword.tts.audio.packets import Packets

        return _Coded(media_type, rate, Packets(CODECS[format], rate))
    header = wav_header(rate) if format == "wav" else b""
    return _Plain(media_type, rate, format, header)


def whole(format: Format, sample_rate: int, blocks: Iterable[Samples]) -> bytes:  # noqa: A002
    """A complete file of float32 blocks at 24 kHz; a WAV's header tells its true length."""
    if format == "wav":
        rate = encoded_rate(format, sample_rate)
        data = whole("pcm", rate, blocks)
        return wav_header(rate, len(data)) + data
    one = encoder(format, sample_rate)
    return b"".join([*(one.encode(block) for block in blocks), one.finish()])


class _Plain:
    """Samples one by one, after a header."""

    def __init__(self, content_type: str, rate: int, format: Format, header: bytes) -> None:  # noqa: A002
        self.content_type = content_type
        self.sample_rate = rate
        self._format = format
        self._header = header
        self._resampler = Resampler(rate)

    def encode(self, samples: Samples) -> bytes:
        return self._bytes(self._resampler.feed(samples))

    def finish(self) -> bytes:
        return self._bytes(self._resampler.flush())

    def _bytes(self, samples: Samples) -> bytes:
        header, self._header = self._header, b""
        pcm = to_int16(samples)
        if self._format == "mulaw":
            return header + mulaw(pcm).tobytes()
        if self._format == "alaw":
            return header + alaw(pcm).tobytes()
        return header + pcm.tobytes()


class _Coded:
    """A codec of libav's, in its usual container."""

    def __init__(self, content_type: str, rate: int, packets: _Packets) -> None:
        self.content_type = content_type
        self.sample_rate = rate
        self._packets = packets
        self._resampler = Resampler(rate)

    def encode(self, samples: Samples) -> bytes:
        return self._packets.feed(to_int16(self._resampler.feed(samples)))

    def finish(self) -> bytes:
        return self._packets.feed(to_int16(self._resampler.flush())) + self._packets.finish()


class _Packets(Protocol):
    def feed(self, pcm: NDArray[np.int16]) -> bytes: ...

    def finish(self) -> bytes: ...
