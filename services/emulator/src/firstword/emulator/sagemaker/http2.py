"""HTTP/2 for one connection: h2 holds the protocol, this moves its bytes and keeps its windows."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Mapping

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    DataReceived,
    Event,
    RemoteSettingsChanged,
    RequestReceived,
    StreamEnded,
    StreamReset,
    WindowUpdated,
)
from h2.exceptions import ProtocolError
from hyperframe.frame import GoAwayFrame

from firstword.emulator.sagemaker.exchange import Exchange, PeerGoneError, Request, joined
from firstword.emulator.sagemaker.wire import Wire

logger = logging.getLogger(__name__)

type Answer = Callable[[Exchange], Coroutine[object, object, None]]


class Http2Connection:
    """One task reads; each request is answered in a task of its own."""

    def __init__(self, wire: Wire, answer: Answer) -> None:
        self.core = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self.wire = wire
        self._answer = answer
        self._open: dict[int, Http2Exchange] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Answer requests until the connection ends; what is in work then is cancelled."""
        self.core.initiate_connection()
        self.flush()
        async with asyncio.TaskGroup() as group:
            while data := await self.wire.read():
                try:
                    events = self.core.receive_data(data)
                except ProtocolError as error:
                    logger.warning("error=<%s> | caller broke HTTP/2", type(error).__name__)
                    self.flush()
                    break
                for event in events:
                    self._take(event, group)
                self.flush()
            for exchange in list(self._open.values()):
                exchange.leave()
            for task in self._tasks.values():
                task.cancel()

    def _take(self, event: Event, group: asyncio.TaskGroup) -> None:
        match event:
            case RequestReceived():
                self._begin(event, group)
            case DataReceived():
                self._deliver(event)
            case StreamEnded():
                if (exchange := self._open.get(event.stream_id)) is not None:
                    exchange.deliver(b"", 0)
            case StreamReset():
                self._give_up(event.stream_id)
            case WindowUpdated() | RemoteSettingsChanged():
                for exchange in self._open.values():
                    exchange.widen()

    def _begin(self, event: RequestReceived, group: asyncio.TaskGroup) -> None:
        headers = joined([(str(name), str(value)) for name, value in event.headers])
        path, _, query = headers.pop(":path", "/").partition("?")
        headers.setdefault("host", headers.pop(":authority", ""))
        request = Request(
            method=headers.pop(":method", ""),
            path=path,
            query=query,
            headers={name: value for name, value in headers.items() if not name.startswith(":")},
            duplex=True,
        )
        exchange = Http2Exchange(self, event.stream_id, request)
        self._open[event.stream_id] = exchange
        task = group.create_task(self._serve(exchange), name=f"stream {event.stream_id}")
        self._tasks[event.stream_id] = task

    async def _serve(self, exchange: Http2Exchange) -> None:
        try:
            await self._answer(exchange)
        finally:
            exchange.release()
            self._open.pop(exchange.stream_id, None)
            self._tasks.pop(exchange.stream_id, None)

    def _deliver(self, event: DataReceived) -> None:
        exchange = self._open.get(event.stream_id)
        if exchange is None:
            self.acknowledge(event.stream_id, event.flow_controlled_length)
        else:
            exchange.deliver(event.data, event.flow_controlled_length)

    def _give_up(self, stream_id: int) -> None:
        if (exchange := self._open.get(stream_id)) is not None:
            exchange.leave()
        if (task := self._tasks.get(stream_id)) is not None:
            task.cancel()

    def acknowledge(self, stream_id: int, size: int) -> None:
        """Let the caller send so many bytes more."""
        if size:
            try:
                self.core.acknowledge_received_data(size, stream_id)
            except ProtocolError:
                """The connection is over; there is nobody to tell."""

    def flush(self) -> None:
        self.wire.write(self.core.data_to_send())


class Http2Exchange:
    """See ``firstword.emulator.sagemaker.exchange.Exchange``."""

    def __init__(self, connection: Http2Connection, stream_id: int, request: Request) -> None:
        self.stream_id = stream_id
        self._connection = connection
        self._request = request
        self._inbox: deque[tuple[bytes, int]] = deque()
        self._filled = asyncio.Event()
        self._wider = asyncio.Event()
        self._gone = False

    @property
    def request(self) -> Request:
        return self._request

    def deliver(self, data: bytes, size: int) -> None:
        """A piece of the body; ``size`` is what it takes of the window. No more than that waits."""
        self._inbox.append((data, size))
        self._filled.set()

    def widen(self) -> None:
        self._wider.set()

    def leave(self) -> None:
        """The caller is gone."""
        self._gone = True
        self._filled.set()
        self._wider.set()

    def release(self) -> None:
        """Nobody reads the rest: give its window back to the connection."""
        for _, size in self._inbox:
            self._connection.acknowledge(self.stream_id, size)
        self._inbox.clear()
        self._connection.flush()

    async def read(self) -> bytes:
        while True:
            while not self._inbox:
                if self._gone:
                    raise PeerGoneError
                self._filled.clear()
                await self._filled.wait()
            data, size = self._inbox.popleft()
            self._connection.acknowledge(self.stream_id, size)
            self._connection.flush()
            if data or not size:
                return data

    async def respond(self, status: int, headers: Mapping[str, str]) -> None:
        lines = [(":status", str(status)), *((k.lower(), v) for k, v in headers.items())]
        with self._caller_may_be_gone():
            self._connection.core.send_headers(self.stream_id, lines)
        await self._push()

    async def send(self, data: bytes) -> None:
        core = self._connection.core
        while data:
            with self._caller_may_be_gone():
                window = core.local_flow_control_window(self.stream_id)
                if window > 0:
                    size = min(window, core.max_outbound_frame_size)
                    core.send_data(self.stream_id, data[:size])
                    data = data[size:]
            if window > 0:
                await self._push()
            else:
                self._wider.clear()
                await self._wider.wait()

    async def finish(self) -> None:
        with self._caller_may_be_gone():
            self._connection.core.end_stream(self.stream_id)
        await self._push()

    def reset(self) -> None:
        try:
            self._connection.core.reset_stream(self.stream_id, ErrorCodes.INTERNAL_ERROR)
        except ProtocolError:
            return
        self._connection.flush()

    def drop(self) -> None:
        self._connection.wire.abort()

    async def go_away(self, *, stay: bool) -> None:
        # h2 takes a GOAWAY of its own for the end of all streams, so this one goes past it.
        frame = GoAwayFrame(last_stream_id=self.stream_id, error_code=ErrorCodes.NO_ERROR)
        self._connection.wire.write(frame.serialize())
        await self._push()
        if not stay:
            self._connection.wire.end()

    async def _push(self) -> None:
        self._connection.flush()
        await self._connection.wire.drain()

    def _caller_may_be_gone(self) -> _CallerMayBeGone:
        return _CallerMayBeGone(gone=self._gone)


class _CallerMayBeGone:
    """Turns h2's refusal to write on a dead stream into ``PeerGoneError``."""

    def __init__(self, *, gone: bool) -> None:
        self._was_gone = gone

    def __enter__(self) -> None:
        if self._was_gone:
            raise PeerGoneError

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if kind is not None and issubclass(kind, ProtocolError):
            raise PeerGoneError
