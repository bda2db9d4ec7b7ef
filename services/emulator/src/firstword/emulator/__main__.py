"""``python -m firstword.emulator``: one of AWS's data planes, on this machine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from types import ModuleType

from firstword.emulator.agentcore import command as agentcore
from firstword.emulator.sagemaker import command as sagemaker

COMMANDS: tuple[ModuleType, ...] = (agentcore, sagemaker)
"""Each has NAME, HELP, ``add(parser)``, ``check(options)`` and ``run(options)``."""

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one data plane. Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    parser = argparse.ArgumentParser(
        prog="firstword-emulator",
        description="AWS's data planes on loopback. Each prints `ready: URL` when it listens.",
    )
    planes = parser.add_subparsers(metavar="PLANE", required=True)
    for module in COMMANDS:
        plane = planes.add_parser(module.NAME, help=module.HELP, description=module.HELP)
        module.add(plane)
        plane.set_defaults(module=module)
    options = parser.parse_args(argv)
    if (complaint := options.module.check(options)) is not None:
        parser.error(complaint)
    try:
        return int(options.module.run(options))
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
