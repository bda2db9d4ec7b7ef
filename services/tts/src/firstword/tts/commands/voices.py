"""``voices``: what can be spoken with."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict

from firstword.tts.commands.outcome import Exit


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = commands.add_parser("voices", help="list the voices")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print the voices."""
    from firstword.tts.assembly import voices
    from firstword.tts.settings import Settings

    listed = voices(Settings.from_env(environ)).list()
    if options.json:
        sys.stdout.write(json.dumps({"voices": [asdict(voice) for voice in listed]}) + "\n")
        return Exit.DONE
    sys.stdout.write(f"{'VOICE':<13} {'LANGUAGE':<9} {'GENDER':<7} GRADE\n")
    for voice in listed:
        row = f"{voice.id:<13} {voice.language:<9} {voice.gender:<7} {voice.grade or '-'}"
        sys.stdout.write(row + "\n")
    return Exit.DONE
