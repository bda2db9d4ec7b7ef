"""What AgentCore asks of a container beside the replies: its pings, and the ids in its headers."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import Any

import pytest
from firstword.agent.activity import Activity
from firstword.agent.settings import Settings
from firstword.protocol import AgentEnd, AgentStart, Audio
from websockets.asyncio.client import connect

from tests.agent.conftest import (
    FakeSpeech,
    GatedModel,
    Plan,
    SocketClient,
    last_prompt,
    serving,
    until,
    within,
)

SESSION = "X-Amzn-Bedrock-AgentCore-Runtime-Session-Id"
REQUEST = "X-Amzn-Bedrock-AgentCore-Runtime-Request-Id"


async def ping(agent: Any) -> dict[str, Any]:
    async with agent.client() as client:
        found: dict[str, Any] = (await within(client.get("/ping"))).json()
        return found


async def test_an_open_socket_is_work_and_none_is_not(make_agent: Any) -> None:
    async with make_agent(lambda m: ["Hi."]) as agent:
        assert (await ping(agent))["status"] == "Healthy"
        async with connect(agent.ws_url, proxy=None):
            assert (await ping(agent))["status"] == "HealthyBusy"
        async with asyncio.timeout(10):
            while (await ping(agent))["status"] != "Healthy":  # noqa: ASYNC110
                await asyncio.sleep(0.01)


async def test_a_refused_request_leaves_the_agent_at_rest(make_agent: Any) -> None:
    async with make_agent(lambda m: ["Hi."]) as agent, agent.client() as client:
        assert (await within(client.post("/invocations", json={}))).status_code == 400
        assert (await ping(agent))["status"] == "Healthy"


async def test_the_time_of_the_last_update_is_that_of_the_change_and_not_of_the_ping(
    make_agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_000.0
    monkeypatch.setattr("bedrock_agentcore.runtime.app.time.time", lambda: now)
    async with make_agent(lambda m: ["Hi."]) as agent:
        await ping(agent)
        now = 2_000.0
        async with agent.client() as client:
            await within(client.post("/invocations", json={"prompt": "Hi"}))
        now = 3_000.0
        assert await ping(agent) == {"status": "Healthy", "time_of_last_update": 2_000}
        async with connect(agent.ws_url, proxy=None):
            now = 4_000.0
            found = await ping(agent)
            assert found == {"status": "HealthyBusy", "time_of_last_update": 3_000}
    assert time.time() == 4_000.0


def test_only_the_first_that_begins_and_the_last_that_ends_are_changes() -> None:
    activity, changes = Activity(), []
    activity.changed = lambda: changes.append(activity.busy)
    activity.enter()
    activity.enter()
    activity.leave()
    assert activity.busy
    activity.leave()
    assert changes == [True, False]


async def test_the_platforms_request_id_names_the_reply_and_its_sentences(
    make_agent: Any, speech: FakeSpeech, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "firstword.agent")
    session, request = "s" * 40, "6c9f6a0e-7c0b-4f6e-9d44-1a2b3c4d5e6f"
    async with make_agent(lambda m: ["One is here. Two is there."]) as agent, agent.client() as c:
        headers = {SESSION: session, REQUEST: request}
        answer = await within(c.post("/invocations", json={"prompt": "Hi"}, headers=headers))
    assert f'"request_id":"{request}"' in answer.text
    assert f'"session_id":"{session}"' in answer.text
    names = [asked.request_id or "" for asked in speech.requests]
    assert len(set(names)) == 2
    assert all(name.startswith(f"{request}.") for name in names)
    taken = next(line for line in caplog.messages if "prompt taken" in line)
    assert f"request_id=<{request}>, session_id=<{session}>" in taken
    ended = next(line for line in caplog.messages if "turn ended" in line)
    assert f"request_id=<{request}>" in ended
    assert "Hi" not in "".join(caplog.messages)


async def test_a_callers_own_request_id_goes_before_the_platforms(
    make_agent: Any, speech: FakeSpeech
) -> None:
    async with make_agent(lambda m: ["Hi."]) as agent, agent.client() as c:
        body = {"prompt": "Hi", "request_id": "mine"}
        answer = await within(c.post("/invocations", json=body, headers={REQUEST: "theirs"}))
    assert '"request_id":"mine"' in answer.text
    assert (speech.requests[0].request_id or "").startswith("mine.")


async def test_the_sockets_session_is_that_of_its_header(make_agent: Any) -> None:
    async with (
        make_agent(lambda m: ["Hi."]) as agent,
        connect(agent.ws_url, proxy=None, additional_headers={SESSION: "p" * 33}) as socket,
    ):
        client = SocketClient(socket)
        await client.send(prompt="Hi", session_id="another")
        start = await client.until(AgentStart)
        await client.until(AgentEnd)
        assert start.session_id == "p" * 33


@pytest.mark.parametrize("request_id", ["two\nlines", "\x1b[2J", "x" * 257])
async def test_a_request_id_that_would_break_a_line_of_the_log_is_refused(
    make_agent: Any, request_id: str
) -> None:
    async with make_agent(lambda m: ["Hi."]) as agent, agent.client() as c:
        body = {"prompt": "Hi", "request_id": request_id}
        answer = await within(c.post("/invocations", json=body))
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] in ("invalid_request_id", "invalid_frame")
    assert answer.json()["error"]["request_id"] is None


async def test_a_conversation_that_speaks_outlives_a_flood_of_others(
    settings: Settings, speech: FakeSpeech
) -> None:
    gate = asyncio.Event()
    speech.plan("I take my time.", Plan(gates={1: gate}))

    def answer(messages: list[Any]) -> list[str]:
        return ["I take my time."] if last_prompt(messages) == "slow" else ["Quick."]

    few = replace(settings, conversations=replace(settings.conversations, most=3))
    async with (
        serving(few, GatedModel(answer), speech) as agent,
        connect(agent.ws_url, proxy=None, compression=None) as socket,
    ):
        client = SocketClient(socket)
        await client.send(prompt="slow", session_id="slow")
        await client.until(Audio)
        async with agent.client() as c:
            for number in range(8):
                body = {"prompt": "quick", "session_id": f"quick{number}"}
                answered = await within(c.post("/invocations", json=body))
                assert '"status":"complete"' in answered.text
        agent.conversations.tidy()
        assert len(agent.conversations) == 3
        gate.set()
        assert (await client.until(AgentEnd)).status == "complete"
        await until(lambda: agent.conversations.active == 0)
        assert agent.history("slow")[-1] == ("assistant", "I take my time.")
