"""``firstword talk --runtime-arn`` and ``serve --runtime-arn``, with AgentCore's stand-in."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from agentcore_stage import ARN, ENVIRON, SESSION_HEADER, Container, plane_before
from console_stage import DEADLINE_S, START, Command, delta, firstword, ramp, two_sentences
from firstword.emulator.agentcore import Plane, errors
from firstword.protocol import sse
from loopback import served

from tests.console.test_talk import names, samples_of

type Pieces = AsyncIterator[bytes]


async def whole_reply() -> Pieces:
    async for event in two_sentences():
        yield sse(event)


@asynccontextmanager
async def deployed(container: Container) -> AsyncIterator[tuple[Plane, dict[str, str]]]:
    """The stand-in before a container, and the environment in which the command finds it."""
    async with served(container.app()) as url, plane_before(url) as (plane, endpoint):
        yield plane, {**ENVIRON, "FIRSTWORD_AGENTCORE_ENDPOINT_URI": endpoint}


async def test_a_deployed_agent_is_asked_and_heard(tmp_path: Path) -> None:
    container = Container(whole_reply)
    async with deployed(container) as (plane, environ):
        options = ["--voice", "bf_emma", "--mode", "batch", "--region", "us-east-1"]
        done = await firstword(
            "talk", "Count.", "--runtime-arn", ARN, *options, cwd=tmp_path, **environ
        )
    assert (done.status, done.out) == (0, "One. Two.\n"), done.err
    assert samples_of(tmp_path / "answer.wav") == ramp(4800).tolist()
    asked = {"prompt": "Count.", "mode": "batch", "voice": "bf_emma", "speed": 1.0}
    assert [json.loads(body) for body in container.bodies] == [asked]
    assert container.headers[0]["accept"] == "text/event-stream"
    assert len(plane.calls[0].session_id) >= 33


async def test_words_are_shown_while_the_rest_is_still_to_come(tmp_path: Path) -> None:
    more = asyncio.Event()

    async def reply() -> Pieces:
        pieces = whole_reply()
        yield await anext(pieces)
        yield await anext(pieces)
        await more.wait()
        async for piece in pieces:
            yield piece

    async with deployed(Container(reply)) as (_, environ):
        arguments = ["talk", "Count.", "--runtime-arn", ARN, "--json"]
        command = await Command.start(*arguments, cwd=tmp_path, **environ)
        kinds = [json.loads(await command.line())["type"] for _ in range(2)]
        assert kinds == ["agent_start", "text_delta"]
        more.set()
        done = await command.end()
    assert done.status == 0
    assert json.loads(done.out.splitlines()[-1])["type"] == "timeline"


async def test_ctrl_c_leaves_the_call_and_the_agent_learns_of_it(tmp_path: Path) -> None:
    async def reply() -> Pieces:
        yield sse(START)
        yield sse(delta("So "))
        await asyncio.Event().wait()

    container = Container(reply)
    async with deployed(container) as (_, environ):
        arguments = ["talk", "Count.", "--runtime-arn", ARN, "--json"]
        command = await Command.start(*arguments, cwd=tmp_path, **environ)
        for _ in range(2):
            await command.line()
        command.interrupt(signal.SIGINT)
        async with asyncio.timeout(5):
            assert (await command.end()).status == 130
        await asyncio.wait_for(container.left.wait(), DEADLINE_S)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (errors.denied("InvokeAgentRuntime", ARN), "need bedrock-agentcore:InvokeAgentRuntime on"),
        (errors.unknown_runtime(ARN), "firstword status ENV"),
        (errors.throttled(), "takes no more requests for now"),
        (errors.runtime_failed(500), "firstword_test-AbCdEf0123-DEFAULT"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
async def test_a_refusal_is_told_in_words(tmp_path: Path, error: Any, words: str) -> None:
    async with deployed(Container(whole_reply)) as (plane, environ):
        plane.refuse_next(error)
        done = await firstword("talk", "Hm?", "--runtime-arn", ARN, cwd=tmp_path, **environ)
    assert (done.status, done.out) == (1, "")
    assert words in done.err
    assert "Traceback" not in done.err
    assert names(tmp_path) == []


async def test_a_reply_that_breaks_off_is_a_failure_and_leaves_no_file(tmp_path: Path) -> None:
    async def reply() -> Pieces:
        pieces = whole_reply()
        for _ in range(5):
            yield await anext(pieces)

    async with deployed(Container(reply)) as (_, environ):
        done = await firstword("talk", "Hm?", "--runtime-arn", ARN, cwd=tmp_path, **environ)
    assert done.status == 1
    assert "mid-answer" in done.err
    assert names(tmp_path) == []


@pytest.mark.parametrize("command", [("talk", "Hm?"), ("serve",)])
async def test_without_credentials_it_says_how_to_get_some(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    nothing = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}
    environ = {**ENVIRON, **nothing, "FIRSTWORD_AGENTCORE_ENDPOINT_URI": "http://127.0.0.1:9"}
    port = ["--port", "0"] if command == ("serve",) else []
    done = await firstword(*command, *port, "--runtime-arn", ARN, cwd=tmp_path, **environ)
    assert done.status == 1
    assert "no AWS credentials were found: set AWS_PROFILE" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["talk", "Hm?", "--runtime-arn", "my-runtime"], "must look like arn:aws"),
        (["talk", "Hm?", "--runtime-arn", ARN, "--region", "eu-west-1"], "--region is eu-west-1"),
        (["talk", "Hm?", "--region", "eu-west-1"], "--region is that of a --runtime-arn"),
        (["talk", "Hm?", "--runtime-arn", ARN, "--agent", "http://x"], "two agents"),
        (["serve", "--runtime-arn", "arn:aws:s3:::bucket"], "must look like arn:aws"),
    ],
)
async def test_wrong_usage_is_told_before_anything_starts(
    tmp_path: Path, arguments: list[str], words: str
) -> None:
    done = await firstword(*arguments, cwd=tmp_path)
    assert done.status == 2
    assert words in done.err


async def test_serve_for_a_runtime_is_the_page_alone(tmp_path: Path) -> None:
    async with deployed(Container(whole_reply)) as (plane, environ):
        arguments = ["serve", "--runtime-arn", ARN, "--port", "0"]
        command = await Command.start(*arguments, cwd=tmp_path, **environ)
        found = re.fullmatch(r"ready: (http://127\.0\.0\.1:\d+)", await command.line())
        assert found is not None
        async with httpx.AsyncClient(base_url=found[1], trust_env=False, timeout=20) as client:
            policy = (await client.get("/")).headers["content-security-policy"]
            wish = {"session_id": "s" * 40, "refused": False}
            answer = (await client.post("/api/connection", json=wish)).json()
        endpoint = environ["FIRSTWORD_AGENTCORE_ENDPOINT_URI"]
        assert endpoint.replace("http", "ws") in policy
        assert f"{SESSION_HEADER}={'s' * 40}" in answer["url"]
        assert plane.calls == []
        command.interrupt()
        done = await command.end()
    assert done.status == 130
    assert answer["url"] not in done.err, "a key is never logged"
