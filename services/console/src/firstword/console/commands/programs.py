"""``say``, ``voices``, ``models`` and ``bench``: other programs' commands, under one name."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from collections.abc import Mapping, Sequence

from firstword.console.parts import BENCH_PROGRAM, TTS_PROGRAM
from firstword.console.stopping import INTERRUPTED

COMMANDS: Mapping[str, str] = {
    "say": "speak a text into a file",
    "voices": "list the voices",
    "models": "fetch, verify or locate the weights",
    "bench": "measure on this machine",
}
"""Command to what it does. Each is handed to its program with all of its arguments."""


def run(command: str, arguments: Sequence[str]) -> int:
    """Hand one of COMMANDS to the program that has it; give its exit status."""
    program = BENCH_PROGRAM if command == "bench" else (*TTS_PROGRAM, command)
    return run_program([*program, *arguments])


def run_program(argv: Sequence[str]) -> int:
    """Run a program with this one's own input, output and terminal; give its exit status.

    Ctrl-C reaches it from the terminal; this side only waits for what it makes of it.
    """
    program = subprocess.Popen(argv)
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            status = program.wait()
            break
    if status in (-signal.SIGINT, -signal.SIGTERM):
        return INTERRUPTED
    return status if status >= 0 else 1
