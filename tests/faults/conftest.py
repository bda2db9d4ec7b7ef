"""The whole way of a reply, but for the weights: turn, voice, SageMaker's wire, speech server.

What the engine says is a tone that is a function of the text, so each sample has its place.
"""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from firstword.agent.conversations import Conversations
from firstword.agent.settings import ModelSettings, Settings, TurnSettings
from firstword.agent.thinker import Thinker
from firstword.agent.turn import Turn
from firstword.agent.voice_choice import Speakers
from firstword.agent.voice_settings import SageMakerSettings, VoiceSettings
from firstword.emulator.sagemaker.certificate import Certificate
from firstword.emulator.sagemaker.fault_script import FaultScript
from firstword.emulator.sagemaker.runtime import Runtime, serving
from firstword.emulator.sagemaker.settings import Limits
from firstword.emulator.sagemaker.settings import Settings as RuntimeSettings
from firstword.emulator.sigv4 import Credentials
from firstword.protocol import AgentEnd, Audio, Error, Prompt, SentenceStart
from firstword.tts.settings import Limits as SpeechLimits
from firstword.tts.settings import Settings as SpeechSettings

from tests.agent.conftest import GatedModel
from tests.tts.serving.conftest import Kit, Running, ToneEngine, running

PATIENCE_S = 20.0
"""Deadline of every wait in these tests: a bound, not a pace."""

SENTENCES = ("The first one is here.", "Here comes the second.", "That was the third.")
KEYS = Credentials("AKIDEMULATED", "a-secret-of-the-test")


async def within[T](awaitable: Awaitable[T], limit_s: float = PATIENCE_S) -> T:
    """What it gives; fails after ``limit_s``."""
    async with asyncio.timeout(limit_s):
        return await awaitable


@dataclass
class Heard:
    """What a listener got: the audio of each sentence, and errors in their places."""

    sentences: list[bytes] = field(default_factory=list)
    errors: list[tuple[int, str]] = field(default_factory=list)
    """The number of sentences that had begun when it came, and its code."""
    status: str = ""

    @property
    def codes(self) -> list[str]:
        return [code for _, code in self.errors]

    def take(self, event: Any) -> None:
        match event:
            case SentenceStart():
                self.sentences.append(b"")
            case Audio(data=data):
                self.sentences[-1] += data
            case Error(code=code):
                self.errors.append((len(self.sentences), code))
            case AgentEnd(status=status):
                self.status = status


@dataclass
class Stage:
    """One runtime, one speech server, and an agent whose conversations go through both."""

    kit: Kit
    speech: Running
    runtime: Runtime
    faults: FaultScript
    conversations: Conversations
    settings: Settings
    turns: int = 0

    @property
    def whole(self) -> list[bytes]:
        """The three sentences as they must be heard."""
        return [self.kit.said(sentence) for sentence in SENTENCES]

    async def reply(self, session: str = "s") -> Heard:
        """One reply of three sentences."""
        self.turns += 1
        prompt = Prompt(prompt="Go on.", session_id=session, request_id=f"r{self.turns}")
        turn = Turn(prompt, self.conversations, self.settings)
        heard = Heard()
        async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
            group.create_task(turn.run())
            while not heard.status:
                heard.take(await turn.output.get())
        return heard

    async def forget(self) -> None:
        """End all conversations, as after a long silence."""
        await within(self.conversations.close())

    async def quiet(self) -> None:
        """Everything that a reply needed is gone again: sessions, work, connections."""
        await self.speech.quiet()
        async with asyncio.timeout(PATIENCE_S):
            while self.runtime.connections:
                gc.collect()  # urllib3 closes the connections of a pool that nobody refers to.
                await asyncio.sleep(0.005)


def assert_whole(heard: Heard, stage: Stage, where: str) -> None:
    """The reply was heard as without a fault."""
    assert heard.errors == [], where
    assert heard.sentences == stage.whole, where
    assert heard.status == "complete", where


def assert_honest(heard: Heard, stage: Stage, where: str) -> None:
    """Nothing was heard twice or out of order, and what is missing was told in its place."""
    assert len(heard.sentences) == len(SENTENCES), where
    told = {number for number, _ in heard.errors}
    for number, (got, whole) in enumerate(zip(heard.sentences, stage.whole, strict=True), 1):
        assert whole.startswith(got), f"{where}: sentence {number} is not what it should be"
        assert got == whole or number in told or max(told) < number, f"{where}: {number} is short"
    if heard.sentences != stage.whole:
        assert heard.status == "failed", where


def voice_settings(url: str, authority: Path, **changes: Any) -> VoiceSettings:
    """The product's deadlines, made small enough for a test to see them pass."""
    endpoint = SageMakerSettings(
        endpoint="voice",
        region="us-east-1",
        stream_uri=url,
        http_uri=url,
        stream_ca_files=(authority,),
        http_ca_file=authority,
        accept_s=0.3,
        first_response_s=0.4,
        credentials_s=5.0,
    )
    quick: dict[str, Any] = {
        "wire": "sagemaker",
        "open_s": 3.0,
        "first_frame_s": 4.0,
        "receive_s": 4.0,
        "stall_s": 0.4,
        "send_s": 2.0,
        "close_s": 0.5,
        "cancel_s": 0.5,
    }
    return VoiceSettings(sagemaker=endpoint, **{**quick, **changes})


@pytest.fixture(scope="session")
def certificate() -> Certificate:
    return Certificate()


@pytest.fixture(scope="session")
def authority(certificate: Certificate, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("authority") / "ca.pem"
    certificate.write_authority(path)
    return path


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEYS.access_key_id)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEYS.secret_access_key)
    for name in ("AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)


@asynccontextmanager
async def staged(
    certificate: Certificate, authority: Path, limits: Limits | None = None, **voice: Any
) -> AsyncIterator[Stage]:
    """A stage; when it is left, nothing of it may be left: no task, no connection, no thread."""
    tasks, threads = other_tasks(), set(threading.enumerate())
    unused, faults = Path("unused"), FaultScript()
    kit = Kit(
        SpeechSettings(model_dir=unused, cache_dir=unused, port=0, limits=SpeechLimits()),
        ToneEngine(blocks=2, block_s=0.25),
    )
    async with running(kit) as speech:
        config = RuntimeSettings(
            endpoints={"voice": speech.url}, credentials=KEYS, limits=limits or Limits(close_s=0.5)
        )
        async with serving(config, certificate, faults=faults) as (url, runtime):
            settings = Settings(
                model=ModelSettings(llm="openai", tools="off"),
                voice=voice_settings(url, authority, **voice),
                turn=TurnSettings(first_clause_words=None),
            )
            speakers = Speakers(settings.voice)
            model = GatedModel(lambda _: [f"{sentence} " for sentence in SENTENCES])
            conversations = Conversations(
                settings.conversations,
                think=lambda: Thinker(model, settings.model),
                speak=speakers.voice,
                voice_idle_s=settings.voice.idle_s,
            )
            stage = Stage(kit, speech, runtime, faults, conversations, settings)
            yield stage
            await stage.forget()
            speakers.close()
            await stage.quiet()
    async with asyncio.timeout(PATIENCE_S):
        while other_tasks() - tasks:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    left = {t for t in threading.enumerate() if t not in threads and not _pool(t)}
    assert not left


def other_tasks() -> set[asyncio.Task[object]]:
    """All tasks but this one."""
    return {task for task in asyncio.all_tasks() if task is not asyncio.current_task()}


def _pool(thread: threading.Thread) -> bool:
    """The event loop's own threads, which it ends itself."""
    return thread.name.startswith("asyncio_")


@pytest.fixture
async def stage(
    certificate: Certificate, authority: Path, credentials: None
) -> AsyncIterator[Stage]:
    async with staged(certificate, authority) as one:
        yield one
