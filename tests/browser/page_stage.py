"""An agent that says what the test wants, the page as a person uses it, and what it sounds like."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.async_api import Page
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route as HttpRoute
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

CHROMIUM = "/usr/bin/chromium"
RATE = 24_000
RESULTS = Path(__file__).parents[2] / "test-results"
DEADLINE_S = 20.0

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP evil.test 127.0.0.1",
]

VOICES = [
    {"id": "af_heart", "name": "Heart", "language": "en-us"},
    {"id": "am_michael", "name": "Michael", "language": "en-us"},
    {"id": "bf_emma", "name": "Emma", "language": "en-gb"},
]

type Samples = NDArray[np.int16]


def position(heard: NDArray[np.float32], samples: Samples) -> int:
    """Where exactly these samples stand in what was heard; -1 where they do not."""
    wanted = samples.astype(np.float32) / 32768
    loud = int(np.flatnonzero(wanted)[0])
    for start in np.flatnonzero(heard == wanted[loud]) - loud:
        if start >= 0 and np.array_equal(heard[start : start + len(wanted)], wanted):
            return int(start)
    return -1


def tone(seconds: float, hz: float = 220.0, peak: float = 0.3, rate: int = RATE) -> Samples:
    """A sine from zero to zero, int16 (samples,); no two neighbours of it are far apart."""
    count = round(seconds * rate)
    wave = np.sin(np.arange(count) * (2 * np.pi * hz / rate)) * peak * 32767
    edge = min(count // 2, rate // 100)
    wave[:edge] *= np.linspace(0, 1, edge)
    wave[count - edge :] *= np.linspace(1, 0, edge)
    return wave.astype("<i2")


def words_of(sentence: str, seconds: float) -> list[dict[str, Any]]:
    """Words of equal length in time."""
    words: list[dict[str, Any]] = []
    step, at = seconds / len(sentence.split()), 0
    for index, word in enumerate(sentence.split()):
        at = sentence.index(word, at)
        words.append(
            {
                "word": word,
                "start_s": index * step,
                "end_s": (index + 1) * step,
                "text_start": at,
                "text_end": at + len(word),
            }
        )
        at += len(word)
    return words


@dataclass
class FakeTurn:
    """One reply, event by event, as the test sends it."""

    socket: WebSocket
    prompt: dict[str, Any]
    cancelled: asyncio.Future[dict[str, Any]]
    text: str = ""
    seq: int = 0
    deltas: int = 0

    @property
    def request_id(self) -> str:
        return str(self.prompt["request_id"])

    async def send(self, kind: str, **fields: Any) -> None:
        event = {"type": kind, "request_id": self.request_id, **fields}
        await self.socket.send_text(json.dumps(event))

    async def begin(self, sample_rate: int = RATE) -> None:
        await self.send("agent_start", mode=self.prompt["mode"], session_id="s")
        await self.send(
            "audio_stream_start", format="pcm_s16le", voice="af_heart", sample_rate=sample_rate
        )

    async def write(self, text: str) -> None:
        self.text += text
        self.deltas += 1
        await self.send("text_delta", seq=self.deltas, text=text)

    async def open(self, text: str, words: list[dict[str, Any]] | None = None) -> int:
        """``sentence``: written already, or written now. Gives its number."""
        if text not in self.text:
            await self.write((" " if self.text else "") + text)
        self.seq += 1
        start = self.text.rindex(text)
        span = {"start": start, "end": start + len(text)}
        await self.send("sentence", seq=self.seq, text=text, **span)
        if words:
            await self.send("words", words=words)
        return self.seq

    async def audio(self, samples: Samples, frame: int = 4096) -> None:
        data = samples.tobytes()
        for at in range(0, len(data), frame):
            await self.socket.send_bytes(data[at : at + frame])

    async def close(self, samples: int = 0) -> None:
        await self.send("sentence_end", seq=self.seq, samples=samples)

    async def say(self, text: str, samples: Samples) -> None:
        """A whole sentence, as fast as it goes."""
        await self.open(text)
        await self.audio(samples)
        await self.close(len(samples))

    async def end(self, status: str = "complete") -> None:
        await self.send("audio_stream_end", total_chunks=1, duration_s=1.0)
        await self.send("agent_end", timings={}, status=status, spoken=self.text)


@dataclass
class FakeAgent:
    """Speaks the turn wire on /ws; every prompt becomes a turn that the test drives."""

    received: list[dict[str, Any]] = field(default_factory=list)
    turns: asyncio.Queue[FakeTurn] = field(default_factory=asyncio.Queue)
    sockets: list[WebSocket] = field(default_factory=list)
    url: str = ""

    async def next_turn(self) -> FakeTurn:
        return await asyncio.wait_for(self.turns.get(), DEADLINE_S)

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                WebSocketRoute("/ws", self._serve),
                HttpRoute("/v1/audio/voices", self._voices),
            ]
        )

    async def _voices(self, _request: Request) -> Response:
        return JSONResponse({"voices": VOICES})

    async def _serve(self, socket: WebSocket) -> None:
        await socket.accept()
        self.sockets.append(socket)
        turns: dict[str, FakeTurn] = {}
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                message = json.loads(await socket.receive_text())
                self.received.append(message)
                if message["type"] == "prompt":
                    future = asyncio.get_running_loop().create_future()
                    turn = FakeTurn(socket, message, future)
                    turns[turn.request_id] = turn
                    self.turns.put_nowait(turn)
                elif message["type"] == "cancel":
                    turn = turns[message["request_id"]]
                    if not turn.cancelled.done():
                        turn.cancelled.set_result(message)


class Room:
    """The open page, as a person uses it, and what comes out of its loudspeaker."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._on_console)

    def _on_console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(message.text)

    async def ask(self, prompt: str) -> None:
        await self.page.get_by_label("Your question").fill(prompt)
        await self.page.keyboard.press("Enter")

    async def recording(self) -> None:
        """Wait until the loudspeaker is recorded."""
        await self.until("window.recorder.ready")

    async def until(self, expression: str) -> None:
        """Wait until that is true on the page, whose policy forbids to wait inside of it."""
        async with asyncio.timeout(DEADLINE_S):
            while not await self.page.evaluate(expression):  # noqa: ASYNC110 (another process)
                await asyncio.sleep(0.02)

    async def state(self, state: str) -> None:
        """Wait until the page is idle, thinking or speaking."""
        await self.page.wait_for_selector(f'body[data-state="{state}"]')

    async def heard(self) -> NDArray[np.float32]:
        """All that was played since the context began, (samples,) at the context's rate."""
        text = await self.page.evaluate("window.recorder.base64()")
        return np.frombuffer(base64.b64decode(text), dtype="<f4")

    async def listen(self, seconds: float) -> int:
        """Let the loudspeaker go on for so long; gives how many samples were heard until then."""
        end = len(await self.heard()) + round(seconds * RATE)
        await self.until(f"window.recorder.samples() > {end}")
        return end

    async def stats(self) -> dict[str, Any]:
        found: dict[str, Any] = await self.page.evaluate("window.firstword.stats()")
        return found


RECORDER = (Path(__file__).parent / "recorder-worklet.js").read_text()
TAP = (Path(__file__).parent / "tap.js").read_text()


def with_recorder(app: Starlette) -> Starlette:
    """The same app, which serves the recorder beside the page's own files."""

    async def recorder(_request: Request) -> Response:
        return Response(RECORDER, media_type="text/javascript")

    app.router.routes.append(HttpRoute("/test-recorder.js", recorder))
    return app
