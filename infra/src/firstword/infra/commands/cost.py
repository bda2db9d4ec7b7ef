"""``cost ENV``: the monthly floor of an environment, stack by stack."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from firstword.infra.capacity import CAPACITY_FILE, plan_fleet, read_capacity
from firstword.infra.prices import (
    PRICES_FILE,
    Line,
    Prices,
    agent_costs,
    endpoint_costs,
    foundation_costs,
    read_prices,
)
from firstword.infra.settings import (
    AgentSettings,
    EndpointSettings,
    FoundationSettings,
    LocalSettings,
)
from firstword.infra.stack_files import read_stack, repository_root, stacks_of


def add(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.add_argument("environment", metavar="ENV")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(options: argparse.Namespace) -> int:
    """Print the table, or JSON."""
    root = repository_root(Path.cwd())
    prices = read_prices(root / PRICES_FILE)
    lines = costs(root, options.environment, prices)
    sys.stdout.write(as_json(lines, prices) if options.json else as_table(lines))
    if not options.json:
        sys.stderr.write(f"prices of {prices.date}: {prices.source}\n")
    return 0


def costs(root: Path, environment: str, prices: Prices) -> Sequence[Line]:
    """What costs in each of the environment's stacks when nobody talks.

    Raises:
        InfraError: no such environment, or its settings cannot be used.
    """
    lines: list[Line] = []
    for stack in stacks_of(root, environment):
        match read_stack(root, stack):
            case FoundationSettings() as settings:
                lines += foundation_costs(settings, prices)
            case EndpointSettings() as settings:
                fleet = plan_fleet(settings.fleet, read_capacity(root / CAPACITY_FILE))
                lines += endpoint_costs(settings, fleet, prices)
            case AgentSettings():
                lines += agent_costs()
            case LocalSettings():
                lines.append(Line("local", "your own machine", 0.0))
    return lines


def as_table(lines: Sequence[Line]) -> str:
    """One line each, then the sums."""
    rows = [f"{line.stack:<12}{line.amount:>10.2f}  {line.what}" for line in lines]
    total = sum(line.amount for line in lines)
    stays = sum(line.amount for line in lines if line.stays)
    rows.append(f"{'a month':<12}{total:>10.2f}  USD, when nobody talks")
    if stays:
        rows.append(f"{'of which':<12}{stays:>10.2f}  stays after `firstword destroy`")
    return "\n".join(rows) + "\n"


def as_json(lines: Sequence[Line], prices: Prices) -> str:
    """One object."""
    total = round(sum(line.amount for line in lines), 2)
    return (
        json.dumps(
            {
                "prices": prices.date,
                "currency": "USD",
                "month": total,
                "lines": [asdict(line) for line in lines],
            },
            indent=1,
        )
        + "\n"
    )
