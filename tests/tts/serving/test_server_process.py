"""The server as a process: its ready line, its drain, its exit status."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from firstword.protocol import SynthesisComplete, SynthesisStart
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.tts.serving.conftest import PATIENCE_S, Kit, Talk, until

SCRIPT = Path(__file__).with_name("tone_server.py")


@dataclass
class Child:
    process: asyncio.subprocess.Process
    url: str

    @property
    def socket_url(self) -> str:
        return self.url.replace("http://", "ws://") + "/invocations-bidirectional-stream"

    def let(self, blocks: int) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{blocks}\n".encode())

    async def exit_status(self) -> int:
        async with asyncio.timeout(PATIENCE_S):
            return await self.process.wait()


@asynccontextmanager
async def process(*arguments: str, **settings: str) -> AsyncIterator[asyncio.subprocess.Process]:
    environ = {**os.environ, "FIRSTWORD_TTS_PORT": "0", "FIRSTWORD_MODEL_DIR": "x", **settings}
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        str(SCRIPT),
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environ,
    )
    try:
        yield child
    finally:
        if child.returncode is None:
            child.kill()
        await child.communicate()


@asynccontextmanager
async def served(**settings: str) -> AsyncIterator[Child]:
    async with process(**settings) as child:
        assert child.stdout is not None
        async with asyncio.timeout(3 * PATIENCE_S):
            line = (await child.stdout.readline()).decode()
        assert line.startswith("ready: http://127.0.0.1:"), line
        yield Child(child, line.removeprefix("ready: ").strip())


async def status_of(url: str) -> int:
    async with httpx.AsyncClient() as client:
        return (await client.get(f"{url}/ping", timeout=PATIENCE_S)).status_code


async def test_the_ready_line_names_the_port_that_was_picked() -> None:
    async with served() as child:
        assert await status_of(child.url) == 200


async def test_sigterm_ends_an_idle_server_with_0() -> None:
    async with served() as child, connect(child.socket_url) as one:
        child.process.terminate()
        assert await Talk(one).closed() == 1001
        assert one.close_reason == "draining"
        assert await child.exit_status() == 0


async def test_sigterm_lets_what_is_being_spoken_end_and_takes_nothing_new() -> None:
    async with served() as child:
        body = {"text": "By request.", "format": "pcm"}
        async with (
            connect(child.socket_url) as one,
            httpx.AsyncClient(base_url=child.url) as client,
        ):
            talk = Talk(one)
            await talk.say(text="First.", request_id="1")
            await talk.say(text="Second.", request_id="2")
            assert isinstance(await talk.next(), SynthesisStart)
            posted = asyncio.create_task(client.post("/invocations", json=body, timeout=60))
            metrics = "firstword_tts_queue_depth 3.0"

            async def three() -> bool:
                return metrics in (await client.get("/metrics")).text

            async with asyncio.timeout(PATIENCE_S):
                while not await three():
                    pass
            child.process.send_signal(signal.SIGTERM)
            async with asyncio.timeout(PATIENCE_S):
                while await status_of(child.url) == 200:
                    pass
            refused = await client.post("/invocations", json=body)
            assert refused.status_code == 503
            assert refused.json()["error"]["code"] == "draining"
            with pytest.raises(InvalidStatus) as refusal:
                async with connect(child.socket_url):
                    pass
            assert refusal.value.response.status_code == 503
            await talk.say(text="Third.", request_id="3")
            error = await talk.next()
            assert (error.code, error.request_id) == ("draining", "3")
            child.let(100)
            for name in "12":
                frames, audio = await talk.until_last()
                assert isinstance(frames[-1], SynthesisComplete)
                assert frames[-1].request_id == name
                assert audio
            assert (await posted).status_code == 200
            assert (await posted).content
            assert await talk.closed() == 1001
        assert await child.exit_status() == 0


async def test_the_drain_has_a_bound() -> None:
    async with served(FIRSTWORD_TTS_DRAIN_S="0.2") as child, connect(child.socket_url) as one:
        talk = Talk(one)
        await talk.say(text="Never finished.")
        assert isinstance(await talk.next(), SynthesisStart)
        child.process.terminate()
        assert await talk.closed() == 1012
        assert await child.exit_status() == 0


async def test_a_second_signal_ends_at_once() -> None:
    async with served(FIRSTWORD_TTS_DRAIN_S="600") as child, connect(child.socket_url) as one:
        talk = Talk(one)
        await talk.say(text="Never finished.")
        assert isinstance(await talk.next(), SynthesisStart)
        child.process.terminate()
        async with asyncio.timeout(PATIENCE_S):
            while await status_of(child.url) == 200:
                pass
        child.process.terminate()
        assert await child.exit_status() == 0


async def test_an_interrupt_does_not_wait_and_exits_with_130() -> None:
    async with served() as child, connect(child.socket_url) as one:
        talk = Talk(one)
        await talk.say(text="Never finished.")
        assert isinstance(await talk.next(), SynthesisStart)
        child.process.send_signal(signal.SIGINT)
        assert await child.exit_status() == 130


async def test_a_model_that_cannot_be_loaded_ends_the_process_with_1() -> None:
    async with process("broken") as child:
        async with asyncio.timeout(3 * PATIENCE_S):
            out, err = await child.communicate()
        assert child.returncode == 1
        assert out == b""
        assert b"no weights" in err


async def test_sigterm_while_the_model_is_being_loaded_ends_with_0() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with process("slow", FIRSTWORD_TTS_PORT=str(port)) as child:
        async with asyncio.timeout(3 * PATIENCE_S), httpx.AsyncClient() as client:
            while True:
                with suppress(httpx.TransportError):
                    if (await client.get(f"http://127.0.0.1:{port}/ping")).status_code == 503:
                        break
        child.terminate()
        async with asyncio.timeout(PATIENCE_S):
            out, _ = await child.communicate()
        assert child.returncode == 0
        assert out == b"", "it was never ready"


async def test_a_port_in_use_is_said_and_ends_with_1() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        async with process(FIRSTWORD_TTS_PORT=port) as child:
            async with asyncio.timeout(3 * PATIENCE_S):
                _, err = await child.communicate()
            assert child.returncode == 1
            assert f"cannot listen on 127.0.0.1:{port}" in err.decode()


async def test_several_servers_can_stand_in_one_process(kit: Kit) -> None:
    async with kit.running() as one, kit.running() as two:
        assert one.port != two.port
        await until(lambda: one.service.healthy and two.service.healthy)
