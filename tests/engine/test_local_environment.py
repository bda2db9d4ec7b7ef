"""The environment kind ``local`` for real: two real engines, a turn, and nothing left."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine import docker_provider
from engine.provider import StandIn, serving
from firstword.protocol import SseParser
from images.docker_engine import COMMAND_S, ROOT, Engine, EngineError

pytestmark = [
    pytest.mark.docker,
    pytest.mark.pulumi,
    pytest.mark.model,
    pytest.mark.e2e,
    pytest.mark.timeout(2400),
]

UP_S = 2000
NOUNS = ("network", "volume", "container")


@dataclass(frozen=True)
class Stack:
    """A project folder of its own around this tree's program, with one stack of kind local."""

    folder: Path
    environment: str
    page_port: int
    docker: StandIn
    variables: dict[str, str]

    def __call__(self, *arguments: str) -> str:
        """Run one command of Pulumi's; gives its standard output."""
        return self._run("pulumi", *arguments, "--stack", self.environment, "--non-interactive")

    def firstword(self, command: str) -> str:
        """Run one command of ours; gives its standard output."""
        return self._run(sys.executable, "-m", "firstword.infra", command, self.environment)

    def _run(self, *command: str) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            timeout=UP_S,
            check=False,
        )
        assert done.returncode == 0, f"{command}:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def write(self, **settings: object) -> None:
        """The stack's settings."""
        lines = [f"  firstword:{name}: {json.dumps(value)}" for name, value in settings.items()]
        text = "\n".join(["config:", *lines, ""])
        (self.folder / f"Pulumi.{self.environment}.yaml").write_text(text, "utf-8")


@pytest.fixture(scope="module")
def engine() -> Engine:
    """The engine; the test fails where none answers."""
    try:
        return Engine.found()
    except EngineError as error:
        pytest.fail(f'{error} (here: tools/docker/install; eval "$(tools/docker/up)")')


@pytest.fixture(scope="module")
def stack(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """An environment that is gone afterwards, whatever became of it."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "state").mkdir()
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    (folder / "infra").symlink_to(ROOT / "infra")
    docker, build = docker_provider.stand_in(engine), docker_provider.build_stand_in
    with serving(docker) as one, serving(build(engine, ROOT / "infra")) as other:
        variables = {
            **os.environ,
            "VIRTUAL_ENV": str(Path(sys.prefix)),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PULUMI_BACKEND_URL": f"file://{folder}/state",
            "PULUMI_HOME": f"{folder}/home",
            "PULUMI_CONFIG_PASSPHRASE": "correct horse",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DEBUG_PROVIDERS": f"docker:{one},docker-build:{other}",
        }
        environment = f"test-{uuid.uuid4().hex[:6]}"
        made = Stack(folder, environment, free_port(), docker, variables)
        made("stack", "init")
        try:
            yield made
        finally:
            remove_all(engine, made.environment)


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def things(engine: Engine, environment: str) -> list[str]:
    """What the engine has of an environment: networks, volumes, containers."""
    found = []
    for noun in NOUNS:
        shown = "{{.Names}}" if noun == "container" else "{{.Name}}"
        every = ["--all"] if noun == "container" else []
        names = engine(noun, "ls", *every, "--format", shown).splitlines()
        found += [f"{noun} {n}" for n in names if n.startswith(f"firstword-{environment}")]
    return found


def remove_all(engine: Engine, environment: str) -> None:
    for thing in reversed(things(engine, environment)):
        noun, name = thing.split()
        engine(noun, "rm", *(["--force"] if noun == "container" else []), name)


def turn(url: str) -> list[dict[str, Any]]:
    """The events of one reply, asked for as the page does."""
    body = json.dumps({"prompt": "Say hello in one short sentence.", "mode": "bidi"}).encode()
    request = urllib.request.Request(f"{url}/invocations", body)
    request.add_header("content-type", "application/json")
    parser, events = SseParser(), []
    with urllib.request.urlopen(request, timeout=COMMAND_S) as answer:
        while data := answer.read1(65536):
            events += parser.feed(data)
    return events


def test_it_comes_up_speaks_stays_as_it_is_and_goes_without_a_trace(
    engine: Engine,
    stack: Stack,
    model_folder: Path,
    transcribe: Callable[..., str],
    wer: Callable[[str, str], float],
) -> None:
    stack.write(kind="local", pagePort=stack.page_port, modelFolder=str(model_folder))
    stack("preview")
    assert things(engine, stack.environment) == []

    stack("up", "--yes")
    url = json.loads(stack("stack", "output", "--json"))["pageUrl"]
    assert url == f"http://127.0.0.1:{stack.page_port}"
    with urllib.request.urlopen(url, timeout=COMMAND_S) as page:
        assert b"<title>Firstword</title>" in page.read()
    events = turn(url)
    assert events[-1]["type"] == "agent_end", events[-1]
    said = "".join(event["text"] for event in events if event["type"] == "text_delta")
    data = b"".join(base64.b64decode(e["data"]) for e in events if e["type"] == "audio_chunk")
    heard = transcribe(np.frombuffer(data, "<i2").astype(np.float32) / 32768)
    assert wer(said, heard) <= 0.34, (said, heard)

    before = list(stack.docker.journal.changes)
    stack("up", "--yes", "--expect-no-changes")
    assert stack.docker.journal.changes == before

    stack("destroy", "--yes")
    assert things(engine, stack.environment) == []


def test_firstword_deploys_confined_containers_and_publishes_only_the_page(
    engine: Engine, stack: Stack, model_folder: Path
) -> None:
    stack.write(kind="local", pagePort=stack.page_port, modelFolder=str(model_folder))
    assert f"pageUrl: http://127.0.0.1:{stack.page_port}" in stack.firstword("deploy")
    stack.firstword("smoke")
    published = {}
    for name in ("tts", "agent", "page"):
        found = json.loads(engine("inspect", f"firstword-{stack.environment}-{name}"))[0]
        host = found["HostConfig"]
        assert host["ReadonlyRootfs"]
        assert host["CapDrop"] == ["ALL"]
        assert host["Memory"] > 0
        assert host["RestartPolicy"]["Name"] == "unless-stopped"
        assert found["State"]["Health"]["Status"] == "healthy"
        assert not found["Config"]["User"].startswith("0")
        published[name] = host["PortBindings"] or {}
    assert published["tts"] == published["agent"] == {}
    assert published["page"] == {
        "8000/tcp": [{"HostIp": "127.0.0.1", "HostPort": str(stack.page_port)}]
    }
    stack.firstword("destroy")
    assert things(engine, stack.environment) == []
