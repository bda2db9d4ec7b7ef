"""``deploy ENV``: all stacks up, in the order in which they depend on each other.

A run that failed or was stopped goes on where it stopped: what is there already is left alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from firstword.infra.operations.stacks import opened


def add(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.add_argument("environment", metavar="ENV")
    parser.add_argument("--yes", action="store_true", help="accepted; nothing is asked")


def run(options: argparse.Namespace) -> int:
    """Bring them up; the outputs of the last one go to standard output."""
    outputs: Mapping[str, Any] = {}
    with opened(options.environment) as stacks:
        for name in stacks.names:
            outputs = stacks.up(name)
        stacks.view.line(f"deployed. Hear it: firstword smoke {options.environment}", "bold green")
    for key, value in sorted(outputs.items()):
        sys.stdout.write(f"{key}: {value}\n")
    return 0
