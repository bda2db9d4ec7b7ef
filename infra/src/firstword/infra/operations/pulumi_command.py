"""The Pulumi CLI as a child process that Ctrl-C reaches through us, once for each time.

In the terminal's own process group it would get the signal beside us, and a second one that we hand
on would make it drop what is in flight. In a session of its own it gets exactly what is meant.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FrameType
from typing import IO

from pulumi.automation import CommandResult, OnOutput, PulumiCommand
from pulumi.automation.errors import create_command_error

from firstword.infra.errors import InfraError

MISSING = (
    "pulumi is not on PATH: install the Pulumi CLI, or build the one that the tests use and put it "
    'there: export PATH="$(tools/pulumi/build):$PATH"'
)


class InterruptibleCommand(PulumiCommand):
    """What the Automation API runs the CLI with.

    Raises:
        InfraError: there is no CLI on PATH.
    """

    def __init__(self) -> None:
        try:
            super().__init__()
        except (FileNotFoundError, PermissionError) as error:
            raise InfraError(MISSING) from error
        self.interrupts = 0
        self._running: subprocess.Popen[str] | None = None

    @contextmanager
    def watching(self, on_interrupt: Callable[[int], None]) -> Iterator[None]:
        """Inside, SIGINT and SIGTERM ask the running CLI to stop, and never raise.

        ``on_interrupt`` is told how many times that was asked for. The CLI ends what is in flight
        after the first time and saves its state; the second time it drops what is in flight.
        """

        def on_signal(number: int, frame: FrameType | None) -> None:
            self.interrupts += 1
            on_interrupt(self.interrupts)
            if self._running is not None:
                with suppress(ProcessLookupError):
                    self._running.send_signal(signal.SIGINT)

        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, on_signal) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def run(
        self,
        args: list[str],
        cwd: str,
        additional_env: Mapping[str, str],
        on_output: OnOutput | None = None,
        on_error: OnOutput | None = None,
    ) -> CommandResult:
        """Run one command of the CLI to its end. CommandError when it fails."""
        with subprocess.Popen(
            [self.command, "--non-interactive", *args],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**os.environ, **additional_env, "PULUMI_AUTOMATION_API": "true"},
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            self._running = process
            out, err = _Lines(process.stdout, on_output), _Lines(process.stderr, on_error)
            out.join()
            err.join()
            code = process.wait()
            self._running = None
        result = CommandResult(stdout=out.text, stderr=err.text, code=code)
        if code != 0:
            raise create_command_error(result)
        return result


class _Lines(threading.Thread):
    """Reads a pipe to its end; ``text`` is what came."""

    def __init__(self, pipe: IO[str], on_line: OnOutput | None) -> None:
        super().__init__(daemon=True)
        self._pipe, self._on_line = pipe, on_line
        self._lines: list[str] = []
        self.start()

    @property
    def text(self) -> str:
        return "\n".join(self._lines)

    def run(self) -> None:
        for line in self._pipe:
            stripped = line.rstrip()
            if self._on_line is not None:
                self._on_line(stripped)
            self._lines.append(stripped)
        self._pipe.close()
