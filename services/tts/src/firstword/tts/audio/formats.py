"""The formats that speech can be asked for in, and which rates each can have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

type Format = Literal["wav", "pcm", "mp3", "opus", "aac", "flac", "mulaw", "alaw"]

FORMATS: tuple[Format, ...] = get_args(Format.__value__)

SAMPLE_RATES = (8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)
"""Hz that may be asked for."""

_OPUS_RATES = (8_000, 16_000, 24_000, 48_000)


@dataclass(frozen=True, slots=True)
class Codec:
    """How libav makes a format."""

    encoder: str
    container: str
    bits_per_s: int | None
    options: tuple[tuple[str, str], ...] = ()


CODECS: dict[Format, Codec] = {
    "mp3": Codec("libmp3lame", "mp3", 64_000, (("write_xing", "0"), ("id3v2_version", "0"))),
    "opus": Codec("libopus", "ogg", 32_000, (("page_duration", "20000"),)),
    "aac": Codec("aac", "adts", 96_000),
    "flac": Codec("flac", "flac", None),
}
"""The others are made without libav."""


def content_type(format: Format, rate: int) -> str:  # noqa: A002
    """The media type of a body in ``format`` at ``rate`` Hz (see docs/adr/0006)."""
    match format:
        case "wav":
            return "audio/wav"
        case "pcm":
            return f"audio/pcm;rate={rate};channels=1"
        case "mp3":
            return "audio/mpeg"
        case "opus":
            return "audio/ogg;codecs=opus"
        case "aac":
            return "audio/aac"
        case "flac":
            return "audio/flac"
        case "mulaw":
            return f"audio/PCMU;rate={rate}"
        case "alaw":
            return f"audio/PCMA;rate={rate}"


def encoded_rate(format: Format, rate: int) -> int:  # noqa: A002
    """The rate in Hz that a body asked for at ``rate`` really has.

    Opus has five rates only: another one becomes the next higher, which loses nothing.

    Raises:
        ValueError: ``rate`` is not one of ``SAMPLE_RATES``.
    """
    if rate not in SAMPLE_RATES:
        allowed = ", ".join(map(str, SAMPLE_RATES))
        raise ValueError(f"sample rate {rate} is not one of {allowed}")
    if format == "opus":
        return next(allowed for allowed in _OPUS_RATES if allowed >= rate)
    return rate


def format_named(name: str) -> Format:
    """The format of that name, in any case.

    Raises:
        ValueError: there is none.
    """
    for known in FORMATS:
        if name.lower() == known:
            return known
    raise ValueError(f"format {name!r} is not one of {', '.join(FORMATS)}")
