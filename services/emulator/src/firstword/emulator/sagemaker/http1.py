"""HTTP/1.1 for one connection: h11 holds the protocol, this moves its bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping

import h11

from firstword.emulator.sagemaker.exchange import Exchange, PeerGoneError, Request, joined
from firstword.emulator.sagemaker.wire import Wire

type Answer = Callable[[Exchange], Coroutine[object, object, None]]


class Http1Connection:
    """Answers one request after the other."""

    def __init__(self, wire: Wire, answer: Answer) -> None:
        self.core = h11.Connection(h11.SERVER)
        self.wire = wire
        self._answer = answer

    async def run(self) -> None:
        """Answer requests until either side has had enough."""
        try:
            while isinstance(head := await self.next_event(), h11.Request):
                exchange = Http1Exchange(self, _request(head))
                await self._serve(exchange)
                await exchange.pass_over()
                if self.core.our_state is not h11.DONE or self.core.their_state is not h11.DONE:
                    return
                self.core.start_next_cycle()
        except (h11.RemoteProtocolError, PeerGoneError):
            return

    async def _serve(self, exchange: Http1Exchange) -> None:
        """Answer, for as long as the caller stays."""
        answering = asyncio.create_task(self._answer(exchange))
        watching = asyncio.create_task(self._watch(exchange, answering))
        try:
            await asyncio.wait({answering})
        finally:
            for task in (answering, watching):
                task.cancel()
            await asyncio.wait({answering, watching})
        if answering.cancelled():
            raise PeerGoneError
        answering.result()

    async def _watch(self, exchange: Http1Exchange, answering: asyncio.Task[None]) -> None:
        await exchange.read_all.wait()
        while data := await self.wire.read():
            self.core.receive_data(data)
        answering.cancel()

    async def next_event(self) -> h11.Event | type[h11.PAUSED]:
        """The next thing the caller says, or PAUSED where it is our turn."""
        while (event := self.core.next_event()) is h11.NEED_DATA:
            if self.core.they_are_waiting_for_100_continue:
                await self.say(h11.InformationalResponse(status_code=100, headers=[]))
            self.core.receive_data(await self.wire.read())
        assert not isinstance(event, type) or event is h11.PAUSED
        return event

    async def say(self, event: h11.Event) -> None:
        try:
            data = self.core.send(event)
        except h11.LocalProtocolError as error:
            raise PeerGoneError from error
        self.wire.write(data or b"")
        await self.wire.drain()


class Http1Exchange:
    """See ``firstword.emulator.sagemaker.exchange.Exchange``."""

    def __init__(self, connection: Http1Connection, request: Request) -> None:
        self._connection = connection
        self._request = request
        self.read_all = asyncio.Event()

    @property
    def request(self) -> Request:
        return self._request

    async def read(self) -> bytes:
        if self.read_all.is_set():
            return b""
        match await self._connection.next_event():
            case h11.Data(data=data):
                return bytes(data)
            case h11.EndOfMessage():
                self.read_all.set()
                return b""
            case _:
                raise PeerGoneError

    async def respond(self, status: int, headers: Mapping[str, str]) -> None:
        await self._connection.say(h11.Response(status_code=status, headers=list(headers.items())))

    async def send(self, data: bytes) -> None:
        await self._connection.say(h11.Data(data=data))

    async def finish(self) -> None:
        await self._connection.say(h11.EndOfMessage())

    async def pass_over(self) -> None:
        """Let the rest of the body go, so that the connection can be used again."""
        while not self.read_all.is_set() and self._connection.core.their_state is h11.SEND_BODY:
            await self.read()

    def reset(self) -> None:
        self._connection.wire.abort()

    def drop(self) -> None:
        self._connection.wire.abort()

    async def go_away(self, *, stay: bool) -> None:
        if not stay:
            self._connection.wire.end()


def _request(head: h11.Request) -> Request:
    path, _, query = head.target.decode("ascii").partition("?")
    pairs = [(name.decode("ascii"), value.decode("latin-1")) for name, value in head.headers]
    return Request(
        method=head.method.decode("ascii"),
        path=path,
        query=query,
        headers=joined(pairs),
        duplex=False,
    )
