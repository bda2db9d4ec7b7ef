"""Server-sent events cut anywhere, with any line end."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from firstword.protocol import RemoteProtocolError, SseParser, sse
from hypothesis import given, settings
from hypothesis import strategies as st

TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=20)
OBJECTS = st.dictionaries(
    TEXT, TEXT | st.integers() | st.none() | st.lists(TEXT, max_size=2), max_size=3
)
ENDS = st.sampled_from([b"\n", b"\r", b"\r\n"])
NOISE = st.sampled_from(
    [b": comment", b":", b"event: x", b"id: 7", b"retry: 10", b"colour: red", "é: ü".encode()]
)


@st.composite
def streams(draw: st.DrawFn) -> tuple[bytes, list[dict[str, Any]]]:
    """A stream of events, each line with an end of its own, and what must come out of it."""
    events = draw(st.lists(OBJECTS | TEXT, max_size=4))
    lines: list[bytes] = []
    for event in events:
        lines += draw(st.lists(NOISE, max_size=2))
        indent = draw(st.sampled_from([None, 1]))
        text = json.dumps(event, ensure_ascii=draw(st.booleans()), indent=indent)
        lines += [
            b"data:" + draw(st.sampled_from([b"", b" "])) + x.encode() for x in text.split("\n")
        ]
        lines += draw(st.lists(NOISE, max_size=1))
        lines += [b""] * draw(st.integers(1, 2))
    stream = b"\xef\xbb\xbf" if draw(st.booleans()) else b""
    ends = draw(st.lists(ENDS, min_size=len(lines), max_size=len(lines)))
    for i, (line, end) in enumerate(zip(lines, ends, strict=True)):
        # An empty line that ends in LF after a line that ends in CR would be the half of a CRLF.
        joined = i > 0 and line == b"" and ends[i - 1] == b"\r" and end == b"\n"
        stream += line + (b"\r" if joined else end)
        if joined:
            ends[i] = b"\r"
    return stream, [{"type": "text_delta", "text": e} if isinstance(e, str) else e for e in events]


def fed(data: bytes, cuts: list[int], **options: Any) -> list[dict[str, Any]]:
    parser = SseParser(**options)
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [e for a, b in pairwise(edges) for e in parser.feed(data[a:b])]


@settings(deadline=None)
@given(streams(), st.lists(st.integers(0, 10_000), max_size=12))
def test_any_cut_of_any_events_in_any_line_ends_is_the_same(
    stream: tuple[bytes, list[dict[str, Any]]], cuts: list[int]
) -> None:
    data, events = stream
    assert fed(data, []) == events
    assert fed(data, cuts) == events
    assert fed(data, list(range(len(data)))) == events


@settings(deadline=None)
@given(st.lists(OBJECTS, max_size=4), st.lists(st.integers(0, 10_000), max_size=8))
def test_what_is_written_is_read(events: list[dict[str, Any]], cuts: list[int]) -> None:
    assert fed(b"".join(sse(event) for event in events), cuts) == events


ALPHABET = st.sampled_from(
    [
        b"data:",
        b"data: ",
        b"{",
        b"}",
        b'"a"',
        b":1",
        b"\r",
        b"\n",
        b"\xef\xbb\xbf",
        b"\xc3",
        b"\xa9",
        b"7",
        b" ",
        b": c",
        b"[" * 50,
        b"event",
        b"\0",
    ]
)


def outcome(data: bytes, cuts: list[int]) -> tuple[list[dict[str, Any]], str | None]:
    """The events before the first fault, and its code."""
    parser = SseParser(max_event_bytes=40)
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    events: list[dict[str, Any]] = []
    try:
        for a, b in pairwise(edges):
            events += parser.feed(data[a:b])
        parser.close()
    except RemoteProtocolError as error:
        return events, error.code
    return events, None


@settings(deadline=None)
@given(
    st.lists(ALPHABET, max_size=40).map(b"".join) | st.binary(max_size=200),
    st.lists(st.integers(0, 10_000), max_size=8),
)
def test_random_bytes_raise_nothing_but_a_protocol_error_however_they_are_cut(
    data: bytes, cuts: list[int]
) -> None:
    whole = outcome(data, [])
    assert outcome(data, cuts) == whole
    assert outcome(data, list(range(len(data)))) == whole
