"""``firstword doctor``: what this machine has, what it lacks, and how to mend that."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from firstword.console.checks import Check, own_checks, program_checks
from firstword.console.parts import AGENT, AGENT_PROGRAM, TTS, TTS_PROGRAM
from firstword.console.settings import Settings
from firstword.console.terminal import Terminal

NAME = "doctor"
HELP = "say what is missing and how to mend it"

_STARTED_HERE = ("speech service",)
"""What the agent looks for outside of itself, and talk and serve start beside it."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--json", action="store_true", help="one JSON object")


def check(_options: argparse.Namespace) -> str | None:
    """No options exclude each other."""
    return None


def run(options: argparse.Namespace, settings: Settings, terminal: Terminal) -> int:
    """Look at all parts; status 1 when something needed is missing."""
    checks = [
        *program_checks(TTS, TTS_PROGRAM),
        *program_checks(AGENT, AGENT_PROGRAM, optional=_STARTED_HERE),
        *own_checks(settings.environ),
    ]
    sound = all(c.ok or not c.needed for c in checks)
    if options.json:
        terminal.line(json.dumps({"ok": sound, "checks": [c.as_dict() for c in checks]}))
    else:
        _print(checks, terminal)
    return 0 if sound else 1


def _print(checks: Sequence[Check], terminal: Terminal) -> None:
    width = max(len(c.name) for c in checks)
    part = ""
    for c in checks:
        if c.part != part:
            part = c.part
            terminal.line(part)
        terminal.line(f"  {c.mark:<8} {c.name:<{width}}  {c.detail}")
        if not c.ok and c.mend:
            terminal.line(f"  {'':<8} {'':<{width}}  {c.mend}")
