"""The stand-in for AgentCore's data plane in front of a container that each test drives."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import boto3
from botocore.auth import SigV4Auth, SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials as Signer
from firstword.emulator.agentcore import Limits, Plane, Settings, create_app
from firstword.emulator.sigv4 import Credentials
from loopback import served
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

ARN = "arn:aws:bedrock-agentcore:us-east-1:123456789012:runtime/firstword_test-AbCdEf0123"
REGION = "us-east-1"
KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
SESSION_ID = "a-session-of-thirty-three-characters"
SESSION_HEADER = "X-Amzn-Bedrock-AgentCore-Runtime-Session-Id"
ENVIRON = {
    "AWS_ACCESS_KEY_ID": KEY,
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_SESSION_TOKEN": "",
    "AWS_CONFIG_FILE": "/nonexistent",
    "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent",
    "AWS_EC2_METADATA_DISABLED": "true",
}
"""What a process needs to sign as the stand-in wants it, and nothing of the person's own."""


@dataclass
class Container:
    """An agent's container. ``reply`` makes the body of an answer, ``talk`` serves a socket."""

    reply: Callable[[], AsyncIterator[bytes]] | None = None
    talk: Callable[[WebSocket], Awaitable[None]] | None = None
    status: int = 200
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/invocations", self._invoke, methods=["POST"]),
                WebSocketRoute("/ws", self._socket),
            ]
        )

    async def _invoke(self, request: Request) -> Response:
        self.headers.append(dict(request.headers))
        self.bodies.append(await request.body())
        if self.status != 200:
            return JSONResponse({"error": {"code": "bad", "message": "secret"}}, self.status)
        return StreamingResponse(self._stream(), media_type="text/event-stream")

    async def _stream(self) -> AsyncIterator[bytes]:
        assert self.reply is not None
        try:
            async for piece in self.reply():
                yield piece
        finally:
            self.left.set()

    async def _socket(self, socket: WebSocket) -> None:
        assert self.talk is not None
        self.headers.append(dict(socket.headers))
        await socket.accept()
        await self.talk(socket)


@contextlib.asynccontextmanager
async def plane_before(container_url: str, **limits: Any) -> AsyncIterator[tuple[Plane, str]]:
    """The data plane, listening, and its URL."""
    settings = Settings(
        container=container_url,
        credentials=Credentials(KEY, SECRET),
        runtime_arn=ARN,
        limits=Limits(**limits),
    )
    plane = Plane(settings)
    async with served(create_app(plane)) as url:
        yield plane, url


def data_client(url: str, secret: str = SECRET, key: str = KEY) -> Any:
    """AWS's own client of the data plane there."""
    return boto3.client(
        "bedrock-agentcore",
        region_name=REGION,
        endpoint_url=url,
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        config=Config(retries={"total_max_attempts": 1}, read_timeout=20, connect_timeout=5),
    )


def signed_headers(method: str, url: str, body: bytes = b"", **headers: str) -> dict[str, str]:
    """Headers of a request that is signed in its header."""
    request = AWSRequest(method, url, data=body, headers=headers)
    SigV4Auth(Signer(KEY, SECRET), "bedrock-agentcore", REGION).add_auth(request)
    return dict(request.headers.items())


def socket_url(url: str, query: str = f"{SESSION_HEADER}={SESSION_ID}", lasts_s: int = 300) -> str:
    """A presigned address of the runtime's socket."""
    path = f"/runtimes/{quote(ARN, safe='')}/ws"
    request = AWSRequest("GET", f"{url}{path}?{query}")
    SigV4QueryAuth(Signer(KEY, SECRET), "bedrock-agentcore", REGION, lasts_s).add_auth(request)
    return str(request.url).replace("http", "ws", 1)
