"""Speech server, agent and AgentCore's stand-in as processes, asked by AWS's own client."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from agentcore_stage import KEY, SECRET, SESSION_ID, data_client
from e2e.processes import Server
from firstword.console.agentcore.runtime import Runtime
from firstword.console.agentcore.signing import presigned_url
from firstword.emulator.agentcore.settings import DEFAULT_ARN
from firstword.protocol import SseParser
from websockets.asyncio.client import connect

pytestmark = [pytest.mark.e2e, pytest.mark.model]

ANSWER = "The harbour sleeps. A lamp swings over the water. Somebody hums an old tune."


@pytest.fixture(scope="session")
def scripted(
    serve: Callable[..., Server], tts: Server, tmp_path_factory: pytest.TempPathFactory
) -> Server:
    """The agent with a scripted model, speaking through ``tts``."""
    script = tmp_path_factory.mktemp("agentcore") / "answer.txt"
    script.write_text(ANSWER, encoding="utf-8")
    environment = {
        "FIRSTWORD_AGENT_PORT": "0",
        "FIRSTWORD_TTS_URL": tts.socket_url,
        "FIRSTWORD_LLM": "scripted",
        "FIRSTWORD_SCRIPT_FILE": str(script),
        "FIRSTWORD_SCRIPT_TOKENS_PER_SECOND": "30",
    }
    return serve(["-m", "firstword.agent", "serve"], environment)


@pytest.fixture(scope="session")
def plane(serve: Callable[..., Server], scripted: Server) -> Server:
    """AgentCore's stand-in in front of it."""
    arguments = ["-m", "firstword.emulator", "agentcore", "--container", scripted.url]
    keys = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_SESSION_TOKEN": ""}
    return serve(arguments, keys)


def events_of(answer: Any) -> list[dict[str, Any]]:
    parser, events = SseParser(), []
    with answer["response"] as raw:
        while piece := raw.read1(65536):
            events += parser.feed(piece)
    return events


def test_one_id_leads_from_the_platform_through_both_logs(
    plane: Server, scripted: Server, tts: Server
) -> None:
    answer = data_client(plane.url).invoke_agent_runtime(
        agentRuntimeArn=DEFAULT_ARN,
        runtimeSessionId=SESSION_ID,
        payload=json.dumps({"prompt": "Where are we?"}).encode(),
    )
    events = events_of(answer)
    platform = answer["ResponseMetadata"]["RequestId"]
    assert {event["request_id"] for event in events} == {platform}
    assert events[0]["session_id"] == SESSION_ID
    assert (events[-1]["type"], events[-1]["status"]) == ("agent_end", "complete")
    audio = b"".join(base64.b64decode(e["data"]) for e in events if e["type"] == "audio_chunk")
    assert len(audio) > 2 * 24_000 * 3

    taken = scripted.logged("prompt taken")
    assert f"request_id=<{platform}>" in taken
    assert f"session_id=<{SESSION_ID}>" in taken
    assert f"request_id=<{platform}>" in scripted.logged("turn ended")
    spoken = [tts.logged(f"{platform}.") for _ in range(3)]
    sentences = [re.findall(rf"{platform}\.\w+-(\d)", line) for line in spoken]
    assert sentences == [["0"], ["1"], ["2"]]
    for line in (taken, *spoken):
        assert "harbour" not in line
        assert "Where" not in line


def test_a_caller_that_leaves_stops_the_agent_behind_the_platform(
    plane: Server, scripted: Server
) -> None:
    answer = data_client(plane.url).invoke_agent_runtime(
        agentRuntimeArn=DEFAULT_ARN, payload=b'{"prompt": "Go on"}'
    )
    with answer["response"] as raw:
        while b"audio_chunk" not in raw.read1(65536):
            """Let it begin to speak."""
        raw.shutdown()
    ended = scripted.logged("turn ended")
    assert f"request_id=<{answer['ResponseMetadata']['RequestId']}>" in ended
    assert "status=<cancelled>" in ended


async def test_a_presigned_socket_speaks_within_the_limits_and_comes_back_to_its_conversation(
    plane: Server,
) -> None:
    from botocore.credentials import ReadOnlyCredentials

    keys = ReadOnlyCredentials(KEY, SECRET, None)
    url = presigned_url(Runtime.parse(DEFAULT_ARN), plane.url, SESSION_ID, keys)
    for request_id in ("first", "second"):
        sizes, audio = [], 0
        async with asyncio.timeout(120), connect(url, proxy=None, compression=None) as socket:
            prompt = {"type": "prompt", "prompt": "Hi", "request_id": request_id}
            await socket.send(json.dumps(prompt))
            while True:
                message = await socket.recv()
                sizes.append(len(message.encode() if isinstance(message, str) else message))
                if isinstance(message, bytes):
                    audio += len(message)
                    continue
                event = json.loads(message)
                assert event["request_id"] == request_id
                if event["type"] == "agent_start":
                    assert event["session_id"] == SESSION_ID
                if event["type"] == "agent_end":
                    break
        assert event["status"] == "complete"
        assert event["spoken"] == ANSWER
        assert max(sizes) <= 16 * 1024
        assert audio > 2 * 24_000 * 3
