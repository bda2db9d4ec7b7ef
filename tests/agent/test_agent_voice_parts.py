"""Payload parts become messages, however frames and parts are cut."""

from __future__ import annotations

import pytest
from firstword.agent.voice_parts import PartReader
from firstword.protocol import (
    Error,
    RemoteProtocolError,
    SynthesisComplete,
    SynthesisStart,
    Word,
    Words,
    encode,
)
from hypothesis import given
from hypothesis import strategies as st

FRAMES = [
    encode(frame).encode()
    for frame in (
        SynthesisStart(request_id="r1", engine="fake-1"),
        Words(
            request_id="r1",
            words=(Word(word='a"}{\\', start_s=0.0, end_s=1.0, text_start=0, text_end=2),),
        ),
        Error(code="oops", message="braces } in { a “message”", request_id="r1"),
        SynthesisComplete(request_id="r1", total_duration_s=1.0, elapsed_s=0.1, samples=24_000),
    )
]
SAMPLES = bytes(range(256)) * 4


def test_a_part_that_says_what_it_is_is_believed() -> None:
    reader = PartReader()
    assert reader.feed(FRAMES[0], "UTF8") == [(FRAMES[0], False)]
    assert reader.feed(FRAMES[0], "BINARY") == [(FRAMES[0], True)]
    assert reader.feed(SAMPLES, "BINARY") == [(SAMPLES, True)]


def test_a_part_that_does_not_say_is_a_frame_only_when_it_begins_as_one() -> None:
    reader = PartReader()
    assert reader.feed(FRAMES[0], None) == [(FRAMES[0], False)]
    assert reader.feed(SAMPLES, None) == [(SAMPLES, True)]
    assert reader.feed(b"{", None) == [(b"{", True)]
    assert reader.feed(b'{"type":"no such thing"}', None) == [(b'{"type":"no such thing"}', True)]


@pytest.mark.parametrize("data_type", ["UTF8", None])
@pytest.mark.parametrize("frame", FRAMES, ids=["start", "words", "error", "complete"])
def test_a_frame_may_be_cut_anywhere(frame: bytes, data_type: str | None) -> None:
    first = 1 if data_type == "UTF8" else 4
    for cut in range(first, len(frame)):
        reader = PartReader()
        assert reader.feed(frame[:cut], data_type) == []
        assert reader.feed(frame[cut:], data_type) == [(frame, False)]
        assert reader.feed(SAMPLES, "BINARY") == [(SAMPLES, True)]


@pytest.mark.parametrize("data_type", ["UTF8", None])
def test_frames_that_share_a_part_are_taken_one_by_one(data_type: str | None) -> None:
    reader = PartReader()
    assert reader.feed(b"".join(FRAMES), data_type) == [(frame, False) for frame in FRAMES]
    spaced = [frame + b"\n" for frame in FRAMES]
    found = reader.feed(b"".join(spaced), "UTF8")
    assert [message.strip() for message, _ in found] == FRAMES


@pytest.mark.parametrize("data_type", ["UTF8", None])
@pytest.mark.parametrize("samples", [SAMPLES, b"}}" + SAMPLES, b'{"}{' + SAMPLES])
def test_audio_may_follow_a_frame_in_its_part(samples: bytes, data_type: str | None) -> None:
    reader = PartReader()
    assert reader.feed(FRAMES[0] + samples, data_type) == [(FRAMES[0], False), (samples, True)]
    assert reader.feed(FRAMES[1], "UTF8") == [(FRAMES[1], False)]


@given(st.lists(st.integers(1, 40), max_size=60))
def test_text_comes_out_as_it_went_in(sizes: list[int]) -> None:
    stream = b"".join(FRAMES)
    reader = PartReader()
    found, start = [], 0
    for size in [*sizes, len(stream)]:
        found += reader.feed(stream[start : start + size], "UTF8")
        start += size
    assert found == [(frame, False) for frame in FRAMES]


def test_audio_in_the_middle_of_a_frame_is_the_services_fault() -> None:
    reader = PartReader()
    reader.feed(FRAMES[0][:20], "UTF8")
    with pytest.raises(RemoteProtocolError):
        reader.feed(SAMPLES, "BINARY")


def test_a_frame_without_an_end_is_not_waited_for_for_ever() -> None:
    reader = PartReader(max_bytes=1000)
    assert reader.feed(b'{"type":"error","message":"' + b"x" * 900, "UTF8") == []
    with pytest.raises(RemoteProtocolError):
        reader.feed(b"x" * 100, "UTF8")


def test_text_that_is_no_frame_is_handed_on_to_be_refused() -> None:
    assert PartReader().feed(b"hello", "UTF8") == [(b"hello", False)]
