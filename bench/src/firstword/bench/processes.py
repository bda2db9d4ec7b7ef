"""Programs that are measured, each in a process of its own: servers and peers."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from types import TracebackType
from typing import IO, Any, Self

import httpx

START_S = 600.0
"""A first start may compile kernels, and a peer's environment may have to be built."""

ANSWER_S = 300.0
STOP_S = 15.0
_TAIL_BYTES = 2000


class ProgramError(Exception):
    """A program did not start, did not answer or failed; the text has its last lines."""


class Program:
    """A child whose output is read line by line. Use it in a ``with``."""

    def __init__(self, name: str, argv: Sequence[str], environ: Mapping[str, str]) -> None:
        self.name = name
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in ``stop``)
        self._process = subprocess.Popen(
            list(argv),
            env=dict(environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def line(self, timeout_s: float) -> str:
        """The next line of its output.

        Raises:
            ProgramError: it ended, or said nothing in time.
        """
        try:
            line = self._lines.get(timeout=timeout_s)
        except queue.Empty:
            raise self._failure(f"said nothing for {timeout_s:.0f} s") from None
        if line is None:
            raise self._failure(f"ended with status {self._process.wait()}")
        return line

    def say(self, message: Mapping[str, Any]) -> None:
        """Send it one JSON object as a line."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._failure("reads no more") from None

    def hear(self, timeout_s: float = ANSWER_S) -> dict[str, Any]:
        """The next JSON object of its output; other lines are passed over.

        Raises:
            ProgramError: also when the object is an error.
        """
        until = time.monotonic() + timeout_s
        while True:
            line = self.line(max(0.0, until - time.monotonic()))
            if line.startswith("{"):
                answer: dict[str, Any] = json.loads(line)
                if "error" in answer:
                    raise ProgramError(f"{self.name}: {answer['error']}")
                return answer

    def heard(self, within_s: float) -> dict[str, Any] | None:
        """The next JSON object, or None when there is none in that time."""
        try:
            line = self._lines.get(timeout=within_s)
        except queue.Empty:
            return None
        if line is None:
            raise self._failure(f"ended with status {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Send one object and wait for the answer."""
        self.say(message)
        return self.hear()

    def stop(self) -> None:
        """SIGTERM to its whole group, a bounded wait, then SIGKILL."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, number)
                self._process.wait(STOP_S)
                break
            except ProcessLookupError:
                break
            except subprocess.TimeoutExpired:
                continue
        self._process.wait(STOP_S)
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()
        self._errors.close()

    def _read(self, output: IO[str]) -> None:
        with output:
            for line in output:
                self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def _failure(self, what: str) -> ProgramError:
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - _TAIL_BYTES))
        tail = self._errors.read().decode("utf-8", "replace").strip()
        return ProgramError(f"{self.name} {what}\n{tail}".rstrip())


@contextmanager
def server(name: str, module: str, settings: Mapping[str, str]) -> Iterator[str]:
    """``python -m MODULE serve`` on a free loopback port, warm; gives its ``http://`` URL.

    Raises:
        ProgramError: it did not become ready.
    """
    environ = {**os.environ, "FIRSTWORD_LOG_LEVEL": "error", **settings}
    argv = (sys.executable, "-m", module, "serve")
    with Program(name, argv, environ) as program:
        until = time.monotonic() + START_S
        while not (line := program.line(max(0.0, until - time.monotonic()))).startswith("ready: "):
            pass
        url = line.removeprefix("ready: ").strip()
        _wait_warm(name, url, until)
        yield url


def speech_server(settings: Mapping[str, str] | None = None) -> AbstractContextManager[str]:
    """The speech server; a context manager that gives its URL."""
    own = {"FIRSTWORD_TTS_HOST": "127.0.0.1", "FIRSTWORD_TTS_PORT": "0"}
    return server("speech server", "firstword.tts", {**own, **(settings or {})})


def agent_server(speech_url: str, settings: Mapping[str, str]) -> AbstractContextManager[str]:
    """The agent, speaking through ``speech_url``; a context manager that gives its URL."""
    own = {
        "FIRSTWORD_AGENT_HOST": "127.0.0.1",
        "FIRSTWORD_AGENT_PORT": "0",
        "FIRSTWORD_WIRE": "websocket",
        "FIRSTWORD_TTS_URL": speech_url.replace("http://", "ws://"),
    }
    return server("agent", "firstword.agent", {**own, **settings})


def _wait_warm(name: str, url: str, until: float) -> None:
    with httpx.Client(trust_env=False, timeout=5.0) as client:
        while time.monotonic() < until:
            with suppress(httpx.HTTPError):
                if client.get(f"{url}/ping").status_code == httpx.codes.OK:
                    return
            time.sleep(0.1)
    raise ProgramError(f"{name} did not become warm in {START_S:.0f} s")
