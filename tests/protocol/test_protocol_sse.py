"""Server-sent events, written and read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from firstword.protocol import (
    LocalProtocolError,
    RemoteProtocolError,
    SseParser,
    TextDelta,
    decode,
    sse,
)


def parse(data: bytes) -> list[dict[str, Any]]:
    """Whole, and byte by byte: both must agree."""
    whole = SseParser().feed(data)
    parser = SseParser()
    singly = [event for i in range(len(data)) for event in parser.feed(data[i : i + 1])]
    assert singly == whole
    return whole


def test_an_event_is_one_data_line_and_a_blank_one() -> None:
    assert sse({"type": "close"}) == b'data: {"type":"close"}\n\n'


def test_line_breaks_in_a_text_do_not_break_the_event() -> None:
    frame = TextDelta(request_id="r", seq=1, text="a\r\nb\n\ndata: c\u2028é")
    written = sse(frame)
    assert written.count(b"\n") == 2
    [event] = parse(written)
    assert decode(json.dumps(event)) == frame


@pytest.mark.parametrize(
    "event", [{"x": float("nan")}, {"x": object()}, {"x": "\ud800"}, {("a",): 1}]
)
def test_what_is_not_json_is_our_own_error(event: Any) -> None:
    with pytest.raises(LocalProtocolError):
        sse(event)


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_every_line_end_of_the_standard_is_one(end: bytes) -> None:
    data = end.join([b'data: {"a":1}', b"", b'data: {"b":"\xc3\xa9"}', b"", b""])
    assert parse(data) == [{"a": 1}, {"b": "é"}]


def test_line_ends_may_be_mixed() -> None:
    assert parse(b'data: {"a":1}\r\n\rdata: {"b":2}\n\r\ndata: {"c":3}\r\r') == [
        {"a": 1},
        {"b": 2},
        {"c": 3},
    ]


def test_an_event_is_given_as_soon_as_its_blank_line_is_there() -> None:
    parser = SseParser()
    assert parser.feed(b'data: {"a":1}\r') == []
    assert parser.feed(b"\r") == [{"a": 1}]
    assert parser.feed(b'\ndata: {"b":2}\r\n\r') == [{"b": 2}]
    assert parser.feed(b"\n") == []


def test_an_empty_read_between_the_halves_of_a_line_end_changes_nothing() -> None:
    parser = SseParser()
    parser.feed(b'data: {"a":\r')
    parser.feed(b"")
    assert parser.feed(b"\ndata: 1}\r\n\r\n") == [{"a": 1}]


def test_data_lines_are_joined() -> None:
    assert parse(b'data: {"a":\ndata:1}\n\n') == [{"a": 1}]


def test_comments_and_other_fields_are_passed_over() -> None:
    data = b': keep-alive\n\nevent: x\nid: 1\nretry: 9\nfoo: bar\ndatax: 1\ndata: {"a":1}\n: b\n\n'
    assert parse(data) == [{"a": 1}]


def test_one_space_after_the_colon_is_not_part_of_the_value() -> None:
    assert parse(b'data:"x"\n\ndata:  " y"\n\n') == [
        {"type": "text_delta", "text": "x"},
        {"type": "text_delta", "text": " y"},
    ]


def test_a_byte_order_mark_is_passed_over_once() -> None:
    assert parse(b'\xef\xbb\xbfdata: {"a":1}\n\n') == [{"a": 1}]
    assert parse(b'\xef\xbb\xbf\n\ndata: {"a":1}\n\n') == [{"a": 1}]
    assert parse(b'\ndata: {"a":1}\n\xef\xbb\xbfdata: {"b":1}\n\n') == [{"a": 1}]


def test_an_event_without_data_is_none() -> None:
    assert parse(b'event: x\n\ndata\n\ndata:\n\ndata: {"a":1}\n\n') == [{"a": 1}]


def test_a_json_string_is_text() -> None:
    assert parse(b'data: "Hello \\u00e9"\n\n') == [{"type": "text_delta", "text": "Hello é"}]


def test_what_has_no_blank_line_after_it_is_dropped_at_the_end() -> None:
    parser = SseParser()
    assert parser.feed(b'data: {"a":1}\n') == []
    parser.close()


def test_invalid_utf_8_is_replaced_as_the_standard_says() -> None:
    assert parse(b'data: {"a":"\xff\xc3"}\n\n') == [{"a": "\ufffd\ufffd"}]


@pytest.mark.parametrize(
    ("body", "code"),
    [(b"[DONE]", "invalid_json"), (b"7", "invalid_frame"), (b"[" * 100_000, "invalid_json")],
)
def test_a_payload_that_is_no_event_is_the_peers_error(body: bytes, code: str) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        SseParser().feed(b"data: " + body + b"\n\n")
    assert caught.value.code == code


def test_a_fault_costs_no_event_before_it_and_ends_the_stream() -> None:
    parser = SseParser()
    assert parser.feed(b'data: {"a":1}\n\ndata: nonsense\n\ndata: {"b":2}\n\n') == [{"a": 1}]
    for _ in range(2):
        with pytest.raises(RemoteProtocolError):
            parser.feed(b'data: {"c":3}\n\n')
    with pytest.raises(RemoteProtocolError):
        parser.close()


@pytest.mark.parametrize(
    "flood", [b"x" * 200, b": " + b"x" * 200, b"data: 1\n" * 60, b"data:" + b" " * 200]
)
def test_what_never_ends_is_refused_instead_of_kept(flood: bytes) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        SseParser(max_event_bytes=100).feed(flood)
    assert caught.value.code == "too_large"


def test_any_number_of_small_events_passes_the_limit() -> None:
    assert (
        len(SseParser(max_event_bytes=100).feed(b": ping\n" * 100 + b"data: {}\n\n" * 100)) == 100
    )
