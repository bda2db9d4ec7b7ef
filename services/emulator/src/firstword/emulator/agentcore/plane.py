"""What goes on at the data plane: whom it admits, which faults are planned, what it has seen."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from starlette.requests import HTTPConnection

from firstword.emulator.agentcore.errors import invalid, unknown_runtime
from firstword.emulator.agentcore.limits import FrameMeter
from firstword.emulator.agentcore.settings import Settings
from firstword.emulator.agentcore.signature import Request, check
from firstword.emulator.sagemaker.errors import ServiceError

SESSION = "x-amzn-bedrock-agentcore-runtime-session-id"
REQUEST = "x-amzn-bedrock-agentcore-runtime-request-id"
CUSTOM = "x-amzn-bedrock-agentcore-runtime-custom-"
FORWARDED = frozenset({"accept", "content-type", "traceparent", "tracestate", "baggage"})


@dataclass(frozen=True, slots=True)
class Call:
    """One admitted call."""

    request_id: str
    session_id: str
    headers: Mapping[str, str]
    """What the container is sent."""


type Close = Callable[[int, str], Awaitable[None]]


class Plane:
    """``clock`` gives the time against which signatures are checked."""

    def __init__(
        self, settings: Settings, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self.settings = settings
        self.calls: list[Call] = []
        self.meters: list[FrameMeter] = []
        self._clock = clock
        self._refusals: deque[ServiceError] = deque()
        self._open: set[Close] = set()

    def refuse_next(self, error: ServiceError) -> None:
        """The next call that would be admitted gets this answer instead."""
        self._refusals.append(error)

    async def cut(self, code: int, reason: str = "") -> int:
        """Close all sockets with that code, as the platform does; gives how many there were."""
        closing = [close(code, reason) for close in self._open]
        await asyncio.gather(*closing)
        return len(closing)

    def joined(self, close: Close) -> Callable[[], None]:
        """A socket is open, and ``close`` closes it; call what is given once it is not."""
        self._open.add(close)
        return lambda: self._open.discard(close)

    def admit(self, request: Request, arn: str, session_id: str | None) -> Call:
        """The call, or ServiceError."""
        settings = self.settings
        check(
            request,
            settings.credentials,
            settings.region,
            now=self._clock(),
            longest_s=settings.limits.presigned_s,
        )
        if self._refusals:
            raise self._refusals.popleft()
        if arn != settings.runtime_arn:
            raise unknown_runtime(arn)
        call = self._call(request, self._session(session_id))
        self.calls.append(call)
        return call

    def _session(self, session_id: str | None) -> str:
        if session_id is None:
            return str(uuid4())
        low, high = self.settings.limits.session_id_chars
        if not low <= len(session_id) <= high:
            raise invalid(
                f"Value at 'runtimeSessionId' failed to satisfy constraint: Member must have "
                f"length between {low} and {high}"
            )
        return session_id

    def _call(self, request: Request, session_id: str) -> Call:
        request_id = str(uuid4())
        passed = {
            name: value
            for name, value in request.headers.items()
            if name in FORWARDED or name.startswith(CUSTOM)
        }
        return Call(request_id, session_id, {**passed, SESSION: session_id, REQUEST: request_id})


def signed_part(connection: HTTPConnection, method: str, body: bytes = b"") -> Request:
    """A request as its signature covers it."""
    return Request(
        method,
        connection.scope["raw_path"].decode("ascii"),
        connection.scope["query_string"].decode("ascii"),
        dict(connection.headers),
        body,
    )
