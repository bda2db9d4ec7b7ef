"""``python -m firstword.infra init|deploy|status|destroy|purge|smoke|cost ENV``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType, ModuleType

from firstword.infra.errors import InfraError, SettingError

COMMANDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "init": ("commands.init", "write the stack files of a new environment"),
        "deploy": ("operations.deploy", "bring all stacks up, in order; goes on where it stopped"),
        "status": ("operations.status", "what of an environment is deployed"),
        "smoke": ("operations.smoke", "have what is deployed speak, and check that it is speech"),
        "cost": ("commands.cost", "what an environment costs a month when nobody talks"),
        "destroy": ("operations.destroy", "take agent and endpoint down; weights and images stay"),
        "purge": ("operations.purge", "take everything away, weights, images and logs too"),
    }
)
"""Command to its module below this package and what it does.

A module has ``add(parser)``, which describes its options, and ``run(options)``, which gives the
exit status. It is imported when its command is used: Pulumi's packages take seconds.
"""

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    chosen = arguments[0] if arguments else ""
    module = _module(chosen) if chosen in COMMANDS else None
    options = _parser(chosen, module).parse_args(arguments)
    try:
        status: int = options.run(options)
    except SettingError as error:
        return _complain(str(error), WRONG_USAGE)
    except (InfraError, OSError) as error:
        return _complain(str(error), FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _module(command: str) -> ModuleType:
    return import_module(f"firstword.infra.{COMMANDS[command][0]}")


def _parser(chosen: str, module: ModuleType | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="firstword", description="Environments on AWS or on one Docker host."
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, (_, about) in COMMANDS.items():
        command = commands.add_parser(name, help=about, description=about)
        if name == chosen and module is not None:
            module.add(command)
            command.set_defaults(run=module.run)
    return parser


def _complain(text: str, status: int) -> int:
    sys.stderr.write(f"firstword: {text}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
