"""``python -m firstword.tts``: the server, and what can be done without one."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence

from firstword.tts.commands import doctor, models, say, voices
from firstword.tts.commands.outcome import CommandError, Exit, UsageError
from firstword.tts.models import ModelsError, VoiceError
from firstword.tts.settings import Settings, SettingsError


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run one command; see ``Exit`` for the statuses."""
    options = _parser().parse_args(argv)
    try:
        return int(options.run(options, os.environ if environ is None else environ))
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has left; the interpreter must not trip over it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.FAILED
    except (UsageError, SettingsError, VoiceError) as error:
        return _complain(error, Exit.USAGE)
    except (ModelsError, CommandError) as error:
        return _complain(error, Exit.FAILED)


def _serve(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    from firstword.tts.app import run

    return run(Settings.from_env(environ))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="firstword-tts", description="Kokoro-82M, spoken.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    serve = commands.add_parser("serve", help="answer requests (settings: FIRSTWORD_*)")
    serve.set_defaults(run=_serve)
    for module in (say, voices, models, doctor):
        module.add(commands)
    return parser


def _complain(error: Exception, status: Exit) -> int:
    sys.stderr.write(f"{error}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
