"""Frames to JSON and back: what is taken, what is refused, and in what words."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from firstword.protocol import (
    FRAME_TYPES,
    AgentEnd,
    Audio,
    AudioChunk,
    Cancel,
    Close,
    Error,
    Frame,
    LocalProtocolError,
    Prompt,
    ProtocolError,
    RemoteProtocolError,
    Synthesize,
    TextDelta,
    Word,
    Words,
    decode,
    encode,
    from_dict,
    to_dict,
)

A_WORD = Word(word="Hi", start_s=0.0, end_s=0.25, text_start=0, text_end=2)


def refusal(payload: str | bytes, **options: Any) -> RemoteProtocolError:
    with pytest.raises(RemoteProtocolError) as caught:
        decode(payload, **options)
    return caught.value


def message(**fields: Any) -> str:
    return json.dumps(fields)


def test_a_message_without_type_asks_for_speech() -> None:
    sent_by_awss_sample = b'{"text": "Hello.", "voice": "af_heart", "request_timestamp": 1764.5}'
    assert decode(sent_by_awss_sample) == Synthesize(
        text="Hello.", voice="af_heart", request_timestamp=1764.5
    )


def test_the_type_of_a_message_without_one_can_be_chosen() -> None:
    assert decode('{"prompt": "Hi", "mode": "batch"}', absent="prompt") == Prompt(
        prompt="Hi", mode="batch"
    )


def test_unknown_fields_are_ignored() -> None:
    assert decode(message(type="cancel", request_id="a", colour=[1, {"x": None}])) == Cancel(
        request_id="a"
    )


def test_a_field_of_none_is_absent_on_the_wire() -> None:
    assert encode(Cancel()) == '{"type":"cancel"}'


def test_null_counts_as_absent() -> None:
    assert decode(message(text="a", voice=None, speed=None)) == Synthesize(text="a")
    assert str(refusal(message(text=None))) == "synthesize: text is missing"


def test_a_field_whose_wire_name_is_a_keyword_travels_under_that_name() -> None:
    frame = decode('{"text":"a","request_id":"r","continue":true}')
    assert frame == Synthesize(text="a", request_id="r", more=True)
    assert json.loads(encode(frame))["continue"] is True


def test_text_travels_as_utf_8_on_one_line() -> None:
    text = "é 你好 😊\n\u2028"
    wire = encode(TextDelta(request_id="r", seq=0, text=text))
    assert "你好" in wire
    assert "\n" not in wire
    assert decode(wire.encode()) == TextDelta(request_id="r", seq=0, text=text)


def test_nested_words_are_read_as_words() -> None:
    frame = Words(request_id="r", words=(A_WORD,))
    assert decode(encode(frame)) == frame


def test_a_whole_number_is_taken_for_seconds_but_a_fraction_not_for_a_count() -> None:
    assert decode(message(text="a", speed=2)) == Synthesize(text="a", speed=2.0)
    assert "offset_samples must be an integer" in str(
        refusal(message(text="a", offset_samples=1.0))
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"text": 5}, "text must be a string, got 5"),
        ({"text": ["secret"]}, "text must be a string, got an array of 1"),
        ({"text": "a", "voice": ""}, "voice must be a string of 1 to 256 characters, got"),
        ({"text": "a", "speed": True}, "speed must be a finite number, got true"),
        ({"text": "a", "speed": "1"}, "speed must be a finite number, got a string of 1"),
        ({"text": "a", "speed": 0.49}, "speed must be a number, 0.5 to 2, got 0.49"),
        ({"text": "a", "speed": 2.01}, "speed must be a number, 0.5 to 2, got 2.01"),
        ({"text": "a", "speed": float("nan")}, "speed must be a finite number, got nan"),
        ({"text": "a", "speed": float("-inf")}, "speed must be a finite number, got -inf"),
        ({"text": "a", "speed": 10**400}, "speed must be a finite number, got an integer of 1329"),
        ({"text": "a", "sample_rate": 24001}, "must be one of 8000, 16000, 22050, 24000"),
        ({"text": "a", "sample_rate": False}, "sample_rate must be an integer below 2^53"),
        ({"text": "a", "word_timestamps": 1}, "word_timestamps must be true or false, got 1"),
        ({"text": "a", "continue": "yes"}, "continue must be true or false"),
        ({"text": "a", "offset_samples": -1}, "offset_samples must be an integer, 0 or more"),
        ({"text": "a", "offset_samples": 2**53}, "must be an integer below 2^53"),
        ({"text": "a", "quality": "best"}, "quality must be one of auto, fast, exact, got 'best'"),
        ({"text": "a", "quality": ["fast"]}, "quality must be one of auto, fast, exact, got an"),
        ({"text": "a", "request_id": 7}, "request_id must be a string, got 7"),
        ({"text": "a", "request_id": "r" * 257}, "request_id must be a string of 1 to 256"),
        ({"text": "half \ud83d"}, "text must be Unicode text, got half of a surrogate pair"),
        ({"type": "flush"}, "request_id is missing"),
        ({"type": 7}, "type must be a string, got 7"),
        ({"type": "words", "request_id": "r", "words": {}}, "words must be an array of objects"),
        ({"type": "words", "request_id": "r", "words": [7]}, "words[0] must be an object, got 7"),
        (
            {"type": "words", "request_id": "r", "words": [to_dict(Close())]},
            "words[0].word is missing",
        ),
        ({"type": "cancel", "heard_s": -0.1}, "heard_s must be a number, 0 or more, got -0.1"),
        (
            {"type": "agent_end", "request_id": "r", "timings": {"end_ms": float("inf")}},
            "timings must be a finite number",
        ),
        ({"type": "agent_end", "request_id": "r", "timings": []}, "timings must be an object"),
        (
            {"type": "audio_chunk", "request_id": "r", "seq": 0, "data": "AA=!"},
            "data must be base64",
        ),
        (
            {"type": "audio_chunk", "request_id": "r", "seq": 0, "data": "AA=="},
            "data must be base64 of whole 16-bit samples, got 1 bytes",
        ),
    ],
)
def test_a_bad_field_is_refused_with_what_came_and_what_was_expected(
    fields: dict[str, Any], words: str
) -> None:
    error = refusal(message(**fields))
    assert error.code == "invalid_frame"
    assert words in str(error)


def test_private_text_is_not_in_the_message() -> None:
    assert "secret" not in str(refusal(message(text="secret", speed="secret")))


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ("", "invalid_json"),
        ("{", "invalid_json"),
        ('{"text": "a"} {', "invalid_json"),
        (b'{"text": "\xff"}', "invalid_json"),
        (b"\xef\xbb\xbf{}", "invalid_json"),
        ("[" * 200_000, "invalid_json"),
        ('{"a":' * 200_000, "invalid_json"),
        ('{"text": "a", "speed": ' + "9" * 5000 + "}", "invalid_json"),
        ("null", "invalid_frame"),
        ('"text"', "invalid_frame"),
        ("[1]", "invalid_frame"),
        ("7", "invalid_frame"),
        ('{"type": "sing"}', "unknown_type"),
        ('{"type": ""}', "unknown_type"),
        ('{"type": "audio"}', "unknown_type"),
    ],
)
def test_what_is_no_frame_has_a_code(payload: str | bytes, code: str) -> None:
    assert refusal(payload, max_bytes=1 << 21).code == code


def test_an_unknown_type_is_named_shortly_and_in_ascii() -> None:
    error = refusal(message(type="\ud800ß" * 1000, request_id="r"))
    assert str(error).isascii()
    assert len(str(error)) < 600


def test_an_error_names_the_request_when_its_id_can_be_read() -> None:
    assert refusal(message(type="sing", request_id="r1")).request_id == "r1"
    assert refusal(message(text=5, request_id="r1")).request_id == "r1"
    assert refusal(message(text="a", speed=float("nan"), request_id="r1")).request_id == "r1"


@pytest.mark.parametrize("request_id", [7, "", "r" * 257, "\ud800", None, ["r"]])
def test_an_error_does_not_name_a_request_whose_id_is_bad(request_id: Any) -> None:
    assert refusal(message(type="sing", request_id=request_id)).request_id is None


def test_a_remote_error_becomes_a_frame_that_can_be_sent() -> None:
    error = refusal(message(type="sing", request_id="r1"))
    frame = error.frame()
    assert frame == Error(code="unknown_type", message=str(error), request_id="r1")
    assert decode(encode(frame)) == frame


@pytest.mark.parametrize("text", ["a" * 100, "é" * 50])
def test_the_size_limit_counts_bytes(text: str) -> None:
    payload = json.dumps({"text": text}, ensure_ascii=False)
    size = len(payload.encode())
    assert decode(payload, max_bytes=size) == Synthesize(text=text)
    assert refusal(payload, max_bytes=size - 1).code == "too_large"
    assert refusal(payload.encode(), max_bytes=size - 1).code == "too_large"


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_kind_of_bytes_is_taken(kind: Any) -> None:
    assert decode(kind(b'{"type":"close"}')) == Close()


@pytest.mark.parametrize(
    "frame",
    [
        Synthesize(text="a", speed=3.0),
        Synthesize(text="a", sample_rate=24001),
        Synthesize(text="\udc00"),
        Synthesize(text=None),  # type: ignore[arg-type]
        Synthesize(text="a", quality="best"),  # type: ignore[arg-type]
        Words(request_id="r", words=[A_WORD]),  # type: ignore[arg-type]
        Words(request_id="r", words=({"word": "Hi"},)),  # type: ignore[arg-type]
        AudioChunk(request_id="r", seq=0, data="AA=="),
        AgentEnd(request_id="r", timings={"end_ms": float("nan")}),
        AgentEnd(request_id="r", timings={"end_ms": object()}),
        AgentEnd(request_id="r", timings={7: 1.0}),  # type: ignore[dict-item]
        Audio(b"\0\0"),
        "close",
        A_WORD,
    ],
)
def test_a_frame_that_the_peer_would_refuse_is_our_own_error(frame: Frame) -> None:
    with pytest.raises(LocalProtocolError):
        encode(frame)


def test_timings_that_contain_themselves_are_our_own_error() -> None:
    timings: dict[str, Any] = {}
    timings["again"] = timings
    with pytest.raises(LocalProtocolError, match="nested 8 deep at most"):
        encode(AgentEnd(request_id="r", timings=timings))


def test_both_authors_can_be_caught_as_one() -> None:
    assert issubclass(LocalProtocolError, ProtocolError)
    assert issubclass(RemoteProtocolError, ProtocolError)


def test_frames_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Cancel().request_id = "r"  # type: ignore[misc]


def test_every_type_has_one_name_and_every_name_one_type() -> None:
    assert len(set(FRAME_TYPES.values())) == len(FRAME_TYPES)


def test_an_object_that_was_already_read_is_taken_as_it_is() -> None:
    assert from_dict({"type": "close", "x": float("nan")}) == Close()
    assert to_dict(Close()) == {"type": "close"}
