"""The ``firstword`` command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from firstword.console.agentcore.runtime import RuntimeFailure
from firstword.console.child import ChildError
from firstword.console.commands import doctor, page, programs, serve, talk
from firstword.console.ports import PortError
from firstword.console.settings import SettingError, Settings
from firstword.console.stopping import INTERRUPTED
from firstword.console.terminal import Terminal
from firstword.console.turn import TurnError

COMMANDS: tuple[ModuleType, ...] = (talk, serve, page, doctor)
"""Each has NAME, HELP, ``add(parser)``, ``check(options)`` and ``run(options, ...)``."""

FAILED, WRONG_USAGE = 1, 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in programs.COMMANDS:
        return programs.run(arguments[0], arguments[1:])
    parser = _parser()
    options = parser.parse_args(arguments)
    if (complaint := options.module.check(options)) is not None:
        parser.error(complaint)
    terminal = Terminal.standard()
    try:
        settings = Settings.from_env(os.environ)
        status: int = options.module.run(options, settings, terminal)
    except SettingError as error:
        terminal.fail(str(error))
        return WRONG_USAGE
    except BrokenPipeError:
        # Whoever read the output has left; the interpreter must not trip over it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except (ChildError, PortError, RuntimeFailure, TurnError, OSError) as error:
        terminal.fail(str(error))
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="firstword",
        description="A voice agent that speaks its first sentence while it thinks of the second.",
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for module in COMMANDS:
        command = commands.add_parser(module.NAME, help=module.HELP, description=module.HELP)
        module.add(command)
        command.set_defaults(module=module)
    for name, help_text in programs.COMMANDS.items():
        commands.add_parser(name, help=help_text, add_help=False)
    return parser


if __name__ == "__main__":
    sys.exit(main())
