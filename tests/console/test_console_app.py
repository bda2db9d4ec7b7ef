"""The console's web server in front of the parts: what passes, what is refused, what is bounded."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio
from console_stage import DEADLINE_S, FakeAgent, two_sentences
from firstword.console.app import PageSettings, create_app
from firstword.console.http_proxy import MAX_BODY_BYTES
from firstword.protocol import SseParser
from loopback import served
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus


@pytest_asyncio.fixture
async def console(agent: FakeAgent) -> AsyncIterator[str]:
    async with served(create_app(PageSettings(agent.url, agent.url))) as url:
        yield url


@pytest_asyncio.fixture
async def client(console: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=console, trust_env=False) as client:
        yield client


async def test_the_page_and_its_files_are_served_with_a_strict_policy(
    client: httpx.AsyncClient,
) -> None:
    page = await client.get("/")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    for path in ("/main.js", "/player-worklet.js", "/style.css", "/icon.svg"):
        assert (await client.get(path)).status_code == 200
        assert path in page.text or path == "/player-worklet.js"
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["referrer-policy"] == "no-referrer"


async def test_a_file_that_the_browser_has_is_not_sent_again(client: httpx.AsyncClient) -> None:
    first = await client.get("/main.js")
    again = await client.get("/main.js", headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304
    assert again.content == b""


@pytest.mark.parametrize("path", ["/index.html", "/../app.py", "/%2e%2e/app.py", "/app.py"])
async def test_nothing_but_the_pages_files_can_be_had(client: httpx.AsyncClient, path: str) -> None:
    assert (await client.get(path)).status_code == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.test"},
        {"host": "127.0.0.1.evil.test"},
        {"origin": "http://evil.test"},
        {"origin": "null"},
    ],
)
async def test_strangers_are_refused_everywhere(
    client: httpx.AsyncClient, console: str, headers: dict[str, str]
) -> None:
    for path in ("/", "/api/voices", "/ping", "/main.js"):
        answer = await client.get(path, headers=headers)
        assert answer.status_code == 403
        assert "content-security-policy" in answer.headers
    answer = await client.post("/invocations", json={"prompt": "x"}, headers=headers)
    assert answer.status_code == 403
    if "origin" in headers:
        with pytest.raises(InvalidStatus):
            await connect(
                console.replace("http", "ws") + "/ws", proxy=None, additional_headers=headers
            )


async def test_voices_come_from_the_speech_server(client: httpx.AsyncClient) -> None:
    assert (await client.get("/api/voices")).json() == {"voices": [{"id": "af_heart"}]}


async def test_a_reply_is_passed_on_event_by_event(
    client: httpx.AsyncClient, agent: FakeAgent
) -> None:
    more = asyncio.Event()

    async def reply() -> AsyncIterator[dict[str, object]]:
        async for event in two_sentences():
            yield event
            if event["type"] == "text_delta":
                await more.wait()

    agent.reply = reply
    parser = SseParser()
    kinds: list[str] = []
    async with client.stream("POST", "/invocations", json={"prompt": "Hm?"}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        async for data in answer.aiter_bytes():
            kinds += [event["type"] for event in parser.feed(data)]
            if "text_delta" in kinds:
                more.set()  # Only now does the agent go on.
    assert kinds[-1] == "agent_end"
    assert agent.asked == [{"prompt": "Hm?"}]


async def test_a_caller_that_leaves_stops_the_agent(
    client: httpx.AsyncClient, agent: FakeAgent
) -> None:
    async def reply() -> AsyncIterator[dict[str, object]]:
        yield {"type": "agent_start"}
        await asyncio.Event().wait()

    agent.reply = reply
    async with client.stream("POST", "/invocations", json={"prompt": "Hm?"}) as answer:
        async for _ in answer.aiter_bytes():
            break
    await asyncio.wait_for(agent.left.wait(), DEADLINE_S)


async def test_bodies_are_bounded_and_of_one_kind(
    client: httpx.AsyncClient, agent: FakeAgent
) -> None:
    large = json.dumps({"prompt": "x" * MAX_BODY_BYTES})
    headers = {"content-type": "application/json"}
    answer = await client.post("/invocations", content=large, headers=headers)
    assert answer.status_code == 413
    answer = await client.post("/invocations", content="{}", headers={"content-type": "text/plain"})
    assert answer.status_code == 415
    assert agent.asked == []


async def test_parts_that_are_gone_are_a_502_and_a_refused_socket() -> None:
    nowhere = "http://127.0.0.1:9"
    async with (
        served(create_app(PageSettings(nowhere, nowhere))) as url,
        httpx.AsyncClient(base_url=url, trust_env=False) as client,
    ):
        assert (await client.get("/api/voices")).status_code == 502
        assert (await client.post("/invocations", json={"prompt": "x"})).status_code == 502
        with pytest.raises(InvalidStatus):
            await connect(url.replace("http", "ws") + "/ws", proxy=None)


async def test_messages_cross_the_socket_both_ways_in_order_and_in_kind(
    console: str, agent: FakeAgent
) -> None:
    async def echo(socket: WebSocket) -> None:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            await socket.send({**message, "type": "websocket.send"})

    agent.talk = echo
    sent: list[str | bytes] = ["text", b"bytes", "ümläut 🎉", b"", b"\x00" * 16384]
    async with connect(console.replace("http", "ws") + "/ws", proxy=None) as page:
        for message in sent:
            await page.send(message)
        assert [await page.recv() for _ in sent] == sent


async def test_the_agents_close_reaches_the_page(console: str, agent: FakeAgent) -> None:
    async def leave(socket: WebSocket) -> None:
        await socket.send_text("bye")
        await socket.close(1011, "broken")

    agent.talk = leave
    async with connect(console.replace("http", "ws") + "/ws", proxy=None) as page:
        assert await page.recv() == "bye"
        with pytest.raises(ConnectionClosed):
            await page.recv()
        assert (page.close_code, page.close_reason) == (1011, "broken")


async def test_the_pages_close_reaches_the_agent(console: str, agent: FakeAgent) -> None:
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def listen(socket: WebSocket) -> None:
        try:
            await socket.receive_text()
        except WebSocketDisconnect as end:
            ended.set_result(end.code)

    agent.talk = listen
    async with connect(console.replace("http", "ws") + "/ws", proxy=None) as page:
        await page.close(4001, "done")
    assert await asyncio.wait_for(ended, DEADLINE_S) == 4001


async def test_a_page_that_does_not_read_slows_the_agent_instead_of_filling_memory(
    console: str, agent: FakeAgent
) -> None:
    sent = 0
    frame = os.urandom(16384)  # Nothing that could be compressed.
    stuck = asyncio.Event()

    async def pour(socket: WebSocket) -> None:
        nonlocal sent
        try:
            while True:
                async with asyncio.timeout(1.0):
                    await socket.send_bytes(frame)
                sent += len(frame)
        except TimeoutError:
            stuck.set()

    agent.talk = pour
    async with connect(
        console.replace("http", "ws") + "/ws", proxy=None, max_queue=1, close_timeout=0.1
    ):
        await asyncio.wait_for(stuck.wait(), DEADLINE_S)
    assert sent < 64 * 1024 * 1024
