"""The agent as a process: the real command, and the real small model in it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from firstword.protocol import AgentEnd, Audio, Error, SseParser, TextDelta
from websockets.asyncio.client import connect

from tests.agent.conftest import FakeSpeech, SocketClient, pcm

pytestmark = pytest.mark.e2e

READY_S = 120.0


@contextlib.asynccontextmanager
async def agent_process(
    speech: FakeSpeech, **environment: str
) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """A serving agent on a free port, and its address."""
    known = {k: v for k, v in os.environ.items() if not k.startswith(("FIRSTWORD_", "AWS_"))}
    settings = {"FIRSTWORD_AGENT_PORT": "0", "FIRSTWORD_TTS_URL": speech.url, **environment}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "firstword.agent",
        "serve",
        env={**known, **settings},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(READY_S):
            line = (await process.stdout.readline()).decode()
        match = re.fullmatch(r"ready: (http://127\.0\.0\.1:\d+)\n", line)
        assert match, line
        yield process, match[1]
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def scripted(tmp_path: Path, text: str, rate: str) -> dict[str, str]:
    script = tmp_path / "script.txt"
    script.write_text(text)
    return {
        "FIRSTWORD_LLM": "scripted",
        "FIRSTWORD_SCRIPT_FILE": str(script),
        "FIRSTWORD_SCRIPT_TOKENS_PER_SECOND": rate,
    }


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


async def test_the_real_small_model_answers_through_strands(speech: FakeSpeech) -> None:
    async with agent_process(speech, FIRSTWORD_LLM_MAX_TOKENS="60") as (_, url):
        parser = SseParser()
        events: list[dict[str, Any]] = []
        body = {"prompt": "Why do we sleep?", "session_id": "s"}
        async with (
            asyncio.timeout(90),
            httpx.AsyncClient(timeout=90, trust_env=False) as client,
            client.stream("POST", f"{url}/invocations", json=body) as response,
        ):
            async for data in response.aiter_raw():
                events += parser.feed(data)
    kinds = [event["type"] for event in events]
    assert events[-1]["status"] == "complete"
    text = "".join(event["text"] for event in events if event["type"] == "text_delta")
    assert len(text.split()) >= 5
    assert events[-1]["spoken"] == text
    assert words(" ".join(speech.texts)) == words(text)
    if kinds.count("sentence") > 1:
        assert kinds.index("audio_chunk") < max(
            number for number, kind in enumerate(kinds) if kind == "text_delta"
        )


async def test_audio_comes_before_the_text_has_ended(speech: FakeSpeech, tmp_path: Path) -> None:
    script = scripted(tmp_path, "This comes first. " + "And so it goes on and on. " * 4, "40")
    async with (
        agent_process(speech, **script) as (_, url),
        connect(url.replace("http", "ws") + "/ws", proxy=None, compression=None) as socket,
    ):
        client = SocketClient(socket)
        await client.send(prompt="Hi")
        end = await client.until(AgentEnd)
    assert end.status == "complete"
    first_audio = next(i for i, e in enumerate(client.events) if isinstance(e, Audio))
    last_text = max(i for i, e in enumerate(client.events) if isinstance(e, TextDelta))
    assert first_audio < last_text


async def test_sigterm_lets_the_running_reply_end_and_refuses_the_next(
    speech: FakeSpeech, tmp_path: Path
) -> None:
    script = scripted(tmp_path, "This is the first. This is the second.", "10")
    async with agent_process(speech, **script) as (process, url):
        ws_url = url.replace("http", "ws") + "/ws"
        async with (
            connect(ws_url, proxy=None, compression=None) as socket,
            connect(ws_url, proxy=None, compression=None) as other,
        ):
            client, late = SocketClient(socket), SocketClient(other)
            await client.send(prompt="Hi")
            await client.until(TextDelta)
            process.send_signal(signal.SIGTERM)
            await late.send(prompt="Me too")
            assert (await late.until(Error)).code == "draining"
            assert (await client.until(AgentEnd)).status == "complete"
            audio = b"".join(e.data for e in client.events if isinstance(e, Audio))
            assert audio == pcm("This is the first.") + pcm("This is the second.")
        async with asyncio.timeout(20):
            assert await process.wait() == 0


async def test_an_interrupt_stops_at_once_with_its_own_status(
    speech: FakeSpeech, tmp_path: Path
) -> None:
    async with agent_process(speech, **scripted(tmp_path, "Hi.", "10")) as (process, _):
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(20):
            assert await process.wait() == 130


async def test_a_port_that_is_taken_is_a_failure(speech: FakeSpeech, tmp_path: Path) -> None:
    taken = speech.url.split(":")[-1].split("/")[0]
    script = scripted(tmp_path, "Hi.", "10")
    with pytest.raises(AssertionError):
        async with agent_process(speech, FIRSTWORD_AGENT_PORT=taken, **script):
            pass
