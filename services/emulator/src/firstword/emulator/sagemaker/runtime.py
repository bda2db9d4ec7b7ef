"""The runtime: accepts connections, finds each request's endpoint and operation, and answers it."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from uuid import uuid4

from firstword.emulator.sagemaker import errors
from firstword.emulator.sagemaker.bidirectional import bidirectional
from firstword.emulator.sagemaker.certificate import Certificate
from firstword.emulator.sagemaker.container import Container, refused_socket
from firstword.emulator.sagemaker.errors import ServiceError
from firstword.emulator.sagemaker.exchange import Exchange, PeerGoneError
from firstword.emulator.sagemaker.fault_script import CallFaults, FaultScript
from firstword.emulator.sagemaker.faults import Fault, Kind
from firstword.emulator.sagemaker.http1 import Http1Connection
from firstword.emulator.sagemaker.http2 import Http2Connection
from firstword.emulator.sagemaker.invocations import invoke, invoke_stream
from firstword.emulator.sagemaker.outlet import StruckError
from firstword.emulator.sagemaker.settings import BIDIRECTIONAL_PATH, Settings
from firstword.emulator.sagemaker.wire import Wire

logger = logging.getLogger(__name__)

ACTIONS = {
    "invocations": "InvokeEndpoint",
    "invocations-response-stream": "InvokeEndpointWithResponseStream",
    BIDIRECTIONAL_PATH: "InvokeEndpointWithBidirectionalStream",
}
_PATH = re.compile(r"/endpoints/(?P<endpoint>[A-Za-z0-9-]{1,63})/(?P<operation>[a-z-]+)")


class Runtime:
    """SageMaker's data plane for a few endpoints. ``calls`` counts all calls so far."""

    def __init__(self, settings: Settings, faults: FaultScript) -> None:
        self.calls = 0
        self._settings = settings
        self._faults = faults
        self._containers = {
            name: Container(url, settings.limits) for name, url in settings.endpoints.items()
        }
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def connections(self) -> int:
        """Connections that are open now."""
        return len(self._connections)

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection to its end."""
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        wire = Wire(reader, writer)
        kind = Http2Connection if wire.protocol == "h2" else Http1Connection
        try:
            await kind(wire, self._answer).run()
            await wire.close(self._settings.limits.close_s)
        except asyncio.CancelledError:
            wire.abort()  # The runtime stops; asyncio's own servers trip over a cancelled task.
        except Exception:
            logger.exception("protocol=<%s> | connection broke down", wire.protocol)
            wire.abort()
        finally:
            self._connections.discard(task)

    async def close(self) -> None:
        """End all connections, and what they wait for."""
        for task in self._connections:
            task.cancel()
        if self._connections:
            await asyncio.wait(self._connections)
        for container in self._containers.values():
            await container.close()

    async def _answer(self, exchange: Exchange) -> None:
        self.calls += 1
        request_id = str(uuid4())
        request = exchange.request
        logger.info(
            "call=<%d>, request_id=<%s>, method=<%s>, path=<%s> | called",
            self.calls,
            request_id,
            request.method,
            request.path,
        )
        try:
            await self._route(exchange, self._faults.call(self.calls))
        except ServiceError as error:
            logger.info("request_id=<%s>, error=<%s> | refused", request_id, error.name)
            await _refuse(exchange, error, request_id)
        except StruckError as error:
            logger.info("request_id=<%s>, fault=<%s> | struck", request_id, error.fault.kind)
            await _break(exchange, error.fault)
        except PeerGoneError:
            logger.info("request_id=<%s> | caller left", request_id)

    async def _route(self, exchange: Exchange, faults: CallFaults) -> None:
        request = exchange.request
        found = _PATH.fullmatch(request.path)
        if request.method != "POST" or found is None or found["operation"] not in ACTIONS:
            raise errors.unknown_operation(request.method, request.path)
        name, operation = found["endpoint"], found["operation"]
        if (fault := faults.at_head()) is not None:
            await _strike_at_head(exchange, fault, ACTIONS[operation], name)
        if (container := self._containers.get(name)) is None:
            raise errors.unknown_endpoint(name)
        match operation:
            case "invocations":
                await invoke(exchange, container, self._settings)
            case "invocations-response-stream":
                await invoke_stream(exchange, container, self._settings, faults)
            case _:
                await bidirectional(exchange, container, self._settings, faults)


async def _strike_at_head(exchange: Exchange, fault: Fault, action: str, endpoint: str) -> None:
    match fault.kind:
        case Kind.SILENCE:
            while await exchange.read():
                """Over HTTP/1.1 that is how to see the caller leave."""
            await asyncio.Event().wait()
        case Kind.THROTTLE:
            raise errors.throttled(fault.status)
        case Kind.UNAVAILABLE:
            raise errors.unavailable()
        case Kind.DENY:
            raise errors.denied(action, endpoint)
        case Kind.REFUSE:
            raise refused_socket()
        case _:
            raise StruckError(fault)


async def _refuse(exchange: Exchange, error: ServiceError, request_id: str) -> None:
    body = error.body
    try:
        await exchange.respond(
            error.status,
            {
                **error.headers,
                "content-length": str(len(body)),
                "x-amzn-requestid": request_id,
            },
        )
        await exchange.send(body)
        await exchange.finish()
    except PeerGoneError:
        return


async def _break(exchange: Exchange, fault: Fault) -> None:
    match fault.kind:
        case Kind.DROP:
            exchange.drop()
        case Kind.GOAWAY | Kind.DRAIN:
            await exchange.go_away(stay=fault.kind is Kind.DRAIN)
        case _:
            exchange.reset()


@asynccontextmanager
async def serving(
    settings: Settings,
    certificate: Certificate,
    *,
    faults: FaultScript | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
) -> AsyncGenerator[tuple[str, Runtime]]:
    """A runtime that listens; gives its URL. When it is left, nothing of it stays.

    Raises:
        OSError: the port cannot be had.
    """
    runtime = Runtime(settings, faults or FaultScript())
    server = await asyncio.start_server(
        runtime.accept, host, port, ssl=certificate.context(), ssl_handshake_timeout=10.0
    )
    try:
        yield f"https://localhost:{server.sockets[0].getsockname()[1]}", runtime
    finally:
        server.close()
        await runtime.close()
        await server.wait_closed()
