"""InvokeEndpoint and InvokeEndpointWithResponseStream, called by boto3 over HTTP/1.1."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import BotoCoreError, ClientError, EventStreamError
from firstword.emulator.sagemaker.settings import Limits
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from urllib3.exceptions import ProtocolError

from tests.emulator.sagemaker.conftest import ENDPOINT, Live, Sagemaker, until, within
from tests.loopback import served


@dataclass
class Model:
    """A container's HTTP that answers as the body of the request says."""

    ping_status: int = 200
    requests: list[tuple[bytes, dict[str, str]]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/ping", self.ping),
                Route("/invocations", self.invocations, methods=["POST"]),
            ]
        )

    async def ping(self, _: Request) -> Response:
        return Response(status_code=self.ping_status)

    async def invocations(self, request: Request) -> Response:
        body = await request.body()
        self.requests.append((body, dict(request.headers)))
        match body:
            case b"bad":
                return JSONResponse({"error": {"code": "bad_request"}}, 400)
            case b"broken":
                return Response("it broke", 500)
            case b"stream" | b"die" | b"wait":
                return StreamingResponse(self.pieces(body), media_type="audio/wav")
            case _:
                return Response(body * 2, media_type="audio/wav")

    async def pieces(self, how: bytes) -> AsyncIterator[bytes]:
        try:
            yield b"one "
            await asyncio.sleep(0)
            if how == b"die":
                raise ConnectionAbortedError
            if how == b"wait":
                await self.gate.wait()
            yield b"two"
        finally:
            self.left.append(how.decode())


@pytest.fixture
async def model() -> Model:
    return Model()


@pytest.fixture
async def live(sagemaker: Sagemaker, model: Model) -> AsyncIterator[Live]:
    async with served(model.app()) as url, sagemaker.before(url) as one:
        yield one


async def invoke(live: Live, body: bytes, **given: Any) -> Any:
    client = live.boto3(**given.pop("config", {}))

    def call() -> Any:
        answer = client.invoke_endpoint(EndpointName=ENDPOINT, Body=body, **given)
        return answer, answer["Body"].read()

    return await within(asyncio.to_thread(call))


async def stream(live: Live, body: bytes, endpoint: str = ENDPOINT) -> list[bytes]:
    client = live.boto3()

    def call() -> list[bytes]:
        answer = client.invoke_endpoint_with_response_stream(EndpointName=endpoint, Body=body)
        with closing(answer["Body"]) as events:
            return [event["PayloadPart"]["Bytes"] for event in events]

    return await within(asyncio.to_thread(call))


async def test_an_invocation_is_passed_on_and_answered(live: Live, model: Model) -> None:
    answer, body = await invoke(
        live, b"hello", ContentType="text/plain", Accept="audio/wav", CustomAttributes="a=1"
    )
    assert body == b"hellohello"
    assert answer["ContentType"] == "audio/wav"
    assert answer["InvokedProductionVariant"] == "AllTraffic"
    (came, headers), *_ = model.requests
    assert came == b"hello"
    assert headers["content-type"] == "text/plain"
    assert headers["accept"] == "audio/wav"
    assert headers["x-amzn-sagemaker-custom-attributes"] == "a=1"


async def test_a_connection_serves_many_invocations(live: Live) -> None:
    client = live.boto3()

    def calls() -> list[bytes]:
        return [
            client.invoke_endpoint(EndpointName=ENDPOINT, Body=body)["Body"].read()
            for body in (b"a", b"b", b"c" * 300_000)
        ]

    assert await within(asyncio.to_thread(calls)) == [b"aa", b"bb", b"c" * 600_000]
    assert live.runtime.connections == 1


async def test_a_response_stream_comes_in_parts(live: Live) -> None:
    parts = await stream(live, b"stream")
    assert b"".join(parts) == b"one two"
    assert len(parts) == 2


@pytest.mark.parametrize(
    ("body", "status", "original"),
    [(b"bad", 400, '{"error":{"code":"bad_request"}}'), (b"broken", 500, "it broke")],
)
async def test_a_containers_error_is_a_model_error(
    live: Live, body: bytes, status: int, original: str
) -> None:
    with pytest.raises(ClientError) as caught:
        await invoke(live, body)
    answer = caught.value.response
    assert answer["Error"]["Code"] == "ModelError"
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 424
    assert answer["OriginalStatusCode"] == status
    assert answer["OriginalMessage"] == original
    assert original in answer["Error"]["Message"]
    with pytest.raises(ClientError, match="ModelError"):
        await stream(live, body)


async def test_a_stream_that_the_container_breaks_off_says_so(live: Live) -> None:
    with pytest.raises(EventStreamError, match="ModelStreamError"):
        await stream(live, b"die")


async def test_a_stream_has_a_limit(sagemaker: Sagemaker, model: Model) -> None:
    sagemaker.limits = Limits(stream_s=0.1)
    async with served(model.app()) as url, sagemaker.before(url) as live:
        with pytest.raises(EventStreamError, match=r"not finish within 0\.1 s"):
            await stream(live, b"wait")
        await until(lambda: model.left == ["wait"])


async def test_a_caller_that_leaves_ends_the_containers_work(live: Live, model: Model) -> None:
    def leave() -> None:
        client = live.boto3()
        answer = client.invoke_endpoint_with_response_stream(EndpointName=ENDPOINT, Body=b"wait")
        assert next(iter(answer["Body"]))["PayloadPart"]["Bytes"] == b"one "
        answer["Body"].close()

    await within(asyncio.to_thread(leave))
    await until(lambda: model.left == ["wait"])
    await until(lambda: live.runtime.connections == 0)


async def test_an_unknown_endpoint_is_not_found(live: Live) -> None:
    with pytest.raises(ClientError, match="Endpoint another of account 000000000000 not found"):
        await stream(live, b"hello", "another")


async def test_a_container_that_is_not_ready_is_not_called(live: Live, model: Model) -> None:
    model.ping_status = 503
    with pytest.raises(ClientError, match="ModelNotReadyException") as caught:
        await invoke(live, b"hello")
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 429
    assert model.requests == []


async def test_a_wrong_secret_is_refused(live: Live, model: Model) -> None:
    with pytest.raises(ClientError, match="InvalidSignatureException"):
        await invoke(live, b"hello", config={"secret": "another"})
    assert model.requests == []


async def test_a_payload_has_a_limit(sagemaker: Sagemaker, model: Model) -> None:
    sagemaker.limits = Limits(body_bytes=1000)
    async with served(model.app()) as url, sagemaker.before(url) as live:
        await invoke(live, bytes(1000))
        with pytest.raises(ClientError, match=r"ValidationException.*larger than 1000"):
            await invoke(live, bytes(1001))


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("throttle", "ThrottlingException"),
        ("throttle status=429", "ThrottlingException"),
        ("unavailable", "ServiceUnavailable"),
        ("deny", "AccessDeniedException.*sagemaker:InvokeEndpoint on"),
    ],
)
async def test_the_service_can_refuse(
    live: Live, sagemaker: Sagemaker, line: str, error: str
) -> None:
    sagemaker.faults.add(line)
    with pytest.raises(ClientError, match=error):
        await invoke(live, b"hello")
    _, body = await invoke(live, b"hello")
    assert body == b"hellohello"


@pytest.mark.parametrize("line", ["reset", "drop", "goaway", "reset part=1", "drop byte=20"])
async def test_the_service_can_break_off(live: Live, sagemaker: Sagemaker, line: str) -> None:
    sagemaker.faults.add(line)
    with pytest.raises((BotoCoreError, ProtocolError)):
        await stream(live, b"stream")
    assert b"".join(await stream(live, b"stream")) == b"one two"


async def test_no_thread_stays(live: Live) -> None:
    before = threading.active_count()
    await stream(live, b"stream")
    assert threading.active_count() <= before + 1  # The event loop's own executor.
