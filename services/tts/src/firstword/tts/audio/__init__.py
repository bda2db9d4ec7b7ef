"""Room 10: float32 to bytes. It knows nothing of requests, sessions or models."""

from firstword.tts.audio.encode import Encoder, encoder, whole
from firstword.tts.audio.formats import (
    FORMATS,
    SAMPLE_RATES,
    Format,
    content_type,
    encoded_rate,
    format_named,
)
from firstword.tts.audio.levels import limit, to_int16
from firstword.tts.audio.resample import Resampler

__all__ = [
    "FORMATS",
    "SAMPLE_RATES",
    "Encoder",
    "Format",
    "Resampler",
    "content_type",
    "encoded_rate",
    "encoder",
    "format_named",
    "limit",
    "to_int16",
    "whole",
]
