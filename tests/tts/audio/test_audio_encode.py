"""Every format, cut every way, decoded again."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import av
import numpy as np
import pytest
from firstword.tts.audio import (
    FORMATS,
    SAMPLE_RATES,
    Format,
    Resampler,
    content_type,
    encoded_rate,
    encoder,
    format_named,
    whole,
)
from hypothesis import given, settings
from hypothesis import strategies as st

SECOND = 24_000


def tone(seconds: float = 1.0, hertz: float = 440.0, level: float = 0.5) -> np.ndarray:
    time = np.arange(round(seconds * SECOND)) / SECOND
    return (level * np.sin(2 * np.pi * hertz * time)).astype(np.float32)


def in_blocks(samples: np.ndarray, size: int) -> list[np.ndarray]:
    return [samples[at : at + size] for at in range(0, samples.size, size)]


def streamed(form: Format, rate: int, blocks: list[np.ndarray]) -> bytes:
    one = encoder(form, rate)
    return b"".join([*(one.encode(block) for block in blocks), one.finish()])


def decoded(form: Format, rate: int, data: bytes) -> tuple[np.ndarray, int]:
    """float32 (n,) and its rate, by a decoder that is not ours."""
    raw = {"pcm": "s16le", "mulaw": "mulaw", "alaw": "alaw"}.get(form)
    options = {"sample_rate": str(rate)} if raw else {}
    with av.open(io.BytesIO(data), "r", format=raw, options=options) as container:
        frames = list(container.decode(audio=0))
    blocks = []
    for frame in frames:
        block = frame.to_ndarray()[0].astype(np.float32)
        blocks.append(block / 32_768 if frame.format.name.startswith("s16") else block)
    return np.concatenate(blocks), frames[0].sample_rate


@pytest.mark.parametrize("rate", SAMPLE_RATES)
@pytest.mark.parametrize("form", FORMATS)
def test_what_is_encoded_can_be_heard_to_its_end(form: Format, rate: int) -> None:
    # A high tone in the last tenth of a second: a tail that is lost is missed.
    speech = np.concatenate([tone(0.9, 440), tone(0.1, 1000)])
    heard, heard_rate = decoded(form, rate, streamed(form, rate, in_blocks(speech, 480)))

    expected = 48_000 if form == "opus" else encoded_rate(form, rate)
    assert heard_rate == expected
    assert heard.size / heard_rate == pytest.approx(1.0, abs=0.2)
    assert heard.size / heard_rate > 0.999
    window = heard_rate // 10
    pitch = [
        np.argmax(np.abs(np.fft.rfft(heard[at : at + window]))) * 10
        for at in range(0, heard.size - window + 1, window // 4)
    ]
    assert 440 in [round(p, -1) for p in pitch]
    assert 1000 in [round(p, -1) for p in pitch]


@pytest.mark.parametrize("form", ["wav", "pcm", "flac"])
def test_lossless_formats_lose_nothing(form: Format) -> None:
    speech = tone(0.5)
    heard, _ = decoded(form, SECOND, streamed(form, SECOND, in_blocks(speech, 1000)))
    assert heard.size == speech.size
    assert np.max(np.abs(heard - speech)) <= 0.5 / 32_768 + 1e-7


@pytest.mark.parametrize("form", FORMATS)
def test_how_the_audio_is_cut_does_not_matter(form: Format) -> None:
    speech = tone(0.7)
    at_once = streamed(form, 16_000, [speech])
    assert decoded_equal(form, at_once, streamed(form, 16_000, in_blocks(speech, 333)))


def decoded_equal(form: Format, one: bytes, other: bytes) -> bool:
    first, second = decoded(form, 16_000, one)[0], decoded(form, 16_000, other)[0]
    return first.size == second.size and bool(np.allclose(first, second, atol=2 / 32_768))


@pytest.mark.parametrize("form", FORMATS)
def test_the_first_bytes_come_early(form: Format) -> None:
    one = encoder(form, SECOND)
    fed, got = 0, 0
    for block in in_blocks(tone(), 480):
        fed += block.size
        got += len(one.encode(block))
        if got > 300:
            break
    assert fed / SECOND <= 0.25


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_to_say_is_a_file_with_almost_nothing_in_it(form: Format) -> None:
    data = encoder(form, SECOND).finish()
    if form in ("pcm", "mulaw", "alaw"):
        assert data == b""
    elif form == "wav":
        assert len(data) == 44
    else:
        heard, rate = decoded(form, SECOND, data)
        assert heard.size / rate < 0.2
        assert np.max(np.abs(heard), initial=0) < 0.01


def test_a_streamed_wav_has_one_header_at_its_start() -> None:
    data = streamed("wav", SECOND, in_blocks(tone(), 4800))
    assert data[:4] == b"RIFF"
    assert data.count(b"RIFF") == data.count(b"WAVEfmt ") == 1
    assert struct.unpack("<I", data[40:44])[0] == 0xFFFFFFFF
    assert len(data) == 44 + 2 * SECOND


def test_a_whole_wav_tells_its_true_length() -> None:
    data = whole("wav", 16_000, in_blocks(tone(), 4800))
    assert struct.unpack("<I", data[4:8])[0] == len(data) - 8
    assert struct.unpack("<I", data[40:44])[0] == len(data) - 44 == 2 * 16_000


def test_loud_audio_is_clipped_in_every_format() -> None:
    for form in FORMATS:
        heard, _ = decoded(form, SECOND, streamed(form, SECOND, [tone(level=4.0)]))
        assert np.max(np.abs(heard)) < 1.5, form


def test_opus_takes_the_next_rate_that_it_has() -> None:
    assert [encoded_rate("opus", rate) for rate in SAMPLE_RATES] == [
        8_000, 16_000, 24_000, 24_000, 48_000, 48_000, 48_000,
    ]  # fmt: skip
    assert encoder("opus", 44_100).sample_rate == 48_000


@pytest.mark.parametrize("form", FORMATS)
def test_a_rate_that_is_not_in_the_contract_is_refused(form: Format) -> None:
    with pytest.raises(ValueError, match="sample rate 96000 is not one of 8000"):
        encoder(form, 96_000)


def test_every_format_has_its_media_type() -> None:
    assert {form: content_type(form, 8_000) for form in FORMATS} == {
        "wav": "audio/wav",
        "pcm": "audio/pcm;rate=8000;channels=1",
        "mp3": "audio/mpeg",
        "opus": "audio/ogg;codecs=opus",
        "aac": "audio/aac",
        "flac": "audio/flac",
        "mulaw": "audio/PCMU;rate=8000",
        "alaw": "audio/PCMA;rate=8000",
    }


def test_the_document_lists_every_format_with_its_media_type() -> None:
    text = (Path(__file__).parents[3] / "docs/adr/0006-audio-encoding.md").read_text("utf-8")
    for form in FORMATS:
        assert f"`{content_type(form, 8_000).replace('rate=8000', 'rate=R')}`" in text, form
    assert ", ".join(str(rate) for rate in SAMPLE_RATES[:-1]) in text


def test_formats_are_named_in_any_case() -> None:
    assert format_named("MP3") == "mp3"
    with pytest.raises(ValueError, match="not one of wav, pcm"):
        format_named("midi")


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(SAMPLE_RATES), st.lists(st.integers(0, 3000), max_size=12))
def test_resampling_is_exact_in_length_and_blind_to_cuts(rate: int, sizes: list[int]) -> None:
    noise = np.random.default_rng(7).standard_normal(sum(sizes)).astype(np.float32) * 0.1
    cut = np.split(noise, np.cumsum(sizes)[:-1]) if sizes else [noise]
    one, other = Resampler(rate), Resampler(rate)
    pieces = np.concatenate([*(one.feed(block) for block in cut), one.flush()])
    at_once = np.concatenate([other.feed(noise), other.flush()])
    assert abs(pieces.size - noise.size * rate / SECOND) <= 1
    assert np.array_equal(pieces, at_once)
