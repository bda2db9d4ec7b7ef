"""The RIFF/WAVE header (Microsoft and IBM, Multimedia Programming Interface 1.0, 1991)."""

from __future__ import annotations

import struct

from firstword.protocol.errors import LocalProtocolError
from firstword.protocol.pcm import BYTES_PER_SAMPLE, CHANNELS

WAV_HEADER_BYTES = 44
UNKNOWN_LENGTH = 0xFFFFFFFF
"""What a streamed header says for a length that is not known yet."""

_LARGEST_DATA = UNKNOWN_LENGTH - 1 - (WAV_HEADER_BYTES - 8)
_PCM = 1


def wav_header(sample_rate: int, data_bytes: int | None = None) -> bytes:
    """The 44 bytes before mono 16-bit PCM; ``sample_rate`` in Hz.

    Without ``data_bytes`` the stream's length is unknown: both length fields hold 0xFFFFFFFF,
    which players, ffmpeg, sox and libsndfile read as "to the end of the file". Python's ``wave``
    takes it literally and reports a duration of a day; count the bytes instead.

    Raises LocalProtocolError for a length or a rate that the header cannot say.
    """
    if not 0 < sample_rate <= 0xFFFFFFFF // BYTES_PER_SAMPLE:
        raise LocalProtocolError(f"a WAV header cannot say {sample_rate} Hz")
    if data_bytes is None:
        riff_bytes = data_length = UNKNOWN_LENGTH
    elif 0 <= data_bytes <= _LARGEST_DATA and data_bytes % BYTES_PER_SAMPLE == 0:
        riff_bytes, data_length = data_bytes + WAV_HEADER_BYTES - 8, data_bytes
    else:
        raise LocalProtocolError(f"a WAV file cannot hold {data_bytes} bytes of 16-bit samples")
    block = BYTES_PER_SAMPLE * CHANNELS
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        riff_bytes,
        b"WAVE",
        b"fmt ",
        16,
        _PCM,
        CHANNELS,
        sample_rate,
        sample_rate * block,
        block,
        BYTES_PER_SAMPLE * 8,
        b"data",
        data_length,
    )
