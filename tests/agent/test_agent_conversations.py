"""Which conversations are remembered, and for how long."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from firstword.agent.conversations import Conversations
from firstword.agent.errors import RefusedError
from firstword.agent.settings import ConversationSettings

from tests.agent.conftest import until, within


class StillVoice:
    """A Voice that only counts."""

    def __init__(self) -> None:
        self.closed = 0

    async def close(self) -> None:
        self.closed += 1


def conversations(**settings: Any) -> Conversations:
    made: Any = Conversations
    them: Conversations = made(
        ConversationSettings(**settings), think=object, speak=StillVoice, voice_idle_s=10.0
    )
    return them


async def use(them: Conversations, session_id: str) -> Any:
    async with them.hold(session_id) as conversation:
        return conversation


async def test_the_same_id_is_the_same_conversation() -> None:
    them = conversations()
    assert await use(them, "a") is await use(them, "a")
    assert await use(them, "a") is not await use(them, "b")


async def test_the_one_unused_for_longest_makes_room() -> None:
    them = conversations(most=2)
    first = await use(them, "a")
    await use(them, "b")
    assert await use(them, "a") is first
    await use(them, "c")
    assert await use(them, "a") is first
    assert len(them) == 2
    await within(them.close())


async def test_a_busy_conversation_is_never_forgotten() -> None:
    them = conversations(most=1)
    async with them.hold("a"):
        with pytest.raises(RefusedError) as caught:
            await use(them, "b")
        assert caught.value.code == "too_many_conversations"
        assert them.active == 1
    forgotten = (await use(them, "a")).voice
    await use(them, "b")
    await until(lambda: forgotten.closed == 1)


async def test_old_conversations_are_forgotten_and_idle_voices_let_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr("firstword.agent.conversations._now", lambda: now)
    them = conversations(age_s=100.0)
    conversation = await use(them, "a")
    now = 11.0
    them.tidy()
    await until(lambda: conversation.voice.closed == 1)
    assert len(them) == 1
    async with them.hold("a"):
        now = 500.0
        them.tidy()
        assert len(them) == 1
    now = 700.0
    them.tidy()
    assert len(them) == 0


async def test_a_drain_waits_for_running_turns_and_refuses_new_ones() -> None:
    them = conversations()
    async with them.hold("a"):
        draining = asyncio.create_task(them.drain(5.0))
        await until(lambda: them.draining)
        with pytest.raises(RefusedError) as caught:
            await use(them, "b")
        assert caught.value.code == "draining"
        assert not draining.done()
    await within(draining)


async def test_a_drain_does_not_wait_for_ever() -> None:
    them = conversations()
    async with them.hold("a"):
        await within(them.drain(0.01))
        assert them.active == 1


async def test_a_waiting_turn_gets_its_turn() -> None:
    them = conversations(turn_wait_s=5.0)
    async with them.hold("a"):
        second = asyncio.create_task(use(them, "a"))
        await until(lambda: them.active == 2)
    assert await within(second)
    assert them.active == 0
