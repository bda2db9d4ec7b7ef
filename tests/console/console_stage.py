"""A scripted agent, a server inside the test's loop, the command line, and parts that misbehave."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from firstword.console.child import Part
from firstword.protocol import sse
from numpy.typing import NDArray
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

DEADLINE_S = 20.0
RATE = 24_000
PART = str(Path(__file__).with_name("misbehaving_part.py"))

type Events = AsyncIterator[dict[str, Any]]


def ramp(count: int, first: int = 1) -> NDArray[np.int16]:
    """Samples that all differ from their neighbours, int16 (count,)."""
    return np.arange(first, first + count).astype("<i2")


def chunk(samples: NDArray[np.int16], seq: int = 0) -> dict[str, Any]:
    data = base64.b64encode(samples.tobytes()).decode()
    return {"type": "audio_chunk", "request_id": "r", "seq": seq, "data": data}


START = {"type": "agent_start", "request_id": "r", "mode": "bidi"}
STREAM = {
    "type": "audio_stream_start",
    "request_id": "r",
    "voice": "af_heart",
    "format": "pcm_s16le",
    "sample_rate": RATE,
}
END = {"type": "agent_end", "request_id": "r", "timings": {}, "status": "complete", "spoken": ""}


def delta(text: str) -> dict[str, Any]:
    return {"type": "text_delta", "request_id": "r", "seq": 0, "text": text}


def sentence(text: str) -> dict[str, Any]:
    return {"type": "sentence", "request_id": "r", "seq": 0, "text": text}


async def two_sentences() -> Events:
    """A whole reply: 4,800 samples of speech."""
    yield START
    yield delta("One. ")
    yield STREAM
    yield sentence("One.")
    yield chunk(ramp(2400))
    yield delta("Two.")
    yield {"type": "sentence_end", "request_id": "r", "seq": 0, "samples": 2400}
    yield sentence("Two.")
    yield chunk(ramp(2400, 2401))
    yield {"type": "sentence_end", "request_id": "r", "seq": 1, "samples": 2400}
    yield {"type": "audio_stream_end", "request_id": "r", "total_chunks": 2, "duration_s": 0.2}
    yield END


@dataclass
class FakeAgent:
    """``reply`` makes the events of a turn, ``talk`` serves a socket; both can be replaced."""

    reply: Callable[[], Events] = two_sentences
    talk: Callable[[WebSocket], Awaitable[None]] | None = None
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/invocations", self._invoke, methods=["POST"]),
                Route("/ping", self._ping),
                Route("/v1/audio/voices", self._voices),
                WebSocketRoute("/ws", self._socket),
            ]
        )

    async def _invoke(self, request: Request) -> Response:
        self.asked.append(await request.json())
        if not self.asked[-1]["prompt"].strip("?"):
            error = {"code": "empty_prompt", "message": "The prompt is empty.", "request_id": None}
            return JSONResponse({"error": error}, 400)
        return StreamingResponse(self._stream(), media_type="text/event-stream")

    async def _stream(self) -> AsyncIterator[bytes]:
        try:
            async with contextlib.aclosing(self.reply()) as events:  # type: ignore[type-var]
                async for event in events:
                    yield sse(event)
        finally:
            self.left.set()

    async def _socket(self, socket: WebSocket) -> None:
        assert self.talk is not None
        await socket.accept()
        await self.talk(socket)

    async def _ping(self, _request: Request) -> Response:
        return JSONResponse({"status": "Healthy"})

    async def _voices(self, _request: Request) -> Response:
        return JSONResponse({"voices": [{"id": "af_heart"}]})


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    status: int
    out: str
    err: str


class Command:
    """``firstword ARGUMENTS`` as a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(
        cls,
        *arguments: str,
        cwd: Path,
        program: Sequence[str] = ("-m", "firstword.console"),
        **environ: str,
    ) -> Command:
        """``environ`` adds to the environment. There is no sound device unless PATH brings one."""
        pipe = asyncio.subprocess.PIPE
        env = {**os.environ, "PATH": "/nonexistent", **environ}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *program, *arguments),
            cwd=cwd,
            env=env,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
        )
        return cls(process)

    async def end(self, typed: str = "") -> Outcome:
        """Type, then wait for the end."""
        async with asyncio.timeout(DEADLINE_S):
            out, err = await self.process.communicate(typed.encode())
        assert self.process.returncode is not None
        return Outcome(self.process.returncode, out.decode(), err.decode())

    async def line(self) -> str:
        """The next line of its results."""
        assert self.process.stdout is not None
        async with asyncio.timeout(DEADLINE_S):
            return (await self.process.stdout.readline()).decode().rstrip()

    def interrupt(self, number: signal.Signals = signal.SIGINT) -> None:
        self.process.send_signal(number)


async def firstword(*arguments: str, cwd: Path, typed: str = "", **environ: str) -> Outcome:
    """Run ``firstword ARGUMENTS`` to its end."""
    return await (await Command.start(*arguments, cwd=cwd, **environ)).end(typed)


def part(name: str, *behaviour: str, deadline_s: float = DEADLINE_S) -> Part:
    """A part that does what ``misbehaving_part.py`` says for these words."""
    return Part(name, (sys.executable, PART, *behaviour), dict(os.environ), deadline_s)


async def gone(pid: int) -> None:
    """Wait until no process has that id."""
    async with asyncio.timeout(DEADLINE_S):
        while alive(pid):  # noqa: ASYNC110 (another process)
            await asyncio.sleep(0.02)


def alive(pid: int) -> bool:
    """Whether a process has that id and is no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
