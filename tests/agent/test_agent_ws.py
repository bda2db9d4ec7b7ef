"""``WS /ws`` over a real socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from firstword.agent.settings import Settings
from firstword.agent.transport_ws import TurnSocket
from firstword.protocol import (
    AgentEnd,
    AgentStart,
    Audio,
    Error,
    SentenceEnd,
    SentenceStart,
)
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.agent.conftest import (
    RATE,
    SAMPLES_PER_CHAR,
    Agent,
    FakeSpeech,
    GatedModel,
    Plan,
    SocketClient,
    last_prompt,
    pcm,
    serving,
    until,
    within,
)


@asynccontextmanager
async def talking(agent: Agent) -> AsyncIterator[SocketClient]:
    async with connect(agent.ws_url, proxy=None, compression=None) as socket:
        yield SocketClient(socket)


def audio_of(events: list[Any]) -> bytes:
    return b"".join(event.data for event in events if isinstance(event, Audio))


async def test_events_are_text_and_audio_is_binary(make_agent: Any) -> None:
    async with make_agent(lambda m: ["One is here. Two."]) as agent, talking(agent) as client:
        await client.send(type="prompt", prompt="Hi", request_id="q1")
        end = await client.until(AgentEnd)
    assert audio_of(client.events) == pcm("One is here.") + pcm("Two.")
    assert max(len(e.data) for e in client.events if isinstance(e, Audio)) <= 16 * 1024
    assert (end.request_id, end.status) == ("q1", "complete")


async def test_a_socket_is_one_conversation(make_agent: Any) -> None:
    async with make_agent(lambda m: [f"You said {last_prompt(m)}."]) as agent:
        async with talking(agent) as client:
            await client.send(type="prompt", prompt="one")
            await client.until(AgentEnd)
            await client.send(prompt="two")
            await client.until(AgentEnd)
        session = client.events[0].session_id
        assert len(agent.history(session)) == 4
        assert {e.session_id for e in client.events if isinstance(e, AgentStart)} == {session}


async def test_after_a_cancel_not_one_byte_of_the_old_reply_comes(
    make_agent: Any, speech: FakeSpeech
) -> None:
    speech.plan("Alpha beta gamma.", Plan(gates={2: asyncio.Event()}))
    never = asyncio.Event()
    async with (
        make_agent(lambda m: ["Alpha beta gamma. ", "More", never]) as agent,
        talking(agent) as client,
    ):
        await client.send(type="prompt", prompt="Hi", session_id="s")
        await client.until(Audio)
        await client.send(type="cancel", heard_s=len("Alpha ") * SAMPLES_PER_CHAR / RATE)
        end = await client.until(AgentEnd)
        after = [e for e in client.events if isinstance(e, AgentEnd)]
        assert len(after) == 1
        assert (end.status, end.spoken) == ("cancelled", "Alpha")
        assert agent.history("s")[-1] == ("assistant", "Alpha")
        assert agent.model.streams == ["left"]
        await until(lambda: len(speech.cancelled) == 1)


async def test_a_cancel_before_the_first_audio(make_agent: Any, speech: FakeSpeech) -> None:
    speech.plan("Alpha beta.", Plan(gates={0: asyncio.Event()}))
    async with make_agent(lambda m: ["Alpha beta. "]) as agent, talking(agent) as client:
        await client.send(type="prompt", prompt="Hi")
        await client.until(SentenceStart)
        await client.send(type="cancel")
        end = await client.until(AgentEnd)
        assert end.status == "cancelled"
        assert audio_of(client.events) == b""
        await client.send(type="prompt", prompt="Again")
        assert (await client.until(AgentEnd)).status == "complete"
        assert audio_of(client.events) == pcm("Alpha beta.")


async def test_a_new_prompt_barges_in(make_agent: Any, speech: FakeSpeech) -> None:
    never = asyncio.Event()
    speech.plan("A long story begins.", Plan(gates={1: asyncio.Event()}))

    def answer(messages: list[Any]) -> list[Any]:
        if "story" in last_prompt(messages):
            return ["A long story begins. ", "And", never]
        return ["All right."]

    async with make_agent(answer) as agent, talking(agent) as client:
        await client.send(type="prompt", prompt="Tell a story", request_id="old", session_id="s")
        await client.until(Audio)
        await client.send(type="prompt", prompt="Stop", request_id="new")
        end = await client.until(AgentEnd)
        assert (end.request_id, end.status) == ("old", "cancelled")
        last = len(client.events)
        end = await client.until(AgentEnd)
        assert (end.request_id, end.status) == ("new", "complete")
        rest = client.events[last:]
        assert isinstance(rest[0], AgentStart)
        assert audio_of(rest) == pcm("All right.")
        assert {e.request_id for e in rest if not isinstance(e, Audio)} == {"new"}
        assert [role for role, _ in agent.history("s")][-2:] == ["user", "assistant"]
        assert agent.history("s")[-1] == ("assistant", "All right.")


async def test_a_cancel_while_the_player_still_plays_changes_what_is_kept(
    make_agent: Any,
) -> None:
    async with make_agent(lambda m: ["Alpha beta. Gamma delta."]) as agent:
        async with talking(agent) as client:
            await client.send(type="prompt", prompt="Hi", session_id="s")
            await client.until(AgentEnd)
            heard_s = len("Alpha beta. ") * SAMPLES_PER_CHAR / RATE
            await client.send(type="cancel", heard_s=heard_s)
            end = await client.until(AgentEnd)
            await until(lambda: agent.speech.cancels == 1)
        assert (end.status, end.spoken) == ("cancelled", "Alpha beta.")
        assert agent.history("s")[-1] == ("assistant", "Alpha beta.")


async def test_a_cancel_of_another_reply_or_of_none_is_passed_over(make_agent: Any) -> None:
    async with make_agent(lambda m: ["Hi."]) as agent, talking(agent) as client:
        await client.send(type="cancel")
        await client.send(type="prompt", prompt="Hi", request_id="q")
        await client.send(type="cancel", request_id="other")
        assert (await client.until(AgentEnd)).status == "complete"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("{", "invalid_json"),
        ("[]", "invalid_frame"),
        ('{"type": "dance"}', "unknown_type"),
        ('{"type": "prompt"}', "invalid_frame"),
        ('{"type": "prompt", "prompt": " "}', "empty_prompt"),
        ('{"type": "agent_end", "request_id": "x", "timings": {}}', "unexpected_frame"),
        ('{"type": "cancel", "heard_s": -1}', "invalid_frame"),
        (b"\xff\x00", "invalid_json"),
        ('{"prompt": "' + "x" * 70_000 + '"}', "too_large"),
    ],
)
async def test_a_bad_message_gets_an_error_and_the_socket_goes_on(
    make_agent: Any, message: str | bytes, code: str
) -> None:
    async with make_agent(lambda m: ["Hi."]) as agent, talking(agent) as client:
        await client.socket.send(message)
        assert (await client.until(Error)).code == code
        await client.send(type="prompt", prompt="Hi")
        assert (await client.until(AgentEnd)).status == "complete"


async def test_a_bad_prompt_does_not_cut_off_the_running_reply(make_agent: Any) -> None:
    gate = asyncio.Event()
    async with make_agent(lambda m: ["Hi. ", gate]) as agent, talking(agent) as client:
        await client.send(type="prompt", prompt="Hi", request_id="good")
        await client.until(SentenceStart)
        await client.send(type="prompt", prompt=" ", request_id="bad")
        assert (await client.until(Error)).code == "empty_prompt"
        gate.set()
        end = await client.until(AgentEnd)
        assert (end.request_id, end.status) == ("good", "complete")


async def test_nothing_but_bad_messages_ends_the_socket(make_agent: Any) -> None:
    async with make_agent(lambda m: ["Hi."]) as agent, talking(agent) as client:
        for _ in range(20):
            await client.socket.send("{")
        with pytest.raises(ConnectionClosed) as caught:
            await client.until(AgentEnd)
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1008


async def test_close_lets_the_running_reply_end(make_agent: Any) -> None:
    async with make_agent(lambda m: ["Hi there."]) as agent, talking(agent) as client:
        await client.send(type="prompt", prompt="Hi")
        await client.send(type="close")
        assert (await client.until(AgentEnd)).status == "complete"
        with pytest.raises(ConnectionClosed) as caught:
            await client.next()
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1000


async def test_an_idle_socket_is_closed_but_not_one_that_is_being_answered(
    settings: Settings, speech: FakeSpeech, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[bool] = []
    answering = TurnSocket._answering

    def look(socket: TurnSocket) -> bool:
        looks.append(answering.fget(socket))  # type: ignore[attr-defined]
        return looks[-1]

    monkeypatch.setattr(TurnSocket, "_answering", property(look))
    gate = asyncio.Event()
    quick = replace(settings, server=replace(settings.server, socket_idle_s=0.05))
    model = GatedModel(lambda m: ["One is here. ", gate, "Two."])
    async with serving(quick, model, speech) as agent, talking(agent) as client:
        await client.send(type="prompt", prompt="Hi")
        await client.until(SentenceEnd)
        await until(lambda: looks.count(True) >= 3)
        gate.set()
        await client.until(AgentEnd)
        with pytest.raises(ConnectionClosed) as caught:
            await client.next()
        assert caught.value.rcvd is not None
        assert (caught.value.rcvd.code, caught.value.rcvd.reason) == (1000, "idle")


async def test_a_client_that_vanishes_stops_the_model_and_the_speech(
    make_agent: Any, speech: FakeSpeech
) -> None:
    speech.plan("This is it.", Plan(gates={1: asyncio.Event()}))
    never = asyncio.Event()
    async with make_agent(lambda m: ["This is it. ", "So", never]) as agent:
        socket = await connect(agent.ws_url, proxy=None, compression=None)
        client = SocketClient(socket)
        await client.send(type="prompt", prompt="Hi", session_id="gone")
        await client.until(Audio)
        socket.transport.abort()
        await until(lambda: agent.model.streams == ["left"])
        await until(lambda: len(speech.cancelled) == 1)
        await until(lambda: agent.conversations.active == 0)
        assert agent.history("gone")[0] == ("user", "Hi")


async def test_a_slow_reader_does_not_fill_the_memory(
    settings: Settings, speech: FakeSpeech
) -> None:
    text = "This sentence goes on for a good while. " * 1000  # 37 MB of audio.
    unpaced = replace(settings.server, frames_per_second=1e6)
    small = replace(settings, server=unpaced, turn=replace(settings.turn, buffer_bytes=64 * 1024))
    async with (
        serving(small, GatedModel(lambda m: [text]), speech) as agent,
        connect(agent.ws_url, proxy=None, compression=None, max_queue=1) as socket,
    ):
        await socket.send(json.dumps({"prompt": "Hi"}))
        await until(lambda: bool(speech.requests))
        for _ in range(300):
            await asyncio.sleep(0.001)
        assert len(speech.finished) < 500
        size = 0
        async with asyncio.timeout(10):
            async for message in socket:
                if isinstance(message, bytes):
                    size += len(message)
                elif '"agent_end"' in message:
                    break
        assert size == 1000 * len(pcm("This sentence goes on for a good while."))


async def test_a_slow_reader_who_cancels_gets_no_audio_after_the_end(
    make_agent: Any, speech: FakeSpeech
) -> None:
    text = "This sentence goes on for a good while. " * 1000
    async with (
        make_agent(lambda m: [text], buffer_bytes=64 * 1024) as agent,
        connect(agent.ws_url, proxy=None, compression=None, max_queue=1) as socket,
    ):
        client = SocketClient(socket)
        await client.send(prompt="Hi", request_id="old")
        await until(lambda: bool(speech.requests))
        for _ in range(100):
            await asyncio.sleep(0.001)
        await client.send(type="cancel")
        await until(lambda: agent.conversations.active == 0)
        await client.send(prompt=" ", request_id="next")
        assert (await client.until(AgentEnd)).status == "cancelled"
        assert (await client.next()).request_id == "next"
        assert len(speech.finished) < 500


async def test_ten_sockets_at_once(make_agent: Any, speech: FakeSpeech) -> None:
    def answer(messages: list[Any]) -> list[Any]:
        number = last_prompt(messages).split()[-1]
        return [f"Number {number} speaks. ", f"It has {number} to say."]

    async with make_agent(answer) as agent:

        async def talk(number: int) -> bytes:
            async with talking(agent) as client:
                for _ in range(2):
                    await client.send(type="prompt", prompt=f"I am {number}")
                    assert (await client.until(AgentEnd)).status == "complete"
                return audio_of(client.events)

        async with asyncio.timeout(20):
            everyone = await asyncio.gather(*(talk(number) for number in range(10)))
        for number, audio in enumerate(everyone):
            assert audio == 2 * (pcm(f"Number {number} speaks.") + pcm(f"It has {number} to say."))
        assert len(agent.conversations) == 10


async def test_a_foreign_page_cannot_open_the_socket(make_agent: Any) -> None:
    async with make_agent(lambda m: ["Hi."]) as agent:
        with pytest.raises(InvalidStatus) as caught:
            await within(connect(agent.ws_url, proxy=None, origin="https://evil.example"))  # type: ignore[arg-type]
        assert caught.value.response.status_code == 403
