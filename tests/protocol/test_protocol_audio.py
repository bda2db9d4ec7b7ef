"""PCM cut anywhere, and the header before it."""

from __future__ import annotations

import io
import struct
import wave

import pytest
from firstword.protocol import (
    MAX_AUDIO_FRAME_BYTES,
    LocalProtocolError,
    PcmAligner,
    audio_frames,
    duration_s,
    samples_in,
    wav_header,
)


def test_an_odd_byte_waits_for_its_other_half() -> None:
    aligner = PcmAligner()
    assert [aligner.feed(piece) for piece in (b"abc", b"d", b"e", b"f", b"")] == [
        b"ab",
        b"cd",
        b"",
        b"ef",
        b"",
    ]
    assert aligner.flush() == 0


def test_an_odd_byte_at_the_end_is_dropped_and_does_not_shift_the_next_synthesis() -> None:
    aligner = PcmAligner()
    aligner.feed(b"abc")
    assert aligner.flush() == 1
    assert aligner.feed(b"xy") == b"xy"


def test_audio_is_cut_into_frames_of_whole_samples() -> None:
    data = bytes(range(250)) * 200
    frames = list(audio_frames(data))
    assert b"".join(frames) == data
    assert max(map(len, frames)) == MAX_AUDIO_FRAME_BYTES
    assert [len(frame) for frame in audio_frames(b"abcdef", max_bytes=5)] == [4, 2]


def test_lengths_are_counted_in_samples_and_seconds() -> None:
    assert samples_in(48001) == 24000
    assert duration_s(12000, 24000) == 0.5


def test_a_wav_file_of_known_length_is_read_by_another_reader() -> None:
    pcm = struct.pack("<4h", 0, 1, -1, 32767)
    with wave.open(io.BytesIO(wav_header(22050, len(pcm)) + pcm)) as reader:
        assert (reader.getnchannels(), reader.getsampwidth()) == (1, 2)
        assert (reader.getframerate(), reader.getnframes()) == (22050, 4)
        assert reader.readframes(4) == pcm


def test_a_streamed_header_says_that_the_length_is_unknown() -> None:
    header = wav_header(24000)
    assert len(header) == 44
    riff, riff_bytes, kind = struct.unpack_from("<4sI4s", header)
    data, data_bytes = struct.unpack_from("<4sI", header, 36)
    assert (riff, kind, data) == (b"RIFF", b"WAVE", b"data")
    assert riff_bytes == data_bytes == 0xFFFFFFFF


@pytest.mark.parametrize(
    ("rate", "size"), [(0, 2), (-1, 2), (2**31, 2), (24000, 3), (24000, -2), (24000, 2**32)]
)
def test_a_header_that_would_lie_is_refused(rate: int, size: int) -> None:
    with pytest.raises(LocalProtocolError):
        wav_header(rate, size)
