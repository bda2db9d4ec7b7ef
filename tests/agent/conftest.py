"""Doubles of both neighbours: a model that steps by gates, and a speech service in this process."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import os
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from strands.models.model import Model
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

with warnings.catch_warnings():
    # AgentCore's library declares a model in a way that pydantic no longer likes.
    warnings.simplefilter("ignore", DeprecationWarning)
    import bedrock_agentcore.runtime  # noqa: F401

from firstword.agent import Settings, create_app
from firstword.agent.conversations import Conversations
from firstword.agent.settings import (
    ConversationSettings,
    ModelSettings,
    ServerSettings,
    TurnSettings,
    VoiceSettings,
)
from firstword.agent.thinker import Thinker
from firstword.agent.voice_websocket import websocket_voice
from firstword.protocol import (
    Audio,
    Cancel,
    Close,
    Error,
    RemoteProtocolError,
    Session,
    SynthesisCancelled,
    SynthesisComplete,
    SynthesisStart,
    Synthesize,
    Word,
    Words,
    decode,
)

from tests.agent import wire_stage
from tests.agent.wire_stage import KEYS, Certificate, Stage

DEADLINE_S = 10.0
RATE = 24_000
SAMPLES_PER_CHAR = 480
CHUNKS = 4

type Step = str | asyncio.Event | Exception | dict[str, Any]


async def within[T](what: Awaitable[T]) -> T:
    """The result, within the deadline of all tests."""
    async with asyncio.timeout(DEADLINE_S):
        return await what


async def until(condition: Callable[[], bool]) -> None:
    """Give way to other tasks until something holds, within the deadline."""
    async with asyncio.timeout(DEADLINE_S):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.001)


# The model.


class GatedModel(Model):
    """Says what ``answer(messages)`` gives: text, an event to wait for, or an exception to raise.

    A dict is a raw stream event. ``seen`` has the messages of every call, ``streams`` what became
    of it: "open", "whole" or "left".
    """

    def __init__(self, answer: Callable[[list[Any]], Iterable[Step]]) -> None:
        self.answer = answer
        self.seen: list[list[Any]] = []
        self.streams: list[str] = []
        self.tool_names: list[str] = []

    def get_config(self) -> dict[str, Any]:
        return {"model_id": "gated"}

    def update_config(self, **model_config: Any) -> None: ...

    def structured_output(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def stream(self, messages: Any, tool_specs: Any = None, *args: Any, **kwargs: Any) -> Any:
        self.seen.append(copy.deepcopy(list(messages)))
        self.tool_names = [spec["name"] for spec in tool_specs or []]
        return self._steps(self.answer(messages))

    async def _steps(self, steps: Iterable[Step]) -> AsyncIterator[dict[str, Any]]:
        number = len(self.streams)
        self.streams.append("open")
        try:
            raw = False
            yield {"messageStart": {"role": "assistant"}}
            yield {"contentBlockStart": {"start": {}}}
            for step in steps:
                match step:
                    case str():
                        yield {"contentBlockDelta": {"delta": {"text": step}}}
                    case asyncio.Event():
                        await step.wait()
                    case Exception():
                        raise step
                    case dict():
                        raw = True
                        yield step
            if not raw:
                yield {"contentBlockStop": {}}
                yield {"messageStop": {"stopReason": "end_turn"}}
            self.streams[number] = "whole"
        finally:
            if self.streams[number] == "open":
                self.streams[number] = "left"


def last_prompt(messages: list[Any]) -> str:
    return " ".join(block["text"] for block in messages[-1]["content"])


# The speech service.


@dataclass
class Plan:
    """How one text is said. ``gates[n]`` is waited for before the n-th piece of its audio."""

    gates: dict[int, asyncio.Event] = field(default_factory=dict)
    die_before: int | None = None
    silent: bool = False
    error: tuple[str, str] | None = None
    words: bool = True


def pcm(text: str) -> bytes:
    """The audio of a text: a function of the text alone, as with the real engine."""
    seed = sum(text.encode())
    period = bytes((seed + 7 * i) % 256 for i in range(2 * 479))
    size = 2 * SAMPLES_PER_CHAR * len(text)
    return (period * (size // len(period) + 1))[:size]


def words_of(text: str) -> list[Word]:
    found, cursor = [], 0
    for word in text.split():
        start = text.index(word, cursor)
        cursor = start + len(word)
        found.append(
            Word(
                word=word,
                start_s=start * SAMPLES_PER_CHAR / RATE,
                end_s=cursor * SAMPLES_PER_CHAR / RATE,
                text_start=start,
                text_end=cursor,
            )
        )
    return found


class FakeSpeech:
    """The speech wire over a real WebSocket. ``plans`` are used up, one for each request."""

    def __init__(self) -> None:
        self.requests: list[Synthesize] = []
        self.cancelled: list[str] = []
        self.cancels = 0
        self.finished: list[str] = []
        self.connections = 0
        self.live = 0
        self.engine = "fake-1"
        self.refuse = False
        self.plans: dict[str, list[Plan]] = {}
        self.url = ""
        self.most_open = 0
        self._server: Any = None

    def plan(self, text: str, *plans: Plan) -> None:
        self.plans.setdefault(text, []).extend(plans)

    @property
    def texts(self) -> list[str]:
        return [request.text for request in self.requests]

    async def start(self) -> None:
        self._server = await serve(self._serve, "127.0.0.1", 0, process_request=self._admit)
        self.url = f"ws://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/speech"

    async def stop(self) -> None:
        self._server.close()
        await self._server.wait_closed()

    def _admit(self, connection: ServerConnection, request: Any) -> Any:
        if request.path == "/ping":
            return connection.respond(200, "ready\n")
        return connection.respond(503, "not yet\n") if self.refuse else None

    async def _serve(self, socket: ServerConnection) -> None:
        self.connections += 1
        self.live += 1
        talk = _Talk(self, socket)
        speaker = asyncio.create_task(talk.speak())
        try:
            await talk.listen()
        except ConnectionClosed:
            pass
        finally:
            speaker.cancel()
            await asyncio.wait({speaker})
            self.live -= 1


class _Talk:
    def __init__(self, service: FakeSpeech, socket: ServerConnection) -> None:
        self.service = service
        self.socket = socket
        self.session = Session(role="server")
        self.queue: asyncio.Queue[Synthesize | None] = asyncio.Queue()
        self.current: asyncio.Task[None] | None = None

    async def listen(self) -> None:
        async for message in self.socket:
            try:
                frames = self.session.receive(message)
            except RemoteProtocolError as error:
                await self.send(error.frame())
                continue
            for frame in frames:
                match frame:
                    case Synthesize():
                        self.service.requests.append(frame)
                        opened = len(self.session.open_requests)
                        self.service.most_open = max(self.service.most_open, opened)
                        self.queue.put_nowait(frame)
                    case Cancel():
                        self.service.cancels += 1
                        await self.cancel(frame.request_id)
                    case Close():
                        self.queue.put_nowait(None)

    async def cancel(self, request_id: str | None) -> None:
        for name in self.session.open_requests:
            if request_id in (None, name):
                self.service.cancelled.append(name)
        if self.current is not None:
            self.current.cancel()

    async def speak(self) -> None:
        while (request := await self.queue.get()) is not None:
            if request.request_id not in self.service.cancelled:
                self.current = asyncio.create_task(self.say(request))
                await asyncio.wait({self.current})
                if not self.current.cancelled():
                    self.current.result()
                self.current = None
            if request.request_id in self.service.cancelled:
                with contextlib.suppress(ConnectionClosed):
                    await self.send(
                        SynthesisCancelled(request_id=request.request_id or "", samples=0)
                    )
        await self.socket.close()

    async def say(self, request: Synthesize) -> None:
        plans = self.service.plans.get(request.text, [])
        plan = plans.pop(0) if plans else Plan()
        name = request.request_id or ""
        if plan.silent:
            await asyncio.Event().wait()
        if plan.error is not None:
            code, message = plan.error
            return await self.send(Error(code=code, message=message, request_id=name))
        await self.send(
            SynthesisStart(
                request_id=name,
                voice=request.voice or "af_heart",
                engine=self.service.engine,
                quality=request.quality or "fast",
            )
        )
        if plan.words and request.word_timestamps:
            await self.send(Words(request_id=name, words=tuple(words_of(request.text))))
        audio = pcm(request.text)[2 * request.offset_samples :]
        size = 2 * -(-len(audio) // (2 * CHUNKS))
        for number, start in enumerate(range(0, len(audio), size)):
            if plan.die_before == number:
                self.socket.transport.abort()
                return None
            if number in plan.gates:
                await plan.gates[number].wait()
            for at in range(start, min(start + size, len(audio)), 16_384):
                await self.send(Audio(audio[at : min(at + 16_384, start + size)]))
        samples = len(audio) // 2
        self.service.finished.append(request.text)
        await self.send(
            SynthesisComplete(
                request_id=name, total_duration_s=samples / RATE, elapsed_s=0.0, samples=samples
            )
        )
        return None

    async def send(self, frame: Any) -> None:
        await self.socket.send(self.session.send(frame))


@pytest.fixture
async def speech() -> AsyncIterator[FakeSpeech]:
    service = FakeSpeech()
    await service.start()
    yield service
    await service.stop()


# The agent.


def settings_for(speech_url: str, **turn: Any) -> Settings:
    """Quick deadlines, no early first clause, so that a test's sentences are whole ones."""
    return Settings(
        server=ServerSettings(port=0, send_s=5.0, keep_alive_s=5.0),
        model=ModelSettings(llm="openai", tools="off", first_text_s=8.0, stall_s=8.0),
        voice=VoiceSettings(
            url=speech_url, open_s=3.0, first_frame_s=5.0, receive_s=5.0, close_s=1.0, cancel_s=1.0
        ),
        turn=TurnSettings(**{"first_clause_words": None, "idle_release_s": 0.2, **turn}),
        conversations=ConversationSettings(turn_wait_s=2.0),
    )


@pytest.fixture
def settings(speech: FakeSpeech) -> Settings:
    return settings_for(speech.url)


@dataclass
class Agent:
    """An agent that serves on loopback, and its doubles."""

    url: str
    model: GatedModel
    speech: FakeSpeech
    conversations: Conversations
    settings: Settings

    @property
    def ws_url(self) -> str:
        return self.url.replace("http", "ws") + "/ws"

    def history(self, session_id: str) -> list[tuple[str, str]]:
        known = self.conversations._known[session_id]
        return [
            (message["role"], " ".join(block["text"] for block in message["content"]))
            for message in known.thinker.history
        ]

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.url, timeout=DEADLINE_S, trust_env=False)


@contextlib.asynccontextmanager
async def serving(
    settings: Settings, model: GatedModel, speech: FakeSpeech
) -> AsyncIterator[Agent]:
    app = create_app(settings, model=model)
    config = uvicorn.Config(
        app, port=0, log_config=None, lifespan="on", ws="websockets-sansio", access_log=False
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server._serve())
    await until(lambda: server.started or task.done())
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield Agent(f"http://127.0.0.1:{port}", model, speech, app.state.conversations, settings)
    finally:
        server.should_exit = True
        await within(task)


@pytest.fixture
def make_agent(
    speech: FakeSpeech, settings: Settings
) -> Callable[..., contextlib.AbstractAsyncContextManager[Agent]]:
    """Start an agent whose model gives the answer of a function."""

    def make(
        answer: Callable[[list[Any]], Iterable[Step]], **turn: Any
    ) -> contextlib.AbstractAsyncContextManager[Agent]:
        chosen = replace(settings, turn=replace(settings.turn, **turn))
        return serving(chosen, GatedModel(answer), speech)

    return make


def thinker_for(model: Model, settings: Settings) -> Thinker:
    return Thinker(model, settings.model)


@pytest.fixture
def conversations_for(settings: Settings) -> Callable[..., Conversations]:
    def make(model: Model, **changes: Any) -> Conversations:
        return Conversations(
            replace(settings.conversations, **changes),
            think=lambda: Thinker(model, settings.model),
            speak=lambda: websocket_voice(settings.voice),
            voice_idle_s=settings.voice.idle_s,
        )

    return make


# Clients.


class SocketClient:
    """A client of ``/ws`` that keeps all that came: frames, and audio as Audio."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.events: list[Any] = []

    async def send(self, **message: Any) -> None:
        import json

        await self.socket.send(json.dumps(message))

    async def next(self) -> Any:
        message = await within(self.socket.recv())
        event = Audio(message) if isinstance(message, bytes) else decode(message)
        self.events.append(event)
        return event

    async def until(self, kind: type) -> Any:
        """Read on up to the next event of a kind."""
        while True:
            event = await self.next()
            if isinstance(event, kind):
                return event


# AWS's side.


@pytest.fixture(scope="session")
def certificate() -> Certificate:
    return Certificate()


@pytest.fixture(scope="session")
def ca_file(certificate: Certificate, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("authority") / "ca.pem"
    certificate.write_authority(path)
    return path


@pytest.fixture
def aws_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The only credentials that AWS's chain finds are those of the local runtime."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEYS.access_key_id)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", KEYS.secret_access_key)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)


@pytest.fixture
def staged(
    speech: FakeSpeech, certificate: Certificate, ca_file: Path, aws_keys: None
) -> Callable[..., contextlib.AbstractAsyncContextManager[Stage]]:
    """A voice through a local SageMaker runtime, in front of the speech service's double."""
    container = speech.url.replace("ws://", "http://").removesuffix("/speech")
    return lambda *faults, **changes: wire_stage.staged(
        container, certificate, ca_file, faults, **changes
    )
