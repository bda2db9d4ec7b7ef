"""A queue bounded by the bytes it holds: a slow reader stops its writers."""

from __future__ import annotations

import asyncio
from collections import deque


class BufferClosed(Exception):  # noqa: N818 - the end of a stream is no error
    """Nothing more is taken in, or nothing more will come out."""


class ByteBuffer[T]:
    """First in, first out, for one reader and any number of writers of one event loop.

    An item larger than the bound passes when nothing else is held. Writers are let in in the
    order in which they came.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._items: deque[tuple[T, int]] = deque()
        self._held = 0
        self._closed = False
        self._turnstile = asyncio.Lock()
        self._room = asyncio.Event()
        self._filled = asyncio.Event()

    @property
    def held_bytes(self) -> int:
        return self._held

    @property
    def closed(self) -> bool:
        return self._closed

    async def put(self, item: T, size: int) -> None:
        """Wait for room, then add an item of so many bytes. Raises BufferClosed."""
        async with self._turnstile:
            while not self._closed and self._items and self._held + size > self._max_bytes:
                self._room.clear()
                await self._room.wait()
            self.push(item, size)

    def push(self, item: T, size: int) -> None:
        """Add an item without waiting, over the bound where need be. Raises BufferClosed."""
        if self._closed:
            raise BufferClosed
        self._items.append((item, size))
        self._held += size
        self._filled.set()

    async def get(self) -> T:
        """The oldest item. Raises BufferClosed once closed and empty. May be cancelled safely."""
        while not self._items:
            if self._closed:
                raise BufferClosed
            self._filled.clear()
            await self._filled.wait()
        return self.pop()

    def peek(self) -> T | None:
        """The oldest item, which stays; None where there is none."""
        return self._items[0][0] if self._items else None

    def pop(self) -> T:
        """The oldest item, which must be there."""
        item, size = self._items.popleft()
        self._held -= size
        self._room.set()
        return item

    def clear(self) -> None:
        """Drop what is held."""
        self._items.clear()
        self._held = 0
        self._room.set()

    def close(self) -> None:
        """Take nothing more in; what is held can still be read."""
        self._closed = True
        self._room.set()
        self._filled.set()
