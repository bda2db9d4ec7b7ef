"""Room 5 against a speech service that speaks the real protocol, and misbehaves on demand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from firstword.agent.errors import VoiceError
from firstword.agent.settings import Settings
from firstword.agent.voice import Ask
from firstword.agent.voice_stream import StreamVoice
from firstword.agent.voice_websocket import websocket_voice
from firstword.protocol import Audio, SynthesisComplete, SynthesisStart, Words

from tests.agent.conftest import RATE, FakeSpeech, Plan, pcm, until, within, words_of

LONG = "This sentence is long enough for several frames of audio."


@pytest.fixture
async def voice(settings: Settings) -> AsyncIterator[StreamVoice]:
    voice = websocket_voice(settings.voice)
    yield voice
    await within(voice.close())


def ask(text: str, request_id: str = "r1") -> Ask:
    return Ask(request_id=request_id, text=text, voice="af_heart")


async def hear(speech: Any) -> tuple[bytes, list[Any]]:
    """All audio of a speech, and its events."""
    events: list[Any] = []
    async with asyncio.timeout(10):
        events.extend([event async for event in speech.events()])
    return b"".join(e.data for e in events if isinstance(e, Audio)), events


async def test_a_text_is_said_with_its_words(voice: StreamVoice) -> None:
    audio, events = await hear(await voice.ask(ask("Hello there.")))
    assert audio == pcm("Hello there.")
    assert isinstance(events[0], SynthesisStart)
    assert isinstance(events[1], Words)
    assert events[1].words == tuple(words_of("Hello there."))
    assert isinstance(events[-1], SynthesisComplete)
    assert events[-1].samples == len(audio) // 2


async def test_one_connection_serves_all_sentences(voice: StreamVoice, speech: FakeSpeech) -> None:
    for number in range(3):
        await hear(await voice.ask(ask(f"Sentence {number}.", f"r{number}")))
    assert speech.connections == 1


async def test_opening_twice_connects_once(voice: StreamVoice, speech: FakeSpeech) -> None:
    await within(asyncio.gather(voice.open(), voice.open()))
    await within(voice.open())
    assert speech.connections == 1


async def test_a_connection_lost_between_sentences_is_opened_again(
    voice: StreamVoice, speech: FakeSpeech
) -> None:
    await hear(await voice.ask(ask("One.", "r1")))
    link = voice._link
    assert link is not None
    link.connection.abort()
    await until(lambda: voice._link is None)
    audio, _ = await hear(await voice.ask(ask("Two.", "r2")))
    assert audio == pcm("Two.")
    assert speech.connections == 2


@pytest.mark.parametrize("lost_before", [0, 1, 3])
async def test_a_sentence_whose_connection_breaks_goes_on_from_the_missing_sample(
    voice: StreamVoice, speech: FakeSpeech, lost_before: int
) -> None:
    speech.plan(LONG, Plan(die_before=lost_before))
    audio, events = await hear(await voice.ask(ask(LONG)))
    assert audio == pcm(LONG)
    assert [type(e) for e in events].count(SynthesisStart) == 1
    assert [w.word for e in events if isinstance(e, Words) for w in e.words] == LONG.split()
    again = speech.requests[1]
    received = sum(len(e.data) // 2 for e in events if isinstance(e, Audio)) * lost_before // 4
    overlap = round(0.005 * RATE) if lost_before else 0
    assert again.offset_samples == received - overlap
    assert again.quality == ("fast" if lost_before else None)
    assert events[-1].samples == len(audio) // 2


async def test_the_sentence_that_was_asked_for_ahead_survives_the_loss_too(
    voice: StreamVoice, speech: FakeSpeech
) -> None:
    speech.plan(LONG, Plan(die_before=2))
    first = await voice.ask(ask(LONG, "r1"))
    second = await voice.ask(ask("And then this.", "r2"))
    assert (await hear(first))[0] == pcm(LONG)
    assert (await hear(second))[0] == pcm("And then this.")


async def test_another_engine_ends_the_sentence_instead_of_joining_two_voices(
    voice: StreamVoice, speech: FakeSpeech
) -> None:
    speech.plan(LONG, Plan(die_before=2), Plan(gates={1: asyncio.Event()}))
    first = await voice.ask(ask(LONG, "r1"))
    second = await voice.ask(ask("Next.", "r2"))
    heard: list[Any] = []

    async def listen() -> None:
        async for event in first.events():
            heard.append(event)
            speech.engine = "fake-2"

    with pytest.raises(VoiceError) as caught:
        await within(listen())
    assert caught.value.code == "engine_changed"
    assert pcm(LONG).startswith(b"".join(e.data for e in heard if isinstance(e, Audio)))
    assert (await hear(second))[0] == pcm("Next.")
    await until(lambda: "r1" in speech.cancelled)


async def test_a_sentence_that_loses_its_connection_every_time_is_given_up(
    voice: StreamVoice, speech: FakeSpeech
) -> None:
    speech.plan(LONG, *[Plan(die_before=0)] * 10)
    with pytest.raises(VoiceError) as caught:
        await hear(await voice.ask(ask(LONG)))
    assert caught.value.code == "speech_lost"
    assert len(speech.requests) == 4


async def test_a_service_that_refuses_is_tried_a_few_times(
    voice: StreamVoice, speech: FakeSpeech
) -> None:
    speech.refuse = True
    with pytest.raises(VoiceError) as caught:
        await within(voice.open())
    assert caught.value.code == "speech_unavailable"
    speech.refuse = False
    assert (await hear(await voice.ask(ask("Now."))))[0] == pcm("Now.")


async def test_a_service_that_is_not_there_is_an_error_not_a_wait(settings: Settings) -> None:
    nobody = replace(settings.voice, url="ws://127.0.0.1:9/speech")
    with pytest.raises(VoiceError):
        await within(websocket_voice(nobody).open())


async def test_silence_ends_the_sentence_and_the_next_is_said(
    settings: Settings, speech: FakeSpeech
) -> None:
    voice = websocket_voice(replace(settings.voice, first_frame_s=0.1))
    speech.plan("Never.", Plan(silent=True))
    first = await voice.ask(ask("Never.", "r1"))
    second = await voice.ask(ask("Now.", "r2"))
    with pytest.raises(VoiceError) as caught:
        await hear(first)
    assert caught.value.code == "speech_timeout"
    assert (await hear(second))[0] == pcm("Now.")
    await within(voice.close())


async def test_an_error_of_the_service_ends_only_its_sentence(
    voice: StreamVoice, speech: FakeSpeech
) -> None:
    speech.plan("Bad.", Plan(error=("unknown_voice", "There is no such\nvoice. " + "x" * 900)))
    first = await voice.ask(ask("Bad.", "r1"))
    second = await voice.ask(ask("Good.", "r2"))
    with pytest.raises(VoiceError) as caught:
        await hear(first)
    assert caught.value.code == "unknown_voice"
    assert caught.value.message.startswith("There is no such voice.")
    assert len(caught.value.message) <= 300
    assert (await hear(second))[0] == pcm("Good.")
    assert speech.connections == 1


async def test_after_a_cancel_nothing_of_the_old_sentences_comes(
    voice: StreamVoice, speech: FakeSpeech
) -> None:
    speech.plan(LONG, Plan(gates={1: asyncio.Event()}))
    old = await voice.ask(ask(LONG, "old"))
    events = old.events()
    await within(anext(events))
    await within(voice.cancel())
    new = await voice.ask(ask("New.", "new"))
    assert (await hear(new))[0] == pcm("New.")
    with pytest.raises(VoiceError):
        await within(anext(events))
    assert speech.cancelled == ["old"]
    assert speech.connections == 1


async def test_a_service_that_does_not_stop_is_left(
    settings: Settings, speech: FakeSpeech, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def deaf(self: Any, request_id: str | None) -> None: ...

    monkeypatch.setattr("tests.agent.conftest._Talk.cancel", deaf)
    voice = websocket_voice(replace(settings.voice, cancel_s=0.05))
    speech.plan(LONG, Plan(gates={1: asyncio.Event()}))
    events = (await voice.ask(ask(LONG, "old"))).events()
    await within(anext(events))
    await within(voice.cancel())
    assert (await hear(await voice.ask(ask("New.", "new"))))[0] == pcm("New.")
    assert speech.connections == 2
    await within(voice.close())


async def test_a_slow_reader_holds_the_service_back(settings: Settings, speech: FakeSpeech) -> None:
    voice = websocket_voice(replace(settings.voice, buffer_bytes=32 * 1024))
    text = "a" * 30_000  # 29 MB of audio: more than the sockets' buffers take.
    speech.plan(text, Plan(words=False))
    events = (await voice.ask(ask(text))).events()
    await within(anext(events))
    held: list[int] = []
    for _ in range(200):
        await asyncio.sleep(0)
        held.append(voice._asked[0]._inbox.held_bytes)
    assert max(held) <= 32 * 1024 + 16 * 1024
    assert speech.finished == []
    audio = b"".join([e.data async for e in events if isinstance(e, Audio)])
    assert audio == pcm(text)
    await within(voice.close())


async def test_closing_says_goodbye_and_a_closed_voice_opens_again(
    settings: Settings, speech: FakeSpeech
) -> None:
    voice = websocket_voice(settings.voice)
    await within(voice.open())
    await within(voice.close())
    await until(lambda: speech.live == 0)
    assert (await hear(await voice.ask(ask("Back."))))[0] == pcm("Back.")
    await within(voice.close())
    await until(lambda: speech.live == 0)
