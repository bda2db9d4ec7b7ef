from __future__ import annotations

import json

import httpx
import numpy as np
import pytest
from firstword.bench.codecs import FORMATS, in_all_formats
from firstword.bench.ear import EAR_RATE, decoded, errors, words
from firstword.tts.audio import whole

SIZES = {"pcm": 48_000, "mp3": 8_000, "aac": 12_000, "opus": 4_000}


def service(request: httpx.Request) -> httpx.Response:
    asked = json.loads(request.content)
    return httpx.Response(200, stream=httpx.ByteStream(b"\x01" * SIZES[asked["format"]]))


def test_a_clip_is_weighed_in_every_format() -> None:
    with httpx.Client(transport=httpx.MockTransport(service)) as client:
        found = in_all_formats(client, "http://service", "Hello.", 3)
    assert tuple(found) == FORMATS
    sample, audio = found["mp3"]
    assert (sample["size_bytes"], sample["base64_bytes"]) == (8_000, 10_668)
    assert sample["bitrate_kbps"] == pytest.approx(64.0)
    assert sample["first_byte_ms"] > 0
    assert len(audio) == 8_000


def test_bare_samples_are_given_a_header_before_they_are_listened_to() -> None:
    with httpx.Client(transport=httpx.MockTransport(service)) as client:
        _, audio = in_all_formats(client, "http://service", "Hello.", 1)["pcm"]
    assert audio[:4] == b"RIFF"


@pytest.mark.parametrize(
    ("heard", "wrong"),
    [
        ("the birch canoe slid", 0),
        ("The birch canoe slid.", 0),
        ("The canoe slid", 1),
        ("The birch canoe slid down", 1),
        ("A birch canoe slit", 2),
        ("", 4),
    ],
)
def test_words_are_wrong_when_they_are_other_missing_or_too_many(heard: str, wrong: int) -> None:
    assert errors("The birch canoe slid.", heard) == wrong


def test_sound_is_decoded_to_what_whisper_listens_to() -> None:
    samples = (np.sin(np.arange(24_000) / 20) / 2).astype(np.float32)
    heard = decoded(whole("mp3", 24_000, [samples]))
    assert heard.dtype == np.float32
    assert heard.size == pytest.approx(EAR_RATE, rel=0.1)
    assert 0.4 < np.abs(heard).max() < 0.6


def test_an_apostrophe_does_not_part_a_word() -> None:
    assert words("The man's fall") == ["the", "mans", "fall"]
