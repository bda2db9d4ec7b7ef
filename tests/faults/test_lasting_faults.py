"""Faults that do not pass: what was heard stays right, the rest is an error, and nothing hangs."""

from __future__ import annotations

import asyncio
import random
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from firstword.agent.errors import VoiceError
from firstword.agent.voice import Ask
from firstword.agent.voice_choice import Speakers
from firstword.emulator.sagemaker.certificate import Certificate

from tests.faults.conftest import (
    SENTENCES,
    Stage,
    assert_honest,
    assert_whole,
    staged,
    voice_settings,
    within,
)

QUICK: dict[str, Any] = {
    "open_s": 0.6,
    "first_frame_s": 1.5,
    "receive_s": 1.5,
    "stall_s": 0.4,
    "close_s": 0.2,
    "attempts": 2,
}
TYPED = re.compile(r"speech_[a-z_]+")
DEADLINE_S = 10.0
"""Two sentences may use up their 1.5 s, and what is tried again between; the third is not tried."""


@pytest.fixture
async def stage(
    certificate: Certificate, authority: Path, credentials: None
) -> AsyncIterator[Stage]:
    async with staged(certificate, authority, **QUICK) as one:
        yield one


@pytest.mark.parametrize(
    "line",
    [
        *(
            f"{kind} {moment}"
            for kind in ("reset", "drop", "goaway", "cut", "model-stream-error", "silence")
            for moment in ("asked=0", "asked=1", "part=1", "part=3", "byte=9000")
        ),
        *("reset", "drop", "goaway", "silence", "throttle", "unavailable", "deny", "refuse-socket"),
        "internal-stream-failure part=2",
    ],
)
async def test_a_lasting_fault_is_told_within_the_deadline(stage: Stage, line: str) -> None:
    stage.faults.add(f"{line} times=always")
    heard = await within(stage.reply(), DEADLINE_S)
    assert_honest(heard, stage, line)
    assert heard.errors
    assert all(TYPED.fullmatch(code) for code in heard.codes)
    assert heard.status == "failed"
    stage.faults.clear()
    assert_whole(await within(stage.reply(), DEADLINE_S), stage, f"after {line}")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("throttle", "speech_throttled"),
        ("throttle status=429", "speech_throttled"),
        ("unavailable", "speech_unavailable"),
        ("deny", "speech_denied"),
        ("refuse-socket", "speech_model_error"),
    ],
)
async def test_a_refusal_has_its_own_code(stage: Stage, line: str, code: str) -> None:
    stage.faults.add(f"{line} times=always")
    heard = await stage.reply()
    assert set(heard.codes) == {code}
    assert heard.sentences == [b"", b"", b""]


async def test_fifty_turns_with_a_fault_each_still_speak(
    certificate: Certificate, authority: Path, credentials: None
) -> None:
    chance = random.Random(50)
    kinds = ("reset", "drop", "goaway", "cut", "model-stream-error", "split", "join", "drain")
    moments = ("part", "asked")
    async with staged(certificate, authority) as stage:
        for turn in range(50):
            kind, moment = kinds[turn % len(kinds)], chance.choice(moments)
            if kind in ("split", "join"):
                moment = "part"
            line = f"{kind} {moment}={chance.randrange(15 if moment == 'part' else 3)}"
            stage.faults.add(line)
            assert_whole(await stage.reply("one conversation"), stage, f"turn {turn}: {line}")
        assert len(stage.faults.struck) >= 40
        assert stage.runtime.connections <= 1


async def test_a_reply_that_is_stopped_in_a_silence_leaves_the_next_one_whole(
    stage: Stage,
) -> None:
    stage.faults.add("silence part=3 times=always")
    replying = asyncio.create_task(stage.reply())
    async with asyncio.timeout(DEADLINE_S):
        while not stage.faults.struck:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    replying.cancel()
    await asyncio.wait({replying})
    stage.faults.clear()
    assert_whole(await stage.reply(), stage, "after a stop")


# Runtimes that accept a connection and go no further.


@asynccontextmanager
async def mute(context: ssl.SSLContext | None) -> AsyncIterator[str]:
    """A server that takes all that comes, and never says a word; with TLS, or not even that."""
    open_now: set[asyncio.StreamWriter] = set()

    async def swallow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_now.add(writer)
        try:
            while await reader.read(65_536):
                """Nothing."""
        except OSError:
            return
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(swallow, "127.0.0.1", 0, ssl=context)
    try:
        yield f"https://localhost:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for writer in open_now:
            writer.transport.abort()
        await within(server.wait_closed())


async def speak(url: str, authority: Path) -> None:
    """Open a voice and have it say a sentence; leave it whatever comes."""
    speakers = Speakers(voice_settings(url, authority, **QUICK))
    voice = speakers.voice()
    try:
        await voice.open()
        speech = await voice.ask(Ask(request_id="r", text=SENTENCES[0], voice="af_heart"))
        async for _ in speech.events():
            pytest.fail("nobody can have said this")
    finally:
        await voice.close()
        speakers.close()


@pytest.mark.parametrize("tls", [False, True])
async def test_a_runtime_that_accepts_and_says_nothing_is_given_up(
    certificate: Certificate, authority: Path, credentials: None, tls: bool
) -> None:
    async with mute(certificate.context() if tls else None) as url:
        with pytest.raises(VoiceError) as caught:
            await within(speak(url, authority), 5.0)
    assert caught.value.code in ("speech_timeout", "speech_unavailable")


async def test_nobody_there_is_told(
    certificate: Certificate, authority: Path, credentials: None
) -> None:
    async with mute(certificate.context()) as url:
        pass
    with pytest.raises(VoiceError) as caught:
        await within(speak(url, authority), 5.0)
    assert caught.value.code == "speech_unavailable"
