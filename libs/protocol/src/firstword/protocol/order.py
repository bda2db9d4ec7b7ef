"""Which frame is legal when, on one connection of the speech wire.

Two small machines for each request. What the client has said of it (``Text``) moves by ``ASKING``,
what the server has said (``Voice``) by ``ANSWERING``; both ends keep both. A request is open from
its first piece to its last frame. Starts come in order of arrival; a request that has not started
may end (cancelled, error) at any time, since its frames carry its id and audio does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from firstword.protocol.frames import (
    Audio,
    Cancel,
    Close,
    Error,
    Flush,
    SpeechEvent,
    SpeechRequest,
    SynthesisCancelled,
    SynthesisComplete,
    SynthesisStart,
    Words,
)


class Text(Enum):
    """What the client has said of a request."""

    NONE = "not asked for"
    COMING = "more of its text is announced"
    WHOLE = "all of its text is known"
    STOPPED = "it was cancelled"
    ABANDONED = "it failed while more of its text was announced"


class Voice(Enum):
    """What the server has said of a request."""

    WAITING = "it has not started"
    SPEAKING = "it has started"
    DONE = "its last frame was sent"


class Move(Enum):
    """What a client's frame means to one request."""

    PIECE = auto()
    LAST_PIECE = auto()
    FLUSH = auto()
    CANCEL = auto()
    CLOSE = auto()


# What the client still sends of a request that has failed meanwhile is passed over up to its end.
ASKING: dict[Text, dict[Move, Text]] = {
    Text.NONE: {
        Move.PIECE: Text.COMING,
        Move.LAST_PIECE: Text.WHOLE,
        Move.CANCEL: Text.NONE,
    },
    Text.COMING: {
        Move.PIECE: Text.COMING,
        Move.LAST_PIECE: Text.WHOLE,
        Move.FLUSH: Text.WHOLE,
        Move.CANCEL: Text.STOPPED,
        Move.CLOSE: Text.WHOLE,
    },
    Text.WHOLE: {Move.CANCEL: Text.STOPPED, Move.CLOSE: Text.WHOLE},
    Text.STOPPED: {Move.CANCEL: Text.STOPPED, Move.CLOSE: Text.STOPPED},
    Text.ABANDONED: {
        Move.PIECE: Text.ABANDONED,
        Move.LAST_PIECE: Text.NONE,
        Move.FLUSH: Text.NONE,
        Move.CANCEL: Text.NONE,
        Move.CLOSE: Text.NONE,
    },
}

_ASKED = frozenset({Text.COMING, Text.WHOLE, Text.STOPPED})
_ENDED = frozenset({Text.WHOLE, Text.STOPPED})

# The next state, and what the client must have said for it.
ANSWERING: dict[Voice, dict[type[SpeechEvent], tuple[Voice, frozenset[Text]]]] = {
    Voice.WAITING: {
        SynthesisStart: (Voice.SPEAKING, _ASKED),
        SynthesisCancelled: (Voice.DONE, frozenset({Text.STOPPED})),
        Error: (Voice.DONE, _ASKED),
    },
    Voice.SPEAKING: {
        Audio: (Voice.SPEAKING, _ASKED),
        Words: (Voice.SPEAKING, _ASKED),
        SynthesisComplete: (Voice.DONE, _ENDED),
        SynthesisCancelled: (Voice.DONE, frozenset({Text.STOPPED})),
        Error: (Voice.DONE, _ASKED),
    },
    Voice.DONE: {},
}


class OutOfOrderError(Exception):
    """A frame came, or was to be sent, that is not legal now."""

    def __init__(self, code: str, message: str, request_id: str | None) -> None:
        super().__init__(message)
        self.code = code
        self.request_id = request_id


@dataclass(slots=True)
class _Request:
    text: Text = Text.NONE
    voice: Voice = Voice.WAITING


class Order:
    """The requests of one connection, oldest first. Walks the tables; changes nothing on error."""

    def __init__(self, *, max_requests: int) -> None:
        self._max = max_requests
        self._requests: dict[str, _Request] = {}
        self.speaking: str | None = None
        self.closing = False

    @property
    def open(self) -> tuple[str, ...]:
        """Requests whose last frame has yet to come, oldest first."""
        return tuple(name for name, r in self._requests.items() if r.text in _ASKED)

    def text(self, request_id: str) -> Text:
        request = self._requests.get(request_id)
        return Text.NONE if request is None else request.text

    def ask(self, frame: SpeechRequest) -> bool:
        """A client's frame. Gives whether it changes anything for whoever serves the requests."""
        if isinstance(frame, Close):
            for name in tuple(self._requests):
                self._move(name, Move.CLOSE)
            news, self.closing = not self.closing, True
            return news
        if isinstance(frame, Cancel):
            named = tuple(self._requests) if frame.request_id is None else (frame.request_id,)
            moved = [self._move(name, Move.CANCEL) for name in named]
            # A cancel of all also says that what was made before is not heard any more.
            return any(moved) or frame.request_id is None
        if frame.request_id is None:
            raise OutOfOrderError("invalid_frame", "a request needs a request_id", None)
        if isinstance(frame, Flush):
            return self._move(frame.request_id, Move.FLUSH)
        return self._move(frame.request_id, Move.PIECE if frame.more else Move.LAST_PIECE)

    def refuse(self, name: str) -> None:
        """The first piece of a request was bad and more is announced: the rest is passed over."""
        if not self.closing and len(self._requests) < 2 * self._max:
            self._requests.setdefault(name, _Request(text=Text.ABANDONED))

    def answer(self, frame: SpeechEvent) -> str | None:
        """A server's frame. Gives the request that it is about, or None where it is about none."""
        name = self.speaking if isinstance(frame, Audio) else frame.request_id
        request = self._requests.get(name) if name is not None else None
        if name is None or request is None or request.text is Text.ABANDONED:
            if isinstance(frame, Error):
                return None
            raise _illegal(frame, name, "no such request is open")
        after, wanted = ANSWERING[request.voice].get(type(frame), (None, _ASKED))
        if after is None:
            raise _illegal(frame, name, request.voice.value)
        if request.text not in wanted:
            raise _illegal(frame, name, request.text.value)
        if isinstance(frame, SynthesisStart) and self.open[0] != name:
            raise _illegal(frame, name, "an older request has not ended")
        self._enter(name, request, after)
        return name

    def _enter(self, name: str, request: _Request, after: Voice) -> None:
        request.voice = after
        if after is Voice.SPEAKING:
            self.speaking = name
            return
        if self.speaking == name:
            self.speaking = None
        if request.text is Text.COMING:
            request.text = Text.ABANDONED
        else:
            del self._requests[name]

    def _move(self, name: str, move: Move) -> bool:
        known = self._requests.get(name)
        request = known or _Request()
        before = request.text
        after = ASKING[before].get(move)
        if after is None:
            raise _illegal_move(name, move, before)
        if self.closing and move in (Move.PIECE, Move.LAST_PIECE, Move.FLUSH):
            raise OutOfOrderError("closing", "nothing can be asked for after close", name)
        if after is Text.NONE:
            self._requests.pop(name, None)
            return False
        if known is None:
            if len(self._requests) >= self._max:
                raise OutOfOrderError(
                    "too_many_requests", f"{self._max} requests are open, no more may be", name
                )
            self._requests[name] = request
        request.text = after
        return after is not Text.ABANDONED and (after is not before or after is Text.COMING)


def _illegal_move(name: str, move: Move, before: Text) -> OutOfOrderError:
    if before is Text.NONE:
        return OutOfOrderError("unknown_request", f"request {name!a} is not open", name)
    message = f"request {name!a} is still open: {before.value}"
    if move is Move.FLUSH:
        return OutOfOrderError("unexpected_frame", message, name)
    return OutOfOrderError("duplicate_request", message, name)


def _illegal(frame: SpeechEvent, name: str | None, why: str) -> OutOfOrderError:
    kind = type(frame).__name__
    about = "" if name is None else f" for request {name!a}"
    return OutOfOrderError("unexpected_frame", f"{kind}{about} is out of order: {why}", name)
