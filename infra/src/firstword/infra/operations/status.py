"""``status ENV``: which stacks are up, since when, and what they give."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from firstword.infra.operations.stacks import Stacks, opened


def add(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.add_argument("environment", metavar="ENV")
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--yes", action="store_true", help="accepted; nothing is asked")


def run(options: argparse.Namespace) -> int:
    """Print it. Asks the state only, not AWS."""
    with opened(options.environment) as stacks:
        found = look(stacks)
    sys.stdout.write(json.dumps(found, indent=1) + "\n" if options.json else as_text(found))
    return 0


def look(stacks: Stacks) -> Mapping[str, Mapping[str, Any]]:
    """Stack to: resources (how many), updated, busy, outputs."""
    summaries = stacks.summaries()
    found: dict[str, Mapping[str, Any]] = {}
    for name in stacks.names:
        summary = summaries.get(name)
        if summary is None:
            found[name] = {"resources": 0, "updated": None, "busy": False, "outputs": {}}
            continue
        held = stacks.held(name)
        updated = summary.last_update
        found[name] = {
            "resources": len(held.resources),
            "updated": updated.isoformat() if updated else None,
            "busy": bool(summary.update_in_progress),
            "outputs": held.outputs,
        }
    return found


def as_text(found: Mapping[str, Mapping[str, Any]]) -> str:
    """One line a stack, its outputs below it."""
    lines = []
    for name, stack in found.items():
        state = f"{stack['resources']} resources" if stack["resources"] else "not deployed"
        when = f", last changed {stack['updated']}" if stack["updated"] else ""
        busy = ", being changed now" if stack["busy"] else ""
        lines.append(f"{name}: {state}{when}{busy}")
        lines += [f"  {key}: {value}" for key, value in sorted(stack["outputs"].items())]
    return "\n".join(lines) + "\n"
