"""The fault script: what goes wrong, in which call, and when.

One fault is a line of words: its kind, then ``name=value``.

    reset part=3                 after three parts of the answer, break the stream
    drop byte=20000 call=2       in the second call, after that many bytes, reset the connection
    silence asked=1              take the first message, then never say anything
    throttle times=2             refuse the first two calls

It strikes before the answer's head, unless one of these says when: ``asked=N`` (N parts came from
the caller), ``part=N`` (N parts went to it), ``byte=N`` (N bytes of the answer's body went to it,
which may be in the middle of a part), ``second=N`` (since the answer began). ``call=N`` names one
call, counted from 1 over all operations; without it the fault strikes in the first ``times`` calls
(1, or ``times=always``) that come so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FaultError(ValueError):
    """A line that is no fault. The message says what would be one."""


class Kind(StrEnum):
    """What goes wrong."""

    RESET = "reset"
    """The stream is reset (RST_STREAM)."""
    DROP = "drop"
    """The connection is reset (TCP RST)."""
    GOAWAY = "goaway"
    """GOAWAY, then the connection is closed."""
    DRAIN = "drain"
    """GOAWAY; streams that are open go on."""
    SILENCE = "silence"
    """Nothing comes any more, and nothing ends."""
    SLOW = "slow"
    """From here on the answer comes ``piece`` bytes at a time, ``pause`` seconds apart."""
    CUT = "cut"
    """The stream ends as if it were complete: SageMaker's limit on a session."""
    REFUSE = "refuse-socket"
    """The container refuses the WebSocket."""
    STREAM_ERROR = "model-stream-error"
    STREAM_FAILURE = "internal-stream-failure"
    THROTTLE = "throttle"
    UNAVAILABLE = "unavailable"
    DENY = "deny"
    """The caller may not do this: AccessDeniedException."""
    SPLIT = "split"
    """One text message of the container comes in two parts, PARTIAL and COMPLETE."""
    JOIN = "join"
    """One text message of the container and the frame after it come in one part."""


BEFORE_HEAD = frozenset({Kind.REFUSE, Kind.THROTTLE, Kind.UNAVAILABLE, Kind.DENY})
"""These only make sense before the answer has begun."""

AFTER_HEAD = frozenset({Kind.SLOW, Kind.CUT, Kind.STREAM_ERROR, Kind.STREAM_FAILURE})
"""These only make sense once it has begun; without a moment they strike as it begins."""

RESHAPING = frozenset({Kind.SPLIT, Kind.JOIN})

ALWAYS = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One line of the script. At most one of the four moments is set."""

    kind: Kind
    call: int | None = None
    times: int = 1
    asked: int | None = None
    part: int | None = None
    byte: int | None = None
    second: float | None = None
    piece: int = 1
    pause: float = 0.0
    status: int = 400

    @classmethod
    def parse(cls, line: str) -> Fault:
        """Read one line.

        Raises:
            FaultError: it is no fault.
        """
        words = line.split()
        if not words or words[0] not in list(Kind):
            raise FaultError(f"{line!r} is no fault; the kinds are {', '.join(Kind)}")
        values: dict[str, int | float] = {}
        for word in words[1:]:
            name, _, text = word.partition("=")
            if name in values or name not in _NUMBERS:
                raise FaultError(f"{word!r}: after the kind come {', '.join(_NUMBERS)}, each once")
            values[name] = _number(word, name, text)
        fault = cls(kind=Kind(words[0]), **values)  # type: ignore[arg-type]
        fault._check()
        return fault

    def _check(self) -> None:
        moments = [m for m in (self.asked, self.part, self.byte, self.second) if m is not None]
        if len(moments) > 1:
            raise FaultError(f"{self.kind}: give one of asked, part, byte and second")
        if moments and self.kind in BEFORE_HEAD:
            raise FaultError(f"{self.kind} strikes before the answer begins; it takes no moment")
        if self.kind in RESHAPING and (self.byte, self.second, self.asked) != (None, None, None):
            raise FaultError(f"{self.kind} can be told a part only")

    @property
    def at_head(self) -> bool:
        """Whether it strikes before the answer begins."""
        moments = (self.asked, self.part, self.byte, self.second)
        return moments == (None,) * 4 and self.kind not in AFTER_HEAD | RESHAPING


_NUMBERS = {
    "call": int,
    "times": int,
    "asked": int,
    "part": int,
    "byte": int,
    "second": float,
    "piece": int,
    "pause": float,
    "status": int,
}


def _number(word: str, name: str, text: str) -> int | float:
    if name == "times" and text == "always":
        return ALWAYS
    try:
        value: int | float = _NUMBERS[name](text)
    except ValueError:
        raise FaultError(f"{word!r} must be a number") from None
    least = 1 if name in ("call", "times", "piece") else 0
    if value < least:
        raise FaultError(f"{word!r} must be {least} or more")
    return value
