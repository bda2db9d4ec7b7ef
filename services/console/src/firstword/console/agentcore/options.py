"""The options that name a deployed agent, the same in every command."""

from __future__ import annotations

import argparse

from firstword.console.agentcore.runtime import Runtime


def add_runtime(parser: argparse.ArgumentParser, what: str) -> None:
    """Declare ``--runtime-arn`` and ``--region``."""
    parser.add_argument("--runtime-arn", metavar="ARN", help=what)
    parser.add_argument(
        "--region", metavar="R", help="the region of --runtime-arn, which must be that of the ARN"
    )


def runtime_complaint(options: argparse.Namespace) -> str | None:
    """What is wrong with them, if anything."""
    if options.runtime_arn is None:
        return None if options.region is None else "--region is that of a --runtime-arn"
    try:
        Runtime.parse(options.runtime_arn, options.region)
    except ValueError as error:
        return str(error)
    return None
