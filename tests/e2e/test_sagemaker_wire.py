"""``firstword serve --wire sagemaker`` with the real weights: a reply on AWS's wire."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from e2e.processes import Server
from websockets.asyncio.client import connect

pytestmark = [pytest.mark.e2e, pytest.mark.model]

ANSWER = "The light turns all night. Ships see it from far away. Nobody has to keep it any more."
PATIENCE_S = 120


def free_port() -> int:
    with closing(socket.socket()) as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@pytest.fixture(scope="module")
def speech_port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def page(
    serve: Callable[..., Server],
    speech_port: int,
    model_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Server:
    answer = tmp_path_factory.mktemp("script") / "answer.txt"
    answer.write_text(ANSWER, encoding="utf-8")
    ports = ["--port", "0", "--agent-port", "0", "--tts-port", str(speech_port)]
    return serve(
        ["-m", "firstword.console", "serve", "--wire", "sagemaker", *ports],
        {
            "FIRSTWORD_LLM": "scripted",
            "FIRSTWORD_SCRIPT_FILE": str(answer),
            "FIRSTWORD_SCRIPT_TOKENS_PER_SECOND": "1000",
            "FIRSTWORD_QUALITY": "fast",
            "FIRSTWORD_MODEL_DIR": str(model_folder),
        },
    )


async def reply(page: Server) -> tuple[list[dict[str, Any]], bytes]:
    """The events of one turn on the page's own socket, and its audio."""
    events: list[dict[str, Any]] = []
    audio = bytearray()
    async with (
        asyncio.timeout(PATIENCE_S),
        connect(f"{page.socket_url}/ws", max_size=None) as link,
    ):
        await link.send(json.dumps({"type": "prompt", "prompt": "Tell me.", "request_id": "r"}))
        while not events or events[-1]["type"] != "agent_end":
            message = await link.recv()
            if isinstance(message, bytes):
                audio += message
            else:
                events.append(json.loads(message))
    return events, bytes(audio)


async def said_directly(port: int, text: str) -> bytes:
    """What the speech server says for a text when it is asked without SageMaker in between."""
    async with httpx.AsyncClient(timeout=PATIENCE_S, trust_env=False) as client:
        answer = await client.post(
            f"http://127.0.0.1:{port}/invocations", json={"text": text, "format": "pcm"}
        )
    assert answer.status_code == 200
    return answer.content


async def test_a_reply_over_sagemakers_wire_is_what_the_speech_server_says(
    page: Server, speech_port: int
) -> None:
    for _ in range(2):
        events, audio = await reply(page)
        kinds = [event["type"] for event in events]
        assert "error" not in kinds
        assert events[0]["wire"] == "sagemaker"
        assert events[-1]["status"] == "complete"
        texts = [e.get("spoken") or e["text"] for e in events if e["type"] == "sentence"]
        assert " ".join(texts) == ANSWER
        direct = b"".join([await said_directly(speech_port, text) for text in texts])
        assert audio == direct
