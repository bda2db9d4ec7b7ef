"""A turn between two containers: the agent's, read-only, and the speech server's, through
SageMaker's own wire."""

from __future__ import annotations

import base64
import json
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from e2e.processes import Server, start
from firstword.protocol import SseParser
from images.docker_engine import COMMAND_S, Container, Engine, options

pytestmark = [pytest.mark.docker, pytest.mark.model, pytest.mark.timeout(1800)]

SCRIPT = "The harbour was quiet in the morning. Two boats came in. Nobody was waiting for them."
ENDPOINT = "firstword-voice"
ACCESS = {
    "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "AWS_REGION": "eu-west-1",
}
CONFINED = ("--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges")


@pytest.fixture(scope="module")
def speech(engine: Engine, tts_image: str, model_folder: Path) -> Iterator[str]:
    """The speech server's container; gives its address on loopback."""
    mounted = ["--volume", f"{model_folder}:/opt/ml/model:ro", "--publish", "127.0.0.1::8080"]
    with engine.run(tts_image, *mounted, command=["serve"]) as container:
        address = container.published(8080)
        container.until_healthy(f"http://{address}")
        yield address


@pytest.fixture(scope="module")
def runtime(speech: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """SageMaker's runtime in front of it; gives its address and its authority's file."""
    authority = tmp_path_factory.mktemp("runtime") / "ca.pem"
    place = ["--container", f"http://{speech}", "--endpoint", ENDPOINT, "--ca", str(authority)]
    server: Server = start(["-m", "firstword.emulator", "sagemaker", *place], ACCESS)
    try:
        # Containers run as another user.
        authority.chmod(0o644)
        authority.parent.chmod(0o755)
        yield server.url, authority
    finally:
        server.stop()


@pytest.fixture(scope="module")
def agent(
    engine: Engine,
    agent_image: str,
    runtime: tuple[str, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Container, str]]:
    """The agent's container, confined; it shares this machine's loopback to reach the runtime."""
    url, authority = runtime
    script = tmp_path_factory.mktemp("script") / "answer.txt"
    script.write_text(SCRIPT, "utf-8")
    script.parent.chmod(0o755)
    environment = {
        **ACCESS,
        "FIRSTWORD_WIRE": "sagemaker",
        "FIRSTWORD_SAGEMAKER_ENDPOINT": ENDPOINT,
        "FIRSTWORD_SAGEMAKER_ENDPOINT_URI": url,
        "SSL_CERT_FILE": "/run/ca.pem",
        "FIRSTWORD_LLM": "scripted",
        "FIRSTWORD_SCRIPT_FILE": "/run/answer.txt",
        "FIRSTWORD_AGENT_HOST": "127.0.0.1",
        "FIRSTWORD_AGENT_PORT": "0",
    }
    mounts = ["-v", f"{authority}:/run/ca.pem:ro", "-v", f"{script}:/run/answer.txt:ro"]
    placed = ["--network", "host", *CONFINED, *mounts, *options(environment)]
    with engine.run(agent_image, *placed) as container:
        yield container, ready(container)


def ready(container: Container) -> str:
    """The address that a server prints when it listens."""
    deadline = time.monotonic() + COMMAND_S
    while time.monotonic() < deadline:
        for line in container.logs.splitlines():
            if line.startswith("ready: "):
                return line.removeprefix("ready: ")
        assert container.state["Running"], container.logs
        time.sleep(0.2)
    raise AssertionError(f"not ready:\n{container.logs}")


def turn(url: str, mode: str) -> list[dict[str, Any]]:
    """The events of one reply."""
    body = json.dumps({"prompt": "What is it like?", "mode": mode}).encode()
    request = urllib.request.Request(f"{url}/invocations", body)
    request.add_header("content-type", "application/json")
    parser, events = SseParser(), []
    with urllib.request.urlopen(request, timeout=COMMAND_S) as answer:
        while data := answer.read1(65536):
            events += parser.feed(data)
    return events


@pytest.mark.parametrize("mode", ["bidi", "batch"])
def test_a_confined_agent_speaks_through_sagemakers_wire(
    agent: tuple[Container, str],
    transcribe: Callable[..., str],
    wer: Callable[[str, str], float],
    mode: str,
) -> None:
    events = turn(agent[1], mode)
    kinds = [event["type"] for event in events]
    assert "error" not in kinds, [event for event in events if event["type"] == "error"]
    assert kinds[0] == "agent_start"
    assert kinds[-1] == "agent_end"
    data = b"".join(
        base64.b64decode(event["data"]) for event in events if event["type"] == "audio_chunk"
    )
    heard = transcribe(np.frombuffer(data, "<i2").astype(np.float32) / 32768)
    assert wer(SCRIPT, heard) <= 0.2, heard


def test_the_agent_ends_well_on_sigterm(engine: Engine, agent: tuple[Container, str]) -> None:
    container, _ = agent
    asked = time.monotonic()
    engine("kill", "--signal", "TERM", container.name)
    assert engine("wait", container.name) == "0", container.logs
    assert time.monotonic() - asked < 30
