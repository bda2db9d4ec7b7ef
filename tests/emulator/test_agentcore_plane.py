"""AgentCore's data plane on loopback, as AWS's own client and a browser's socket see it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from agentcore_stage import (
    ARN,
    SESSION_HEADER,
    SESSION_ID,
    Container,
    data_client,
    plane_before,
    signed_headers,
    socket_url,
)
from botocore.exceptions import ClientError
from firstword.emulator.agentcore import Plane, errors
from loopback import served
from starlette.websockets import WebSocket
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

DEADLINE_S = 20.0
REQUEST_HEADER = "x-amzn-bedrock-agentcore-runtime-request-id"


@asynccontextmanager
async def running(container: Container, **limits: Any) -> AsyncIterator[tuple[Plane, str]]:
    async with (
        served(container.app()) as container_url,
        plane_before(container_url, **limits) as (plane, url),
        asyncio.timeout(DEADLINE_S),
    ):
        yield plane, url


async def invoke(url: str, **arguments: Any) -> Any:
    asked = {"agentRuntimeArn": ARN, "payload": b'{"prompt": "Hi"}', **arguments}
    return await asyncio.to_thread(lambda: data_client(url).invoke_agent_runtime(**asked))


async def refusal(url: str, **arguments: Any) -> tuple[str, int, str]:
    """The code, status and message with which a call fails."""
    with pytest.raises(ClientError) as caught:
        await invoke(url, **arguments)
    said = caught.value.response
    return (
        said["Error"]["Code"],
        said["ResponseMetadata"]["HTTPStatusCode"],
        said["Error"]["Message"],
    )


async def closed(socket: Any) -> tuple[int, str]:
    """The code and reason with which a socket ends, whatever comes before."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            await socket.recv()
    return socket.close_code, socket.close_reason


# InvokeAgentRuntime.


async def test_a_reply_passes_piece_by_piece_with_the_ids_in_its_headers() -> None:
    more = asyncio.Event()

    async def reply() -> AsyncIterator[bytes]:
        yield b"data: one\n\n"
        await more.wait()
        yield b"data: two\n\n"

    container = Container(reply)
    async with running(container) as (plane, url):
        answer = await invoke(url, runtimeSessionId=SESSION_ID, traceParent="00-aa-bb-01")
        with answer["response"] as raw:
            assert await asyncio.to_thread(raw.read1, 100) == b"data: one\n\n"
            more.set()
            assert await asyncio.to_thread(raw.read, 100) == b"data: two\n\n"
    assert answer["runtimeSessionId"] == SESSION_ID
    assert answer["contentType"].startswith("text/event-stream")
    seen = container.headers[0]
    assert seen[SESSION_HEADER.lower()] == SESSION_ID
    assert seen[REQUEST_HEADER] == plane.calls[0].request_id
    assert answer["ResponseMetadata"]["RequestId"] == plane.calls[0].request_id
    assert seen["traceparent"] == "00-aa-bb-01"
    assert "authorization" not in seen
    assert container.bodies == [b'{"prompt": "Hi"}']


async def test_a_caller_that_leaves_ends_the_containers_work() -> None:
    async def reply() -> AsyncIterator[bytes]:
        yield b"data: one\n\n"
        await asyncio.Event().wait()

    container = Container(reply)
    async with running(container) as (_, url):
        answer = await invoke(url)
        with answer["response"] as raw:
            await asyncio.to_thread(raw.read1, 100)
            raw.shutdown()
        await container.left.wait()


async def test_errors_have_the_names_and_statuses_of_awss_own() -> None:
    container = Container(status=400)
    async with running(container) as (plane, url):
        assert (await refusal(url))[:2] == ("RuntimeClientError", 424)
        code, status, message = await refusal(url)
        assert "secret" not in message, "what a container answers in an error stays there"
        assert "(400)" in message
        other = ARN.replace("test", "none")
        assert (await refusal(url, agentRuntimeArn=other))[:2] == ("ResourceNotFoundException", 404)
        for error in (errors.throttled(), errors.denied("InvokeAgentRuntime", ARN)):
            plane.refuse_next(error)
            assert (await refusal(url))[:2] == (error.name, error.status)
    async with plane_before("http://127.0.0.1:9") as (_, url):
        code, status, message = await refusal(url)
        assert (code, status) == ("RuntimeClientError", 424)
        assert "starting the runtime" in message


async def test_who_signs_with_another_key_is_refused() -> None:
    async with running(Container()) as (plane, url):
        for client in (data_client(url, secret="other"), data_client(url, key="OTHER")):
            with pytest.raises(ClientError) as caught:
                await asyncio.to_thread(
                    lambda c=client: c.invoke_agent_runtime(agentRuntimeArn=ARN, payload=b"{}")
                )
            assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403
        assert plane.calls == []


async def test_a_session_id_has_33_characters() -> None:
    async with running(Container()) as (_, url), httpx.AsyncClient(trust_env=False) as client:
        address = f"{url}/runtimes/{quote(ARN, safe='')}/invocations"
        headers = signed_headers("POST", address, b"{}", **{SESSION_HEADER: "short"})
        answer = await client.post(address, content=b"{}", headers=headers)
        assert answer.status_code == 400
        assert answer.headers["x-amzn-errortype"] == "ValidationException"
        unknown = await client.get(f"{url}/agents")
        assert unknown.status_code == 404


# The socket.


async def echo(socket: WebSocket) -> None:
    while (message := await socket.receive())["type"] != "websocket.disconnect":
        await socket.send({**message, "type": "websocket.send"})


async def test_frames_cross_both_ways_in_order_and_in_kind() -> None:
    container = Container(talk=echo)
    async with running(container) as (plane, url), connect(socket_url(url), proxy=None) as socket:
        for frame in ("text", b"bytes", "ümläut 🎉", b"\x00" * 16384):
            await socket.send(frame)
            assert await socket.recv() == frame
    seen = container.headers[0]
    assert seen[SESSION_HEADER.lower()] == SESSION_ID, "the query's session is a header inside"
    assert seen[REQUEST_HEADER] == plane.calls[0].request_id
    assert "origin" not in seen


@pytest.mark.parametrize(
    ("change", "status", "name"),
    [
        (("X-Amz-Signature=", "X-Amz-Signature=0"), 403, "InvalidSignatureException"),
        (("X-Amz-Algorithm", "X-Amz-Algo"), 403, "MissingAuthenticationTokenException"),
        (("X-Amz-Expires=300", "X-Amz-Expires=3000"), 403, "InvalidSignatureException"),
    ],
)
async def test_a_socket_without_a_good_signature_is_not_opened(
    change: tuple[str, str], status: int, name: str
) -> None:
    async with running(Container(talk=echo)) as (_, url):
        with pytest.raises(InvalidStatus) as caught:
            await connect(socket_url(url).replace(*change), proxy=None)
        answer = caught.value.response
        assert (answer.status_code, answer.headers["x-amzn-errortype"]) == (status, name)
        assert json.loads(answer.body or b"")["message"]


async def test_a_container_that_is_not_there_is_told_before_the_socket_opens() -> None:
    async with plane_before("http://127.0.0.1:9") as (_, url):
        with pytest.raises(InvalidStatus) as caught:
            await connect(socket_url(url), proxy=None)
        assert caught.value.response.status_code == 424


@pytest.mark.parametrize("frame", [b"\x00" * 32769, "x" * 32769])
async def test_a_frame_over_32_kib_closes_the_socket_with_1009(frame: bytes | str) -> None:
    async def pour(socket: WebSocket) -> None:
        message = await socket.receive_text()
        kind = "bytes" if isinstance(frame, bytes) else "text"
        await socket.send({"type": "websocket.send", kind: frame})
        await socket.send_text(message)

    async with running(Container(talk=echo)) as (_, url), connect(socket_url(url), proxy=None) as s:
        await s.send(frame[:-1])
        assert await s.recv() == frame[:-1]
        await s.send(frame)
        assert (await closed(s))[0] == 1009
    async with running(Container(talk=pour)) as (_, url), connect(socket_url(url), proxy=None) as s:
        await s.send("go")
        assert (await closed(s))[0] == 1009


async def test_more_than_250_frames_in_a_second_close_the_socket_with_1008() -> None:
    async def pour(socket: WebSocket) -> None:
        await socket.receive_text()
        for _ in range(400):
            await socket.send_bytes(b"ab")
        await socket.receive()

    async with running(Container(talk=pour)) as (plane, url):
        async with connect(socket_url(url), proxy=None) as socket:
            await socket.send("go")
            code, reason = await closed(socket)
        assert (code, plane.meters[0].frames) == (1008, 251)
        assert "250 frames" in reason


async def test_a_containers_own_close_code_reaches_the_caller() -> None:
    async def leave(socket: WebSocket) -> None:
        await socket.close(1000, "idle")

    container = Container(talk=leave)
    async with running(container) as (_, url), connect(socket_url(url), proxy=None) as socket:
        assert await closed(socket) == (1000, "idle")


async def test_a_platform_that_cuts_is_felt_on_both_sides() -> None:
    ends: list[Any] = []

    async def listen(socket: WebSocket) -> None:
        ends.append(await socket.receive())

    async with running(Container(talk=listen)) as (plane, url):
        async with connect(socket_url(url), proxy=None) as socket:
            assert await plane.cut(1001, "moving") == 1
            assert await closed(socket) == (1001, "moving")
        assert [(end["type"], end["code"]) for end in ends] == [("websocket.disconnect", 1001)]
        assert await plane.cut(1001) == 0


async def test_a_session_is_cut_when_its_time_is_over() -> None:
    async def listen(socket: WebSocket) -> None:
        await socket.receive()

    plane = running(Container(talk=listen), session_s=0.05)
    async with plane as (_, url), connect(socket_url(url), proxy=None) as socket:
        assert (await closed(socket))[0] == 1001
