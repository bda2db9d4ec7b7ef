"""``python -m firstword.bench NAME [--runs N] [--json FILE]``."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from websockets.exceptions import WebSocketException

from firstword.bench.ear import EarError
from firstword.bench.figures import Findings
from firstword.bench.processes import ProgramError
from firstword.bench.report import Run, tables, write
from firstword.bench.runs import Talk
from firstword.bench.turn import TurnError
from firstword.bench.wire import SpeechError
from firstword.tts.models import ModelsError
from firstword.tts.settings import SettingsError

DONE, FAILED, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130

BENCHES: Mapping[str, tuple[str, int, str]] = {
    "first-audio": ("first_audio", 7, "first sound: whole block, first sentence, windows, socket"),
    "peers": ("peers", 7, "first audio and speed beside kokoro-onnx, fastkokoro, ONNX Runtime"),
    "turn": ("turn", 7, "agent and speech together: bidi, batch; our chunker and others"),
    "streams": ("streams", 1, "listeners on one machine until 1 % of playback stands still"),
    "codecs": ("codecs", 1, "24 clips: bytes, first byte and word errors by format"),
    "quality": (
        "quality",
        3,
        "word errors and naturalness, fast and exact; size of the first clause",
    ),
    "gpu": ("gpu", 3, "the torch engine with 1 to 128 sessions, beside the plain torch package"),
    "wire": ("wires", 30, "first audio through SageMaker's wire and straight from the socket"),
    "newcomer": ("newcomer", 7, "first audio of a newcomer beside one long sentence"),
}
"""Name to module, usual number of runs, and what it measures."""

EXPECTED = (
    EarError,
    ProgramError,
    ModelsError,
    SpeechError,
    TurnError,
    httpx.HTTPError,
    WebSocketException,
    OSError,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one bench. Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    options = _parser().parse_args(argv)
    module, usual, _ = BENCHES[options.name]
    runs = usual if options.runs is None else options.runs
    if runs < 1:
        return _complain(f"--runs must be 1 or more, got {runs}", WRONG_USAGE)
    if options.json is not None and not options.json.absolute().parent.is_dir():
        return _complain(f"--json: there is no folder {options.json.parent}", WRONG_USAGE)
    command = ("firstword", "bench", *(sys.argv[1:] if argv is None else argv))
    run = Run.here(options.name, command, runs)
    try:
        bench: Any = importlib.import_module(f"firstword.bench.{module}")
        findings = bench.measure(runs, Talk(), **_own(options))
    except KeyboardInterrupt:
        return INTERRUPTED
    except SettingsError as error:
        return _complain(str(error), WRONG_USAGE)
    except EXPECTED as error:
        return _complain(str(error) or type(error).__name__, FAILED)
    _print(findings)
    if options.json is not None:
        for path in write(options.json, run, findings):
            Talk().say(f"written: {path}")
    return DONE


def _print(findings: Findings) -> None:
    """For people on a terminal, else as Markdown."""
    watched = sys.stdout.isatty()
    out = Console(highlight=False, markup=False, width=None if watched else 200)
    for table in tables(findings, markdown=not watched):
        out.print(table)
    for note in findings.notes:
        out.print(note, soft_wrap=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="firstword bench", description="Measure on this machine.")
    names = parser.add_subparsers(dest="name", required=True, metavar="NAME")
    for name, (_, usual, text) in BENCHES.items():
        one = names.add_parser(name, help=text.replace("%", "%%"), description=text)
        one.add_argument("--runs", type=int, metavar="N", help=f"measured runs (default {usual})")
        one.add_argument(
            "--json", type=Path, metavar="FILE", help="the figures as JSON, and a chart beside it"
        )
        if name == "gpu":
            one.add_argument(
                "--device", choices=("auto", "cpu", "cuda"), help="what torch runs on (auto)"
            )
            one.add_argument("--price", type=float, metavar="USD", help="the machine's, an hour")
    return parser


def _own(options: argparse.Namespace) -> dict[str, Any]:
    """What only one bench has, where it was given."""
    given = {name: getattr(options, name, None) for name in ("device", "price")}
    return {name: value for name, value in given.items() if value is not None}


def _complain(text: str, status: int) -> int:
    sys.stderr.write(f"firstword bench: {text}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
