"""A real Docker engine, by its command line: images are built, containers run and removed."""

from __future__ import annotations

import json
import os
import subprocess
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
BUILD_S = 1500
COMMAND_S = 120
START_S = 400


class EngineError(Exception):
    """The engine refused a command; the text is what it said."""


@dataclass(frozen=True)
class Engine:
    """One engine; ``client`` is its command line."""

    client: str

    @classmethod
    def found(cls) -> Engine:
        """The engine of this machine. EngineError where none answers."""
        engine = cls(os.environ.get("FIRSTWORD_DOCKER", "docker"))
        engine("version")
        return engine

    def __call__(self, *arguments: str, timeout_s: float = COMMAND_S) -> str:
        """Run one command; gives what it printed."""
        return self.raw(*arguments, timeout_s=timeout_s).decode().strip()

    def raw(self, *arguments: str, timeout_s: float = COMMAND_S) -> bytes:
        """The same, in bytes."""
        environment = {**os.environ, "DOCKER_BUILDKIT": "1"}
        try:
            done = subprocess.run(
                [self.client, *arguments],
                capture_output=True,
                env=environment,
                timeout=timeout_s,
                check=False,
            )
        except FileNotFoundError as error:
            raise EngineError(f"{self.client} is not installed") from error
        if done.returncode != 0:
            raise EngineError(f"docker {' '.join(arguments)}: {done.stderr.decode()[-4000:]}")
        return done.stdout

    def build(self, service: str, tag: str, *options: str) -> str:
        """Build a service's image from this tree; gives its tag."""
        dockerfile = f"services/{service}/Dockerfile"
        command = ["build", "--quiet", "-f", str(ROOT / dockerfile), "-t", tag, *options, str(ROOT)]
        self(*command, timeout_s=BUILD_S)
        return tag

    def logs(self, container: str) -> str:
        """What a container has printed, both streams."""
        done = subprocess.run(
            [self.client, "logs", container],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=COMMAND_S,
            check=True,
        )
        return done.stdout.decode(errors="replace")

    def image(self, tag: str) -> dict[str, Any]:
        """What the engine knows of an image."""
        found: dict[str, Any] = json.loads(self("image", "inspect", tag))[0]
        return found

    @contextmanager
    def run(self, image: str, *options: str, command: Sequence[str] = ()) -> Iterator[Container]:
        """A container of ``image`` that is gone afterwards, whatever happened to it."""
        name = f"firstword-test-{uuid.uuid4().hex[:12]}"
        try:
            self("run", "--detach", "--name", name, *options, image, *command)
            yield Container(self, name)
        finally:
            self("rm", "--force", "--volumes", name)


@dataclass(frozen=True)
class Container:
    """One container, running or ended."""

    engine: Engine
    name: str
    started: float = field(default_factory=time.monotonic)

    @property
    def state(self) -> dict[str, Any]:
        """Running, ExitCode and so on."""
        found: dict[str, Any] = json.loads(
            self.engine("inspect", "--format", "{{json .State}}", self.name)
        )
        return found

    @property
    def logs(self) -> str:
        """What it has printed, both streams."""
        return self.engine.logs(self.name)

    def published(self, port: int) -> str:
        """``127.0.0.1:N`` for a port that is published."""
        return self.engine("port", self.name, str(port)).splitlines()[0]

    def python(self, program: str, *arguments: str) -> bytes:
        """Run a program inside; gives its standard output."""
        return self.engine.raw("exec", self.name, "python", "-c", program, *arguments)

    def until_healthy(self, url: str | None = None) -> float:
        """Wait until ``/ping`` is 200, asked inside or at ``url``; gives the seconds it took."""
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if not self.state["Running"]:
                raise AssertionError(f"the container ended:\n{self.logs}")
            if (_pings(url) if url else self._pings_inside()) == 200:
                return time.monotonic() - self.started
            time.sleep(0.2)
        raise AssertionError(f"not healthy in {START_S} s:\n{self.logs}")

    def _pings_inside(self) -> int:
        try:
            return int(self.python(PING))
        except EngineError:
            return 0


PING = """
import urllib.request, urllib.error
try:
    print(urllib.request.urlopen("http://127.0.0.1:8080/ping", timeout=5).status)
except urllib.error.HTTPError as error:
    print(error.code)
"""

SPEAK = """
import json, sys, urllib.request
body = json.dumps({"text": sys.argv[1], "stream": False}).encode()
request = urllib.request.Request("http://127.0.0.1:8080/invocations", body)
request.add_header("content-type", "application/json")
sys.stdout.buffer.write(urllib.request.urlopen(request, timeout=100).read())
"""
"""Asks the server inside a container to say its argument; prints the WAV file."""


def _pings(url: str) -> int:
    try:
        with urllib.request.urlopen(f"{url}/ping", timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def options(environment: Mapping[str, str]) -> list[str]:
    """``--env`` options."""
    return [part for name, value in environment.items() for part in ("--env", f"{name}={value}")]
