"""One turn of the agent: through AgentCore, or at the page of a Docker host."""

from __future__ import annotations

import base64
import http.client
import json
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

from firstword.infra.operations.hearing import Heard
from firstword.infra.operations.wires import RATE, READ_S, Clock, WireError, called, client

TURN_S = 180.0
MAX_LINE = 4 * 1024 * 1024


def invoke_agent(runtime_arn: str, qualifier: str | None, region: str, prompt: str) -> Heard:
    """AgentCore's InvokeAgentRuntime: one turn, its audio out of the event stream."""
    boto, clock = client("bedrock-agentcore", region), Clock()
    named = {"qualifier": qualifier} if qualifier else {}
    answer = called(
        boto.invoke_agent_runtime,
        agentRuntimeArn=runtime_arn,
        runtimeSessionId=f"firstword-smoke-{uuid.uuid4()}",
        contentType="application/json",
        accept="text/event-stream",
        payload=_question(prompt),
        **named,
    )
    try:
        return _turn(answer["response"].iter_lines(chunk_size=8192), clock)
    except (BotoCoreError, ClientError) as error:
        raise WireError(f"the stream broke: {error}") from error


def invoke_local(page: str, prompt: str) -> Heard:
    """The same turn by plain HTTP, as the page itself asks for it."""
    request = urllib.request.Request(  # noqa: S310 - the address is our own stack's output
        f"{page.rstrip('/')}/invocations",
        _question(prompt),
        {"content-type": "application/json"},
    )
    clock = Clock()
    try:
        with urllib.request.urlopen(request, timeout=READ_S) as answer:  # noqa: S310
            return _turn(answer, clock)
    except urllib.error.HTTPError as error:
        raise WireError(f"status {error.code}: {error.read(300)!r}") from error
    except (OSError, http.client.HTTPException) as error:
        raise WireError(f"{page} does not answer: {error}") from error


def _question(prompt: str) -> bytes:
    return json.dumps({"prompt": prompt, "mode": "bidi"}).encode()


def _turn(lines: Iterable[bytes], clock: Clock) -> Heard:
    """The audio of one turn, which must end in good order."""
    pcm, rate, ended = bytearray(), RATE, False
    for event in _events(lines, clock):
        match event.get("type"):
            case "error":
                raise WireError(f"the agent failed: {event.get('code')}: {event.get('message')}")
            case "audio_stream_start":
                rate = int(event["sample_rate"])
            case "audio_chunk":
                pcm += base64.b64decode(event["data"])
                clock.audio()
            case "agent_end":
                ended = True
            case _:
                pass
    if not ended:
        raise WireError("the agent's stream ended before its turn did")
    return clock.heard(bytes(pcm), rate)


def _events(lines: Iterable[bytes], clock: Clock) -> Iterator[dict[str, Any]]:
    """The objects of an event stream's ``data:`` lines, one a line as our agent writes them."""
    for line in lines:
        if clock.now() > TURN_S * 1000:
            raise WireError(f"the turn took more than {TURN_S:.0f} s")
        if len(line) > MAX_LINE:
            raise WireError(f"an event of {len(line)} bytes")
        if line.startswith(b"data:"):
            yield _object(line.removeprefix(b"data:"))


def _object(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise WireError(f"no JSON in an event: {text[:100]!r}") from error
    if not isinstance(found, dict):
        raise WireError(f"no object in an event: {text[:100]!r}")
    return found
