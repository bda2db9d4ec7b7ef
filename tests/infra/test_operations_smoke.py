"""The smoke test over each wire, against the emulators of AWS's data planes."""

from __future__ import annotations

import asyncio
import base64
import json
import math
from array import array
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from firstword.emulator.agentcore.app import create_app as agentcore_app
from firstword.emulator.agentcore.plane import Plane
from firstword.emulator.agentcore.settings import Settings as PlaneSettings
from firstword.emulator.sagemaker.certificate import Certificate
from firstword.emulator.sagemaker.runtime import serving
from firstword.emulator.sagemaker.settings import Settings as RuntimeSettings
from firstword.emulator.sigv4 import Credentials
from firstword.infra.operations.smoke import SENTENCE, Wire, agent_wire, endpoint_wires, tried
from loopback import served
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

KEYS = Credentials("key", "secret")
ENDPOINT = "firstword-dev-tts"
ARN = "arn:aws:bedrock-agentcore:us-west-2:123456789012:runtime/firstword_dev_agent-abc"
RATE = 24_000


def speech(seconds: float = 4.0) -> bytes:
    """What rises and falls four times a second, with pauses."""

    def sample(n: int) -> int:
        t = n / RATE
        level = 0.0 if t % 1.6 > 1.3 else abs(math.sin(4 * math.pi * t))
        return int(9000 * level * math.sin(2 * math.pi * 180 * t))

    return array("h", (sample(n) for n in range(int(seconds * RATE)))).tobytes()


class Container:
    """A speech server and an agent that say ``pcm``, or break as ``broken`` says."""

    def __init__(self, pcm: bytes, broken: bool = False) -> None:
        self.pcm, self.broken = pcm, broken
        self.asked: list[dict[str, object]] = []

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/ping", lambda request: Response("{}")),
                Route("/invocations", self.speak, methods=["POST"]),
                WebSocketRoute("/invocations-bidirectional-stream", self.talk),
            ]
        )

    async def speak(self, request: Request) -> Response:
        asked = await request.json()
        self.asked.append(asked)
        if "prompt" in asked:
            return StreamingResponse(self.turn(), media_type="text/event-stream")
        if self.broken:
            return Response(json.dumps({"error": {"code": "queue_saturated"}}), 503)
        return Response(self.pcm, media_type="audio/pcm")

    async def turn(self) -> AsyncIterator[bytes]:
        events: list[dict[str, object]] = [
            {"type": "agent_start", "mode": "bidi"},
            {"type": "audio_stream_start", "sample_rate": RATE},
        ]
        for start in range(0, len(self.pcm), 48_000):
            data = base64.b64encode(self.pcm[start : start + 48_000]).decode()
            events.append({"type": "audio_chunk", "data": data})
        last = {"type": "error", "code": "x", "message": "y"} if self.broken else {}
        for event in [*events, last or {"type": "agent_end", "timings": {}}]:
            yield f"data: {json.dumps(event)}\n\n".encode()

    async def talk(self, socket: WebSocket) -> None:
        await socket.accept()
        message = await socket.receive()
        asked = json.loads(message.get("text") or message["bytes"])
        self.asked.append(asked)
        await socket.send_text(json.dumps({"type": "synthesis_start", "request_id": "smoke"}))
        for start in range(0, len(self.pcm), 16_384):
            await socket.send_bytes(self.pcm[start : start + 16_384])
        end = "error" if self.broken else "synthesis_complete"
        await socket.send_text(json.dumps({"type": end, "code": "internal", "message": "no"}))
        await socket.receive()


@pytest.fixture(scope="session")
def certificate() -> Certificate:
    return Certificate()


type Try = Callable[[Container], asyncio.Future[list[dict[str, object]]]]


@pytest.fixture
async def attempt(
    certificate: Certificate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Callable[[Container], object]]:
    """``attempt(container)``: the results of all wires before it, as ``smoke`` makes them."""
    authority = tmp_path / "ca.pem"
    certificate.write_authority(authority)
    async with AsyncExitStack() as stack:

        async def results(container: Container) -> list[dict[str, object]]:
            url = await stack.enter_async_context(served(container.app()))
            settings = RuntimeSettings(endpoints={ENDPOINT: url}, credentials=KEYS)
            runtime, _ = await stack.enter_async_context(serving(settings, certificate))
            plane = Plane(PlaneSettings(container=url, credentials=KEYS, runtime_arn=ARN))
            agentcore = await stack.enter_async_context(served(agentcore_app(plane)))
            for name, value in {
                "AWS_ACCESS_KEY_ID": KEYS.access_key_id,
                "AWS_SECRET_ACCESS_KEY": KEYS.secret_access_key,
                "AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME": runtime,
                "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE": agentcore,
                "AWS_CA_BUNDLE": str(authority),
                "SSL_CERT_FILE": str(authority),
                "FIRSTWORD_SAGEMAKER_ENDPOINT_URI": runtime,
            }.items():
                monkeypatch.setenv(name, value)
            wires: list[Wire] = [*endpoint_wires(ENDPOINT, "us-west-2"), agent_wire(ARN, None)]
            return [dict(await asyncio.to_thread(tried, wire)) for wire in wires]

        yield results


async def test_every_wire_speaks(attempt: Callable[[Container], object]) -> None:
    container = Container(speech())
    results = await attempt(container)  # type: ignore[misc]
    assert [result["wire"] for result in results] == [
        "InvokeEndpoint",
        "InvokeEndpointWithResponseStream",
        "InvokeEndpointWithBidirectionalStream",
        "InvokeAgentRuntime",
    ]
    for result in results:
        assert result["speech"], result
        assert result["seconds"] == pytest.approx(4.0)
        assert 0 < result["first_ms"] <= result["all_ms"]
    assert [asked.get("text") for asked in container.asked] == [SENTENCE] * 3 + [None]


async def test_silence_is_no_speech_on_any_wire(attempt: Callable[[Container], object]) -> None:
    results = await attempt(Container(bytes(4 * 2 * RATE)))  # type: ignore[misc]
    assert [result["speech"] for result in results] == [False] * 4
    assert all("silence" in result["reason"] for result in results)


async def test_an_error_on_the_way_is_told_and_no_speech(
    attempt: Callable[[Container], object],
) -> None:
    results = await attempt(Container(speech(), broken=True))  # type: ignore[misc]
    assert [result["speech"] for result in results] == [False] * 4
    bidirectional, agent = results[2]["reason"], results[3]["reason"]
    assert "internal: no" in bidirectional
    assert "the agent failed: x: y" in agent
