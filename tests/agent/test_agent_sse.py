"""``POST /invocations`` over real HTTP."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from firstword.agent.settings import Settings
from firstword.protocol import SseParser

from tests.agent.conftest import (
    FakeSpeech,
    GatedModel,
    Plan,
    last_prompt,
    pcm,
    serving,
    until,
    within,
)


@contextlib.asynccontextmanager
async def invoke(
    client: httpx.AsyncClient, platform: str | None = None, **body: Any
) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    headers = {}
    if platform is not None:
        headers["X-Amzn-Bedrock-AgentCore-Runtime-Session-Id"] = platform
    async with client.stream("POST", "/invocations", json=body, headers=headers) as response:
        assert response.status_code == 200, await response.aread()
        assert response.headers["content-type"].startswith("text/event-stream")

        async def events() -> AsyncIterator[dict[str, Any]]:
            parser = SseParser()
            async for data in response.aiter_raw():
                for event in parser.feed(data):
                    yield event

        yield events()


async def reply(client: httpx.AsyncClient, **body: Any) -> list[dict[str, Any]]:
    async with asyncio.timeout(10), invoke(client, **body) as events:
        return [event async for event in events]


def audio_of(events: list[dict[str, Any]]) -> bytes:
    chunks = [event["data"] for event in events if event["type"] == "audio_chunk"]
    return b"".join(base64.b64decode(chunk) for chunk in chunks)


async def test_a_prompt_is_answered_with_text_and_audio(make_agent: Any) -> None:
    async with (
        make_agent(lambda m: ["One is here. ", "Two is there."]) as agent,
        agent.client() as c,
    ):
        events = await reply(c, prompt="Hi", voice="bf_emma", speed=1.5, request_id="q1")
    assert audio_of(events) == pcm("One is here.") + pcm("Two is there.")
    assert events[0]["type"] == "agent_start"
    assert events[0]["mode"] == "bidi"
    assert events[-1]["type"] == "agent_end"
    assert events[-1]["status"] == "complete"
    assert all(event["request_id"] == "q1" for event in events)
    chunks = [event for event in events if event["type"] == "audio_chunk"]
    assert [chunk["seq"] for chunk in chunks] == list(range(len(chunks)))
    assert max(len(base64.b64decode(chunk["data"])) for chunk in chunks) <= 16 * 1024
    assert agent.speech.requests[0].voice == "bf_emma"


async def test_proxies_are_told_to_pass_events_on_at_once(make_agent: Any) -> None:
    async with make_agent(lambda m: ["Hi."]) as agent, agent.client() as c:
        response = await within(c.post("/invocations", json={"prompt": "Hi"}))
    assert "no-cache" in response.headers["cache-control"]
    assert response.headers["x-accel-buffering"] == "no"


async def test_events_come_while_the_model_is_still_writing(make_agent: Any) -> None:
    gate = asyncio.Event()
    async with (
        make_agent(lambda m: ["This is it. ", "So", gate]) as agent,
        agent.client() as c,
        asyncio.timeout(10),
        invoke(c, prompt="Hi") as events,
    ):
        async for event in events:
            if event["type"] == "audio_chunk":
                break
        assert agent.model.streams == ["open"]
        gate.set()


async def test_a_client_that_leaves_stops_the_model_and_the_speech(
    make_agent: Any, speech: FakeSpeech
) -> None:
    speech.plan("This is it.", Plan(gates={1: asyncio.Event()}))
    never = asyncio.Event()
    async with make_agent(lambda m: ["This is it. ", "So", never]) as agent, agent.client() as c:
        async with invoke(c, prompt="Hi", session_id="left") as events:
            async for event in events:
                if event["type"] == "audio_chunk":
                    break
        await until(lambda: agent.model.streams == ["left"])
        await until(lambda: len(speech.cancelled) == 1)
        await until(lambda: agent.conversations.active == 0)
        assert agent.history("left")[0] == ("user", "Hi")


async def test_a_client_that_leaves_before_anything_came_stops_the_model_too(
    make_agent: Any,
) -> None:
    never = asyncio.Event()
    async with make_agent(lambda m: [never]) as agent:
        async with agent.client() as c, invoke(c, prompt="Hi") as events:
            async for _ in events:
                break
            await until(lambda: agent.model.streams == ["open"])
        await until(lambda: agent.model.streams == ["left"])


async def test_the_platforms_session_goes_before_the_payloads(make_agent: Any) -> None:
    async with make_agent(lambda m: ["Yes."]) as agent, agent.client() as c:
        async with (
            asyncio.timeout(10),
            invoke(c, "platform", prompt="Hi", session_id="x") as events,
        ):
            first = await anext(events)
            assert first["session_id"] == "platform"
        events_of_other = await reply(c, prompt="Hi", session_id="mine")
        assert events_of_other[0]["session_id"] == "mine"
        unnamed = await reply(c, prompt="Hi")
        assert unnamed[0]["session_id"] not in ("platform", "mine", None)


async def test_a_conversation_goes_on_over_requests(make_agent: Any) -> None:
    async with make_agent(lambda m: [f"You said {last_prompt(m)}."]) as agent, agent.client() as c:
        await reply(c, prompt="one", session_id="s")
        await reply(c, prompt="two", session_id="s")
        assert [text for _, text in agent.history("s")] == [
            "one",
            "You said one.",
            "two",
            "You said two.",
        ]
        assert agent.speech.connections == 1


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "invalid_frame"),
        ({"prompt": ""}, "empty_prompt"),
        ({"prompt": "  \n"}, "empty_prompt"),
        ({"prompt": 5}, "invalid_frame"),
        ({"prompt": "Hi", "mode": "fast"}, "invalid_frame"),
        ({"prompt": "Hi", "speed": 9}, "invalid_frame"),
        ({"prompt": "Hi", "speed": True}, "invalid_frame"),
        ({"prompt": "Hi", "voice": "../x"}, "invalid_voice"),
        ({"prompt": "Hi", "session_id": "a b"}, "invalid_session"),
        ({"prompt": "x" * 9000}, "prompt_too_long"),
        ([], "invalid_frame"),
        ("Hi", "invalid_frame"),
        (None, "invalid_frame"),
    ],
)
async def test_a_bad_request_has_a_code_and_a_sentence(
    make_agent: Any, body: Any, code: str
) -> None:
    async with make_agent(lambda m: ["Hi."]) as agent, agent.client() as c:
        if isinstance(body, dict):
            body["request_id"] = "q"
        response = await within(c.post("/invocations", content=json.dumps(body)))
    assert response.status_code == 400
    error = response.json()["error"]
    assert error["code"] == code
    assert error["message"]
    assert error["request_id"] == ("q" if isinstance(body, dict) else None)


@pytest.mark.parametrize("body", [b"{", b"\xff", b"[" * 100_000, b"", b"{'a': 1}"])
async def test_what_is_no_json_is_refused_in_our_own_words(make_agent: Any, body: bytes) -> None:
    async with make_agent(lambda m: ["Hi."]) as agent, agent.client() as c:
        response = await within(c.post("/invocations", content=body))
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "invalid_json"


async def test_the_text_of_an_exception_never_reaches_the_client(
    make_agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> None:
        raise RuntimeError("private thing")

    monkeypatch.setattr("firstword.agent.app.read_prompt", broken)
    async with make_agent(lambda m: ["Hi."]) as agent, agent.client() as c:
        response = await within(c.post("/invocations", json={"prompt": "Hi"}))
    assert response.status_code == 500
    assert response.json()["error"]["code"] == "internal"
    assert "private" not in response.text


async def test_a_large_body_is_refused_before_it_is_read(make_agent: Any) -> None:
    async with make_agent(lambda m: ["Hi."]) as agent, agent.client() as c:
        response = await within(c.post("/invocations", content=b" " * 300_000))
    assert response.status_code == 413
    assert response.json()["error"]["code"] == "too_large"


async def test_a_foreign_page_cannot_use_the_agent(make_agent: Any) -> None:
    async with make_agent(lambda m: ["Hi."]) as agent, agent.client() as c:
        foreign = {"Origin": "https://evil.example"}
        refused = await within(c.post("/invocations", json={"prompt": "Hi"}, headers=foreign))
        rebound = await within(c.get("/ping", headers={"Host": "evil.example"}))
    assert (refused.status_code, rebound.status_code) == (403, 403)


async def test_ping_tells_whether_turns_are_running(make_agent: Any) -> None:
    gate = asyncio.Event()
    async with make_agent(lambda m: [gate]) as agent, agent.client() as c:
        assert (await within(c.get("/ping"))).json()["status"] == "Healthy"
        async with asyncio.timeout(10), invoke(c, prompt="Hi") as events:
            await anext(events)
            await until(lambda: agent.conversations.active == 1)
            async with agent.client() as other:
                assert (await within(other.get("/ping"))).json()["status"] == "HealthyBusy"
            gate.set()


async def test_comments_keep_the_line_open_while_the_model_thinks(
    settings: Settings, speech: FakeSpeech
) -> None:
    gate = asyncio.Event()
    chatty = replace(settings, server=replace(settings.server, keep_alive_s=0.02))
    async with (
        serving(chatty, GatedModel(lambda m: [gate, "Hi."]), speech) as agent,
        agent.client() as c,
        c.stream("POST", "/invocations", json={"prompt": "Hi"}) as response,
    ):
        seen = b""
        async with asyncio.timeout(10):
            async for data in response.aiter_raw():
                seen += data
                if seen.count(b": keep-alive\n\n") >= 2:
                    gate.set()
    parser = SseParser()
    assert parser.feed(seen)[-1]["type"] == "agent_end"


async def test_a_client_that_stops_reading_is_left(settings: Settings, speech: FakeSpeech) -> None:
    text = "This sentence goes on for a good while. " * 1000  # 37 MB of audio.
    impatient = replace(settings, server=replace(settings.server, send_s=0.2))
    async with serving(impatient, GatedModel(lambda m: [text]), speech) as agent:
        host, port = agent.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port), limit=1024)
        body = json.dumps({"prompt": "Hi", "session_id": "slow"}).encode()
        writer.write(
            b"POST /invocations HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body) + body
        )
        await within(reader.readuntil(b"agent_start"))
        await until(lambda: agent.conversations.active == 1)
        await until(lambda: agent.conversations.active == 0)
        assert len(speech.finished) < 500
        writer.close()
        with contextlib.suppress(ConnectionError):
            await within(writer.wait_closed())


async def test_one_client_that_misbehaves_is_not_noticed_by_another(
    make_agent: Any, speech: FakeSpeech
) -> None:
    speech.plan("I am slow.", Plan(gates={1: asyncio.Event()}))

    def answer(messages: list[Any]) -> list[Any]:
        return ["I am slow."] if last_prompt(messages) == "slow" else ["I am quick."]

    async with make_agent(answer) as agent, agent.client() as c, agent.client() as other:
        async with invoke(c, prompt="slow", session_id="a") as events:
            async for event in events:
                if event["type"] == "audio_chunk":
                    break
            assert audio_of(await reply(other, prompt="quick")) == pcm("I am quick.")
        await until(lambda: agent.conversations.active == 0)


async def test_memory_of_conversations_is_bounded(settings: Settings, speech: FakeSpeech) -> None:
    few = replace(settings, conversations=replace(settings.conversations, most=3))
    async with serving(few, GatedModel(lambda m: ["Yes."]), speech) as agent, agent.client() as c:
        for number in range(6):
            assert (await reply(c, prompt="Hi", session_id=f"s{number}"))[-1][
                "status"
            ] == "complete"
        assert len(agent.conversations) == 3
        await until(lambda: speech.live == 3)
