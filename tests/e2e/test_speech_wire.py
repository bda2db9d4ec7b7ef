"""The speech server with the real weights, as foreign clients use it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import numpy as np
import pytest
from e2e.processes import Server
from websockets.asyncio.client import ClientConnection, connect

pytestmark = [pytest.mark.e2e, pytest.mark.model]

PATH = "/invocations-bidirectional-stream"
SENTENCES = (
    "The harbour was quiet in the early morning.",
    "Two fishing boats came home with the tide.",
    "By noon the market had sold every fish.",
)
FINAL = {"synthesis_complete", "synthesis_cancelled", "error"}
LIMIT_S = 120


async def one_synthesis(socket: ClientConnection) -> tuple[list[dict[str, Any]], bytes]:
    """The control frames of one request, and its audio."""
    frames: list[dict[str, Any]] = []
    audio = bytearray()
    while not frames or frames[-1]["type"] not in FINAL:
        message = await asyncio.wait_for(socket.recv(), LIMIT_S)
        if isinstance(message, bytes):
            assert len(message) <= 16 * 1024
            assert len(message) % 2 == 0
            audio += message
        else:
            frames.append(json.loads(message))
    return frames, bytes(audio)


def samples(pcm: bytes) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.frombuffer(pcm, "<i2").astype(np.float32) / 32768


async def test_three_sentences_on_one_session_as_the_published_aws_client_sends_them(
    tts: Server, transcribe: Callable[..., str], wer: Callable[[str, str], float]
) -> None:
    async with connect(tts.socket_url + PATH, max_size=None) as socket:
        heard = []
        for sentence in SENTENCES:
            await socket.send(json.dumps({"text": sentence, "voice": "af_heart"}).encode())
            frames, audio = await one_synthesis(socket)
            assert [f["type"] for f in frames] == ["synthesis_start", "synthesis_complete"]
            assert frames[-1]["samples"] == len(audio) // 2
            heard.append(audio)
        await socket.send(json.dumps({"type": "close"}).encode())
        await asyncio.wait_for(socket.wait_closed(), LIMIT_S)
        assert socket.close_code == 1000
    text = transcribe(samples(b"".join(heard)))
    assert wer(" ".join(SENTENCES), text) <= 0.05


async def test_a_sentence_asked_for_again_goes_on_at_the_very_sample(tts: Server) -> None:
    request = {"text": SENTENCES[0], "voice": "bf_emma", "quality": "exact"}
    async with connect(tts.socket_url + PATH, max_size=None) as socket:
        await socket.send(json.dumps(request))
        _, whole = await one_synthesis(socket)
        await socket.send(json.dumps({**request, "offset_samples": 12_345}))
        _, rest = await one_synthesis(socket)
    assert rest == whole[2 * 12_345 :]


async def test_words_have_times_and_the_spans_of_the_source(tts: Server) -> None:
    text = "It cost $1,250 on 3 May, Dr. Stone said."
    async with connect(tts.socket_url + PATH, max_size=None) as socket:
        await socket.send(json.dumps({"text": text, "word_timestamps": True}))
        frames, audio = await one_synthesis(socket)
    words = frames[-1]["words"]
    assert all(text[w["text_start"] : w["text_end"]] == w["word"] for w in words)
    assert any("$1,250" in w["word"] for w in words)
    starts = [w["start_s"] for w in words]
    assert starts == sorted(starts)
    assert words[-1]["end_s"] <= len(audio) / 2 / 24_000 + 0.05
    assert words == [w for f in frames if f["type"] == "words" for w in f["words"]]


async def test_ten_conversations_at_once_among_bad_neighbours(tts: Server) -> None:
    """One never reads, one vanishes, one cancels before its first audio: nobody else notices."""

    async def talk(number: int) -> int:
        async with connect(tts.socket_url + PATH, max_size=None) as socket:
            await socket.send(
                json.dumps({"text": SENTENCES[number % 3], "request_id": str(number)})
            )
            frames, audio = await one_synthesis(socket)
            assert [f["request_id"] for f in frames] == [str(number)] * len(frames)
            assert frames[-1]["type"] == "synthesis_complete"
            return len(audio)

    async def cancel() -> None:
        async with connect(tts.socket_url + PATH) as socket:
            await socket.send(json.dumps({"text": " ".join(SENTENCES), "request_id": "c"}))
            await socket.send(json.dumps({"type": "cancel", "request_id": "c"}))
            frames, audio = await one_synthesis(socket)
            assert frames[-1]["type"] == "synthesis_cancelled"
            assert frames[-1]["samples"] == len(audio) // 2

    async def vanish() -> None:
        socket = await connect(tts.socket_url + PATH)
        await socket.send(json.dumps({"text": " ".join(SENTENCES)}))
        socket.transport.abort()

    async def never_read() -> ClientConnection:
        socket = await connect(tts.socket_url + PATH, max_queue=1)
        await socket.send(json.dumps({"text": " ".join(SENTENCES)}))
        return socket

    slow = await never_read()
    before = tts.resident_mb()
    async with asyncio.TaskGroup() as group:
        talks = [group.create_task(talk(n)) for n in range(7)]
        group.create_task(cancel())
        group.create_task(vanish())
    slow.transport.abort()
    sizes = [task.result() for task in talks]
    assert sizes[0] == sizes[3] == sizes[6], "the same text is the same speech"
    assert tts.resident_mb() - before < 400
    async with httpx.AsyncClient(timeout=LIMIT_S) as client:
        assert (await client.get(f"{tts.url}/ping")).status_code == 200


async def test_ping_answers_while_a_long_text_is_spoken(tts: Server) -> None:
    async with connect(tts.socket_url + PATH, max_size=None) as socket:
        await socket.send(json.dumps({"text": " ".join(SENTENCES)}))
        async with httpx.AsyncClient(timeout=2) as client:
            first = await asyncio.wait_for(socket.recv(), LIMIT_S)
            assert json.loads(first)["type"] == "synthesis_start"
            for _ in range(5):
                assert (await client.get(f"{tts.url}/ping")).status_code == 200
        await one_synthesis(socket)
