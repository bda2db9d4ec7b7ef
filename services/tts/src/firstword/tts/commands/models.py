"""``models fetch | verify | path``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from firstword.tts.commands.outcome import Exit
from firstword.tts.models import model_dir


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = commands.add_parser("models", help="fetch, check and find the model files")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, text in (
        ("fetch", "fetch and verify all that is missing"),
        ("verify", "read every file and say what is wrong"),
        ("path", "say where the files lie"),
    ):
        action = actions.add_parser(name, help=text)
        action.add_argument("--dir", type=Path, help="the folder (default: FIRSTWORD_MODEL_DIR)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Do what ``options.action`` says."""
    folder = (options.dir or model_dir(environ)).expanduser()
    if options.action == "path":
        sys.stdout.write(f"{folder}\n")
        return Exit.DONE
    return _fetch(folder) if options.action == "fetch" else _verify(folder)


def _fetch(folder: Path) -> int:
    from firstword.tts.models.fetch import fetch, missing
    from firstword.tts.models.pins import pins
    from firstword.tts.models.progress import progress

    lacking = sum(file.size for file in missing(folder, pins()))
    with progress(sys.stderr, lacking) as shown:
        manifest = fetch(folder, shown)
    size = sum(entry.size for entry in manifest.entries)
    sys.stdout.write(f"{len(manifest.entries)} files, {size / 1e6:.0f} MB, verified: {folder}\n")
    return Exit.DONE


def _verify(folder: Path) -> int:
    from firstword.tts.models.manifest import problems
    from firstword.tts.models.pins import pins

    found = problems(folder, pins())
    for problem in found:
        sys.stdout.write(f"{problem}\n")
    if found:
        sys.stderr.write("mend it with `firstword models fetch`\n")
        return Exit.FAILED
    sys.stdout.write(f"every file is what it should be: {folder}\n")
    return Exit.DONE
