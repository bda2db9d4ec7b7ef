"""Back-pressure: neither side of the runtime takes more than the other side lets go."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from aws_sdk_signers import AsyncEventSigner
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotoCredentials
from firstword.emulator.sagemaker.events import EVENT_STREAM, Part
from firstword.emulator.sagemaker.signature import STREAMED
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, ResponseReceived
from smithy_aws_core.identity import AWSCredentialsIdentity
from smithy_aws_event_stream.events import Event, EventHeaderEncoder
from websockets.asyncio.server import ServerConnection

from tests.emulator.sagemaker.conftest import ENDPOINT, KEYS, FakeContainer, Live, until, within

PATH = f"/endpoints/{ENDPOINT}/invocations-bidirectional-stream"
PLENTY = 64 * 1024 * 1024
BUFFERS = 8 * 1024 * 1024
"""More than all buffers on the way hold, those of the kernel among them; less than ``PLENTY``."""


class _StreamedHash(SigV4Auth):  # type: ignore[misc]
    def payload(self, request: Any) -> str:
        return STREAMED


class RawCaller:
    """A caller that opens windows only when it is told to, which the stock client does not do."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.core = H2Connection(H2Configuration(client_side=True, header_encoding="utf-8"))
        self.status = ""
        self.received = 0

    def call(self, host: str) -> None:
        request = AWSRequest(
            "POST", f"https://{host}{PATH}", headers={"Content-Type": EVENT_STREAM}
        )
        credentials = BotoCredentials(KEYS.access_key_id, KEYS.secret_access_key)
        _StreamedHash(credentials, "sagemaker", "us-east-1").add_auth(request)
        authorization = str(request.headers["Authorization"])
        self.signer = AsyncEventSigner(
            initial_signature=authorization.rpartition("=")[2].encode(),
            event_encoder_cls=EventHeaderEncoder,
        )
        self.core.initiate_connection()
        self.core.send_headers(
            1,
            [
                (":method", "POST"),
                (":scheme", "https"),
                (":authority", host),
                (":path", PATH),
                *((name.lower(), str(value)) for name, value in request.headers.items()),
            ],
        )
        self.flush()

    def flush(self) -> None:
        self.writer.write(self.core.data_to_send())

    async def read(self) -> bool:
        """What has come; the windows stay as they are."""
        data = await self.reader.read(65_536)
        for event in self.core.receive_data(data):
            match event:
                case ResponseReceived(headers=headers):
                    self.status = str(dict(headers or [])[":status"])
                case DataReceived(flow_controlled_length=size):
                    self.received += size
        self.flush()
        return bool(data)

    async def signed(self, part: Part) -> bytes:
        event = Event.decode(BytesIO(part.encode()))
        assert event is not None
        how: Any = {
            "identity": AWSCredentialsIdentity(
                access_key_id=KEYS.access_key_id, secret_access_key=KEYS.secret_access_key
            ),
            "properties": {"region": "us-east-1", "service": "sagemaker"},
        }
        return (await self.signer.sign(event=event.message, **how)).encode()


@pytest.fixture
async def caller(live: Live, authority: Path) -> AsyncIterator[RawCaller]:
    context = ssl.create_default_context(cafile=str(authority))
    context.set_alpn_protocols(["h2"])
    port = int(live.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", port, ssl=context, server_hostname="localhost"
    )
    caller = RawCaller(reader, writer)
    yield caller
    writer.transport.abort()


async def test_a_caller_that_does_not_read_stops_the_container(
    live: Live, caller: RawCaller, container: FakeContainer
) -> None:
    sent = 0

    async def pour(to: ServerConnection) -> None:
        nonlocal sent
        while sent < PLENTY and not container.over.is_set():
            await to.send(bytes(65_536))
            sent += 65_536

    container.behave = pour
    caller.call(live.url.removeprefix("https://"))
    while caller.received < 65_535:
        assert await within(caller.read())
    before = -1
    while before != sent:
        before = sent
        await asyncio.sleep(0.1)
    assert caller.status == "200"
    assert caller.received == 65_535
    assert sent < BUFFERS


async def test_a_container_that_does_not_read_stops_the_caller(
    live: Live, caller: RawCaller, container: FakeContainer
) -> None:
    async def ignore(to: ServerConnection) -> None:
        to.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        to.transport.pause_reading()  # type: ignore[attr-defined]
        await container.over.wait()
        to.transport.abort()

    container.behave = ignore
    caller.call(live.url.removeprefix("https://"))
    while not caller.status:
        assert await within(caller.read())
    reading = asyncio.create_task(keep_reading(caller))
    sent, part = 0, Part(bytes(16_000))
    data = b""
    stuck_since = asyncio.get_running_loop().time()
    while sent < PLENTY and asyncio.get_running_loop().time() - stuck_since < 0.5:
        data = data or await caller.signed(part)
        window = min(caller.core.local_flow_control_window(1), caller.core.max_outbound_frame_size)
        if window:
            caller.core.send_data(1, data[:window])
            sent += len(data[:window])
            data = data[window:]
            caller.flush()
            await caller.writer.drain()
            stuck_since = asyncio.get_running_loop().time()
        else:
            await asyncio.sleep(0.01)
    reading.cancel()
    await asyncio.wait({reading})
    assert sent < BUFFERS


async def keep_reading(caller: RawCaller) -> None:
    while await caller.read():
        """Only the windows that the runtime opens are of interest."""


async def test_a_caller_that_is_no_http2_is_shown_out(live: Live, authority: Path) -> None:
    context = ssl.create_default_context(cafile=str(authority))
    context.set_alpn_protocols(["h2"])
    port = int(live.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", port, ssl=context, server_hostname="localhost"
    )
    writer.write(b"GET / HTTP/1.1\r\n\r\n" * 10)
    await within(reader.read())
    writer.close()
    await until(lambda: live.runtime.connections == 0)
