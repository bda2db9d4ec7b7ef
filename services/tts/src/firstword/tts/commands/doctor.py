"""``doctor``: what this machine has, what it lacks, and how to mend that."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict

from firstword.tts.commands.outcome import Exit


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = commands.add_parser("doctor", help="say what is missing and how to mend it")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Look at everything, and report."""
    from firstword.tts.checks import examine
    from firstword.tts.settings import Settings

    checks = examine(Settings.from_env(environ))
    sound = all(check.ok or not check.needed for check in checks)
    if options.json:
        report = {"ok": sound, "checks": [asdict(check) for check in checks]}
        sys.stdout.write(json.dumps(report) + "\n")
    else:
        for check in checks:
            mark = "ok" if check.ok else "MISSING" if check.needed else "absent"
            sys.stdout.write(f"{mark:<8} {check.name:<10} {check.detail}\n")
            if check.mend and not check.ok:
                sys.stdout.write(f"{'':<19} {check.mend}\n")
    return Exit.DONE if sound else Exit.FAILED
