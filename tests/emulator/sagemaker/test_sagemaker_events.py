"""The event stream's messages, cut in every way."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from botocore.eventstream import EventStreamBuffer
from firstword.emulator.sagemaker.errors import StreamError
from firstword.emulator.sagemaker.events import MessageReader, Part, encode_error, encoded
from hypothesis import given
from hypothesis import strategies as st
from smithy_aws_event_stream.exceptions import EventError

parts = st.builds(
    Part,
    st.binary(max_size=300),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, True, False]),
)


@given(given_parts=st.lists(parts, max_size=5), cuts=st.lists(st.integers(0, 2000), max_size=8))
def test_parts_come_out_as_they_went_in_however_the_bytes_are_cut(
    given_parts: list[Part], cuts: list[int]
) -> None:
    wire = b"".join(part.encode() for part in given_parts)
    edges = sorted({0, len(wire), *(cut for cut in cuts if cut < len(wire))})
    reader = MessageReader()
    out = [
        Part.read(message)
        for start, end in itertools.pairwise(edges)
        for message in reader.feed(wire[start:end])
    ]
    assert out == given_parts


def test_one_byte_at_a_time_is_enough() -> None:
    wire = Part(b"hello", text=True, complete=True).encode() * 2
    reader = MessageReader()
    assert sum(len(list(reader.feed(wire[i : i + 1]))) for i in range(len(wire))) == 2


@given(part=parts)
def test_botocore_reads_what_is_written(part: Part) -> None:
    buffer: Any = EventStreamBuffer()
    buffer.add_data(part.encode())
    (event,) = list(buffer)
    assert event.payload == part.data
    assert event.headers[":event-type"] == "PayloadPart"


def test_an_error_is_read_by_botocore_as_what_it_is() -> None:
    buffer: Any = EventStreamBuffer()
    buffer.add_data(encode_error(StreamError("ModelStreamError", "it broke", code="StreamBroken")))
    buffer.add_data(encode_error(StreamError("InvalidSignatureException", "no", modelled=False)))
    modelled, other = list(buffer)
    assert modelled.headers[":exception-type"] == "ModelStreamError"
    assert json.loads(modelled.payload) == {"Message": "it broke", "ErrorCode": "StreamBroken"}
    assert other.headers[":error-code"] == "InvalidSignatureException"


def test_a_damaged_message_is_refused() -> None:
    wire = bytearray(Part(b"hello").encode())
    wire[-6] ^= 1
    with pytest.raises(EventError):
        list(MessageReader().feed(bytes(wire)))


@pytest.mark.parametrize("size", [0, 15, 2**31])
def test_a_message_of_an_impossible_size_is_refused_at_once(size: int) -> None:
    with pytest.raises(StreamError, match="not possible"):
        list(MessageReader().feed(size.to_bytes(4, "big")))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {":message-type": "event", ":event-type": "Another"},
        {":message-type": "exception", ":event-type": "PayloadPart"},
        {":message-type": "event", ":event-type": "PayloadPart", "DataType": "TEXT"},
        {":message-type": "event", ":event-type": "PayloadPart", "CompletionState": "DONE"},
    ],
)
def test_a_message_that_is_no_part_is_refused(headers: dict[str, str]) -> None:
    (message,) = MessageReader().feed(encoded(headers, b"hello"))
    with pytest.raises(StreamError):
        Part.read(message)
