"""The bytes of one accepted connection."""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import suppress

from firstword.emulator.sagemaker.exchange import PeerGoneError

logger = logging.getLogger(__name__)

READ_BYTES = 64 * 1024


class Wire:
    """A TLS connection: bytes in, bytes out, no waiting on the other side's acknowledgements.

    The stock client leaves Nagle's algorithm on. Where this side delays its acknowledgements, each
    small message of the client waits 40 ms for one, so they are sent at once.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._socket = writer.get_extra_info("socket")
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._acknowledge_at_once()

    @property
    def protocol(self) -> str:
        """What ALPN settled: ``h2`` or ``http/1.1``."""
        return self._writer.get_extra_info("ssl_object").selected_alpn_protocol() or "http/1.1"

    async def read(self) -> bytes:
        """What has come, ``b""`` when the connection has ended in whatever way."""
        try:
            data = await self._reader.read(READ_BYTES)
        except OSError:
            return b""
        self._acknowledge_at_once()
        return data

    def write(self, data: bytes) -> None:
        if data and not self._writer.is_closing():
            self._writer.write(data)

    async def drain(self) -> None:
        """Wait until the caller takes what was written.

        Raises:
            PeerGoneError: it has left.
        """
        if self._writer.is_closing():
            raise PeerGoneError
        try:
            await self._writer.drain()
        except OSError as error:
            raise PeerGoneError from error

    def abort(self) -> None:
        """Reset the connection: the caller sees it break, not end."""
        with suppress(OSError):
            linger = (1).to_bytes(4, "little") + (0).to_bytes(4, "little")
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._writer.transport.abort()

    def end(self) -> None:
        self._writer.close()

    async def close(self, limit_s: float) -> None:
        """Close, and wait for it no longer than that."""
        self._writer.close()
        try:
            async with asyncio.timeout(limit_s):
                await self._writer.wait_closed()
        except (OSError, TimeoutError):
            self._writer.transport.abort()

    def _acknowledge_at_once(self) -> None:
        if hasattr(socket, "TCP_QUICKACK"):  # Linux only; elsewhere it is merely slower.
            with suppress(OSError):
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
