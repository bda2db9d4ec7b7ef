"""One connection of the speech wire, without I/O: bytes in, frames out, and the other way round.

``receive`` takes one whole message (a WebSocket message, a payload part), ``send`` gives one. Both
keep to the legal order of ``order``: what the peer does wrong is a RemoteProtocolError, what we
do wrong a LocalProtocolError, and either leaves the open requests as they were.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Literal
from uuid import uuid4

from firstword.protocol.codec import (
    MAX_CONTROL_BYTES,
    Payload,
    encode,
    from_dict,
    is_control,
    parse_object,
)
from firstword.protocol.errors import LocalProtocolError, RemoteProtocolError
from firstword.protocol.frames import (
    MAX_AUDIO_FRAME_BYTES,
    Audio,
    Cancel,
    Close,
    Error,
    Flush,
    Frame,
    SpeechRequest,
    SynthesisCancelled,
    SynthesisComplete,
    SynthesisStart,
    Synthesize,
    Words,
)
from firstword.protocol.order import Order, OutOfOrderError, Text
from firstword.protocol.pcm import BYTES_PER_SAMPLE, PcmAligner

type Role = Literal["client", "server"]

MAX_REQUESTS = 1000
"""Requests that may be open on one connection."""

_REQUESTS = (Synthesize, Flush, Cancel, Close)
_EVENTS = (SynthesisStart, Audio, Words, SynthesisComplete, SynthesisCancelled, Error)

_logger = logging.getLogger(__name__)


class Session:
    """Either end of the wire. Every request gets exactly one last frame, from the peer or ``end``.

    Server: a request without an id is given one. Close comes as a Flush of each request that
    still waited for text, then Close. A frame that changes nothing (a cancel of what has ended,
    the rest of a request that has failed) gives no event. An error about a message that names an
    open request does not carry its id, since such an error frame would end that request.

    Client: a request without an id is given one before it is sent. What the server still sends of
    a request after its cancel was sent is dropped, but for its last frame. Frames of unknown
    types are passed over. Audio comes in whole samples.
    """

    def __init__(
        self,
        role: Role,
        *,
        max_message_bytes: int = MAX_CONTROL_BYTES,
        max_requests: int = MAX_REQUESTS,
        new_id: Callable[[], str] = lambda: uuid4().hex,
    ) -> None:
        self.role: Role = role
        self._max_bytes = max_message_bytes
        self._order = Order(max_requests=max_requests)
        self._new_id = new_id
        self._aligner = PcmAligner()
        self._ended = False

    @property
    def open_requests(self) -> tuple[str, ...]:
        """Ids of the requests whose last frame has yet to come, oldest first."""
        return self._order.open

    @property
    def speaking(self) -> str | None:
        """The request that audio belongs to now."""
        return self._order.speaking

    @property
    def finished(self) -> bool:
        """Close was said and nothing is left to do: the server may close the connection."""
        return self._order.closing and not self._order.open

    def receive(self, payload: Payload, *, binary: bool | None = None) -> list[Frame]:
        """The events of one message.

        ``binary`` is what the envelope says (WebSocket opcode, data type of a payload part); None
        where it does not say. Raises RemoteProtocolError.
        """
        self._check_alive()
        if self.role == "server":
            return self._receive_request(payload)
        return self._receive_event(payload, binary)

    def send(self, frame: Frame) -> str | bytes:
        """The message to send: str for a text message, bytes for a binary one.

        Raises LocalProtocolError for a frame that is not legal now, or not ours to send.
        """
        self._check_alive()
        try:
            if self.role == "client":
                return self._send_request(frame)
            return self._send_event(frame)
        except OutOfOrderError as error:
            raise LocalProtocolError(str(error)) from None

    def end(self) -> list[Frame]:
        """The connection is gone. On a client each open request ends in an Error
        ``connection_lost``; a clean end has none."""
        open_requests = self._order.open if self.role == "client" and not self._ended else ()
        self._ended = True
        lost = "the connection ended before the request did"
        return [Error(code="connection_lost", message=lost, request_id=r) for r in open_requests]

    def _receive_request(self, payload: Payload) -> list[Frame]:
        source = parse_object(payload, max_bytes=self._max_bytes)
        try:
            frame = from_dict(source)
            if not isinstance(frame, _REQUESTS):
                raise _misdirected(frame)
            return self._accept(self._with_id(frame))
        except OutOfOrderError as error:
            fault = RemoteProtocolError(error.code, str(error), error.request_id)
        except RemoteProtocolError as error:
            fault = error
        if fault.request_id is None:
            raise fault
        if self._order.text(fault.request_id) is not Text.NONE:
            raise RemoteProtocolError(fault.code, f"{fault.message} (the request goes on)")
        if source.get("continue") is True and source.get("type") in (None, "synthesize"):
            self._order.refuse(fault.request_id)
        raise fault

    def _accept(self, frame: SpeechRequest) -> list[Frame]:
        flushed: list[Frame] = []
        if isinstance(frame, Close):
            waiting = (r for r in self._order.open if self._order.text(r) is Text.COMING)
            flushed = [Flush(request_id=r) for r in waiting]
        return [*flushed, frame] if self._order.ask(frame) else []

    def _receive_event(self, payload: Payload, binary: bool | None) -> list[Frame]:
        frame = self._read_event(payload, binary)
        if frame is None:
            return []
        if not isinstance(frame, _EVENTS):
            raise _misdirected(frame)
        before = self._order.speaking
        try:
            name = self._order.answer(frame)
        except OutOfOrderError as error:
            raise RemoteProtocolError(error.code, str(error), error.request_id) from None
        if before is not None and self._order.speaking is None and self._aligner.flush():
            _logger.warning("request_id=<%s> | dropped an odd byte at the end of its audio", before)
        if isinstance(frame, Audio):
            frame = Audio(self._aligner.feed(frame.data))
            if not frame.data:
                return []
        stale = name is not None and self._order.text(name) is Text.STOPPED
        return [] if stale else [frame]

    def _read_event(self, payload: Payload, binary: bool | None) -> Frame | None:
        if isinstance(payload, str):
            binary = False
        elif binary is not False and (binary or not is_control(payload)):
            if len(payload) > self._max_bytes:
                raise RemoteProtocolError(
                    "too_large", f"a frame may have {self._max_bytes} bytes, got {len(payload)}"
                )
            return Audio(bytes(payload))
        try:
            return from_dict(parse_object(payload, max_bytes=self._max_bytes), absent="")
        except RemoteProtocolError as error:
            if error.code != "unknown_type":
                raise
            _logger.debug("code=<%s> | passed over a frame of a newer server", error.code)
            return None

    def _send_request(self, frame: Frame) -> str:
        if not isinstance(frame, _REQUESTS):
            raise LocalProtocolError(f"{type(frame).__name__} is not a client's to send")
        frame = self._with_id(frame)
        message = encode(frame)
        self._order.ask(frame)
        return message

    def _send_event(self, frame: Frame) -> str | bytes:
        if not isinstance(frame, _EVENTS):
            raise LocalProtocolError(f"{type(frame).__name__} is not a server's to send")
        message = _audio_message(frame) if isinstance(frame, Audio) else encode(frame)
        self._order.answer(frame)
        return message

    def _with_id(self, frame: SpeechRequest) -> SpeechRequest:
        if not isinstance(frame, Synthesize) or frame.request_id is not None:
            return frame
        if frame.more:
            raise OutOfOrderError("invalid_frame", "text that continues needs a request_id", None)
        name = self._new_id()
        while self._order.text(name) is not Text.NONE:
            name = self._new_id()
        return replace(frame, request_id=name)

    def _check_alive(self) -> None:
        if self._ended:
            raise LocalProtocolError("the connection has ended")


def _audio_message(frame: Audio) -> bytes:
    size = len(frame.data)
    if size % BYTES_PER_SAMPLE or size > MAX_AUDIO_FRAME_BYTES:
        raise LocalProtocolError(
            f"a frame of audio has whole samples, {MAX_AUDIO_FRAME_BYTES} bytes at most; got {size}"
        )
    return frame.data


def _misdirected(frame: Frame) -> RemoteProtocolError:
    request_id = getattr(frame, "request_id", None)
    kind = type(frame).__name__
    return RemoteProtocolError("unexpected_frame", f"{kind} goes the other way", request_id)
