"""Other programs' commands under one name: speech (``say``), ``bench``, the cloud (``deploy``)."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from collections.abc import Mapping, Sequence

from firstword.console.parts import BENCH_PROGRAM, INFRA_PROGRAM, TTS_PROGRAM
from firstword.console.stopping import INTERRUPTED

_SPEECH: Mapping[str, str] = {
    "say": "speak a text into a file",
    "voices": "list the voices",
    "models": "fetch, verify or locate the weights",
}
_BENCH: Mapping[str, str] = {"bench": "measure on this machine"}
_CLOUD: Mapping[str, str] = {
    "init": "write the stack files of a new environment",
    "deploy": "bring an environment up, on AWS or on one Docker host",
    "status": "what of an environment is deployed",
    "smoke": "have what is deployed speak, and check that it is speech",
    "cost": "what an environment costs a month when nobody talks",
    "destroy": "take an environment's voice and agent down",
    "purge": "take everything of an environment away",
}

COMMANDS: Mapping[str, str] = {**_SPEECH, **_BENCH, **_CLOUD}
"""Command to what it does. Each is handed to its program with all of its arguments."""


def run(command: str, arguments: Sequence[str]) -> int:
    """Hand one of COMMANDS to the program that has it; give its exit status."""
    if command in _BENCH:
        return run_program([*BENCH_PROGRAM, *arguments])
    return run_program(
        [*(INFRA_PROGRAM if command in _CLOUD else TTS_PROGRAM), command, *arguments]
    )


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
