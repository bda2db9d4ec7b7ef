"""The queue that holds events and audio back."""

from __future__ import annotations

import asyncio

import pytest
from firstword.agent.buffer import BufferClosed, ByteBuffer

from tests.agent.conftest import until, within


async def test_a_writer_waits_until_the_reader_has_made_room() -> None:
    buffer: ByteBuffer[str] = ByteBuffer(10)
    await buffer.put("a", 6)
    writer = asyncio.create_task(buffer.put("b", 6))
    await asyncio.sleep(0)
    assert not writer.done()
    assert buffer.held_bytes == 6
    assert await buffer.get() == "a"
    await within(writer)
    assert await buffer.get() == "b"


async def test_an_item_larger_than_the_bound_passes_alone() -> None:
    buffer: ByteBuffer[str] = ByteBuffer(10)
    await within(buffer.put("large", 50))
    assert await buffer.get() == "large"
    assert buffer.held_bytes == 0


async def test_writers_come_in_in_the_order_of_their_arrival() -> None:
    buffer: ByteBuffer[int] = ByteBuffer(1)
    writers = [asyncio.create_task(buffer.put(number, 1)) for number in range(20)]
    assert [await within(buffer.get()) for _ in range(20)] == list(range(20))
    await within(asyncio.wait(writers))


async def test_closing_lets_the_reader_finish_and_turns_writers_away() -> None:
    buffer: ByteBuffer[str] = ByteBuffer(1)
    await buffer.put("kept", 1)
    writer = asyncio.create_task(buffer.put("late", 1))
    await asyncio.sleep(0)
    buffer.close()
    with pytest.raises(BufferClosed):
        await within(writer)
    assert await buffer.get() == "kept"
    with pytest.raises(BufferClosed):
        await buffer.get()


async def test_a_reader_that_waits_is_told_of_the_end() -> None:
    buffer: ByteBuffer[str] = ByteBuffer(1)
    reader = asyncio.create_task(buffer.get())
    await asyncio.sleep(0)
    buffer.close()
    with pytest.raises(BufferClosed):
        await within(reader)


async def test_a_cancelled_reader_loses_nothing() -> None:
    buffer: ByteBuffer[str] = ByteBuffer(10)
    reader = asyncio.create_task(buffer.get())
    await asyncio.sleep(0)
    buffer.push("here", 1)
    reader.cancel()
    await until(reader.done)
    got = reader.result() if not reader.cancelled() else await buffer.get()
    assert got == "here"


async def test_clearing_makes_room() -> None:
    buffer: ByteBuffer[str] = ByteBuffer(1)
    await buffer.put("old", 1)
    writer = asyncio.create_task(buffer.put("new", 1))
    await asyncio.sleep(0)
    buffer.clear()
    await within(writer)
    assert await buffer.get() == "new"
