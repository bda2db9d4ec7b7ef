"""A deployed agent: its name, its failures in words, and the key that the page gets."""

from __future__ import annotations

import asyncio
import datetime
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import botocore.auth
import httpx
import pytest
from agentcore_stage import (
    ARN,
    ENVIRON,
    KEY,
    SECRET,
    SESSION_HEADER,
    SESSION_ID,
    Container,
    plane_before,
)
from botocore import exceptions as aws
from botocore.credentials import ReadOnlyCredentials
from firstword.console.agentcore.door import RuntimeDoor
from firstword.console.agentcore.failure import INVOKE_SOCKET, failure_of
from firstword.console.agentcore.page import create_app, known_voices
from firstword.console.agentcore.runtime import Runtime, RuntimeFailure
from firstword.console.agentcore.signing import presigned_url
from firstword.console.app import Access
from firstword.console.settings import SettingError, Settings
from firstword.emulator.agentcore import Plane, errors
from loopback import served
from starlette.websockets import WebSocket
from urllib3 import exceptions as http
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

with warnings.catch_warnings():
    # AgentCore's library declares a model in a way that pydantic no longer likes.
    warnings.simplefilter("ignore", DeprecationWarning)
    from bedrock_agentcore.runtime import AgentCoreRuntimeClient

RUNTIME = Runtime.parse(ARN)


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the test's own credentials can be found."""
    for name in ("AWS_PROFILE", "AWS_DEFAULT_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)


# Its name.


def test_an_arn_says_the_region() -> None:
    assert (RUNTIME.region, RUNTIME.runtime_id) == ("us-east-1", "firstword_test-AbCdEf0123")
    assert RUNTIME.log_group == "/aws/bedrock-agentcore/runtimes/firstword_test-AbCdEf0123-DEFAULT"
    china = "arn:aws-cn:bedrock-agentcore:cn-north-1:123456789012:runtime/a-AbCdEf0123"
    assert Runtime.parse(china, "cn-north-1").region == "cn-north-1"


@pytest.mark.parametrize(
    "arn",
    [
        "firstword_test-AbCdEf0123",
        "arn:aws:bedrock:us-east-1:123456789012:runtime/firstword_test-AbCdEf0123",
        ARN.replace("123456789012", "12345"),
        ARN.replace("us-east-1", "x@evil.example:443/#"),
        ARN.replace("runtime/", "runtime/../"),
        ARN + "\n",
        ARN + "/runtime-endpoint/DEFAULT",
        "",
    ],
)
def test_what_is_no_arn_is_refused_with_what_one_looks_like(arn: str) -> None:
    with pytest.raises(ValueError, match=r"arn:aws:bedrock-agentcore:REGION:ACCOUNT:runtime/NAME"):
        Runtime.parse(arn)


def test_the_region_must_be_that_of_the_arn() -> None:
    with pytest.raises(ValueError, match=r"--region is eu-west-1, but the runtime is in us-east-1"):
        Runtime.parse(ARN, "eu-west-1")


@pytest.mark.parametrize(
    "uri", ["ftp://x", "https://x/path", "https://a b", "x.example", "https://"]
)
def test_an_endpoint_is_an_origin(uri: str) -> None:
    with pytest.raises(SettingError, match="FIRSTWORD_AGENTCORE_ENDPOINT_URI"):
        Settings.from_env({"FIRSTWORD_AGENTCORE_ENDPOINT_URI": uri})
    vpc = "https://vpce-0a1b.bedrock-agentcore.us-east-1.vpce.amazonaws.com/"
    found = Settings.from_env({"FIRSTWORD_AGENTCORE_ENDPOINT_URI": vpc})
    assert found.agentcore_endpoint == vpc.rstrip("/")


# Its failures.


def refused(name: str) -> aws.ClientError:
    return aws.ClientError({"Error": {"Code": name, "Message": "said so"}}, "InvokeAgentRuntime")


@pytest.mark.parametrize(
    ("error", "code", "words", "passing"),
    [
        (refused("AccessDeniedException"), "access_denied", "InvokeAgentRuntime on arn", False),
        (refused("ResourceNotFoundException"), "unknown_runtime", "no runtime arn:aws", False),
        (refused("ThrottlingException"), "throttled", "no more requests", True),
        (refused("RuntimeClientError"), "runtime_failed", "/aws/bedrock-agentcore/", True),
        (refused("ExpiredTokenException"), "bad_credentials", "get new ones", False),
        (refused("UnrecognizedClientException"), "bad_credentials", "get new ones", False),
        (refused("InternalServerException"), "refused", "InternalServerException", True),
        (refused("ValidationException"), "refused", "said so", False),
        (aws.NoCredentialsError(), "no_credentials", "AWS_PROFILE", False),
        (aws.ProfileNotFound(profile="x"), "no_credentials", "AWS_PROFILE", False),
        (aws.UnauthorizedSSOTokenError(), "no_credentials", "aws sso login", False),
        (aws.EndpointConnectionError(endpoint_url="x"), "unreachable", "cannot be reached", True),
        (aws.ConnectTimeoutError(endpoint_url="x"), "unreachable", "cannot be reached", True),
        (aws.ReadTimeoutError(endpoint_url="x"), "silent", "said nothing for 120 s", True),
        (http.ProtocolError("x"), "lost", "lost in mid-answer", True),
        (http.ReadTimeoutError(None, "u", "x"), "silent", "said nothing", True),  # type: ignore[arg-type]
        (aws.ParamValidationError(report="x"), "failed", "ParamValidationError", False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value)[:20],
)
def test_what_aws_says_is_told_with_what_to_do(
    error: Exception, code: str, words: str, passing: bool
) -> None:
    failure = failure_of(error, RUNTIME)
    assert failure is not None
    assert (failure.code, failure.passing) == (code, passing)
    assert words in failure.message


def test_what_is_not_of_aws_is_not_explained_away() -> None:
    assert failure_of(KeyError("x"), RUNTIME) is None


# The key.


class Noon(datetime.datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        return datetime.datetime(2026, 1, 2, 12, 0, 0, tzinfo=tz)

    @classmethod
    def utcnow(cls) -> Any:
        return datetime.datetime(2026, 1, 2, 12, 0, 0)


@pytest.mark.parametrize("token", [None, "a/session+token=="])
def test_the_address_is_the_one_that_awss_own_library_makes(
    monkeypatch: pytest.MonkeyPatch, token: str | None
) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", token or "")
    if token is None:
        monkeypatch.delenv("AWS_SESSION_TOKEN")
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda *a, **k: Noon.utcnow())
    theirs = AgentCoreRuntimeClient(region="us-east-1").generate_presigned_url(
        ARN, session_id=SESSION_ID
    )
    endpoint = "https://bedrock-agentcore.us-east-1.amazonaws.com"
    ours = presigned_url(RUNTIME, endpoint, SESSION_ID, ReadOnlyCredentials(KEY, SECRET, token))
    assert ours == theirs
    query = parse_qs(urlsplit(ours).query)
    assert query["X-Amz-Expires"] == ["300"]
    assert query[SESSION_HEADER] == [SESSION_ID]


async def greet(socket: WebSocket) -> None:
    await socket.send_text(socket.headers[SESSION_HEADER])
    await socket.receive()


@asynccontextmanager
async def page_of_a_runtime() -> AsyncIterator[tuple[httpx.AsyncClient, Plane, str]]:
    """The page's server before the stand-in, a client of it, and the stand-in's URL."""
    async with (
        served(Container(talk=greet).app()) as container,
        plane_before(container) as (plane, url),
        served(
            create_app(RuntimeDoor(replace(RUNTIME, endpoint=url)), [{"id": "af_sky"}], Access())
        ) as page,
        httpx.AsyncClient(base_url=page, trust_env=False, timeout=20) as client,
    ):
        yield client, plane, url


async def ask(client: httpx.AsyncClient, **wish: Any) -> httpx.Response:
    return await client.post("/api/connection", json={"session_id": SESSION_ID, **wish})


async def test_the_page_gets_an_address_that_opens_the_runtimes_socket() -> None:
    async with page_of_a_runtime() as (client, plane, url):
        answer = await ask(client, refused=False)
        assert answer.headers["cache-control"] == "no-store"
        found = answer.json()
        assert found["expires_s"] == 300
        assert found["url"].startswith(url.replace("http", "ws") + "/runtimes/arn%3Aaws%3A")
        async with connect(found["url"], proxy=None) as socket:
            assert await socket.recv() == SESSION_ID
        assert [call.session_id for call in plane.calls] == [SESSION_ID]


async def test_the_policy_admits_exactly_the_runtimes_host() -> None:
    async with page_of_a_runtime() as (client, _, url):
        policy = (await client.get("/")).headers["content-security-policy"]
    assert f"connect-src 'self' {url.replace('http', 'ws')};" in policy
    assert policy.count("127.0.0.1") == 1
    real = RuntimeDoor(RUNTIME)
    assert real.origin == "wss://bedrock-agentcore.us-east-1.amazonaws.com"


async def test_a_pages_server_for_a_runtime_leads_nowhere_else() -> None:
    async with page_of_a_runtime() as (client, plane, _):
        assert (await client.get("/api/voices")).json() == {"voices": [{"id": "af_sky"}]}
        assert (await client.post("/invocations", json={"prompt": "x"})).status_code == 404
        with pytest.raises(InvalidStatus):
            await connect(str(client.base_url).replace("http", "ws") + "/ws", proxy=None)
        foreign = await client.post(
            "/api/connection",
            json={"session_id": SESSION_ID},
            headers={"origin": "https://evil.example"},
        )
        assert foreign.status_code == 403
        assert plane.calls == []


@pytest.mark.parametrize("session_id", ["short", "x" * 257, "with space " * 4, 5, None])
async def test_a_session_that_agentcore_would_refuse_gets_no_address(session_id: Any) -> None:
    async with page_of_a_runtime() as (client, _, _):
        answer = await ask(client, session_id=session_id)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid_session"
    assert "url" not in answer.json()


async def test_a_page_that_was_refused_is_told_why() -> None:
    async with page_of_a_runtime() as (client, plane, _):
        plane.refuse_next(errors.denied("InvokeAgentRuntimeWithWebSocketStream", ARN))
        error = (await ask(client, refused=True)).json()["error"]
        assert (error["code"], error["passing"]) == ("access_denied", False)
        assert INVOKE_SOCKET in error["message"]
        plane.refuse_next(errors.throttled())
        error = (await ask(client, refused=True)).json()["error"]
        assert (error["code"], error["passing"]) == ("throttled", True)
        assert (await ask(client, refused=True)).json()["url"].startswith("ws://")


async def test_a_runtime_that_is_not_there_is_told_to_be_out_of_reach() -> None:
    door = RuntimeDoor(replace(RUNTIME, endpoint="http://127.0.0.1:9"))
    async with (
        served(create_app(door, [], Access())) as page,
        httpx.AsyncClient(base_url=page, trust_env=False) as client,
    ):
        error = (await ask(client, refused=True)).json()["error"]
    assert (error["code"], error["passing"]) == ("unreachable", True)


def test_without_credentials_there_is_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name)
    with pytest.raises(RuntimeFailure, match="no AWS credentials were found") as caught:
        RuntimeDoor(RUNTIME)
    assert caught.value.code == "no_credentials"
    monkeypatch.setenv("AWS_PROFILE", "nobodys")
    with pytest.raises(RuntimeFailure, match="no AWS credentials were found"):
        RuntimeDoor(RUNTIME)


async def test_the_voices_are_those_of_the_catalogue() -> None:
    async with asyncio.timeout(30):
        voices = await known_voices()
    assert {"af_heart", "bf_emma"} <= {str(voice["id"]) for voice in voices}
