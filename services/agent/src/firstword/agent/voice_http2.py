"""One HTTP/2 connection for one call, as a transport for AWS's client.

The client's own transport keeps an unbounded store of what has come, waits for ever where a stream
is reset before its headers, takes a reset in mid-stream for its end, and reads the trusted
certificates anew for each connection. This one stands on the same library (awscrt) and differs in
that: what is not read is not sent for (the window grows with reading), and a reset is an error.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterable, Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from awscrt import http as crt  # type: ignore[import-untyped]
from awscrt import io as crt_io
from awscrt.exceptions import AwsCrtError  # type: ignore[import-untyped]
from smithy_http import Field, Fields

logger = logging.getLogger(__name__)

WINDOW_BYTES = 256 * 1024
"""What may be on its way, or wait to be read: about 5 s of audio."""

WINDOW_STEP = WINDOW_BYTES // 4
"""How much is read before as much more is asked for."""

KEEP_ALIVE_S = 30
"""A connection between turns is otherwise forgotten by a gateway, without a word."""


class StreamBrokenError(Exception):
    """The stream was reset, or its connection is gone. The cause is awscrt's."""


class Network:
    """What all connections of a process share: one thread of awscrt's, and the certificates.

    ``ca_files`` name those to trust instead of the system's.
    """

    def __init__(self, ca_files: Sequence[Path] = ()) -> None:
        group = crt_io.EventLoopGroup(1)
        self.bootstrap = crt_io.ClientBootstrap(group, crt_io.DefaultHostResolver(group))
        options = crt_io.TlsContextOptions()
        if ca_files:
            options.override_default_trust_store(b"\n".join(f.read_bytes() for f in ca_files))
        self.tls = crt_io.ClientTlsContext(options)
        self.ended = group.shutdown_event
        """A threading.Event: the thread is gone. That happens once nothing refers to this."""

    async def connect(self, uri: str) -> Http2Transport:
        """A connection to ``https://HOST:PORT``. Cancel it to give up.

        Raises:
            AwsCrtError: it cannot be made.
        """
        parts = urlsplit(uri)
        host, loop = parts.hostname or "", asyncio.get_running_loop()
        tls = self.tls.new_connection_options()
        tls.set_server_name(host)
        tls.set_alpn_list(["h2"])
        socket = crt_io.SocketOptions()
        socket.keep_alive = True
        socket.keep_alive_timeout_secs = KEEP_ALIVE_S
        socket.keep_alive_interval_secs = KEEP_ALIVE_S
        connecting: Future[Any] = crt.Http2ClientConnection.new(
            host_name=host,
            port=parts.port or 443,
            bootstrap=self.bootstrap,
            socket_options=socket,
            tls_connection_options=tls,
            manual_window_management=True,
            initial_window_size=WINDOW_BYTES,
        )
        connected = asyncio.wrap_future(connecting, loop=loop)
        try:
            connection = await asyncio.shield(connected)
        except asyncio.CancelledError:
            connected.add_done_callback(_close_late)
            raise
        return Http2Transport(connection)


class Http2Transport:
    """Carries one request. See ``smithy_http.aio.interfaces.HTTPClient``."""

    TIMEOUT_EXCEPTIONS: tuple[type[Exception], ...] = ()
    SUPPORTS_DUPLEX_STREAMING = True

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._call: _Call | None = None

    async def send(self, request: Any, *, request_config: Any = None) -> Http2Response:
        """Begin the request; returns with the first headers of the answer.

        Raises:
            StreamBrokenError: there will be none.
        """
        self._call = call = _Call(self._connection, request)
        return await call.answer

    def abort(self) -> None:
        """Drop the connection; what waits for it ends in StreamBrokenError."""
        if self._call is not None:
            self._call.end(StreamBrokenError())
        self._connection.close()

    async def close(self) -> None:
        """Drop the connection, and wait until its socket is gone."""
        self.abort()
        with suppress(AwsCrtError):
            await _kept(self._connection.shutdown_future)
        if self._call is not None:
            await self._call.stop()


class _Call:
    """Joins awscrt's thread, which calls back, to the event loop, where all else happens."""

    def __init__(self, connection: Any, request: Any) -> None:
        self._loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[Http2Response] = self._loop.create_future()
        self._stream = connection.request(
            _marshalled(request),
            on_response=self._on_response,
            on_body=self._on_body,
            manual_write=True,
        )
        self._body = Body(self._stream.update_window)
        self._stream.remote_end_stream_future.add_done_callback(self._on_remote_end)
        self._stream.completion_future.add_done_callback(self._on_completion)
        self._stream.activate()
        self._writer = asyncio.create_task(self._write(request.body), name="speech request body")

    def end(self, error: StreamBrokenError | None) -> None:
        """Nothing more comes; only the first call of it counts."""
        self._body.end(error)
        if not self.answer.done():
            self.answer.set_exception(error or StreamBrokenError())
            self.answer.exception()  # Whoever waits is told; where nobody does, nobody need be.
        if error is not None:
            self._writer.cancel()

    async def stop(self) -> None:
        """Wait until no task of it is left."""
        self._writer.cancel()
        await asyncio.wait({self._writer})

    async def _write(self, body: AsyncIterable[bytes]) -> None:
        with suppress(AwsCrtError):  # The stream's completion tells why.
            async for chunk in body:
                await _kept(self._stream.write_data(BytesIO(chunk), end_stream=False))
            await _kept(self._stream.write_data(None, end_stream=True))

    def _on_response(self, status_code: int, headers: list[tuple[str, str]], **_: Any) -> None:
        self._call_loop(self._respond, status_code, headers)

    def _on_body(self, chunk: bytes, **_: Any) -> None:
        self._call_loop(self._body.feed, bytes(chunk))

    def _on_remote_end(self, future: Future[None]) -> None:
        if future.exception() is None:
            self._call_loop(self.end, None)

    def _on_completion(self, future: Future[Any]) -> None:
        # Without an error it may still have ended before the answer did.
        cause = future.exception() or self._stream.remote_end_stream_future.exception()
        error = None
        if cause is not None:
            error = StreamBrokenError()
            error.__cause__ = cause
        self._call_loop(self.end, error)

    def _call_loop(self, function: Callable[..., None], *arguments: Any) -> None:
        with suppress(RuntimeError):  # The loop is closed: nobody waits any more.
            self._loop.call_soon_threadsafe(function, *arguments)

    def _respond(self, status: int, headers: list[tuple[str, str]]) -> None:
        if not self.answer.done():
            self.answer.set_result(Http2Response(status, headers, self._body))


class Http2Response:
    """See ``smithy_http.aio.interfaces.HTTPResponse``."""

    reason = None

    def __init__(self, status: int, headers: list[tuple[str, str]], body: Body) -> None:
        self.status = status
        self.body = body
        self.fields = Fields()
        for name, value in headers:
            if name in self.fields:
                self.fields[name].add(value)
            else:
                self.fields.set_field(Field(name=name, values=[value]))

    async def consume_body_async(self) -> bytes:
        """All of the body."""
        return await self.body.read()


class Body:
    """Bytes as they come, for one reader. ``allow`` is told how many more may be sent."""

    def __init__(self, allow: Callable[[int], None]) -> None:
        self._allow = allow
        self._chunks: deque[bytes] = deque()
        self._taken = 0
        self._ended = False
        self._error: StreamBrokenError | None = None
        self._more = asyncio.Event()

    def feed(self, chunk: bytes) -> None:
        """More of it has come."""
        self._chunks.append(chunk)
        self._more.set()

    def end(self, error: StreamBrokenError | None) -> None:
        """Nothing more comes; only the first call of it counts."""
        if not self._ended:
            self._ended, self._error = True, error
            self._more.set()

    async def read(self, size: int = -1) -> bytes:
        """``size`` bytes (-1: all), fewer at the end.

        Raises:
            StreamBrokenError: the stream broke before its end.
        """
        read: list[bytes] = []
        missing = size
        while missing:
            if self._chunks:
                read.append(self._take(missing))
                missing -= len(read[-1]) if size > 0 else 0
            elif self._error is not None:
                raise self._error
            elif self._ended:
                break
            else:
                self._more.clear()
                await self._more.wait()
        return b"".join(read)

    def _take(self, most: int) -> bytes:
        chunk = self._chunks.popleft()
        if 0 < most < len(chunk):
            self._chunks.appendleft(chunk[most:])
            chunk = chunk[:most]
        self._taken += len(chunk)
        if self._taken >= WINDOW_STEP and not self._ended:
            self._allow(self._taken)
            self._taken = 0
        return chunk


def _marshalled(request: Any) -> Any:
    """awscrt's form of a request of smithy's."""
    target = request.destination
    headers = [
        (field.name, value) for field in request.fields.entries.values() for value in field.values
    ]
    if "host" not in request.fields:
        headers.append(("host", target.netloc))
    query = f"?{target.query}" if target.query else ""
    path = f"{target.path or '/'}{query}"
    return crt.HttpRequest(request.method, path, crt.HttpHeaders(headers))


async def _kept(future: Future[None]) -> None:
    """Wait for what awscrt has promised. Who gives up leaves its future alone: a cancelled one
    makes awscrt's own thread fail."""
    await asyncio.shield(asyncio.wrap_future(future))


def _close_late(connected: asyncio.Future[Any]) -> None:
    """A connection that came after its caller had given up."""
    if not connected.cancelled() and connected.exception() is None:
        connected.result().close()
