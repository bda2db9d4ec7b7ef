"""The commands of "On AWS" in docs/operations.md work, one after the other as they stand there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from engine.site import DEADLINE_S, GRAPH_SHA256, Site, leftovers

pytestmark = [pytest.mark.pulumi, pytest.mark.timeout(1500)]

PAGE = Path(__file__).parents[2] / "docs/operations.md"

NOT_HERE = {
    "firstword smoke dev": "moto's endpoint does not speak; tests/infra/test_operations_smoke.py",
}
"""Commands that need more than is here, and why."""


def commands() -> list[str]:
    """All lines of the section's blocks."""
    section = PAGE.read_text(encoding="utf-8").partition("\n## On AWS\n")[2]
    blocks = re.findall(r"```sh\n(.*?)```", section.partition("\n## ")[0], re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


def test_every_command_block_runs_and_the_account_is_empty_afterwards(site: Site) -> None:
    for path in site.root.glob("Pulumi.dev-*.yaml"):
        path.unlink()
    assert NOT_HERE.keys() < set(commands())
    for command in commands():
        if command in NOT_HERE:
            continue
        run = subprocess.run(
            ["bash", "-c", command],
            cwd=site.root,
            env=dict(site.env),
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
        assert run.returncode == 0, f"{command}:\n{run.stdout}\n{run.stderr}"
        if command.startswith("firstword init"):
            # The weights here are a few bytes; the default pin is Kokoro's.
            site.set("dev-endpoint", weightsSha256=GRAPH_SHA256)
    assert {kind: found for kind, found in leftovers(site.account).items() if found} == {}
