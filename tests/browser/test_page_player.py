"""What leaves the loudspeaker, sample by sample."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from page_stage import RATE, FakeAgent, Room, position, tone

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_reply_is_played_bit_by_bit_and_without_gap(room: Room, agent: FakeAgent) -> None:
    first, second = tone(0.8, 220), tone(0.6, 330)
    await room.ask("Hello?")
    turn = await agent.next_turn()
    await room.recording()
    await turn.begin()
    await turn.say("One sentence.", first)
    await turn.say("And another.", second)
    await turn.end()
    await room.state("idle")

    heard = await room.heard()
    assert position(heard, np.concatenate([first, second])) >= 0
    stats = await room.stats()
    assert stats["played"] == stats["queued"] == len(first) + len(second)
    assert stats["underruns"] == stats["waits"] == stats["dropped"] == 0
    assert stats["lastFrame"] - stats["firstFrame"] + 1 == stats["played"]
    both = np.concatenate([first, second]).astype(np.float64) / 32768
    assert stats["largestStep"] == pytest.approx(np.abs(np.diff(both)).max(), abs=1e-6)
    assert stats["sumOfSquares"] == pytest.approx(np.sum(both**2), rel=1e-5)


async def test_frames_cut_anywhere_give_the_same_sound(room: Room, agent: FakeAgent) -> None:
    sound = tone(0.4)
    await room.ask("Hello?")
    turn = await agent.next_turn()
    await room.recording()
    await turn.begin()
    await turn.open("Odd frames.")
    await turn.audio(sound, frame=1023)
    await turn.close()
    await turn.end()
    await room.state("idle")

    assert position(await room.heard(), sound) >= 0


async def test_slow_synthesis_waits_between_sentences_and_never_inside_one(
    room: Room, agent: FakeAgent
) -> None:
    sentences = [tone(0.5, hz) for hz in (220, 330, 440)]
    await room.ask("Hello?")
    turn = await agent.next_turn()
    await room.recording()
    await turn.begin()
    for index, sound in enumerate(sentences):
        await turn.open(f"This is the sentence with number {index}.")
        for piece in np.array_split(sound, 5):
            await asyncio.sleep(0.25)  # Half as fast as it is spoken.
            await turn.audio(piece)
        await turn.close(len(sound))
    await turn.end()
    await room.state("idle")

    heard = await room.heard()
    assert all(position(heard, sound) >= 0 for sound in sentences)
    stats = await room.stats()
    assert stats["underruns"] == 0
    assert stats["waits"] == 2
    assert stats["waitedFrames"] > RATE


async def test_a_fast_sentence_begins_before_it_is_whole(room: Room, agent: FakeAgent) -> None:
    sound = tone(3.0)
    await room.ask("Hello?")
    turn = await agent.next_turn()
    await room.recording()
    await turn.begin()
    await turn.open("A long sentence that takes three seconds to say.")
    for piece in np.array_split(sound, 15)[:8]:
        await turn.audio(piece)
        await asyncio.sleep(0.05)  # Four times as fast as it is spoken.
    await room.state("speaking")
    for piece in np.array_split(sound, 15)[8:]:
        await turn.audio(piece)
    await turn.close(len(sound))
    await turn.end()
    await room.state("idle")

    assert position(await room.heard(), sound) >= 0
    assert (await room.stats())["underruns"] == 0


async def test_a_sentence_that_ran_dry_goes_on_once_the_rest_is_certain(
    room: Room, agent: FakeAgent
) -> None:
    sound = tone(2.0)
    pieces = np.array_split(sound, 10)
    await room.ask("Hello?")
    turn = await agent.next_turn()
    await room.recording()
    await turn.begin()
    await turn.open("A sentence that breaks off in the middle.")
    for piece in pieces[:5]:
        await turn.audio(piece)
        await asyncio.sleep(0.05)
    await room.until("window.firstword.stats().underruns === 1")
    await turn.audio(np.concatenate(pieces[5:]))
    await turn.close(len(sound))
    await turn.end()
    await room.state("idle")

    heard = await room.heard()
    before, after = np.concatenate(pieces[:5]), np.concatenate(pieces[5:])
    assert 0 <= position(heard, before) < position(heard, after)
    assert (await room.stats())["underruns"] == 1


async def test_the_streams_sample_rate_sets_the_pitch(room: Room, agent: FakeAgent) -> None:
    await room.ask("Hello?")
    turn = await agent.next_turn()
    await room.recording()
    await turn.begin(sample_rate=16_000)
    await turn.say("Another rate.", tone(1.0, 440, rate=16_000))
    await turn.end()
    await room.state("idle")

    heard = await room.heard()
    loud = np.flatnonzero(np.abs(heard) > 0.01)
    sound = heard[loud[0] : loud[-1]]
    assert len(sound) / RATE == pytest.approx(1.0, abs=0.02)
    peak = np.argmax(np.abs(np.fft.rfft(sound))) * RATE / len(sound)
    assert peak == pytest.approx(440, abs=2)
    assert np.abs(sound).max() == pytest.approx(0.3, abs=0.01)


async def test_a_long_reply_is_played_whole_and_its_memory_let_go(
    room: Room, agent: FakeAgent
) -> None:
    sound = tone(11.5)
    await room.ask("Hello?")
    turn = await agent.next_turn()
    await turn.begin()
    await turn.say("Longer than the ring on the audio thread.", sound)
    await turn.end()
    await room.until("window.firstword.stats().played > 0")
    assert (await room.stats())["waitingSamples"] > 5 * RATE
    await room.state("idle")

    stats = await room.stats()
    assert stats["played"] == len(sound)
    assert stats["dropped"] == stats["underruns"] == stats["waitingSamples"] == 0
