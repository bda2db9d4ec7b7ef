"""Who may call a server on this machine, and who may not."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import uvicorn
from firstword.protocol import LoopbackGuard
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

type Headers = list[tuple[str, str]]

TOKEN = "a-token_123"
HOST = ("host", "localhost:8000")


class Asked:
    """One request or WebSocket to a guarded app, and what came of it."""

    def __init__(self) -> None:
        self.reached = False
        self.sent: list[dict[str, Any]] = []

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        self.reached = True
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x-app", b"1")]})
        await send({"type": "http.response.body", "body": b"ok"})

    async def receive(self) -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(self, message: Any) -> None:
        self.sent.append(dict(message))

    @property
    def cookies(self) -> list[str]:
        pairs = self.sent[0].get("headers", [])
        return [value.decode() for name, value in pairs if name == b"set-cookie"]


async def ask(
    headers: Headers,
    *,
    kind: str = "http",
    path: str = "/",
    query: str = "",
    method: str = "GET",
    scheme: str | None = None,
    **settings: Any,
) -> Asked:
    asked = Asked()
    scope: dict[str, Any] = {
        "type": kind,
        "path": path,
        "query_string": query.encode(),
        "scheme": scheme or {"http": "http", "websocket": "ws"}[kind],
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
    }
    if kind == "http":
        scope["method"] = method
    await LoopbackGuard(asked.app, **settings)(scope, asked.receive, asked.send)
    return asked


async def is_let_through(headers: Headers, **options: Any) -> bool:
    """The same for HTTP and WebSocket, or the test fails."""
    http = await ask(headers, **options)
    opening = await ask(headers, kind="websocket", **options)
    assert http.reached == opening.reached
    if not http.reached:
        assert http.sent[0]["status"] == 403
        assert [m["type"] for m in opening.sent] == ["websocket.close"]
    return http.reached


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8000",
        "LocalHost:1",
        "127.0.0.1",
        "127.0.0.1:65535",
        "[::1]",
        "[::1]:8080",
        "[0:0:0:0:0:0:0:1]:80",
        "[0000::0001]",
    ],
)
async def test_a_loopback_host_is_let_through_on_any_port(host: str) -> None:
    assert await is_let_through([("host", host)])


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "localhost.evil.example",
        "evil.example:80@localhost",
        "127.0.0.1.evil.example",
        "127.0.0.2",
        "0.0.0.0",
        "::1",
        "[::1",
        "::1]",
        "[::2]:80",
        "[::1%1]",
        "localhost:",
        "localhost:x",
        "localhost:99999",
        "localhost:80:80",
        "localhost/",
        "localhost#",
        "user@localhost",
        "http://localhost",
        " localhost",
        "localhost ",
        "",
        "[]",
        "[.]",
        "localhost\x00",
        "localhost,evil.example",
        "localä",
        "a" * 5000,
        "[" + ":" * 40 + "]",
        "localhost:-1",
    ],
)
async def test_another_or_malformed_host_is_refused(host: str) -> None:
    assert not await is_let_through([("host", host)])


async def test_a_missing_or_repeated_host_is_refused() -> None:
    assert not await is_let_through([])
    assert not await is_let_through([HOST, ("host", "evil.example")])
    assert not await is_let_through([HOST, HOST])


async def test_hosts_can_be_named_with_and_without_brackets() -> None:
    hosts = frozenset({"MyBox.local", "fe80::1", "[fe80::2]"})
    for host in ("mybox.local:8000", "[fe80::1]:8000", "[FE80:0::2]"):
        assert await is_let_through([("host", host)], hosts=hosts)
    assert not await is_let_through([HOST], hosts=hosts)


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost:8000", "http://localhost:8000"),
        ("LOCALHOST:8000", "http://localhost:8000"),
        ("localhost", "http://localhost"),
        ("localhost:80", "http://localhost"),
        ("localhost", "http://localhost:80"),
        ("localhost", "https://localhost"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("[::1]:8000", "http://[0:0::1]:8000"),
    ],
)
async def test_a_page_of_the_same_origin_may_call(host: str, origin: str) -> None:
    assert await is_let_through([("host", host), ("origin", origin)])


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://localhost",
        "http://localhost:3000",
        "http://127.0.0.1:8000",
        "null",
        "",
        "localhost:8000",
        "file://",
        "chrome-extension://localhost:8000",
        "http://",
        "http://localhost:8000.evil.example",
        "http://localhost:8000@evil.example",
        "http:///",
        "http://localhost:8000/",
        "https://localhost",
        "http://localhost:8000 http://evil.example",
    ],
)
async def test_a_page_of_another_origin_may_not_call(origin: str) -> None:
    assert not await is_let_through([HOST, ("origin", origin)])


async def test_two_origins_are_refused_even_when_one_is_ours() -> None:
    ours = ("origin", "http://localhost:8000")
    assert not await is_let_through([HOST, ours, ("origin", "http://evil.example")])
    assert not await is_let_through([HOST, ours, ours])


async def test_a_listed_origin_may_call() -> None:
    origins = frozenset({"http://127.0.0.1:3000"})
    assert await is_let_through([HOST, ("origin", "http://127.0.0.1:3000")], origins=origins)
    assert not await is_let_through([HOST, ("origin", "http://127.0.0.1:3001")], origins=origins)


async def test_a_page_without_tls_is_foreign_to_a_server_with_it() -> None:
    headers = [("host", "localhost"), ("origin", "http://localhost")]
    assert not (await ask(headers, scheme="https")).reached
    assert not (await ask(headers, kind="websocket", scheme="wss")).reached
    headers[1] = ("origin", "https://localhost")
    assert (await ask(headers, scheme="https")).reached


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_what_another_site_embeds_is_refused_and_a_link_to_us_is_not(site: str) -> None:
    fetch = [HOST, ("sec-fetch-site", site)]
    image = [*fetch, ("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "image")]
    frame = [*fetch, ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")]
    link = [*fetch, ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")]
    assert not (await ask(image)).reached
    assert not (await ask(frame)).reached
    assert not (await ask(fetch)).reached
    assert (await ask(link)).reached


@pytest.mark.parametrize("site", ["none", "same-origin"])
async def test_what_our_own_page_loads_is_let_through(site: str) -> None:
    assert (await ask([HOST, ("sec-fetch-site", site), ("sec-fetch-dest", "script")])).reached


@pytest.mark.parametrize(
    ("headers", "query"),
    [
        ([("authorization", f"Bearer {TOKEN}")], ""),
        ([("authorization", f"bearer  {TOKEN}")], ""),
        ([], f"token={TOKEN}"),
        ([], f"voice=af_heart&token={TOKEN}"),
        ([("cookie", f"firstword_token={TOKEN}")], ""),
        ([("cookie", f"a=b; firstword_token={TOKEN}; c=d")], ""),
        ([("cookie", f"firstword_token={TOKEN}"), ("authorization", "Basic eDp5")], "token=old"),
    ],
)
async def test_the_token_is_taken_from_header_query_or_cookie(headers: Headers, query: str) -> None:
    assert await is_let_through([HOST, *headers], query=query, token=TOKEN)


@pytest.mark.parametrize(
    ("headers", "query"),
    [
        ([], ""),
        ([("authorization", TOKEN)], ""),
        ([("authorization", f"Basic {TOKEN}")], ""),
        ([("authorization", "Bearer ")], ""),
        ([("authorization", f"Bearer {TOKEN}x")], ""),
        ([("authorization", f"Bearer {TOKEN.upper()}")], ""),
        ([], "token="),
        ([], "token=%ff%00é"),
        ([], f"Token={TOKEN}"),
        ([("cookie", f"x_firstword_token={TOKEN}")], ""),
        ([("cookie", "firstword_token")], ""),
        ([("cookie", "\xff;;=;firstword_token=\xe9")], ""),
    ],
)
async def test_a_missing_or_wrong_token_is_refused(headers: Headers, query: str) -> None:
    assert not await is_let_through([HOST, *headers], query=query, token=TOKEN)


async def test_the_token_is_no_way_around_host_and_origin() -> None:
    bearer = ("authorization", f"Bearer {TOKEN}")
    assert not await is_let_through([("host", "evil.example"), bearer], token=TOKEN)
    assert not await is_let_through([HOST, ("origin", "null"), bearer], token=TOKEN)


async def test_any_host_may_be_allowed_with_a_token_only() -> None:
    anyone = frozenset({"*"})
    bearer = ("authorization", f"Bearer {TOKEN}")
    assert await is_let_through([("host", "box.example"), bearer], hosts=anyone, token=TOKEN)
    assert not await is_let_through([("host", "box.example")], hosts=anyone, token=TOKEN)
    assert not await is_let_through([("host", "bad host"), bearer], hosts=anyone, token=TOKEN)
    with pytest.raises(ValueError, match="needs a token"):
        LoopbackGuard(Asked().app, hosts=anyone)


async def test_ping_needs_no_token_but_a_good_host() -> None:
    assert (await ask([HOST], path="/ping", token=TOKEN)).reached
    assert not (await ask([("host", "evil.example")], path="/ping", token=TOKEN)).reached
    assert not (await ask([HOST], path="/ping", method="POST", token=TOKEN)).reached
    assert not (await ask([HOST], path="/ping/", token=TOKEN)).reached
    assert not (await ask([HOST], path="/ping", kind="websocket", token=TOKEN)).reached


async def test_a_token_in_the_address_becomes_a_cookie() -> None:
    asked = await ask([HOST], query=f"token={TOKEN}", token=TOKEN)
    assert asked.cookies == [f"firstword_token={TOKEN}; Path=/; HttpOnly; SameSite=Strict"]
    assert (b"x-app", b"1") in asked.sent[0]["headers"]
    secure = await ask([HOST], query=f"token={TOKEN}", token=TOKEN, scheme="https")
    assert secure.cookies == [f"firstword_token={TOKEN}; Path=/; HttpOnly; SameSite=Strict; Secure"]


async def test_no_other_token_becomes_a_cookie() -> None:
    bearer = ("authorization", f"Bearer {TOKEN}")
    assert (await ask([HOST, bearer], token=TOKEN)).cookies == []
    assert (await ask([HOST, bearer], query="token=wrong", token=TOKEN)).cookies == []
    assert (await ask([HOST], query=f"token={TOKEN}")).cookies == []


async def test_a_refusal_says_why_in_json_and_is_not_kept() -> None:
    asked = await ask([("host", "evil.example")])
    headers = dict(asked.sent[0]["headers"])
    assert headers[b"content-type"] == b"application/json"
    assert headers[b"cache-control"] == b"no-store"
    body = asked.sent[1]["body"]
    assert int(headers[b"content-length"]) == len(body)
    assert json.loads(body)["error"]["code"] == "forbidden_host"


async def test_lifespan_passes_through() -> None:
    asked = Asked()
    await LoopbackGuard(asked.app)({"type": "lifespan"}, asked.receive, asked.send)
    assert asked.reached


@pytest.mark.parametrize("token", ["", " ", "a b", "a;b", "a\nb", "é"])
def test_a_token_that_a_cookie_cannot_carry_is_refused(token: str) -> None:
    with pytest.raises(ValueError, match="a token must be"):
        LoopbackGuard(Asked().app, token=token)


@pytest.mark.parametrize(
    "settings",
    [{"hosts": frozenset({"localhost:8000"})}, {"hosts": frozenset({"http://localhost"})}]
    + [{"origins": frozenset({name})} for name in ("localhost:8000", "*", "null", "http://a/")],
)
def test_hosts_and_origins_that_would_never_match_are_refused(settings: Any) -> None:
    with pytest.raises(ValueError, match="must"):
        LoopbackGuard(Asked().app, **settings)


async def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


async def echo(caller: WebSocket) -> None:
    await caller.accept()
    await caller.send_text(await caller.receive_text())
    await caller.close()


@asynccontextmanager
async def served(**settings: Any) -> AsyncIterator[str]:
    """A guarded app under uvicorn; gives ``127.0.0.1:PORT``."""
    routes = [Route("/", hello), Route("/ping", hello), WebSocketRoute("/ws", echo)]
    app = Starlette(routes=routes, middleware=[Middleware(LoopbackGuard, **settings)])
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="websockets-sansio"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            host, port = listener.getsockname()
            yield f"{host}:{port}"
        finally:
            server.should_exit = True
            async with asyncio.timeout(20):
                await task


async def test_a_real_server_answers_ours_and_refuses_the_rest() -> None:
    async with served(token=TOKEN) as place, httpx.AsyncClient() as client:
        url = f"http://{place}/"
        assert (await client.get(url, headers={"host": "evil.example"})).status_code == 403
        assert (await client.get(url)).status_code == 403
        assert (await client.get(f"http://{place}/ping")).status_code == 200
        first = await client.get(url, params={"token": TOKEN})
        assert (first.status_code, first.text) == (200, "hello")
        assert (await client.get(url)).status_code == 200, "the cookie works from here on"


async def test_a_real_socket_is_refused_before_it_is_accepted() -> None:
    async with served() as place:
        async with connect(f"ws://{place}/ws", origin=f"http://{place}") as connection:  # type: ignore[arg-type]
            await connection.send("hello")
            assert await connection.recv() == "hello"
        with pytest.raises(InvalidStatus) as refused:
            async with connect(f"ws://{place}/ws", origin="http://evil.example"):  # type: ignore[arg-type]
                pass
        assert refused.value.response.status_code == 403
