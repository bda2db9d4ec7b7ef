"""AWS's event stream: messages out of bytes that come in any pieces, and the parts as messages."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass

from smithy_aws_event_stream.events import HEADERS_DICT, MAX_PAYLOAD_LENGTH, Event, EventMessage

from firstword.emulator.sagemaker.errors import JSON, StreamError

EVENT_STREAM = "application/vnd.amazon.eventstream"
PART_BYTES = MAX_PAYLOAD_LENGTH

_LENGTH_BYTES = 4
_MOST_BYTES = MAX_PAYLOAD_LENGTH + 256 * 1024
_LEAST_BYTES = 16


@dataclass(frozen=True, slots=True)
class Part:
    """One PayloadPart: what one WebSocket data frame holds.

    ``text``: DataType UTF8, or None where the part does not say. ``complete``: CompletionState
    COMPLETE, or None where it does not say, which means the same.
    """

    data: bytes
    text: bool | None = None
    complete: bool | None = None

    @classmethod
    def read(cls, message: EventMessage) -> Part:
        """The part in an event message.

        Raises:
            StreamError: it is another message, or its headers say what no part can say.
        """
        headers = message.headers
        if headers.get(":message-type") != "event" or headers.get(":event-type") != "PayloadPart":
            raise _refused("Every message of the input stream must be a PayloadPart event.")
        kind, state = headers.get("DataType"), headers.get("CompletionState")
        if kind not in (None, "UTF8", "BINARY"):
            raise _refused("DataType must be UTF8 or BINARY.")
        if state not in (None, "PARTIAL", "COMPLETE"):
            raise _refused("CompletionState must be PARTIAL or COMPLETE.")
        return cls(
            message.payload,
            None if kind is None else kind == "UTF8",
            None if state is None else state == "COMPLETE",
        )

    def encode(self) -> bytes:
        headers: dict[str, str] = {
            ":message-type": "event",
            ":event-type": "PayloadPart",
            ":content-type": "application/octet-stream",
        }
        if self.text is not None:
            headers["DataType"] = "UTF8" if self.text else "BINARY"
        if self.complete is not None:
            headers["CompletionState"] = "COMPLETE" if self.complete else "PARTIAL"
        return encoded(headers, self.data)


def encoded(headers: HEADERS_DICT, payload: bytes) -> bytes:
    return EventMessage(headers=headers, payload=payload).encode()


def encode_error(error: StreamError) -> bytes:
    """An error as the last message of a stream."""
    if not error.modelled:
        return encoded(
            {
                ":message-type": "error",
                ":error-code": error.name,
                ":error-message": error.message,
            },
            b"",
        )
    body = {"Message": error.message}
    if error.code is not None:
        body["ErrorCode"] = error.code
    return encoded(
        {":message-type": "exception", ":exception-type": error.name, ":content-type": JSON},
        json.dumps(body).encode(),
    )


class MessageReader:
    """Feed bytes, take whole messages. Holds one unfinished message at most."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> Iterator[EventMessage]:
        """
        Raises:
            smithy_aws_event_stream.exceptions.EventError: the bytes are no event stream.
            StreamError: a message is larger than AWS takes.
        """
        self._held += data
        while len(self._held) >= _LENGTH_BYTES:
            size = int.from_bytes(self._held[:_LENGTH_BYTES], "big")
            if not _LEAST_BYTES <= size <= _MOST_BYTES:
                raise _refused(f"A message of {size} bytes is not possible.")
            if len(self._held) < size:
                return
            message, self._held = bytes(self._held[:size]), self._held[size:]
            event = Event.decode(io.BytesIO(message))
            if event is not None:
                yield event.message


def _refused(message: str) -> StreamError:
    return StreamError("ValidationException", message, modelled=False)
