"""AWS's wires on loopback: a local SageMaker runtime, and voices that speak through it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firstword.agent.errors import VoiceError
from firstword.agent.voice import Ask, Voice
from firstword.agent.voice_choice import Speakers
from firstword.agent.voice_settings import SageMakerSettings, VoiceSettings
from firstword.emulator.sagemaker.certificate import Certificate
from firstword.emulator.sagemaker.fault_script import FaultScript
from firstword.emulator.sagemaker.runtime import Runtime, serving
from firstword.emulator.sagemaker.settings import Limits, Settings
from firstword.emulator.sigv4 import Credentials
from firstword.protocol import Audio, Words

PATIENCE_S = 60.0
"""Deadline of every wait here: a bound for a busy machine, not a pace."""

LEAVE_S = 20.0
"""How long what was left may take to be gone."""

ENDPOINT = "voice"
KEYS = Credentials("AKIDEMULATED", "a-secret-of-the-test")
REPLY = ("The first sentence of the reply.", "Then comes a second.", "And this is the last.")


async def patiently[T](what: Awaitable[T]) -> T:
    async with asyncio.timeout(PATIENCE_S):
        return await what


def voice_settings(url: str, ca_file: Path, **changes: Any) -> VoiceSettings:
    """Quick where a fault costs time, patient where a busy machine does."""
    runtime = {
        name: changes.pop(name)
        for name in ("endpoint", "accept_s", "first_response_s", "credentials_s", "http_uri")
        if name in changes
    }
    sagemaker = SageMakerSettings(
        **{
            "endpoint": ENDPOINT,
            "region": "us-east-1",
            "stream_uri": url,
            "http_uri": url,
            "stream_ca_files": (ca_file,),
            "http_ca_file": ca_file,
            "accept_s": 0.5,
            "first_response_s": 2.0,
            **runtime,
        }
    )
    settings = VoiceSettings(
        wire="sagemaker",
        sagemaker=sagemaker,
        open_s=10.0,
        first_frame_s=20.0,
        receive_s=20.0,
        stall_s=3.0,
        close_s=1.0,
        cancel_s=2.0,
    )
    return replace(settings, **changes)


@dataclass
class Stage:
    """A runtime in front of a container, and a voice that speaks through it."""

    runtime: Runtime
    faults: FaultScript
    voice: Voice
    speakers: Speakers
    settings: VoiceSettings
    notices: bool = True
    """Whether the runtime sees that its callers leave: one that is told to be silent may not."""


@asynccontextmanager
async def staged(
    container: str,
    certificate: Certificate,
    ca_file: Path,
    faults: tuple[str, ...] = (),
    limits: Limits | None = None,
    **changes: Any,
) -> AsyncIterator[Stage]:
    """All of it; when it is left, no task, thread or connection of the voice may be."""
    script = FaultScript(faults)
    settings = Settings(
        endpoints={ENDPOINT: container}, credentials=KEYS, limits=limits or Limits()
    )
    async with serving(settings, certificate, faults=script) as (url, runtime):
        mine = voice_settings(url, ca_file, **changes)
        speakers = Speakers(mine)
        voice = speakers.voice()
        stage = Stage(runtime, script, voice, speakers, mine)
        try:
            yield stage
        finally:
            await patiently(voice.close())
            speakers.close()
            await _nothing_is_left(runtime if stage.notices else None)


async def _nothing_is_left(runtime: Runtime | None) -> None:
    deadline = asyncio.get_running_loop().time() + LEAVE_S
    while (runtime is not None and runtime.connections) or leftovers():
        left = f"{runtime}, {leftovers()}"
        assert asyncio.get_running_loop().time() < deadline, f"left behind: {left}"
        await asyncio.sleep(0.01)


def leftovers() -> set[str]:
    """Names of tasks and threads of a voice that run."""
    names = {task.get_name() for task in asyncio.all_tasks() if not task.done()}
    names |= {thread.name for thread in threading.enumerate()}
    return {name for name in names if name.startswith("speech ")}


@dataclass
class Heard:
    """What a listener has of a reply, and how it ended."""

    audio: bytes
    error: VoiceError | None = None
    words: tuple[str, ...] = ()

    @property
    def code(self) -> str | None:
        return None if self.error is None else self.error.code


async def say(voice: Voice, name: str = "r", reply: tuple[str, ...] = REPLY) -> Heard:
    """A reply as a turn says it, one sentence asked for ahead, up to the first error."""
    audio, words = bytearray(), []
    asks = [
        Ask(request_id=f"{name}-{number}", text=text, voice="af_heart")
        for number, text in enumerate(reply)
    ]
    try:
        await voice.open()
        asked = [await voice.ask(asks[0])]
        for following in [*asks[1:], None]:
            if following is not None:
                asked.append(await voice.ask(following))
            async for event in asked.pop(0).events():
                match event:
                    case Audio(data=data):
                        audio += data
                    case Words():
                        words += [word.word for word in event.words]
    except VoiceError as error:
        return Heard(bytes(audio), error, tuple(words))
    return Heard(bytes(audio), None, tuple(words))
