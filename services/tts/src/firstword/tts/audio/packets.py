"""Compressed audio by libav (PyAV), muxed into memory."""

from __future__ import annotations

import io
from fractions import Fraction

import av
import numpy as np
from av.audio.stream import AudioStream
from numpy.typing import NDArray

from firstword.tts.audio.formats import Codec


class _Sink:
    """A file that cannot be wound back: a muxer must not come back to patch its header."""

    def __init__(self) -> None:
        self._written = io.BytesIO()

    def write(self, data: bytes) -> int:
        return self._written.write(data)

    def take(self) -> bytes:
        data = self._written.getvalue()
        self._written = io.BytesIO()
        return data


class Packets:
    """int16 mono at ``rate`` Hz to a container's bytes."""

    def __init__(self, codec: Codec, rate: int) -> None:
        self._sink = _Sink()
        self._rate = rate
        self._samples = 0
        options = {"flush_packets": "1", **dict(codec.options)}
        self._container = av.open(self._sink, "w", format=codec.container, options=options)
        stream = self._container.add_stream(codec.encoder, rate=rate, layout="mono")
        assert isinstance(stream, AudioStream)
        if codec.bits_per_s is not None:
            stream.bit_rate = codec.bits_per_s
        self._stream = stream
        self._container.start_encoding()

    def feed(self, pcm: NDArray[np.int16]) -> bytes:
        """Bytes of the packets that are complete."""
        if pcm.size:
            self._encode(pcm)
        return self._sink.take()

    def finish(self) -> bytes:
        """Bytes of the encoder's last packets and of the container's end."""
        if not self._samples:
            self._encode(np.zeros(self._rate // 100, np.int16))
        self._container.mux(self._stream.encode(None))
        self._container.close()
        return self._sink.take()

    def _encode(self, pcm: NDArray[np.int16]) -> None:
        frame = av.AudioFrame.from_ndarray(pcm.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate = self._rate
        frame.pts = self._samples
        frame.time_base = Fraction(1, self._rate)
        self._samples += pcm.size
        self._container.mux(self._stream.encode(frame))
