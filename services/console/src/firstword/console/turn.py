"""One turn with an agent over SSE: the question goes out, the events of the reply come in."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import httpx

from firstword.protocol import RemoteProtocolError, SseParser

MAX_EVENT_BYTES = 1 << 20
"""Largest single event that is taken from an agent."""

_CONNECT_S = 10.0
_SILENCE_S = 120.0
"""How long an agent may say nothing before it counts as lost."""


class TurnError(Exception):
    """The agent refused the question, failed in mid-answer or was lost."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked and how it should be said; None leaves the choice to the agent."""

    prompt: str
    mode: str = "bidi"
    voice: str | None = None
    speed: float = 1.0

    def payload(self) -> dict[str, Any]:
        """The body of POST /invocations."""
        body = {"prompt": self.prompt, "mode": self.mode, "speed": self.speed}
        return body if self.voice is None else {**body, "voice": self.voice}


async def ask(agent_url: str, question: Question) -> AsyncGenerator[Mapping[str, Any]]:
    """The events of the reply as they come, ``agent_end`` last.

    Closing the iterator closes the connection, by which the agent knows to stop thinking and
    speaking. Raises TurnError.
    """
    timeout = httpx.Timeout(_SILENCE_S, connect=_CONNECT_S)
    try:
        async with (
            httpx.AsyncClient(trust_env=False, timeout=timeout) as client,
            client.stream(
                "POST",
                f"{agent_url}/invocations",
                json=question.payload(),
                headers={"Accept": "text/event-stream"},
            ) as response,
        ):
            if response.status_code != httpx.codes.OK:
                raise TurnError(await _refusal(response))
            async with aclosing(events_in(response.aiter_bytes())) as events:
                async for event in events:
                    yield event
    except httpx.TimeoutException:
        raise TurnError(f"the agent said nothing for {_SILENCE_S:.0f} s") from None
    except httpx.HTTPError as error:
        raise TurnError(f"the agent was lost: {type(error).__name__}") from error


async def events_in(pieces: AsyncIterator[bytes]) -> AsyncGenerator[Mapping[str, Any]]:
    """The events of a reply in the pieces of its body, up to ``agent_end``. Raises TurnError."""
    parser = SseParser(max_event_bytes=MAX_EVENT_BYTES)
    try:
        async for data in pieces:
            for event in parser.feed(data):
                yield event
                if event.get("type") == "agent_end":
                    return
    except RemoteProtocolError as error:
        raise TurnError(f"the agent sent what is no event: {error}") from error
    raise TurnError("the agent ended the stream in mid-answer")


async def _refusal(response: httpx.Response) -> str:
    body = (await response.aread())[:2000]
    try:
        message = json.loads(body)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        message = body.decode("utf-8", "replace").strip() or "no reason given"
    return f"the agent answered {response.status_code}: {message}"
