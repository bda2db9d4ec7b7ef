"""Server-sent events that carry one JSON value each (WHATWG HTML, section 9.2).

The parser takes bytes cut anywhere: inside a character, a line end or the byte order mark. Lines
end in CR, LF or CRLF. Comments and the fields ``event``, ``id`` and ``retry`` are passed over:
what an event is stands in its JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firstword.protocol.codec import MAX_CONTROL_BYTES, json_text, parse_json, to_dict
from firstword.protocol.errors import RemoteProtocolError
from firstword.protocol.frames import Frame
from firstword.protocol.values import came

_BOM = b"\xef\xbb\xbf"


def sse(event: Frame | Mapping[str, Any]) -> bytes:
    """One event, ready to be sent. Raises LocalProtocolError where it is no JSON object."""
    body = event if isinstance(event, Mapping) else to_dict(event)
    return f"data: {json_text(body)}\n\n".encode()


class SseParser:
    """Bytes in, events out, each a JSON object.

    A JSON string is what an agent that yields plain text sends; it comes out as
    ``{"type": "text_delta", "text": ...}``. An event without data, or of white space, is none.

    ``max_event_bytes`` bounds one event's data and one line: nothing larger is ever held.
    """

    def __init__(self, *, max_event_bytes: int = MAX_CONTROL_BYTES) -> None:
        self._max = max_event_bytes
        self._line = bytearray()
        self._data = bytearray()
        self._first_line = True
        self._after_cr = False
        self._fault: RemoteProtocolError | None = None

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """The events that these bytes complete.

        Raises RemoteProtocolError (``too_large``, ``invalid_json``, ``invalid_frame``). A fault
        ends the stream: events before it are returned first, the next call raises it, and so
        does every one after.
        """
        events: list[dict[str, Any]] = []
        try:
            self._raise_fault()
            self._take(data, events)
        except RemoteProtocolError as fault:
            self._fault = fault
            self._line.clear()
            self._data.clear()
            if not events:
                raise
        return events

    def close(self) -> None:
        """The stream has ended: what has no blank line after it is dropped, as the standard says.

        Raises a fault that ``feed`` has not raised yet.
        """
        self._raise_fault()

    def _raise_fault(self) -> None:
        if self._fault is not None:
            raise self._fault

    def _take(self, data: bytes, events: list[dict[str, Any]]) -> None:
        if not data:
            return
        if self._after_cr:
            data = data.removeprefix(b"\n")
        self._after_cr = False
        for piece in data.splitlines(keepends=True):
            ended = piece.endswith((b"\r", b"\n"))
            self._line += piece.rstrip(b"\r\n")
            self._bound(len(self._line))
            if ended:
                line = bytes(self._line)
                self._line.clear()
                self._take_line(line, events)
        self._after_cr = data.endswith(b"\r")

    def _take_line(self, line: bytes, events: list[dict[str, Any]]) -> None:
        if self._first_line:
            self._first_line = False
            line = line.removeprefix(_BOM)
        if not line:
            body = bytes(self._data)
            self._data.clear()
            if body.strip():
                events.append(_event(body))
            return
        field, _, value = line.partition(b":")
        if field == b"data":
            self._data += value.removeprefix(b" ") + b"\n"
            self._bound(len(self._data))

    def _bound(self, size: int) -> None:
        if size > self._max:
            raise RemoteProtocolError(
                "too_large", f"an event may have {self._max} bytes at most, got {size} or more"
            )


def _event(body: bytes) -> dict[str, Any]:
    value = parse_json(body.decode("utf-8", "replace"))
    if isinstance(value, dict):
        return value
    if isinstance(value, str):
        return {"type": "text_delta", "text": value}
    raise RemoteProtocolError(
        "invalid_frame", f"an event must be a JSON object or string, got {came(value)}"
    )
