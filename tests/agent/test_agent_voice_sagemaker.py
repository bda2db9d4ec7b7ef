"""The SageMaker wire against a local SageMaker runtime, in good order and under faults."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from firstword.agent.voice import Ask
from firstword.agent.voice_choice import Speakers
from firstword.emulator.sagemaker.settings import Limits
from firstword.protocol import Audio

from tests.agent.conftest import FakeSpeech, Plan, pcm, until
from tests.agent.wire_stage import REPLY, Heard, leftovers, patiently, say, voice_settings

WHOLE = b"".join(pcm(text) for text in REPLY)
WORDS = tuple(word for text in REPLY for word in text.split())
LONG = "This sentence is long enough for several frames of audio."


async def test_a_reply_is_heard_whole_and_the_stream_serves_the_next_one(
    staged: Any, speech: FakeSpeech
) -> None:
    async with staged() as stage:
        assert await patiently(say(stage.voice)) == Heard(WHOLE, None, WORDS)
        assert await patiently(say(stage.voice, "s")) == Heard(WHOLE, None, WORDS)
        assert (stage.runtime.calls, speech.connections) == (1, 1)


@pytest.mark.parametrize(
    "fault",
    [
        "reset",
        "drop",
        "goaway",
        "drain",
        "silence",
        "throttle",
        "throttle status=429",
        "unavailable",
        "refuse-socket",
    ],
)
async def test_after_one_fault_before_the_answer_the_reply_is_whole(
    staged: Any, fault: str
) -> None:
    async with staged(fault) as stage:
        assert await patiently(say(stage.voice)) == Heard(WHOLE, None, WORDS)
        assert len(stage.faults.struck) == 1


@pytest.mark.parametrize("moment", ["part=0", "part=4", "part=7", "part=20", "asked=2"])
@pytest.mark.parametrize(
    "kind",
    [
        "reset",
        "drop",
        "goaway",
        "cut",
        "model-stream-error",
        "internal-stream-failure",
    ],
)
async def test_after_one_broken_stream_the_reply_is_whole(
    staged: Any, kind: str, moment: str
) -> None:
    async with staged(f"{kind} {moment}") as stage:
        assert await patiently(say(stage.voice)) == Heard(WHOLE, None, WORDS)
        assert len(stage.faults.struck) == 1


@pytest.mark.parametrize("moment", ["part=2", "asked=1", "byte=2000"])
async def test_a_stream_that_falls_silent_is_left_for_another(staged: Any, moment: str) -> None:
    async with staged(f"silence {moment}", stall_s=0.5) as stage:
        assert await patiently(say(stage.voice)) == Heard(WHOLE, None, WORDS)
        assert len(stage.faults.struck) == 1


@pytest.mark.parametrize(
    "fault", ["split part=0", "split part=7", "join part=0", "join part=6", "slow piece=900"]
)
async def test_parts_of_any_shape_are_understood(staged: Any, fault: str) -> None:
    async with staged(fault) as stage:
        assert await patiently(say(stage.voice)) == Heard(WHOLE, None, WORDS)
        assert stage.runtime.calls == 1


async def test_fifty_turns_with_a_fault_each_still_speak(staged: Any) -> None:
    kinds = ("reset", "goaway", "model-stream-error", "drop", "cut")
    async with staged() as stage:
        for number in range(50):
            stage.faults.add(f"{kinds[number % 5]} part={number % 6}")
            heard = await patiently(say(stage.voice, f"t{number}", REPLY[:1]))
            assert heard.audio == pcm(REPLY[0])
        assert len(stage.faults.struck) == 50


async def test_a_session_that_is_cut_for_its_age_costs_nothing(staged: Any) -> None:
    async with staged(limits=Limits(session_s=0.3)) as stage:
        for number in range(4):
            assert (await patiently(say(stage.voice, f"t{number}"))).audio == WHOLE
            await asyncio.sleep(0.1)


async def test_a_stream_is_renewed_between_sentences_before_it_is_cut(
    staged: Any, speech: FakeSpeech
) -> None:
    gate = asyncio.Event()
    speech.plan(LONG, Plan(gates={1: gate}))
    async with staged(renew_s=0.2) as stage:
        first = await patiently(stage.voice.ask(Ask(request_id="a", text=LONG, voice="af_heart")))
        await asyncio.sleep(0.3)  # The stream is due, and in the middle of a sentence.
        second = await patiently(
            stage.voice.ask(Ask(request_id="b", text=REPLY[0], voice="af_heart"))
        )
        assert speech.texts == [LONG]
        gate.set()
        audio = b""
        async with asyncio.timeout(20):
            for asked in (first, second):
                audio += b"".join([e.data async for e in asked.events() if isinstance(e, Audio)])
        assert audio == pcm(LONG) + pcm(REPLY[0])
        assert [request.offset_samples for request in speech.requests] == [0, 0]
        assert speech.connections == 2


async def test_a_barge_in_keeps_the_stream(staged: Any, speech: FakeSpeech) -> None:
    speech.plan(LONG, Plan(gates={1: asyncio.Event()}))
    async with staged() as stage:
        old = await patiently(stage.voice.ask(Ask(request_id="old", text=LONG, voice="af_heart")))
        await patiently(anext(old.events()))
        await stage.voice.cancel()
        assert (await patiently(say(stage.voice))).audio == WHOLE
        assert speech.cancelled == ["old"]
        assert stage.runtime.calls == 1


@pytest.mark.parametrize(
    ("fault", "code", "told"),
    [
        ("deny", "speech_denied", "sagemaker:InvokeEndpointWithBidirectionalStream"),
        ("throttle", "speech_throttled", "quota"),
        ("unavailable", "speech_unavailable", "try again"),
        ("reset", "speech_unavailable", "cannot be reached"),
        ("silence", "speech_timeout", "speech"),
        ("model-stream-error part=2", "speech_model_error", "/aws/sagemaker/Endpoints/voice"),
        ("cut part=2", "speech_lost", "too often"),
        ("silence part=2", "speech_timeout", "silent for too long"),
    ],
)
async def test_a_fault_that_does_not_pass_is_told_with_what_to_do(
    staged: Any, fault: str, code: str, told: str
) -> None:
    quick = {"first_response_s": 0.3, "stall_s": 0.3, "first_frame_s": 1.0, "receive_s": 1.0}
    async with staged(f"{fault} times=always", **quick) as stage:
        heard = await patiently(say(stage.voice))
        assert heard.code == code
        assert heard.error is not None
        assert told in heard.error.message
        assert WHOLE.startswith(heard.audio)


async def test_a_missing_endpoint_is_named(staged: Any) -> None:
    async with staged(endpoint="nobody") as stage:
        heard = await patiently(say(stage.voice))
        assert heard.code == "speech_endpoint_missing"
        assert "nobody" in str(heard.error)
        assert stage.runtime.calls == 1


async def test_a_wrong_secret_is_not_tried_again(
    staged: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    async with staged() as stage:
        heard = await patiently(say(stage.voice))
        assert heard.code == "speech_credentials"
        assert stage.runtime.calls == 1


async def test_without_credentials_nothing_is_called(
    staged: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    async with staged() as stage:
        heard = await patiently(say(stage.voice))
        assert heard.code == "speech_credentials"
        assert stage.runtime.calls == 0


async def test_the_retries_of_a_turn_have_a_budget(staged: Any) -> None:
    async with staged("reset part=3 times=always", retries_per_turn=2, attempts=50) as stage:
        heard = await patiently(say(stage.voice))
        assert heard.code == "speech_lost"
        assert stage.runtime.calls == 3
        stage.faults.add("cut part=3")
    assert not leftovers()


class Deaf:
    """Accepts connections, and never says a word."""

    async def __aenter__(self) -> str:
        self._writers: list[asyncio.StreamWriter] = []
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return f"https://localhost:{self._server.sockets[0].getsockname()[1]}"

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)

    async def __aexit__(self, *error: object) -> None:
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await self._server.wait_closed()


@pytest.mark.usefixtures("aws_keys")
@pytest.mark.parametrize("wire", ["sagemaker", "http"])
async def test_a_runtime_that_never_speaks_is_an_error_within_the_deadline(
    ca_file: Path, wire: Any
) -> None:
    async with Deaf() as url:
        settings = voice_settings(
            url, ca_file, wire=wire, open_s=0.4, attempts=2, stall_s=0.4, receive_s=0.4
        )
        speakers = Speakers(settings)
        voice = speakers.voice()
        began = time.monotonic()
        heard = await patiently(say(voice, reply=REPLY[:1]))
        assert heard.code in ("speech_unavailable", "speech_timeout")
        assert time.monotonic() - began < 15.0
        await patiently(voice.close())
        speakers.close()
        await until(lambda: not leftovers())


async def test_leaving_a_runtime_that_is_silent_does_not_wait_for_it(staged: Any) -> None:
    async with staged("silence asked=1 times=always") as stage:
        await patiently(stage.voice.ask(Ask(request_id="a", text=LONG, voice="af_heart")))
        began = time.monotonic()
        await patiently(stage.voice.close())
        assert time.monotonic() - began < 2 * stage.settings.close_s + 3.0
