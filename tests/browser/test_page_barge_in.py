"""A person who interrupts: by asking again, by Escape, by the stop button."""

from __future__ import annotations

import numpy as np
import pytest
from page_stage import RATE, FakeAgent, FakeTurn, Room, position, tone

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

OLD = tone(8.0, 220, peak=0.4)
NEW = tone(0.5, 330, peak=0.1)


async def speaking(room: Room, agent: FakeAgent) -> FakeTurn:
    """A reply of 8 seconds, all of it received, some of it heard."""
    await room.ask("Tell me something long.")
    turn = await agent.next_turn()
    await room.recording()
    await turn.begin()
    await turn.open("It is long.")
    await turn.audio(OLD)
    await turn.close()
    await room.until("window.firstword.stats().played > 4800")
    return turn


async def test_asking_again_silences_the_old_reply_and_speaks_the_new_one(
    room: Room, agent: FakeAgent
) -> None:
    old = await speaking(room, agent)
    await room.ask("Stop, something else.")
    cancel = await old.cancelled
    new = await agent.next_turn()
    await old.audio(OLD)  # A reply that does not know yet that nobody wants it.
    await old.say("It goes on.", OLD)
    await old.send("agent_end", status="cancelled", spoken="", timings={})
    await new.begin()
    await new.say("The new one.", NEW)
    await new.end()
    await room.state("idle")

    heard = await room.heard()
    at = position(heard, NEW)
    loud = np.flatnonzero(np.abs(heard) > 0.15)
    assert at > 0, "the new reply is heard, whole"
    assert len(loud) / RATE < 4, "most of the old reply is not"
    assert loud[-1] < at, "and none of it after the new one began"
    assert (await room.stats())["played"] == len(NEW)
    assert 0 < cancel["heard_s"] < 4
    assert cancel["request_id"] == old.request_id
    kinds = [message["type"] for message in agent.received]
    assert kinds == ["prompt", "cancel", "prompt"]


async def test_what_was_heard_agrees_with_what_the_loudspeaker_played(
    room: Room, agent: FakeAgent
) -> None:
    turn = await speaking(room, agent)
    await room.page.keyboard.press("Escape")
    cancel = await turn.cancelled
    await room.state("idle")

    heard = await room.heard()
    played_s = (np.abs(heard) > 0.01).nonzero()[0]
    seconds = (played_s[-1] - played_s[0]) / RATE
    assert cancel["heard_s"] == pytest.approx(seconds, abs=0.3)


async def test_escape_stops_and_nothing_more_is_heard(room: Room, agent: FakeAgent) -> None:
    turn = await speaking(room, agent)
    await room.page.keyboard.press("Escape")
    await turn.cancelled
    await room.state("idle")
    await turn.audio(OLD)
    await turn.say("Too late.", OLD)
    await turn.send("agent_end", status="cancelled", spoken="It", timings={})
    faded = await room.listen(0.3)
    await room.listen(1.0)

    heard = await room.heard()
    assert np.abs(heard[faded:]).max() == 0
    assert "Too late" not in await room.page.locator(".reply").inner_text()
    stats = await room.stats()
    assert stats["waitingSamples"] == 0
    assert stats["heardSeconds"] == 0


async def test_stopping_fades_instead_of_clicking(room: Room, agent: FakeAgent) -> None:
    await speaking(room, agent)
    await room.page.keyboard.press("Escape")
    await room.state("idle")

    heard = await room.heard()
    steps = np.abs(np.diff(heard))
    natural = np.abs(np.diff(OLD.astype(np.float32) / 32768)).max()
    assert steps.max() <= natural + 0.03


async def test_the_stop_button_is_there_while_something_runs(room: Room, agent: FakeAgent) -> None:
    stop = room.page.get_by_role("button", name="Stop speaking")
    assert not await stop.is_visible()
    turn = await speaking(room, agent)
    await stop.click()
    await turn.cancelled
    await room.state("idle")

    assert not await stop.is_visible()
    assert "Stopped after" in await room.page.locator(".note").inner_text()
    focused = await room.page.evaluate("document.activeElement.id")
    assert focused == "prompt", "the focus does not vanish with the button"


async def test_stopping_while_it_still_thinks_says_so_to_the_agent(
    room: Room, agent: FakeAgent
) -> None:
    await room.ask("A hard question.")
    turn = await agent.next_turn()
    await room.page.keyboard.press("Escape")

    assert (await turn.cancelled)["heard_s"] == 0
    await room.state("idle")


async def test_typing_lowers_the_voice_and_clearing_the_box_raises_it_again(
    room: Room, agent: FakeAgent
) -> None:
    await speaking(room, agent)
    box = room.page.get_by_label("Your question")
    await box.press_sequentially("Wai")
    await room.listen(1.0)
    ducked = (await room.heard())[-RATE // 2 :]
    await box.fill("")
    await room.listen(1.0)
    raised = (await room.heard())[-RATE // 2 :]

    assert np.abs(ducked).max() == pytest.approx(0.1, abs=0.02)
    assert np.abs(raised).max() == pytest.approx(0.4, abs=0.02)


async def test_after_an_interruption_the_next_reply_starts_at_once(
    room: Room, agent: FakeAgent
) -> None:
    await speaking(room, agent)
    await room.page.keyboard.press("Escape")
    await room.ask("And now?")
    turn = await agent.next_turn()
    await turn.begin()
    await turn.say("Now.", NEW)
    before = len(await room.heard())
    await turn.end()
    await room.state("idle")

    heard = await room.heard()
    assert 0 <= position(heard, NEW) - before < RATE // 2


async def test_stopping_after_the_agents_end_still_says_what_was_heard(
    room: Room, agent: FakeAgent
) -> None:
    turn = await speaking(room, agent)
    await turn.end()
    await room.page.keyboard.press("Escape")
    cancel = await turn.cancelled
    await turn.send("agent_end", status="cancelled", spoken="It is", timings={})
    await room.state("idle")

    assert 0 < cancel["heard_s"] < 4
    assert await room.page.locator(".turn").get_attribute("data-state") == "stopped"
