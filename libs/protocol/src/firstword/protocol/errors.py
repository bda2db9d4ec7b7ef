"""Errors have an author: this side (``Local``) or the peer (``Remote``). Each can be caught as one.

A message says what came and what was expected. It never quotes a text or a prompt, so it may be
logged and sent.
"""

from __future__ import annotations

from firstword.protocol.frames import Error


class ProtocolError(Exception):
    """Something that the protocol does not allow."""


class LocalProtocolError(ProtocolError):
    """Our own bug: a frame that must not be sent, or not now. Nothing was sent."""


class RemoteProtocolError(ProtocolError):
    """The peer's fault. ``code`` is for programs, ``str(error)`` for people.

    ``request_id`` is set when the bad message named one that could be read.
    """

    def __init__(self, code: str, message: str, request_id: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.request_id = request_id

    def frame(self) -> Error:
        """The frame that tells the peer."""
        return Error(code=self.code, message=self.message, request_id=self.request_id)
