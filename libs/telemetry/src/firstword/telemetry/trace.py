"""The one id of a turn: W3C Trace Context (Level 1), as it stands in headers and in frames."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

SAMPLED = 0x01

_SHAPE = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_NO_TRACE, _NO_SPAN, _FORBIDDEN_VERSION = "0" * 32, "0" * 16, "ff"


@dataclass(frozen=True, slots=True)
class TraceContext:
    """Which trace something belongs to, and below which span: 32 and 16 lower-case hex digits."""

    trace_id: str
    span_id: str
    flags: int = SAMPLED

    @property
    def traceparent(self) -> str:
        """What is passed on."""
        return f"00-{self.trace_id}-{self.span_id}-{self.flags:02x}"

    @classmethod
    def parse(cls, traceparent: str | None) -> TraceContext | None:
        """What a caller sent. None where that is not a ``traceparent``, which is then passed over.

        A later version of the format may say more after the four fields; version 00 may not.
        """
        match = _SHAPE.fullmatch(traceparent or "")
        if match is None:
            return None
        version, trace_id, span_id, flags, more = match.groups()
        if version == _FORBIDDEN_VERSION or (version == "00" and more):
            return None
        if trace_id == _NO_TRACE or span_id == _NO_SPAN:
            return None
        return cls(trace_id, span_id, int(flags, 16) & SAMPLED)

    @classmethod
    def fresh(cls) -> TraceContext:
        """A trace that begins here."""
        return cls(secrets.token_hex(16), secrets.token_hex(8))
