"""The WebSocket to the container: websockets holds the protocol, this moves its bytes.

Frames are passed on as they are, neither joined nor split, so this works with frames and not with
messages.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from contextlib import suppress
from urllib.parse import urlsplit

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake, InvalidStatus, WebSocketException
from websockets.frames import Frame, Opcode
from websockets.protocol import CLOSED, CONNECTING, OPEN
from websockets.uri import parse_uri

from firstword.emulator.sagemaker.events import PART_BYTES, Part

READ_BYTES = 64 * 1024


class SocketRefusedError(Exception):
    """The container did not open the WebSocket. ``status``: what it answered; 0 for nothing."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class SocketEndedError(Exception):
    """The container has left. ``code``: that of its Close frame; None where none came."""

    def __init__(self, code: int | None, reason: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class ContainerSocket:
    """An open WebSocket. One task receives; any may send."""

    def __init__(
        self,
        protocol: ClientProtocol,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self._protocol = protocol
        self._reader = reader
        self._writer = writer
        self._frames: deque[Frame] = deque()
        self._text = False
        self._in_message = False
        self.unanswered = 0

    async def shake_hands(self) -> None:
        """Become a WebSocket.

        Raises:
            websockets.exceptions.InvalidHandshake, SocketEndedError: it does not.
        """
        self._protocol.send_request(self._protocol.connect())
        await self._flush()
        while self._protocol.state is CONNECTING:
            await self._read()
            if self._protocol.handshake_exc is not None:
                raise self._protocol.handshake_exc

    async def send(self, part: Part) -> None:
        """Send a part as one data frame.

        Raises:
            SocketEndedError: the container has left.
        """
        if self._protocol.state is not OPEN:
            raise self._ended()
        final = part.complete is not False
        if self._in_message:
            self._protocol.send_continuation(part.data, final)
        elif part.text:
            self._protocol.send_text(part.data, final)
        else:
            self._protocol.send_binary(part.data, final)
        self._in_message = not final
        await self._flush()

    async def receive(self) -> Part:
        """The next data frame as a part.

        Raises:
            SocketEndedError: the container has closed, or its connection broke.
        """
        while True:
            while self._frames:
                frame = self._frames.popleft()
                match frame.opcode:
                    case Opcode.TEXT | Opcode.BINARY:
                        self._text = frame.opcode is Opcode.TEXT
                        return Part(bytes(frame.data), self._text, frame.fin)
                    case Opcode.CONT:
                        return Part(bytes(frame.data), self._text, frame.fin)
                    case Opcode.PONG:
                        self.unanswered = 0
            await self._fill()

    async def ping(self) -> None:
        """Ask whether the container is alive; ``unanswered`` counts until it says so.

        Raises:
            SocketEndedError: the container has left.
        """
        if self._protocol.state is not OPEN:
            raise self._ended()
        self.unanswered += 1
        self._protocol.send_ping(b"sagemaker")
        await self._flush()

    async def close(self, code: int, limit_s: float) -> None:
        """Leave with this code, and wait for the container's answer no longer than that."""
        if self._protocol.state is OPEN:
            self._protocol.send_close(code)
        try:
            async with asyncio.timeout(limit_s):
                await self._flush()
                while self._protocol.state is not CLOSED:
                    await self._read()
                    self._frames.clear()
        except (SocketEndedError, TimeoutError):
            """Whatever it was about to say, nobody is there to hear it."""
        finally:
            self._writer.transport.abort()
            with suppress(OSError):
                await self._writer.wait_closed()

    async def _fill(self) -> None:
        if self._protocol.state is not OPEN:
            raise self._ended()
        await self._read()

    async def _read(self) -> None:
        try:
            data = await self._reader.read(READ_BYTES)
        except OSError:
            data = b""
        if data:
            self._protocol.receive_data(data)
        else:
            self._protocol.receive_eof()
        self._frames.extend(e for e in self._protocol.events_received() if isinstance(e, Frame))
        await self._flush()

    async def _flush(self) -> None:
        try:
            for data in self._protocol.data_to_send():
                if data:
                    self._writer.write(data)
            await self._writer.drain()
        except OSError:
            raise self._ended() from None

    def _ended(self) -> SocketEndedError:
        close = self._protocol.close_rcvd
        return (
            SocketEndedError(None) if close is None else SocketEndedError(close.code, close.reason)
        )


async def open_socket(url: str, limit_s: float) -> ContainerSocket:
    """Open the container's WebSocket at ``ws://`` something.

    Raises:
        SocketRefusedError: it was not accepted in time, or not at all.
    """
    try:
        async with asyncio.timeout(limit_s):
            return await _open(url)
    except InvalidStatus as error:
        status = error.response.status_code
        raise SocketRefusedError(status, f"the WebSocket was answered with {status}") from error
    except InvalidHandshake as error:
        raise SocketRefusedError(0, "the answer is no WebSocket handshake") from error
    except TimeoutError as error:
        raise SocketRefusedError(0, f"not accepted within {limit_s:g} s") from error
    except (OSError, WebSocketException, SocketEndedError) as error:
        raise SocketRefusedError(0, f"no connection ({type(error).__name__})") from error


async def _open(url: str) -> ContainerSocket:
    place = urlsplit(url)
    protocol = ClientProtocol(parse_uri(url), max_size=PART_BYTES)
    reader, writer = await asyncio.open_connection(place.hostname, place.port or 80)
    opened = ContainerSocket(protocol, reader, writer)
    try:
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await opened.shake_hands()
    except BaseException:
        writer.transport.abort()
        raise
    return opened
