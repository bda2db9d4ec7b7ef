"""Real processes on loopback, with the network beyond this machine cut off."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

START_LIMIT_S = 120
STOP_LIMIT_S = 40


def offline(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a process that must not reach beyond this machine."""
    guard = str(Path(__file__).parent / "offline")
    return {**os.environ, "PYTHONPATH": guard, "PYTHONWARNINGS": "default", **(extra or {})}


@dataclass
class Server:
    """A server process and the address that it printed."""

    process: subprocess.Popen[str]
    url: str
    reader: threading.Thread
    lines: queue.SimpleQueue[str | None]

    @property
    def socket_url(self) -> str:
        return self.url.replace("http://", "ws://")

    def logged(self, needle: str, limit_s: float = 20.0) -> str:
        """The next line of its output that has ``needle`` in it."""
        passed: list[str] = []
        deadline = time.monotonic() + limit_s
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                line = None
            if line is None:
                pytest.fail(f"{needle!r} was not logged:\n" + "\n".join(passed))
            if needle in line:
                return line
            passed.append(line)

    def resident_mb(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def stop(self) -> int:
        """End it as SageMaker would; gives its exit status."""
        try:
            self.process.send_signal(signal.SIGTERM)
            return self.process.wait(STOP_LIMIT_S)
        finally:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
            self.reader.join(STOP_LIMIT_S)


def start(arguments: list[str], environment: Mapping[str, str]) -> Server:
    """Start a program that prints ``ready: URL``, and wait for that line."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env=offline(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        assert process.stdout is not None
        with process.stdout as output:
            for line in output:
                lines.put(line.rstrip())
        lines.put(None)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    log: list[str] = []
    deadline = time.monotonic() + START_LIMIT_S
    while True:
        try:
            line = lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            line = None
        if line is None:
            os.killpg(process.pid, signal.SIGKILL)
            pytest.fail(f"{arguments} did not become ready:\n" + "\n".join(log))
        log.append(line)
        if line.startswith("ready: "):
            return Server(process, line.removeprefix("ready: ").strip(), reader, lines)
