"""G.711 against libav's own decoder."""

from __future__ import annotations

from collections.abc import Callable

import av
import numpy as np
import pytest
from firstword.tts.audio.g711 import alaw, mulaw

EVERY = np.arange(-32_768, 32_768).astype(np.int16)


def decoded(codec: str, data: bytes) -> np.ndarray:
    context = av.CodecContext.create(codec, "r")
    assert isinstance(context, av.AudioCodecContext)
    context.sample_rate, context.layout = 8000, "mono"
    frames = [f for packet in (av.Packet(data), None) for f in context.decode(packet)]
    return np.concatenate([frame.to_ndarray().ravel() for frame in frames])


BOTH = pytest.mark.parametrize(("encode", "codec"), [(mulaw, "pcm_mulaw"), (alaw, "pcm_alaw")])


@BOTH
def test_every_level_is_encoded_as_itself(
    encode: Callable[[np.ndarray], np.ndarray], codec: str
) -> None:
    levels = decoded(codec, bytes(range(256)))
    assert np.array_equal(decoded(codec, encode(levels).tobytes()), levels)


@BOTH
def test_the_error_is_at_most_half_a_step(
    encode: Callable[[np.ndarray], np.ndarray], codec: str
) -> None:
    # Sixteen steps to an octave above the bias of 132; the lowest of A-law are 16 apart.
    heard = decoded(codec, encode(EVERY).tobytes()).astype(np.int64)
    loud = np.abs(EVERY.astype(np.int64)) + 132
    inner = np.abs(EVERY.astype(np.int64)) < 32_124
    assert np.all((np.abs(heard - EVERY) <= loud / 32 + 12)[inner])
    assert np.all(np.diff(heard) >= 0)


@pytest.mark.parametrize(("encode", "silence"), [(mulaw, 0xFF), (alaw, 0xD5)])
def test_silence_is_the_code_of_the_standard(
    encode: Callable[[np.ndarray], np.ndarray], silence: int
) -> None:
    assert encode(np.zeros(3, np.int16)).tolist() == [silence] * 3
