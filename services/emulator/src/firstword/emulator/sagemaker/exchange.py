"""One HTTP request and its answer, whatever version of HTTP carries it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


class PeerGoneError(Exception):
    """The caller reset the stream or closed the connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The head of a request. ``path`` and ``query`` are as they came, still percent-encoded.

    ``headers``: names in lower case; a header that came twice is joined with a comma.
    """

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    duplex: bool
    """Whether the answer may begin before the request has ended: HTTP/2."""


class Exchange(Protocol):
    """A request on its way to be answered: respond once, send, finish. One reader, one writer."""

    @property
    def request(self) -> Request: ...

    async def read(self) -> bytes:
        """The next piece of the body, ``b""`` at its end. What is not read is not let in.

        Raises:
            PeerGoneError: the caller has left.
        """
        ...

    async def respond(self, status: int, headers: Mapping[str, str]) -> None: ...

    async def send(self, data: bytes) -> None:
        """Send a piece of the answer; waits while the caller does not take it.

        Raises:
            PeerGoneError: the caller has left.
        """
        ...

    async def finish(self) -> None: ...

    def reset(self) -> None:
        """Break this answer off. On HTTP/1.1 that is the whole connection."""
        ...

    def drop(self) -> None:
        """Reset the connection under it."""
        ...

    async def go_away(self, *, stay: bool) -> None:
        """Announce that the connection takes no more requests; close it unless ``stay``."""
        ...


def joined(headers: list[tuple[str, str]]) -> dict[str, str]:
    """Headers by name in lower case; what came more than once is joined with a comma."""
    found: dict[str, str] = {}
    for name, value in headers:
        key = name.lower()
        found[key] = f"{found[key]},{value}" if key in found else value
    return found
