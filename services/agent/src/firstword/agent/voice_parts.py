"""Messages out of SageMaker's payload parts, without I/O.

A part should be one message, and its ``data_type`` should say whether it is text. Where it is
silent, only what begins as a frame of ours does is taken for text; samples that happen to are not
to be expected. A frame that is split over parts waits for its rest, and frames that share a part,
the last of them maybe samples, are taken one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from firstword.protocol import FRAME_TYPES, MAX_CONTROL_BYTES, RemoteProtocolError

type Message = tuple[bytes, bool]
"""A message, and whether it is binary."""

TEXT, BINARY = "UTF8", "BINARY"

_NAMES = "|".join(FRAME_TYPES).encode()
_FRAME = re.compile(rb'\s*\{\s*"type"\s*:\s*"(?:' + _NAMES + rb')"')
_START = b'{"type":"'
_LEAST = 4
"""Bytes of ``_START`` that tell a frame that is cut off within it from samples."""

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[{}]', re.DOTALL)
"""A string, to its end or to that of the text, or a brace outside of strings."""


class PartReader:
    """``feed`` takes the parts of one stream in order."""

    def __init__(self, max_bytes: int = MAX_CONTROL_BYTES) -> None:
        self._max_bytes = max_bytes
        self._text = b""

    def feed(self, data: bytes, data_type: str | None) -> list[Message]:
        """The messages that are whole now.

        Raises:
            RemoteProtocolError: samples where the rest of a text was to come, or no end of it.
        """
        if not data:
            return []
        if not self._text and (data_type == BINARY or (data_type is None and not _begins(data))):
            return [(data, True)]
        before, joined = self._text, self._text + data
        messages: list[Message] = []
        start = 0
        for end in _ends(joined):
            messages.append((joined[start:end], False))
            start = end
            if not _goes_on(joined[start:], data_type):
                break
        self._text = b""
        if before and not messages and data_type == BINARY:
            raise RemoteProtocolError("invalid_frame", "a text frame is cut off by audio")
        return messages + self._rest(joined[start:], data_type, first=not messages)

    def _rest(self, rest: bytes, data_type: str | None, *, first: bool) -> list[Message]:
        """What follows the last whole frame: the beginning of one, or samples."""
        if not rest.strip():
            return []
        text = data_type == TEXT and first
        if not _goes_on(rest, data_type) and not (text and rest.lstrip().startswith(b"{")):
            return [(rest, not text)]
        if len(rest) > self._max_bytes:
            raise RemoteProtocolError("too_large", f"a frame has no end in {len(rest)} bytes")
        self._text = rest
        return []


def _goes_on(rest: bytes, data_type: str | None) -> bool:
    """Whether a frame follows, which may be cut off."""
    return _begins(rest) or (data_type == TEXT and _START.startswith(rest.lstrip()))


def _begins(data: bytes) -> bool:
    """Whether data begins as a frame does, as far as it goes."""
    cut_off = _LEAST <= len(data) < len(_START) and _START.startswith(data)
    return cut_off or _FRAME.match(data) is not None or _cut_name(data)


def _cut_name(data: bytes) -> bool:
    """Whether it ends within the name of its type."""
    name = data.removeprefix(_START)
    return len(name) < len(data) < len(_START) + 40 and b'"' not in name


def _ends(text: bytes) -> Iterator[int]:
    """Where the JSON objects end that follow each other in a text."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if token[0] == b"{":
            depth += 1
        elif token[0] == b"}":
            depth -= 1
            if depth <= 0:
                depth = 0
                yield token.end()
