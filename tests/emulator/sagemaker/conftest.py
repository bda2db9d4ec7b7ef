"""The local SageMaker runtime between AWS's own clients and containers of any behaviour."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import pytest
from aws_sdk_sagemaker_runtime_http2.client import AsyncSageMakerRuntimeHTTP2Client
from aws_sdk_sagemaker_runtime_http2.config import AsyncSageMakerRuntimeHTTP2Config
from aws_sdk_sagemaker_runtime_http2.models import (
    InvokeEndpointWithBidirectionalStreamInput,
    RequestPayloadPart,
    RequestStreamEventPayloadPart,
    ResponsePayloadPart,
)
from botocore.config import Config
from firstword.emulator.sagemaker.certificate import Certificate
from firstword.emulator.sagemaker.fault_script import FaultScript
from firstword.emulator.sagemaker.runtime import Runtime, serving
from firstword.emulator.sagemaker.settings import Limits, Settings
from firstword.emulator.sigv4 import Credentials
from smithy_aws_core.identity import AWSCredentialsIdentity, StaticCredentialsResolver
from smithy_http.aio.crt import AWSCRTHTTPClient, AWSCRTHTTPClientConfig
from websockets.asyncio.server import Server, ServerConnection, serve

PATIENCE_S = 20.0
"""Deadline of every wait in these tests: a bound, not a pace."""

ENDPOINT = "voice"
KEYS = Credentials("AKIDEMULATED", "a-secret-of-the-test")


async def within[T](awaitable: Any, limit_s: float = PATIENCE_S) -> T:
    """What it gives; fails after ``limit_s``."""
    async with asyncio.timeout(limit_s):
        result: T = await awaitable
        return result


async def until(true: Callable[[], bool]) -> None:
    """Let the loop turn until it is so; fails after ``PATIENCE_S``."""
    async with asyncio.timeout(PATIENCE_S):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


@pytest.fixture(scope="session")
def certificate() -> Certificate:
    return Certificate()


@pytest.fixture(scope="session")
def authority(certificate: Certificate, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("authority") / "ca.pem"
    certificate.write_authority(path)
    return path


@dataclass
class Sagemaker:
    """A runtime to be, in front of one container."""

    certificate: Certificate
    authority: Path
    limits: Limits = field(default_factory=Limits)
    faults: FaultScript = field(default_factory=FaultScript)

    def before(self, container: str) -> AbstractAsyncContextManager[Live]:
        """The runtime in front of the container at this URL."""
        return self._before(container)

    @asynccontextmanager
    async def _before(self, container: str) -> AsyncIterator[Live]:
        settings = Settings(endpoints={ENDPOINT: container}, credentials=KEYS, limits=self.limits)
        async with serving(settings, self.certificate, faults=self.faults) as (url, runtime):
            live = Live(url, runtime, str(self.authority))
            try:
                yield live
            finally:
                await live.leave()


@dataclass
class Live:
    """A runtime that listens, and AWS's clients for it."""

    url: str
    runtime: Runtime
    authority: str
    _transports: list[AWSCRTHTTPClient] = field(default_factory=list)
    _streams: list[Any] = field(default_factory=list)
    _clients: list[Any] = field(default_factory=list)

    async def client(self, keys: Credentials = KEYS) -> AsyncSageMakerRuntimeHTTP2Client:
        """The stock client, with a connection of its own."""
        transport = AWSCRTHTTPClient(client_config=AWSCRTHTTPClientConfig(force_http_2=True))
        self._transports.append(transport)
        identity = AWSCredentialsIdentity(
            access_key_id=keys.access_key_id,
            secret_access_key=keys.secret_access_key,
            session_token=keys.session_token,
        )
        config = await AsyncSageMakerRuntimeHTTP2Config.resolve(
            region="us-east-1",
            endpoint_uri=self.url,
            transport=transport,
            aws_credentials_identity_resolver=StaticCredentialsResolver(identity),
        )
        return AsyncSageMakerRuntimeHTTP2Client(config=config)

    async def call(self, endpoint: str = ENDPOINT, **given: Any) -> Call:
        """A call that has begun: its answer's head has come.

        Raises whatever the stock client raises.
        """
        client = given.pop("client", None) or await self.client(given.pop("keys", KEYS))
        request = InvokeEndpointWithBidirectionalStreamInput(endpoint_name=endpoint, **given)
        stream = await within(client.invoke_endpoint_with_bidirectional_stream(request))
        self._streams.append(stream)
        _, receiver = await within(stream.await_output())
        return Call(stream, receiver)

    def boto3(self, **config: Any) -> Any:
        """The blocking client for HTTP/1.1; call it in a thread."""
        client = boto3.client(
            "sagemaker-runtime",
            region_name="us-east-1",
            endpoint_url=self.url,
            aws_access_key_id=KEYS.access_key_id,
            aws_secret_access_key=config.pop("secret", KEYS.secret_access_key),
            verify=self.authority,
            config=Config(retries={"max_attempts": 0}, proxies={}, **config),
        )
        self._clients.append(client)
        return client

    async def leave(self) -> None:
        """Close all that the clients hold: an input that stays open leaves a task."""
        for client in self._clients:
            client.close()
        for transport in self._transports:
            await within(transport.close())
        for stream in self._streams:
            with suppress(Exception):  # It waits for ever where the call was never answered.
                await within(stream.input_stream.close(), 0.2)


@dataclass
class Call:
    """One bidirectional stream, as the stock client gives it."""

    stream: Any
    receiver: Any

    async def send(
        self, data: bytes, data_type: str | None = "UTF8", state: str | None = "COMPLETE"
    ) -> None:
        part = RequestPayloadPart(bytes_=data, data_type=data_type, completion_state=state)
        await within(self.stream.input_stream.send(RequestStreamEventPayloadPart(value=part)))

    async def part(self) -> ResponsePayloadPart | None:
        """The next part, or None at the end of the stream."""
        event: Any = await within(self.receiver.receive())
        return None if event is None else event.value

    async def rest(self) -> list[ResponsePayloadPart]:
        parts = []
        while (part := await self.part()) is not None:
            parts.append(part)
        return parts

    async def close(self) -> None:
        await within(self.stream.input_stream.close())


type Frames = list[tuple[str, bytes, bool]]


@dataclass
class FakeContainer:
    """A container whose WebSocket does what the test says, and writes down what it was sent."""

    url: str = ""
    ping_status: int = 200
    behave: Callable[[ServerConnection], Any] | None = None
    paths: list[str] = field(default_factory=list)
    messages: list[list[str | bytes]] = field(default_factory=list)
    closed: list[int | None] = field(default_factory=list)
    refuses: int | None = None
    gate: asyncio.Event | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, socket: ServerConnection) -> None:
        assert socket.request is not None
        self.paths.append(socket.request.path)
        try:
            await (self.behave or self.listen)(socket)
        finally:
            await socket.wait_closed()
            self.closed.append(socket.close_code)

    async def listen(self, socket: ServerConnection) -> None:
        """Take messages, each as the list of its fragments."""
        with suppress(Exception):
            while True:
                self.messages.append([piece async for piece in socket.recv_streaming()])

    async def greet(self, socket: ServerConnection, request: Any) -> Any:
        if request.path == "/ping":
            return socket.respond(self.ping_status, "")
        if self.gate is not None:
            await self.gate.wait()
        return None if self.refuses is None else socket.respond(self.refuses, "no")


@asynccontextmanager
async def fake_container(container: FakeContainer) -> AsyncIterator[Server]:
    async with serve(
        container.answer,
        "127.0.0.1",
        0,
        process_request=container.greet,
        compression=None,
        max_size=None,
        ping_interval=None,
    ) as server:
        container.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield server
        container.over.set()
        if container.gate is not None:
            container.gate.set()


@pytest.fixture
def sagemaker(
    certificate: Certificate, authority: Path, monkeypatch: pytest.MonkeyPatch
) -> Sagemaker:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    return Sagemaker(certificate, authority)


@pytest.fixture
async def container() -> AsyncIterator[FakeContainer]:
    fake = FakeContainer()
    async with fake_container(fake):
        yield fake


@pytest.fixture
async def live(sagemaker: Sagemaker, container: FakeContainer) -> AsyncIterator[Live]:
    async with sagemaker.before(container.url) as one:
        yield one
