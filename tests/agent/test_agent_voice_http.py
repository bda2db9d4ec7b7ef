"""The HTTP wire through a local SageMaker runtime to the speech server's own doors."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from firstword.agent.doctor import examine
from firstword.agent.settings import ModelSettings, Settings
from firstword.agent.voice import Ask
from firstword.tts.settings import Settings as SpeechSettings

from tests.agent import wire_stage
from tests.agent.wire_stage import REPLY, Certificate, Stage, patiently, say
from tests.loopback import served
from tests.tts.serving.conftest import Kit

pytestmark = pytest.mark.usefixtures("aws_keys")


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(SpeechSettings(model_dir=tmp_path, cache_dir=tmp_path, host="127.0.0.1", port=0))


@contextlib.asynccontextmanager
async def through(
    kit: Kit, certificate: Certificate, ca_file: Path, *faults: str, **changes: Any
) -> AsyncIterator[Stage]:
    async with (
        served(kit.app()) as url,
        wire_stage.staged(url, certificate, ca_file, faults, **changes) as stage,
    ):
        await patiently(_ready(url))
        yield stage


async def _ready(url: str) -> None:
    import httpx

    async with httpx.AsyncClient(trust_env=False) as client:
        while (await client.get(f"{url}/ping")).status_code != 200:
            pass


def whole(kit: Kit, reply: tuple[str, ...] = REPLY) -> bytes:
    return b"".join(kit.said(text) for text in reply)


@pytest.mark.parametrize("wire", ["http", "sagemaker"])
async def test_both_wires_give_the_servers_samples_and_words(
    kit: Kit, certificate: Certificate, ca_file: Path, wire: str
) -> None:
    async with through(kit, certificate, ca_file, wire=wire) as stage:
        heard = await patiently(say(stage.voice))
        assert heard.code is None
        assert heard.audio == whole(kit)
        assert heard.words == tuple(word for text in REPLY for word in text.split())


@pytest.mark.parametrize(
    "fault",
    [
        "drop",
        "throttle",
        "unavailable",
        "drop byte=30000",
        "cut byte=60000",
        "cut part=2",
        "model-stream-error part=3",
        "silence byte=50000",
    ],
)
async def test_after_one_fault_the_reply_is_whole(
    kit: Kit, certificate: Certificate, ca_file: Path, fault: str
) -> None:
    async with through(kit, certificate, ca_file, fault, wire="http", stall_s=1.5) as stage:
        stage.notices = "silence" not in fault
        heard = await patiently(say(stage.voice))
        assert heard.code is None
        assert heard.audio == whole(kit)
        assert len(stage.faults.struck) == 1


async def test_a_sentence_that_is_refused_is_an_error_and_the_next_is_said(
    kit: Kit, certificate: Certificate, ca_file: Path
) -> None:
    async with through(kit, certificate, ca_file, wire="http") as stage:
        bad = Ask(request_id="bad", text="Hello.", voice="xx_nobody")
        speech = await patiently(stage.voice.ask(bad))
        with pytest.raises(Exception, match="unknown_voice") as caught:
            await patiently(anext(speech.events()))
        assert caught.value.code == "speech_model_error"
        assert (await patiently(say(stage.voice))).audio == whole(kit)


async def test_a_cancelled_sentence_ends_its_call(
    kit: Kit, certificate: Certificate, ca_file: Path
) -> None:
    gate = kit.hold()
    async with through(kit, certificate, ca_file, wire="http") as stage:
        stage.notices = False  # A call that is left while nothing comes is not seen to be.
        gate.release(1)
        old = await patiently(
            stage.voice.ask(Ask(request_id="old", text="Never said.", voice="af_heart"))
        )
        await patiently(anext(old.events()))
        await patiently(stage.voice.cancel())
        gate.release(1000)
        assert (await patiently(say(stage.voice))).audio == whole(kit)


@pytest.mark.parametrize("fault", ["deny call=1", "silence call=1 times=always"])
async def test_where_streams_are_not_to_be_had_http_speaks_and_it_is_said(
    kit: Kit,
    certificate: Certificate,
    ca_file: Path,
    fault: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    quick = {"first_response_s": 0.3, "stall_s": 5.0, "attempts": 1}
    async with through(kit, certificate, ca_file, fault, fall_back="http", **quick) as stage:
        assert stage.speakers.wire("bidi") == "sagemaker"
        first = await patiently(say(stage.voice))
        heard = first if first.code is None else await patiently(say(stage.voice, "again"))
        assert heard.audio == whole(kit)
    if "deny" in fault:
        assert stage.speakers.wire("bidi") == "http"
        assert "fall_back=<http>" in caplog.text
        assert "InvokeEndpointWithBidirectionalStream" in caplog.text


async def test_replies_of_mode_batch_may_have_a_wire_of_their_own(
    kit: Kit, certificate: Certificate, ca_file: Path
) -> None:
    async with through(kit, certificate, ca_file, batch_wire="http") as stage:
        assert stage.speakers.wire("batch") == "http"
        assert stage.speakers.wire("bidi") == "sagemaker"
        batch = stage.speakers.batch_voice()
        assert batch is not None
        assert (await patiently(say(batch))).audio == whole(kit)
        await patiently(batch.close())


async def test_the_doctor_tries_each_wire_and_says_what_is_missing(
    kit: Kit, certificate: Certificate, ca_file: Path
) -> None:
    async with through(kit, certificate, ca_file, "deny call=2", batch_wire="http") as stage:
        settings = Settings(model=ModelSettings(llm="openai"), voice=stage.settings)
        findings = {f.name: f for f in await asyncio.to_thread(examine, settings)}
        assert findings["speech by sagemaker"].ok
        assert not findings["speech by http"].ok
        told = findings["speech by http"].detail
        assert "sagemaker:InvokeEndpointWithResponseStream" in told
