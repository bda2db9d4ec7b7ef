"""What is read: text as text, sentence and word in step with the sound, errors in words."""

from __future__ import annotations

import asyncio

import pytest
from page_stage import FakeAgent, Room, tone, words_of

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FIRST, SECOND = "One two three four.", "Five six seven eight."


async def test_the_sentence_that_is_heard_is_the_one_that_is_marked(
    room: Room, agent: FakeAgent
) -> None:
    await room.ask("Count.")
    turn = await agent.next_turn()
    await turn.begin()
    await turn.write(f"{FIRST} {SECOND}")
    await turn.say(FIRST, tone(1.0))
    await turn.say(SECOND, tone(1.0))
    page = room.page
    await page.wait_for_selector(f".sentence.speaking:text('{FIRST}')")
    assert await page.locator("#caption").inner_text() == FIRST
    await page.wait_for_selector(f".sentence.speaking:text('{SECOND}')")
    assert await page.locator(".sentence.spoken").all_inner_texts() == [FIRST]
    assert await page.locator("#caption").inner_text() == SECOND
    await turn.end()
    await room.state("idle")
    assert await page.locator(".speaking").count() == 0
    assert await page.locator(".reply").inner_text() == f"{FIRST} {SECOND}"


async def test_words_light_up_when_they_are_heard(room: Room, agent: FakeAgent) -> None:
    await room.ask("Count.")
    turn = await agent.next_turn()
    await turn.begin()
    await turn.open(FIRST, words_of(FIRST, 4.0))
    await turn.audio(tone(4.0))
    await turn.close()
    seen: list[tuple[float, str]] = []
    async with asyncio.timeout(20):
        while not seen or seen[-1][1] != "four.":
            at, word = await room.page.evaluate(
                "[window.firstword.stats().heardSeconds,"
                " document.querySelector('.word.now')?.textContent ?? '']"
            )
            if word and (not seen or seen[-1][1] != word):
                seen.append((at, word))
    await turn.end()
    assert [word for _, word in seen] == ["One", "two", "three", "four."]
    assert [at for at, _ in seen] == pytest.approx([0, 1, 2, 3], abs=0.35)


async def test_spans_count_characters_and_not_utf16_units(room: Room, agent: FakeAgent) -> None:
    said = "🎉 Party 🎉 time."
    await room.ask("Celebrate.")
    turn = await agent.next_turn()
    await turn.begin()
    await turn.write("🎉🎉")
    await turn.open(said, words_of(said, 2.0))
    await turn.audio(tone(2.0))
    await turn.close()
    await turn.end()
    await room.state("idle")
    page = room.page
    assert await page.locator(".word").all_inner_texts() == said.split()
    assert await page.locator(".reply").inner_text() == f"🎉🎉 {said}"


async def test_a_sentence_without_a_span_is_found_in_the_text(room: Room, agent: FakeAgent) -> None:
    await room.ask("Count.")
    turn = await agent.next_turn()
    await turn.begin()
    await turn.write(f"{FIRST} {SECOND}")
    for seq, text in enumerate((FIRST, SECOND)):
        await turn.send("sentence", seq=seq, text=text)
        await turn.audio(tone(0.2))
        await turn.send("sentence_end", seq=seq, samples=0)
    await turn.end()
    await room.state("idle")
    assert await room.page.locator(".sentence").all_inner_texts() == [FIRST, SECOND]
    assert await room.page.locator(".reply").inner_text() == f"{FIRST} {SECOND}"


async def test_a_sentence_that_is_only_shown_does_not_hold_the_next_one_up(
    room: Room, agent: FakeAgent
) -> None:
    await room.ask("Show me code.")
    turn = await agent.next_turn()
    await turn.begin()
    await turn.open("print(1)")
    await turn.close()
    await turn.say(SECOND, tone(0.3))
    await turn.open("print(2)")
    await turn.close()
    await turn.end()
    await room.state("idle")
    assert (await room.stats())["played"] == len(tone(0.3))


async def test_markup_in_question_and_answer_is_shown_as_text(room: Room, agent: FakeAgent) -> None:
    evil = "<img src=x onerror='window.hacked=1'><script>window.hacked=1</script><b>bold</b>"
    await room.ask(evil)
    turn = await agent.next_turn()
    await turn.begin()
    await turn.open(evil, words_of(evil, 0.3))
    await turn.audio(tone(0.3))
    await turn.close()
    await turn.send("error", code="<b>x</b>", message=evil)
    await turn.end()
    await room.state("idle")
    page = room.page
    assert await page.locator(".question").text_content() == f"You: {evil}"
    assert await page.locator(".reply").inner_text() == evil
    assert await page.locator("#turns :is(img, script, b)").count() == 0
    assert await page.evaluate("window.hacked") is None


async def test_a_failure_is_said_in_words_and_what_came_is_still_heard(
    room: Room, agent: FakeAgent
) -> None:
    await room.ask("Count.")
    turn = await agent.next_turn()
    await turn.begin()
    await turn.say(FIRST, tone(0.3))
    await turn.send("error", code="speech_lost", message="The voice was lost.")
    await turn.send("agent_end", status="failed", timings={}, spoken=FIRST)
    await room.page.wait_for_selector(".turn[data-state='failed']")
    await room.state("idle")
    assert await room.page.locator(".failure").inner_text() == "The voice was lost. (speech_lost)"
    assert (await room.stats())["played"] == len(tone(0.3))


async def test_a_lost_connection_is_told_and_mended(room: Room, agent: FakeAgent) -> None:
    await room.ask("Count.")
    turn = await agent.next_turn()
    await turn.begin()
    await turn.open(FIRST)
    await turn.audio(tone(0.3))
    await turn.socket.close(1011)
    await room.page.wait_for_selector(".turn[data-state='failed']")
    assert "agent failed and hung up" in await room.page.locator(".failure").inner_text()

    await room.ask("Again.")
    again = await agent.next_turn()
    assert again.socket is not turn.socket
    await again.begin()
    await again.say(SECOND, tone(0.3))
    await again.end()
    await room.page.wait_for_selector(".turn[data-state='done']")


async def test_a_socket_that_was_closed_for_idleness_opens_again_for_the_next_question(
    room: Room, agent: FakeAgent
) -> None:
    await agent.sockets[0].close(1000, "idle")
    await room.state("idle")
    await room.ask("Count.")
    turn = await agent.next_turn()
    await turn.begin()
    await turn.say(FIRST, tone(0.2))
    await turn.end()
    await room.page.wait_for_selector(".turn[data-state='done']")
    assert len(agent.sockets) == 2


async def test_the_conversation_stays_on_the_page(room: Room, agent: FakeAgent) -> None:
    for question in ("First?", "Second?"):
        await room.ask(question)
        turn = await agent.next_turn()
        await turn.begin()
        await turn.say(f"Answer to {question}", tone(0.2))
        await turn.end()
        await room.state("idle")
    assert await room.page.locator(".question").all_text_contents() == [
        "You: First?",
        "You: Second?",
    ]
    sessions = {m["session_id"] for m in agent.received if m["type"] == "prompt"}
    assert len(sessions) == 1
