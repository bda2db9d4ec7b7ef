"""``destroy ENV``: agent, then endpoint. What they stand on stays, and it is said what it costs."""

from __future__ import annotations

import argparse

from firstword.infra.commands.cost import costs
from firstword.infra.names import Part
from firstword.infra.operations.stacks import Stacks, opened
from firstword.infra.prices import PRICES_FILE, read_prices

GOES: tuple[Part, ...] = ("agent", "endpoint")


def add(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.add_argument("environment", metavar="ENV")
    parser.add_argument("--only", choices=GOES, help="this stack alone")
    parser.add_argument("--yes", action="store_true", help="accepted; nothing is asked")


def run(options: argparse.Namespace) -> int:
    """Take them down, the last one first."""
    with opened(options.environment) as stacks:
        if stacks.is_local:
            stacks.destroy(stacks.names[0])
            return 0
        for part in (options.only,) if options.only else GOES:
            stacks.destroy(stacks.part(part))
        if not options.only:
            tell_what_stays(stacks)
    return 0


def tell_what_stays(stacks: Stacks) -> None:
    """Which stack is still there, and what it costs a month."""
    foundation = stacks.part("foundation")
    if not stacks.held(foundation).stands:
        return
    prices = read_prices(stacks.root / PRICES_FILE)
    lines = [line for line in costs(stacks.root, stacks.environment, prices) if line.stays]
    stacks.view.line(f"{foundation} stays: weights, images, roles and logs.")
    for line in lines:
        stacks.view.line(f"  {line.amount:8.2f} USD a month  {line.what}")
    total = sum(line.amount for line in lines)
    stacks.view.line(f"  {total:8.2f} USD a month in all (prices of {prices.date})")
    stacks.view.line(f"Take that away too: firstword purge {stacks.environment}")
