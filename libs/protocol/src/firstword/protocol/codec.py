"""Frames to JSON and back. One table names every frame; what a field may hold is in ``shapes``.

Unknown fields are ignored. An unknown type, bad JSON or a bad field is a RemoteProtocolError with
a code, and nothing else ever escapes ``decode``. Codes: ``too_large``, ``invalid_json``,
``unknown_type``, ``invalid_frame``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from firstword.protocol.errors import LocalProtocolError, RemoteProtocolError
from firstword.protocol.frames import (
    MAX_REQUEST_ID_CHARS,
    AgentEnd,
    AgentStart,
    AudioChunk,
    AudioStreamEnd,
    AudioStreamStart,
    Cancel,
    Close,
    Error,
    Flush,
    Frame,
    Prompt,
    SentenceEnd,
    SentenceStart,
    SynthesisCancelled,
    SynthesisComplete,
    SynthesisStart,
    Synthesize,
    TextDelta,
    Words,
)
from firstword.protocol.shapes import read_object, write_object
from firstword.protocol.values import MisfitError, came, is_text

type Payload = str | bytes | bytearray | memoryview
"""One whole message, text or binary."""

MAX_CONTROL_BYTES = 1024 * 1024
"""Largest JSON message that is read unless the caller says otherwise."""

FRAME_TYPES: dict[str, type[Frame]] = {
    "synthesize": Synthesize,
    "flush": Flush,
    "cancel": Cancel,
    "close": Close,
    "synthesis_start": SynthesisStart,
    "words": Words,
    "synthesis_complete": SynthesisComplete,
    "synthesis_cancelled": SynthesisCancelled,
    "error": Error,
    "prompt": Prompt,
    "agent_start": AgentStart,
    "text_delta": TextDelta,
    "audio_stream_start": AudioStreamStart,
    "sentence": SentenceStart,
    "sentence_end": SentenceEnd,
    "audio_chunk": AudioChunk,
    "audio_stream_end": AudioStreamEnd,
    "agent_end": AgentEnd,
}
"""``type`` on the wire and its frame. Audio is not here: it is never JSON."""

_NAMES: dict[type[Frame], str] = {cls: name for name, cls in FRAME_TYPES.items()}


def encode(frame: Frame) -> str:
    """The JSON text of a frame, compact, fields of None left out.

    Raises LocalProtocolError for a value that the peer would refuse, and for Audio, which
    travels as a binary message.
    """
    return json_text(to_dict(frame))


def decode(
    payload: Payload,
    *,
    absent: str = "synthesize",
    max_bytes: int = MAX_CONTROL_BYTES,
) -> Frame:
    """The frame of one whole message. A message without ``type`` is of the type ``absent``.

    Raises RemoteProtocolError, with the ``request_id`` where one could be read.
    """
    return from_dict(parse_object(payload, max_bytes=max_bytes), absent=absent)


def to_dict(frame: Frame) -> dict[str, Any]:
    """A frame as a JSON object, ``type`` first. Raises LocalProtocolError, as ``encode`` does."""
    name = _NAMES.get(type(frame))
    if name is None:
        raise LocalProtocolError(f"{type(frame).__name__} is no control frame")
    try:
        return {"type": name, **write_object(frame)}
    except MisfitError as misfit:
        raise LocalProtocolError(f"{name}: {misfit}") from None


def from_dict(source: Mapping[str, Any], *, absent: str = "synthesize") -> Frame:
    """The frame of a JSON object that was already read. Raises RemoteProtocolError."""
    request_id = readable_request_id(source)
    name = source.get("type")
    if name is None:
        name = absent
    if not isinstance(name, str):
        message = f"type must be a string, got {came(name)}"
        raise RemoteProtocolError("invalid_frame", message, request_id)
    cls = FRAME_TYPES.get(name)
    if cls is None:
        message = f"type {name[:40]!a} is unknown; known are {', '.join(FRAME_TYPES)}"
        raise RemoteProtocolError("unknown_type", message, request_id)
    try:
        return cast(Frame, read_object(cls, source))
    except MisfitError as misfit:
        raise RemoteProtocolError("invalid_frame", f"{name}: {misfit}", request_id) from None


def parse_object(payload: Payload, *, max_bytes: int = MAX_CONTROL_BYTES) -> dict[str, Any]:
    """The JSON object of one message (UTF-8). Raises RemoteProtocolError."""
    size = len(payload)
    if isinstance(payload, str) and not payload.isascii() and size <= max_bytes:
        size = len(payload.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise RemoteProtocolError(
            "too_large", f"a message may have {max_bytes} bytes at most, got {size} or more"
        )
    value = parse_json(payload)
    if not isinstance(value, dict):
        raise RemoteProtocolError(
            "invalid_frame", f"a message must be a JSON object, got {came(value)}"
        )
    return value


def is_control(payload: bytes | bytearray | memoryview) -> bool:
    """Whether a chunk whose envelope does not say is a whole JSON object of a known type."""
    chunk = bytes(payload).strip()
    if not (chunk.startswith(b"{") and chunk.endswith(b"}")):
        return False
    try:
        name = parse_object(chunk).get("type")
    except RemoteProtocolError:
        return False
    return isinstance(name, str) and name in FRAME_TYPES


def parse_json(payload: Payload) -> Any:
    """A JSON value. Raises RemoteProtocolError ``invalid_json``, whatever is wrong with it."""
    try:
        text = payload if isinstance(payload, str) else bytes(payload).decode("utf-8")
        return json.loads(text)
    except UnicodeDecodeError as error:
        problem = f"invalid UTF-8 at byte {error.start}"
    except json.JSONDecodeError as error:
        problem = f"{error.msg} at character {error.pos}"
    except RecursionError:
        problem = "nested too deeply"
    except ValueError:
        problem = "a number has too many digits"
    raise RemoteProtocolError("invalid_json", f"a message must be JSON in UTF-8: {problem}")


def json_text(value: Mapping[str, Any]) -> str:
    """Compact JSON of an object. Raises LocalProtocolError where it is not made of JSON values."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise LocalProtocolError(f"not JSON: {type(error).__name__}") from None
    if not is_text(text):
        raise LocalProtocolError("not JSON: half of a surrogate pair in a string")
    return text


def readable_request_id(source: Mapping[str, Any]) -> str | None:
    """The request that a possibly bad message names, where the name itself is good."""
    value = source.get("request_id")
    if isinstance(value, str) and 0 < len(value) <= MAX_REQUEST_ID_CHARS and is_text(value):
        return value
    return None
