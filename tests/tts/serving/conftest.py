"""A speech server whose model is a tone: real doors, sessions and scheduler, no weights."""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from firstword.protocol import decode
from firstword.tts.app import create_app
from firstword.tts.audio import to_int16
from firstword.tts.engines import SAMPLE_RATE, Block, SpokenWord, Style, TimedWord, Utterance
from firstword.tts.models import UnknownVoiceError, cache_dir
from firstword.tts.models.voices import Voice, describe
from firstword.tts.parts import Parts, TwoPaces, load
from firstword.tts.server import SpeechServer, listen
from firstword.tts.service import Service
from firstword.tts.settings import Limits, Settings
from firstword.tts.speech import Speaker, SpeechJob
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

PATIENCE_S = 30.0
"""Deadline of every wait in these tests: a bound, not a pace."""


class ToneEngine:
    """Samples are a function of the phonemes. Each block waits at the gate, where there is one."""

    name = "tone"
    version = "tone-1"

    def __init__(self, blocks: int = 4, block_s: float = 0.25) -> None:
        self.blocks = blocks
        self.block_s = block_s
        self.fails_at: str | None = None
        self.dies = False
        self.gate: threading.Semaphore | None = None
        self.begun: list[str] = []
        self.made = 0
        self.open = 0

    def warm_up(self) -> None: ...

    def synthesize(
        self, utterance: Utterance, style: Style, speed: float, quality: str
    ) -> Iterator[Block]:
        self.begun.append(utterance.phonemes)
        self.open += 1
        try:
            count = round(self.block_s / speed * SAMPLE_RATE)
            step = 0.01 + zlib.crc32(utterance.phonemes.encode()) % 997 / 10_000
            for number in range(self.blocks):
                if self.gate is not None:
                    assert self.gate.acquire(timeout=PATIENCE_S)
                if self.dies:
                    raise SystemExit(1)
                if self.fails_at is not None and self.fails_at in utterance.phonemes:
                    yield Block(np.zeros(0, np.float32))
                    raise ValueError(f"the tone broke at {utterance.phonemes}")
                at = np.arange(number * count, (number + 1) * count)
                self.made += 1
                yield Block(
                    (0.5 * np.sin(at * step)).astype(np.float32),
                    self._words(utterance, number, count),
                )
        finally:
            self.open -= 1

    def _words(self, utterance: Utterance, number: int, count: int) -> tuple[TimedWord, ...]:
        """The words spread evenly over the utterance; those that begin in this block."""
        total_s = self.blocks * count / SAMPLE_RATE
        each_s = total_s / max(1, len(utterance.words))
        block_s = count / SAMPLE_RATE
        return tuple(
            TimedWord(word.text, word.start, word.end, index * each_s, (index + 1) * each_s)
            for index, word in enumerate(utterance.words)
            if number * block_s <= index * each_s < (number + 1) * block_s
        )


class Letters:
    """Grapheme to phoneme: the letters themselves, one utterance a sentence."""

    def utterances(self, text: str, language: str) -> Iterator[Utterance]:
        for sentence in re.finditer(r"[^.!?]*[a-z][^.!?]*[.!?]*", text, re.IGNORECASE):
            words = tuple(
                SpokenWord(
                    word[0], word.start() + sentence.start(), word.end() + sentence.start(), 0, 1
                )
                for word in re.finditer(r"\S+", sentence[0])
            )
            yield Utterance(sentence[0].strip().lower(), words)


class TwoVoices:
    """``af_heart`` and ``bm_george``."""

    def language(self, spec: str) -> str:
        self.style(spec)
        return spec[0]

    def style(self, spec: str) -> Style:
        if spec not in ("af_heart", "bm_george"):
            raise UnknownVoiceError(f"no voice is called {spec!r}")
        return np.zeros((510, 256), np.float32)

    def list(self) -> tuple[Voice, ...]:
        return describe("af_heart"), describe("bm_george")


@dataclass
class Kit:
    """A server to be, and what to look at while it runs."""

    settings: Settings
    engine: ToneEngine = field(default_factory=ToneEngine)

    def __post_init__(self) -> None:
        speaker = Speaker(Letters(), self.engine, TwoVoices())
        self.parts = Parts(TwoPaces(speaker, speaker), TwoVoices(), self.engine.version)

    def app(self) -> Any:
        return create_app(self.settings, lambda _: self.parts)

    def limit(self, **limits: Any) -> None:
        self.settings = replace(self.settings, limits=replace(self.settings.limits, **limits))

    def running(self) -> AbstractAsyncContextManager[Running]:
        """A server with these settings as they are now."""
        return running(self)

    def hold(self) -> threading.Semaphore:
        """From now on each block of the engine waits for one ``release``."""
        self.engine.gate = threading.Semaphore(0)
        return self.engine.gate

    def said(self, text: str, voice: str = "af_heart", speed: float = 1.0) -> bytes:
        """The PCM at 24 kHz that this text must give."""
        engine = ToneEngine(self.engine.blocks, self.engine.block_s)
        job = SpeechJob(text, voice, speed, "fast")
        chunks = Speaker(Letters(), engine, TwoVoices()).speak(job)
        return b"".join(to_int16(chunk.samples).tobytes() for chunk in chunks)


@dataclass
class Running:
    """A server on a port of its own."""

    kit: Kit
    service: Service
    server: SpeechServer
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @asynccontextmanager
    async def session(self, **options: Any) -> AsyncIterator[Talk]:
        address = f"ws://127.0.0.1:{self.port}/invocations-bidirectional-stream"
        async with connect(address, compression=None, max_size=None, **options) as socket:
            yield Talk(socket)

    async def until(self, true: Callable[[], bool]) -> None:
        """Let the loop turn until it is so; fails after ``PATIENCE_S``."""
        await until(true)

    async def quiet(self) -> None:
        """Wait until nothing is in work: no job, no session, no open iterator, no task of ours."""
        await until(lambda: self.service.scheduler.depth == 0)
        await until(lambda: self.service.sessions == 0)
        await until(lambda: self.kit.engine.open == 0)
        await until(lambda: not [t for t in asyncio.all_tasks() if "SpeechSession" in repr(t)])


class Talk:
    """A client that reads frames one by one."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def say(self, **message: Any) -> None:
        await self.socket.send(json.dumps(message))

    async def next(self) -> Any:
        """The next frame: bytes, or a frame of the protocol."""
        async with asyncio.timeout(PATIENCE_S):
            message = await self.socket.recv()
        return message if isinstance(message, bytes) else decode(message)

    async def closed(self) -> int | None:
        """Read what is left; the code of the server's Close."""
        async with asyncio.timeout(PATIENCE_S):
            with suppress(ConnectionClosed):
                while True:
                    await self.socket.recv()
        return self.socket.close_code

    async def until_last(self) -> tuple[list[Any], bytes]:
        """All frames up to the last one of a request, and its audio."""
        frames: list[Any] = []
        audio = bytearray()
        while True:
            frame = await self.next()
            if isinstance(frame, bytes):
                audio += frame
                continue
            frames.append(frame)
            if type(frame).__name__ in ("SynthesisComplete", "SynthesisCancelled", "Error"):
                return frames, bytes(audio)


async def until(true: Callable[[], bool]) -> None:
    """Let the loop turn until it is so; fails after ``PATIENCE_S``."""
    async with asyncio.timeout(PATIENCE_S):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


@asynccontextmanager
async def running(kit: Kit) -> AsyncIterator[Running]:
    app = kit.app()
    listener = listen("127.0.0.1", 0)
    server = SpeechServer(app, kit.settings)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    service: Service = app.state.service
    try:
        async with asyncio.timeout(PATIENCE_S):
            await service.loaded()
        await until(lambda: server.started)
        yield Running(kit, service, server, listener.getsockname()[1])
    finally:
        server.should_exit = True
        if kit.engine.gate is not None:
            kit.engine.gate.release(1000)
        async with asyncio.timeout(PATIENCE_S):
            await serving


@pytest.fixture
def kit() -> Kit:
    unused = Path("unused")
    return Kit(Settings(model_dir=unused, cache_dir=unused, port=0, limits=Limits()))


@pytest.fixture
async def live(kit: Kit) -> AsyncIterator[Running]:
    async with running(kit) as one:
        yield one


@pytest.fixture(scope="module")
def loaded(model_folder: Path) -> Parts:
    """The real Kokoro."""
    return load(Settings(model_dir=model_folder, cache_dir=cache_dir(os.environ)))


@pytest.fixture
async def real(loaded: Parts) -> AsyncIterator[Running]:
    kit = Kit(Settings(model_dir=Path(), cache_dir=Path(), port=0))
    kit.parts = loaded
    async with running(kit) as one:
        yield one
