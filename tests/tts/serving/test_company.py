"""Many callers at once, and those who misbehave: nobody else notices, and nothing stays behind."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from typing import Any

import pytest
from firstword.protocol import SynthesisCancelled, SynthesisComplete, SynthesisStart
from websockets.asyncio.client import connect

from tests.tts.serving.conftest import PATIENCE_S, Kit, Running, Talk

PATH = "/invocations-bidirectional-stream"
CLOSE_1000 = b"\x88\x02\x03\xe8"


def narrow(port: int) -> socket.socket:
    """A connection whose receiver takes little before it is full."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 * 1024)
    one.connect(("127.0.0.1", port))
    one.setblocking(False)
    return one


async def unread(live: Running, **message: Any) -> tuple[asyncio.StreamReader, Any]:
    """Open a session by hand, ask, and read nothing."""
    reader, writer = await asyncio.open_connection(sock=narrow(live.port), limit=1024)
    writer.write(
        f"GET {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    writer.write(masked(json.dumps(message).encode()))
    return reader, writer


def masked(payload: bytes) -> bytes:
    """A client's text frame (RFC 6455, section 5.2) with a mask of zeros."""
    assert len(payload) < 65_536
    return bytes([0x81, 0x80 | 126]) + len(payload).to_bytes(2, "big") + bytes(4) + payload


async def three_sentences(live: Running, name: str) -> None:
    async with live.session() as talk:
        for number in range(3):
            text = f"Sentence {number} of {name}."
            await talk.say(text=text, request_id=text)
        for number in range(3):
            text = f"Sentence {number} of {name}."
            frames, audio = await talk.until_last()
            assert [type(frame) for frame in frames] == [SynthesisStart, SynthesisComplete]
            assert [frame.request_id for frame in frames] == [text, text]
            assert audio == live.kit.said(text)
        await talk.say(type="close")
        assert await talk.closed() == 1000


async def test_ten_sessions_at_once_each_get_their_own_and_all_of_it(live: Running) -> None:
    await asyncio.gather(*(three_sentences(live, f"caller {n}") for n in range(10)))
    await live.quiet()


async def test_newcomers_do_not_wait_for_a_long_text(live: Running) -> None:
    live.kit.engine.blocks = 400
    gate = live.kit.hold()
    async with live.session() as long, live.session() as short:
        await long.say(text="A very long one.", request_id="long")
        assert isinstance(await long.next(), SynthesisStart)
        gate.release(8)
        await long.next()
        live.kit.engine.blocks = 1
        await short.say(text="Short.", request_id="short")
        assert isinstance(await short.next(), SynthesisStart)
        gate.release(9)
        frames, _ = await short.until_last()
        assert frames[-1].request_id == "short"
        assert live.service.scheduler.depth == 1, "the long one still goes on"
        await long.say(type="cancel")
        gate.release(1000)
    await live.quiet()


async def test_a_slow_reader_stops_its_own_work_and_nobody_elses(kit: Kit) -> None:
    kit.limit(session_bytes=128 * 1024)
    kit.engine.blocks, kit.engine.block_s = 10_000, 1.0
    async with kit.running() as live:
        _, writer = await unread(live, text="Nobody hears this.", request_id="slow")
        (job,) = await _jobs(live, 1)
        await live.until(lambda: job.parked)
        kit.engine.blocks = 4
        await asyncio.gather(*(three_sentences(live, f"caller {n}") for n in range(3)))
        await live.until(lambda: job.parked)
        block = 48_000
        assert job.ahead <= 64 * 1024 + block, "memory does not grow"
        in_the_kernel = 16 * 1024 * 1024 / block
        assert kit.engine.made < 3 * 3 * 4 + in_the_kernel, "of ten thousand blocks"
        writer.transport.abort()
        await live.quiet()


async def test_a_slow_reader_is_dropped_after_its_time(
    kit: Kit, caplog: pytest.LogCaptureFixture
) -> None:
    kit.limit(session_bytes=128 * 1024, send_s=0.2)
    kit.engine.blocks, kit.engine.block_s = 10_000, 1.0
    async with kit.running() as live:
        _, writer = await unread(live, text="Nobody hears this.")
        await _jobs(live, 1)
        await live.quiet()
        await live.until(lambda: not live.server.server_state.connections)
        assert "dropped a session" in caplog.text
        writer.transport.abort()


async def test_one_that_vanishes_stops_its_work_at_once(live: Running) -> None:
    live.kit.engine.blocks, live.kit.engine.block_s = 10_000, 0.01
    address = f"ws://127.0.0.1:{live.port}{PATH}"
    talks = [await connect(address, close_timeout=0.1) for _ in range(2)]
    for one in talks:
        await Talk(one).say(text="A long one.", request_id="r")
        await Talk(one).say(text="And another.", request_id="s")
        assert isinstance(await Talk(one).next(), SynthesisStart)
        await Talk(one).next()
    talks[0].transport.abort()
    await talks[1].close()
    await live.quiet()
    live.kit.engine.blocks = 4
    await three_sentences(live, "the one who stays")


async def test_one_that_cancels_before_its_first_audio_is_alone_with_it(live: Running) -> None:
    gate = live.kit.hold()
    async with live.session() as hasty, live.session() as calm:
        await hasty.say(text="Never heard.", request_id="h")
        assert isinstance(await hasty.next(), SynthesisStart)
        await calm.say(text="Heard in full.", request_id="c")
        await hasty.say(type="cancel")
        assert await hasty.next() == SynthesisCancelled(request_id="h", samples=0)
        gate.release(100)
        _, audio = await calm.until_last()
        assert audio == live.kit.said("Heard in full.")
        await hasty.say(text="After all.", request_id="i")
        frames, audio = await hasty.until_last()
        assert [frame.request_id for frame in frames] == ["i", "i"]
        assert audio == live.kit.said("After all.")
    await live.quiet()


async def test_cancel_drops_what_was_made_and_not_yet_sent(kit: Kit) -> None:
    kit.engine.blocks, kit.engine.block_s = 100, 1.0
    kit.limit(session_bytes=64 * 1024 * 1024)
    async with kit.running() as live:
        reader, writer = await unread(live, text="All made at once.", request_id="r")
        await live.until(lambda: kit.engine.made == 100 and live.service.scheduler.depth == 0)
        writer.write(masked(json.dumps({"type": "cancel"}).encode()))
        writer.write(masked(json.dumps({"type": "close"}).encode()))
        raw = bytearray()
        async with asyncio.timeout(PATIENCE_S):
            while not raw.endswith(CLOSE_1000):
                raw += await reader.read(2**16)
        where = raw.index(b'"synthesis_cancelled"')
        told = json.loads(raw[raw.rindex(b"{", 0, where) : raw.index(b"}", where) + 1])
        assert 0 < told["samples"] < 100 * 24000
        assert b'"synthesis_complete"' not in raw
        assert len(raw) - where < 200, "not one byte of audio after it"
        assert 2 * told["samples"] <= where <= 2 * told["samples"] * 1.01 + 1000
        writer.close()
        await live.quiet()


async def test_a_flood_of_bad_messages_that_go_unread_ends_the_session(kit: Kit) -> None:
    kit.engine.blocks, kit.engine.block_s = 10_000, 1.0
    kit.limit(session_bytes=128 * 1024)
    async with kit.running() as live:
        _, writer = await unread(live, text="Nobody hears this.")
        (job,) = await _jobs(live, 1)
        await live.until(lambda: job.parked)
        for _ in range(300):
            writer.write(masked(b"nonsense"))
        await live.quiet()
        writer.transport.abort()


async def test_an_http_caller_that_leaves_stops_its_work(live: Running) -> None:
    live.kit.engine.blocks, live.kit.engine.block_s = 10_000, 0.01
    for stream in (True, False):
        reader, writer = await _post(live, text="A long one.", stream=stream)
        await live.until(lambda: live.service.scheduler.depth == 1)
        if stream:
            await reader.readuntil(b"RIFF")
        writer.close()
        await live.quiet()
    assert 'outcome="disconnected"} 2.0' in live.service.metrics.text().decode()


async def test_an_http_caller_that_does_not_read_is_dropped_after_its_time(kit: Kit) -> None:
    kit.limit(session_bytes=128 * 1024, send_s=0.2)
    kit.engine.blocks, kit.engine.block_s = 10_000, 1.0
    async with kit.running() as live:
        _, writer = await _post(live, text="A long one.")
        await _jobs(live, 1)
        await live.quiet()
        await live.until(lambda: not live.server.server_state.connections)
        assert 'outcome="slow_reader"} 1.0' in live.service.metrics.text().decode()
        writer.transport.abort()


async def test_a_failure_after_the_first_byte_breaks_the_connection(
    live: Running, caplog: pytest.LogCaptureFixture
) -> None:
    gate = live.kit.hold()
    reader, writer = await _post(live, text="It will be broken.")
    gate.release(1)
    await reader.readuntil(b"RIFF")
    live.kit.engine.fails_at = "broken"
    gate.release(100)
    with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
        async with asyncio.timeout(PATIENCE_S):
            await reader.readuntil(b"\r\n0\r\n\r\n")
    writer.close()
    await live.quiet()
    assert "broken" not in caplog.text
    assert not [r for r in caplog.records if r.name == "uvicorn.error" and r.levelname == "ERROR"]


async def test_the_workers_threads_end_with_the_server(kit: Kit) -> None:
    def workers() -> list[str]:
        return [t.name for t in threading.enumerate() if t.name.startswith("speech-")]

    async with kit.running() as live:
        assert workers() == ["speech-0"]
        await three_sentences(live, "the only one")
    assert workers() == []


async def test_ping_answers_within_100_ms_beside_ten_talkers(live: Running) -> None:
    import httpx

    live.kit.engine.blocks = 40
    talking = asyncio.gather(*(three_sentences(live, f"caller {n}") for n in range(10)))
    took = []
    async with httpx.AsyncClient(base_url=live.url) as client:
        while not talking.done():
            began = asyncio.get_running_loop().time()
            assert (await client.get("/ping")).status_code == 200
            took.append(asyncio.get_running_loop().time() - began)
    await talking
    assert sorted(took)[len(took) // 2] < 0.1


async def _jobs(live: Running, count: int) -> list[Any]:
    await live.until(lambda: len(live.service.scheduler._jobs) == count)
    return list(live.service.scheduler._jobs.values())


async def _post(live: Running, **body: Any) -> tuple[asyncio.StreamReader, Any]:
    reader, writer = await asyncio.open_connection(sock=narrow(live.port), limit=2**16)
    content = json.dumps(body).encode()
    writer.write(
        b"POST /invocations HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s"
        % (len(content), content)
    )
    return reader, writer
